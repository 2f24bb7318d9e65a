package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// Calls that leave traced code for packages that are left out: which they are, and their records.

// A pgOutside is a package of which nothing is traced. It is outside the heap; what it points to is data of the program.
type pgOutside struct {
	_     sys.NotInHeap
	path  string
	roots uintptr // of interfaces that hold pointers to variables
	n     int
	next  *pgOutside
	index uint64
}

var presageOutside struct {
	last   *pgOutside
	traced string // paths of the traced packages, each between newlines; "" if some of their functions are not
	free   *pgWalk
	large  [pgLargeSites]pgLarge
}

// A pgLarge is a call whose D was too large, so many times in a row: the next calls there are taken to reach everything, and not asked, twice as many each time.
type pgLarge struct {
	site        uint32
	times, skip uint16
}

const (
	pgLargeSites = 1024
	pgLargeTimes = 10
)

// large reports whether the D of a call at a site is not looked for. presage.mu is held.
func (r *pgWalk) large() bool {
	x := &presageOutside.large[uint32(r.head)%pgLargeSites]
	if x.site != uint32(r.head) || x.skip == 0 {
		return false
	}
	x.skip--
	return true
}

// tell notes how large the D has become. presage.mu is held.
func (r *pgWalk) tell() {
	x := &presageOutside.large[uint32(r.head)%pgLargeSites]
	switch {
	case r.known:
	case r.all && x.site == uint32(r.head):
		x.times = min(x.times+1, pgLargeTimes)
		x.skip = 1<<x.times - 1
	case r.all:
		*x = pgLarge{uint32(r.head), 1, 1}
	case x.site == uint32(r.head):
		*x = pgLarge{}
	}
}

// PresageOutside registers a package that is left out, with its variables. Called by its init function.
func PresageOutside(index uint64, path, traced string, roots []any) {
	if !presage.on {
		return
	}
	x := (*pgOutside)(persistentalloc(unsafe.Sizeof(pgOutside{}), 8, &memstats.other_sys))
	*x = pgOutside{path: path, n: len(roots), index: index}
	if len(roots) > 0 {
		x.roots = uintptr(unsafe.Pointer(&roots[0]))
	}
	lock(&presage.mu)
	x.next = presageOutside.last
	presageOutside.last = x
	presageOutside.traced = traced
	unlock(&presage.mu)
}

// pgPackage returns the path of the package that the function at pc belongs to.
func pgPackage(pc uintptr) string {
	f := findfunc(pc)
	if !f.valid() {
		return ""
	}
	name := funcname(f)
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

func pgOutsideOf(path string) uint64 {
	for x := presageOutside.last; x != nil; x = x.next {
		if x.path == path {
			return x.index
		}
	}
	return 0
}

// Leaves returns the number of the package that is left out to which the code at target belongs, 0 if it is another.
func (s *PresageG) Leaves(target uintptr) uint64 {
	if target == 0 || presageOutside.last == nil || s.off {
		return 0
	}
	k := &s.leaves[(target>>4^target>>8)%pgAnswers]
	if k.pc != target {
		k.pc, k.to = target, pgOutsideOf(pgPackage(target&^1))
	}
	return k.to
}

// A pgLeft is an answer of Leaves.
type pgLeft struct {
	pc uintptr
	to uint64
}

// MethodBegin begins the record of a call that leaves traced code. What the call is given follows, by Reach, then Called.
//
//go:noinline
func (s *PresageG) MethodBegin(h, method uint64) {
	if s.off || !presage.on {
		return
	}
	s.site = 0
	systemstack(func() {
		r := pgNewWalk(h)
		r.method, r.depth = method, s.depth
		s.reach = r
	})
	s.reach.time = s.tick()
}

// MethodBegun writes the records of the call that MethodBegin began. Roots: the variables of packages that are left out are in its D.
//
//go:noinline
func (s *PresageG) MethodBegun(roots bool) {
	r := s.reach
	if r == nil {
		return
	}
	if roots {
		systemstack(func() { r.roots() })
	}
	s.reach = nil
	if r.all {
		r.parts = 0
		r.head |= pgFlagAll << 48
	}
	p := s.room(4)
	pgStore(p+8, r.method)
	pgStore(p+16, uint64(r.depth))
	pgStore(p+24, r.time)
	pgStore(p, r.head)
	s.pos = p + 32
	for i := range r.parts {
		p := s.room(3)
		pgStore(p+8, uint64(r.part[i][0]))
		pgStore(p+16, uint64(r.part[i][1]))
		pgStore(p, pgHead(pgReach, 0, 0, r.head&(1<<32-1)))
		s.pos = p + 24
	}
	lock(&presage.mu)
	r.tell()
	r.next = presageOutside.free
	presageOutside.free = r
	unlock(&presage.mu)
}

// MethodEnd records that the call has returned, to a function of the depth given.
func (s *PresageG) MethodEnd(h, method uint64, depth uint32) {
	s.site = 0
	p := s.room(4)
	pgStore(p+8, method)
	pgStore(p+16, uint64(depth))
	pgStore(p+24, s.tick())
	pgStore(p, h)
	s.pos = p + 32
}

// Reach adds a value of type t at p, and what it leads to.
//
//go:noinline
func (s *PresageG) Reach(t *abi.Type, p unsafe.Pointer) {
	if r := s.reach; r != nil && t.Pointers() {
		systemstack(func() {
			r.values(uintptr(p), t, 1)
			r.run()
		})
	}
}
