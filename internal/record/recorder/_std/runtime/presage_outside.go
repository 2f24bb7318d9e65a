package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Calls that leave traced code for packages that are left out: which they are, and their records.

// A pgOutside is a package of which nothing is traced. It is outside the heap; what it points to is
// data of the program.
type pgOutside struct {
	_     sys.NotInHeap
	path  string  // as in the names of functions
	dir   string  // of its source files, with the slash
	roots uintptr // of interfaces that hold pointers to variables
	n     int
	next  *pgOutside
	index uint64
}

var presageOutside struct {
	last *pgOutside
	n    uintptr
	// paths of the traced packages, each between newlines, the directories of their source, and
	// their method values; "" if some of their functions are not
	traced string
	large  [pgLargeSites]pgLarge
}

const (
	pgLargeSites = 1024
	pgLargeTimes = 10

	pgLeftAnswers = 1 << 10
)

// A pgLarge is a call whose D was too large, so many times in a row: the next calls there are taken
// to reach everything, and not asked, twice as many each time. It is one word: a site; times; how
// many calls are still not asked. Of two that write it at once one is forgotten.
type pgLarge struct{ word uintptr }

func (x *pgLarge) load() (site uint32, times, skip uint16) {
	w := atomic.Loaduintptr(&x.word)
	return uint32(w >> 32), uint16(w >> 16), uint16(w)
}

func (x *pgLarge) store(site uint32, times, skip uint16) {
	atomic.StoreReluintptr(&x.word, uintptr(site)<<32|uintptr(times)<<16|uintptr(skip))
}

// pgIsLarge reports whether the D of a call at a site is not looked for.
func pgIsLarge(site uint32) bool {
	x := &presageOutside.large[site%pgLargeSites]
	of, times, skip := x.load()
	if of != site || skip == 0 {
		return false
	}
	x.store(site, times, skip-1)
	return true
}

// pgTell notes how large the D of a call has become.
func pgTell(site uint32, all bool) {
	x := &presageOutside.large[site%pgLargeSites]
	switch of, times, _ := x.load(); {
	case all && of == site:
		times = min(times+1, pgLargeTimes)
		x.store(site, times, 1<<times-1)
	case all:
		x.store(site, 1, 1)
	case of == site && times > 0:
		x.store(0, 0, 0)
	}
}

// PresageOutside registers a package that is left out, with its variables and a function of it.
// Called before anything else of the package is initialised.
func PresageOutside(index uint64, path, traced string, roots []any, some func()) {
	if !presage.on {
		return
	}
	x := (*pgOutside)(persistentalloc(unsafe.Sizeof(pgOutside{}), 8, &memstats.other_sys))
	*x = pgOutside{path: path, dir: pgDir(**(**uintptr)(unsafe.Pointer(&some))), n: len(roots), index: index}
	if len(roots) > 0 {
		x.roots = uintptr(unsafe.Pointer(&roots[0]))
	}
	lock(&presage.mu)
	x.next = presageOutside.last
	pgFence()
	presageOutside.last = x
	presageOutside.n++
	presageOutside.traced = traced
	unlock(&presage.mu)
	for i := range pgLeft { // its code may have been asked about
		atomic.Storeuintptr(&pgLeft[i], 0)
	}
}

// PresageTraced says which packages are traced, where none is left out.
func PresageTraced(traced string) {
	lock(&presage.mu)
	presageOutside.traced = traced
	unlock(&presage.mu)
}

// pgDir returns the directory of the source file of the function at pc, with the slash.
func pgDir(pc uintptr) string {
	f := findfunc(pc)
	if !f.valid() {
		return ""
	}
	file, _ := funcline1(f, f.entry(), false)
	for i := len(file); i > 0; i-- {
		if file[i-1] == '/' {
			return file[:i]
		}
	}
	return ""
}

// pgPackage returns the path of the package that the function at pc belongs to. A function literal
// of a function that was inlined has a name in the package that this was inlined in.
func pgPackage(pc uintptr) string {
	if dir := pgDir(pc); dir != "" {
		for x := presageOutside.last; x != nil; x = x.next {
			if x.dir == dir {
				return x.path
			}
		}
	}
	f := findfunc(pc)
	if !f.valid() {
		return ""
	}
	return pgPathOf(funcname(f))
}

// pgPathOf returns the path of the package in the name of a function.
func pgPathOf(name string) string {
	i := 0
	for j := 0; j < len(name) && name[j] != '[' && name[j] != '('; j++ {
		if name[j] == '/' {
			i = j
		}
	}
	for ; i < len(name); i++ {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}

// pgOutsideOf returns the number of a package that is left out by its path; 0 if it is none.
func pgOutsideOf(path string) uint64 {
	for x := presageOutside.last; x != nil; x = x.next {
		if x.path == path {
			return x.index
		}
	}
	return 0
}

// Leaves returns the number of the package that is left out to which the code at target belongs, 0
// if it is another.
func (s *PresageG) Leaves(target uintptr) uint64 {
	if target == 0 || presageOutside.last == nil || s.off {
		return 0
	}
	k := &pgLeft[(target>>4^target>>12)%pgLeftAnswers]
	if x := atomic.Loaduintptr(k); x>>16 == target {
		return uint64(x & 0xffff)
	}
	to := pgOutsideOf(pgPackage(target &^ 1))
	if to>>16 == 0 && target>>48 == 0 {
		atomic.StoreReluintptr(k, target<<16|uintptr(to))
	}
	return to
}

// pgLeft are answers of Leaves: a target, and the package in the last 16 bits.
var pgLeft [pgLeftAnswers]uintptr

// MethodBegin begins the record of a call that leaves traced code. What the call is given follows,
// by Reach, then MethodBegun.
//
//go:noinline
func (s *PresageG) MethodBegin(h, method uint64) {
	if s.off || !presage.on {
		return
	}
	s.leaving()
	if pgIsLarge(uint32(h)) {
		s.beginsAll(h, method)
		return
	}
	s.begins(h, method, false)
}

// beginsAll writes the records of a call that is taken to reach everything: nothing else is asked.
func (s *PresageG) beginsAll(h, method uint64) {
	s.site = 0
	s.call.open = false
	s.over(s.depth)
	p := s.room(3)
	pgStore(p+8, method|uint64(s.depth)<<32)
	pgStore(p+16, s.tick())
	pgStore(p, h|pgFlagAll<<48)
	s.pos = p + 24
}

// begins begins it; known: what it reaches is known to be too much.
func (s *PresageG) begins(h, method uint64, known bool) {
	if presageReach.slots == nil {
		systemstack(pgMakeSets)
	}
	s.site = 0
	c := &s.call
	c.open, c.head, c.method, c.depth = true, h, method, s.depth
	c.sets, c.due, c.own = 0, 0, 0
	c.unwalk()
	c.known, c.all = known, known
	if c.late != nil {
		c.late.reset()
	}
	c.notes = true
	c.time = s.tick()
}

// MethodBegun writes the records of the call that MethodBegin began. Roots: the variables of
// packages that are left out are in its D.
//
//go:noinline
func (s *PresageG) MethodBegun(roots bool) {
	if s.call.open {
		s.reached(roots)
		s.writeCall(s)
	}
}

// reached ends the D of the call under way.
func (s *PresageG) reached(roots bool) {
	c := &s.call
	c.open = false
	if roots && !c.all {
		systemstack(func() {
			s.root(pgKey{kind: pgVariables, n: presageOutside.n})
			if presageReach.check {
				s.checked(func(r *pgWalk) { r.roots() })
			}
		})
	}
	if c.all {
		c.sets, c.own = 0, 0
		c.head |= pgFlagAll << 48
	}
	if !c.known {
		pgTell(uint32(c.head), c.all)
	}
}

// writeCall writes the records of the call into the stream of to.
func (s *PresageG) writeCall(to *PresageG) {
	c := &s.call
	named := 1
	for i := range c.sets {
		if c.number[i] != 0 {
			named++
		}
	}
	grows := to.opens(c)
	n := 3 + named + 3*c.own
	p := to.room(n)
	end := p + uintptr(n)*8
	pgStore(p+8, c.method|uint64(c.depth)<<32)
	if to.last > c.time { // what the call is given needed room, and that a stamp
		c.time = to.tick()
	}
	pgStore(p+16, c.time)
	pgStore(p, c.head)
	p += 24
	if grows != 0 {
		pgStore(p, pgHead(pgReachSet, pgFlagMore, 0, uint64(grows)))
		p += 8
	}
	for i := range c.sets {
		if c.number[i] != 0 {
			pgStore(p, pgHead(pgReachSet, 0, 0, uint64(c.number[i])))
			p += 8
		}
	}
	for i := range c.own {
		p = c.reach(p, c.part[i])
	}
	to.pos = p
	to.left += int(end-p) / 8
	if r := c.walk; r != nil {
		for i := 0; i < r.parts && !c.all; i++ {
			p := to.room(3)
			to.pos = c.reach(p, r.part[i])
			to.left += int(p+24-to.pos) / 8
		}
	}
	c.unwalk()
}

// reach writes a span of D at p, and returns where it ends.
func (c *pgCall) reach(p uintptr, x [2]uintptr) uintptr {
	n := uint64(x[1])
	pgStore(p+8, uint64(x[0]))
	if n < 1<<16 {
		pgStore(p, pgHead(pgReach, 0, n, c.head&(1<<32-1)))
		return p + 16
	}
	pgStore(p+16, n)
	pgStore(p, pgHead(pgReach, 0, 0, c.head&(1<<32-1)))
	return p + 24
}

// MethodEnd records that the call has returned, to a function of the depth given.
func (s *PresageG) MethodEnd(h, method uint64, depth uint32) {
	if method == 0 {
		return
	}
	s.site = 0
	s.returned(depth)
	s.over(depth)
	p := s.room(3)
	pgStore(p+8, method|uint64(depth)<<32)
	pgStore(p+16, s.tick())
	pgStore(p, h)
	s.pos = p + 24
}

// Reach adds a value of type t at p, and what it leads to.
//
//go:noinline
func (s *PresageG) Reach(t *abi.Type, p unsafe.Pointer) {
	if c := &s.call; c.open && !c.all && t.Pointers() {
		systemstack(func() {
			s.given(uintptr(p), t)
			if presageReach.check {
				s.checked(func(r *pgWalk) { r.values(uintptr(p), pgTypeOf(t), 1) })
			}
		})
	}
}

// A callback from excluded code lies between stamps. The values of its accesses do not say where
// they are among the ends of other goroutines' calls, because it is unknown what these calls have
// read. Whether an access comes before or after excluded code of its own goroutine decides
// which goroutines can have seen it.

// pgAway is how many calls that leave traced code a goroutine may be in, one in the other, before
// the stamps of all that is called from outside.
const pgAway = 8

// leaving notes that the innermost function calls what leaves traced code. Calls of functions that
// are gone have panicked.
func (s *PresageG) leaving() {
	s.returned(s.depth)
	if s.away < pgAway {
		s.awayAt[s.away] = s.depth
	}
	s.away++
}

// returned notes that calls by functions of this depth and more are over.
func (s *PresageG) returned(depth uint32) {
	if s.away > pgAway {
		s.away--
		return
	}
	for s.away > 0 && s.awayAt[s.away-1] >= depth {
		s.away--
	}
}

// Over notes that the call is over that the frame's function itself is, with all that it has
// called: a function around which a D was recorded is left.
//
//go:noinline
func (f PresageFrame) Over() {
	f.s.depth = f.depth
	f.s.returned(f.depth)
	f.s.over(f.depth)
}

// isAway reports whether the innermost function has called what leaves traced code, and that has
// not returned.
func (s *PresageG) isAway() bool { return s.away > pgAway || s.awayAt[s.away-1] == s.depth }

// calledBack stamps before a function that missing code calls.
//
//go:noinline
func (s *PresageG) calledBack() {
	if s.isAway() {
		s.room(2)
		s.stampAlone()
	}
	if s.left < 2 {
		s.grow2(2)
	}
}

// goesBack stamps after it, and looks for what the missing code can reach now.
func (s *PresageG) goesBack() {
	if s.isAway() {
		s.room(2)
		s.stampAlone()
		s.woken()
	}
}
