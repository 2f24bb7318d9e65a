package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// What a call that leaves traced code can reach: the D of RDIT's BarrierPairs, found by following what the call is given, by its types.
// docs/rdit.md says what is in it.
//
// The memory followed belongs to other goroutines too, and nothing keeps them from writing to it. So no word is trusted: a pointer is looked up before it is
// followed, and what it points to ends where its object does. The walk is on the system stack: no garbage
// collection begins or ends meanwhile, so what was reachable when a pointer to it was read is not used for anything else.
//
// Of code that goes no further than a few levels of memory from what it is given (D11 of package footprint) the walk goes no further, either: it takes what is near first, so that
// what it comes to in several ways has the level of the shortest.
//
// Where a walk goes depends on where it begins and on the words it reads, and on nothing else that changes before the next garbage
// collection has ended. So it notes the words (see), and need not be made again while they are what they were (presage_sets.go).

const (
	pgParts  = 4096    // spans from which on a D is everything
	pgPlaces = 1 << 14 // of the table; half of it is used
	pgFew    = 1 << 7  // of that of a small walk
	pgTodo   = 1 << 13
	pgWords  = 1 << 14 // words read from which on a walk is made anew each time
)

// A pgWalk is a D, or a part of it, while it is made.
type pgWalk struct {
	_      sys.NotInHeap
	next   *pgWalk // free ones
	all    bool
	loose  bool // it depends on more than the words noted
	frozen bool // what is read now never changes
	whole  bool // it goes on in memory that is a set's
	mask   pgMask
	unmask bool    // that is everything
	short  bool    // the mask has few levels of memory (D11): the nearest first,
	most   uintptr // so many
	level  uintptr // of what is being followed
	head   int     // of work
	parts  int
	todo   int
	places int
	words  int
	deps   int
	cycle  uint32 // of garbage collection, when it began
	round  uint64
	near   *mspan  // where the last pointer pointed to; only while the walk is under way: it holds an object that is in use
	made   *pgWalk // what that walk has come to is in D already
	dep    [pgDeps]pgDep
	few    [pgFew]pgPlace      // the table, as long as it is half full at most: it stays in the processor's cache
	part   [pgParts][2]uintptr // address, bytes and pgReads
	work   [pgTodo]pgPlace
	place  [pgPlaces]pgPlace
	word   [pgWords][2]uintptr // address, value
}

// A pgPlace is n values of a type, which a pgType stands for, at addr; untyped: the object that begins there.
type pgPlace struct {
	addr  uintptr
	typ   uintptr
	n     uintptr
	round uint64 // in which the entry of the table was made; of what is to be followed: pgFrozen, if it never changes, and its level
}

func pgNewWalk(mask pgMask) *pgWalk {
	r := pgTakeWalk()
	if r == nil {
		r = (*pgWalk)(persistentalloc(unsafe.Sizeof(pgWalk{}), 64, &memstats.other_sys))
	}
	r.round++
	r.all, r.loose, r.frozen, r.whole = false, false, false, presageReach.full
	r.parts, r.todo, r.places, r.words, r.deps = 0, 0, 0, 0, 0
	r.mask, r.unmask = mask, false
	r.near, r.made, r.cycle = nil, nil, pgCycle()
	r.most, r.level, r.head = mask.levels(), 0, 0
	r.short = r.most > 0
	return r
}

// roots adds the variables of all packages that are left out: one calls the other.
func (r *pgWalk) roots() {
	for x := presageOutside.last; x != nil; x = x.next {
		for i := range x.n {
			v := (*eface)(unsafe.Pointer(x.roots + uintptr(i)*unsafe.Sizeof(eface{})))
			r.add(uintptr(v.data), pgTypeOf((*abi.PtrType)(unsafe.Pointer(v._type)).Elem), 1, pgNoted)
			if !r.short { // else all of them are of the first level
				r.run()
			}
		}
	}
}

// see reads a word that says where the walk goes.
func (r *pgWalk) see(p uintptr) uintptr {
	v := *(*uintptr)(unsafe.Pointer(p))
	switch {
	case r.frozen:
	case r.words == pgWords:
		r.loose = true
	default:
		r.word[r.words] = [2]uintptr{p, v}
		r.words++
	}
	return v
}

// run follows what there is to follow.
func (r *pgWalk) run() {
	for r.todo > 0 && !r.all && !r.unmask {
		x := r.take()
		r.frozen, r.level = x.round&pgFrozen != 0, uintptr(x.round>>2)
		if x.typ == 0 {
			r.scan(x.addr)
			continue
		}
		r.values(x.addr, (*pgType)(unsafe.Pointer(x.typ)), x.n)
	}
	r.frozen, r.level, r.head, r.todo = false, 0, 0, 0
	r.near = nil
}

// take takes a place to be followed.
func (r *pgWalk) take() pgPlace {
	if !r.short {
		r.todo--
		return r.work[r.todo]
	}
	x := r.work[r.head]
	if r.head++; r.head == r.todo {
		r.head, r.todo = 0, 0
	}
	return x
}

// far reports whether what is being followed is of the last level.
func (r *pgWalk) far() bool { return r.short && r.level == r.most }

// What a pointer points into.
const (
	pgNowhere = iota
	pgHeap
	pgStack
	pgVariable
	pgConstant
	pgForeign // memory that the runtime does not manage
)

// pgRegion returns what p points into, and for the heap its object, else where that ends.
func pgRegion(p uintptr) (kind int, base, end uintptr, s *mspan) {
	if s = spanOf(p); s != nil {
		switch s.state.get() {
		case mSpanInUse:
			if p < s.base() || p >= s.limit {
				return pgNowhere, 0, 0, nil
			}
			base = s.base() + s.objIndex(p)*s.elemsize
			return pgHeap, base, base + s.elemsize, s
		case mSpanManual:
			return pgStack, s.base(), s.base() + s.npages*pageSize, s
		}
		return pgNowhere, 0, 0, nil
	}
	for m := &firstmoduledata; m != nil; m = m.next {
		switch {
		case m.noptrdata <= p && p < m.enoptrbss:
			return pgVariable, 0, m.enoptrbss, nil
		case m.text <= p && p < m.noptrdata:
			return pgConstant, 0, m.noptrdata, nil
		}
	}
	return pgForeign, 0, 0, nil
}

// How memory is added.
const (
	pgNoted  = 1 << iota // it is the call's to touch
	pgFrozen             // it never changes
)

// add adds n values of type t at p.
func (r *pgWalk) add(p uintptr, x *pgType, n uintptr, how uint8) {
	if p == 0 || n == 0 || x.size == 0 || r.all || r.far() {
		return
	}
	t := uintptr(unsafe.Pointer(x.typ))
	h := pgHash(p, t)
	leads := x.n > 0
	if leads && how == pgNoted && !r.whole && !r.short {
		if slot, tag := pgSlot(h, n, pgValues, r.mask.at); presageReach.tags[slot] == pgTag(tag) && r.depends(pgKey{p, t, n, pgValues, r.mask}) {
			return
		}
	}
	kind, end := r.region(p)
	switch kind {
	case pgNowhere:
		return
	case pgForeign:
		r.all = true
		return
	case pgStack:
		r.loose = true // it may be another's soon
		how &^= pgNoted
	case pgConstant:
		how = how&^pgNoted | pgFrozen
	}
	if n > 1 && n > (end-p)/x.size {
		n = max(1, (end-p)/x.size)
	}
	size := min(n*x.size, end-p)
	if !r.freshAt(h, p, t, n) {
		return
	}
	if how&pgNoted != 0 {
		r.touch(p, x.typ, n, size)
	}
	if leads && size == n*x.size {
		r.push(pgPlace{p, uintptr(unsafe.Pointer(x)), n, uint64(how & pgFrozen)})
	}
}

// region is pgRegion, without the object: in what the last pointer pointed into, most times.
func (r *pgWalk) region(p uintptr) (kind int, end uintptr) {
	if s := r.near; s != nil && s.base() <= p && p < s.limit {
		return pgHeap, s.base() + (s.objIndex(p)+1)*s.elemsize
	}
	kind, _, end, s := pgRegion(p)
	if kind == pgHeap {
		r.near = s
	}
	return kind, end
}

// pgReads is in the length of a span that is only read (D10 of package footprint).
const pgReads = 1 << 63

// note adds a span of n bytes at p.
func (r *pgWalk) note(p, n uintptr) {
	if i := r.parts - 1; i >= 0 && r.part[i][0]+r.part[i][1]&^pgReads == p && (r.part[i][1]^n)&pgReads == 0 {
		r.part[i][1] += n &^ pgReads
		return
	}
	if r.parts == pgParts {
		r.all = true
		return
	}
	r.part[r.parts] = [2]uintptr{p, n}
	r.parts++
}

func (r *pgWalk) push(x pgPlace) {
	if r.todo == pgTodo {
		r.all = true
		return
	}
	x.round |= uint64(r.level+1) << 2
	r.work[r.todo] = x
	r.todo++
}

// fresh reports whether n values of type t at p were not there yet, and notes that they are.
func (r *pgWalk) fresh(p, t, n uintptr) bool { return r.freshAt(pgHash(p, t), p, t, n) }

// pgHash is that of values of type t at p.
func pgHash(p, t uintptr) uint64 { return uint64(p>>3^t*31) * 0x9E3779B97F4A7C15 }

func (r *pgWalk) freshAt(h uint64, p, t, n uintptr) bool {
	if m := r.made; m != nil {
		if x := m.at(h, p, t); x.round == m.round && x.n >= n {
			return false
		}
	}
	x := r.at(h, p, t)
	switch {
	case x.round != r.round:
		*x = pgPlace{p, t, n, r.round}
		switch r.places++; {
		case r.places == pgFew/2:
			for i := range r.few {
				if y := &r.few[i]; y.round == r.round {
					*r.at(pgHash(y.addr, y.typ), y.addr, y.typ) = *y
				}
			}
		case r.places > pgPlaces/2:
			r.all = true
		}
		return true
	case x.n >= n:
		return false
	}
	x.n = n
	return true
}

// at returns the entry of values of type t at p in the table, or where it would be.
func (r *pgWalk) at(h uint64, p, t uintptr) *pgPlace {
	for h >>= 40; ; h++ {
		x := &r.place[h%pgPlaces]
		if r.places < pgFew/2 {
			x = &r.few[h%pgFew]
		}
		if x.round != r.round || x.addr == p && x.typ == t {
			return x
		}
	}
}

// object adds the object that p points into, whatever it is.
func (r *pgWalk) object(p uintptr, noted bool) {
	if p == 0 || r.all || r.far() || noted && r.depends(pgKey{p, 0, 0, pgObject, r.mask}) {
		return
	}
	kind, base, end, s := pgRegion(p)
	switch kind {
	case pgHeap:
		if !r.fresh(base, 0, 1) {
			return
		}
		if noted {
			r.note(base, end-base)
		}
		if !s.spanclass.noscan() {
			r.push(pgPlace{addr: base, n: 1})
		}
	case pgVariable, pgForeign, pgStack: // how large it is, and what is in it, nobody knows
		r.all = true
	}
}

// scan follows the pointers in an object of the heap of which the type is not known.
func (r *pgWalk) scan(base uintptr) {
	kind, _, end, s := pgRegion(base)
	if kind != pgHeap {
		return
	}
	tp := s.typePointersOfUnchecked(base)
	for !r.all {
		var at uintptr
		if tp, at = tp.next(end); at == 0 {
			return
		}
		r.object(r.see(at), true)
	}
}

func pgWord(p uintptr) uintptr { return *(*uintptr)(unsafe.Pointer(p)) }

// values follows the pointers in n values of type t at p, which is memory that can be read.
func (r *pgWalk) values(p uintptr, x *pgType, n uintptr) {
	for ; n > 0 && x.n > 0 && !r.all; n-- {
		r.value(p, x)
		p += x.size
	}
}

// value follows the pointers in a value.
func (r *pgWalk) value(p uintptr, x *pgType) {
	for i := range x.n {
		o := x.op(i)
		at := p + o.off
		switch o.kind {
		case abi.Pointer:
			r.add(r.see(at), o.of(), 1, pgNoted)
		case abi.UnsafePointer:
			r.object(r.see(at), true)
		case abi.Slice:
			r.add(r.see(at), o.of(), r.see(at+16), pgNoted)
		case abi.Interface:
			r.boxed(at, o.some)
		case abi.Map:
			r.mapped(r.see(at), (*pgMapType)(unsafe.Pointer(o.typ)))
		case abi.Chan:
			r.channel(r.see(at))
		case abi.Func:
			r.function(r.see(at))
		case abi.Array:
			r.values(at, o.of(), o.n)
		}
	}
}

// boxed follows an interface. The value in it never changes, where it is not a pointer itself.
func (r *pgWalk) boxed(p uintptr, methods bool) {
	typ, data := r.see(p), p+8
	if typ == 0 {
		return
	}
	t := pgBoxed(typ, methods)
	if r.mask.invokes(t) {
		r.unmask = true
		return
	}
	if x := pgTypeOf(t); pgDirectIface(t) {
		r.values(data, x, 1)
	} else {
		r.add(r.see(data), x, 1, pgFrozen)
	}
}

// pgBoxed returns the type of what an interface holds, by its first word.
func pgBoxed(typ uintptr, methods bool) *_type {
	if methods {
		return (*abi.ITab)(unsafe.Pointer(typ)).Type
	}
	return (*_type)(unsafe.Pointer(typ))
}

// function follows what a closure has captured. What a traced one accesses is recorded when it does; code that has a mask calls none that is not known.
func (r *pgWalk) function(p uintptr) {
	if r.mask.at != 0 {
		r.unmask = r.unmask || r.mask.calls(p)
		return
	}
	if kind, _, _, _ := pgRegion(p); kind == pgHeap && !pgTraced(pgWord(p)) {
		r.object(p, false)
	}
}

// channel adds a channel, with what is in it or about to be.
func (r *pgWalk) channel(p uintptr) {
	if kind, _, _, _ := pgRegion(p); kind != pgHeap || r.far() {
		return
	}
	c := (*hchan)(unsafe.Pointer(p))
	if r.depends(pgKey{p, uintptr(unsafe.Pointer(c.elemtype)), 0, pgChannel, r.mask}) || !r.fresh(p, uintptr(unsafe.Pointer(c.elemtype)), 0) {
		return
	}
	if r.mask.at == 0 { // else it is touched by what is seen of synchronisation alone
		r.note(p, 8)
	}
	if !c.elemtype.Pointers() {
		return
	}
	elem := pgTypeOf(c.elemtype)
	lock(&c.lock)
	r.values(uintptr(c.buf), elem, uintptr(c.dataqsiz))
	if r.see(uintptr(unsafe.Pointer(&c.sendq.first))) != 0 {
		r.loose = true // where their values are, other words say
	}
	for sg := c.sendq.first; sg != nil && !r.all; sg = sg.next {
		if p := presageSudogElem(sg); p != nil {
			r.values(uintptr(p), elem, 1)
		}
	}
	unlock(&c.lock)
}

// mapped adds a map: its header stands for it in a trace; its entries are followed.
func (r *pgWalk) mapped(p uintptr, t *pgMapType) {
	if r.far() {
		return
	}
	kind, _, _, _ := pgRegion(p)
	switch kind {
	case pgHeap, pgVariable:
	case pgStack:
		r.loose = true
	default:
		return
	}
	m := (*pgMap)(unsafe.Pointer(p))
	if r.depends(pgKey{p, uintptr(unsafe.Pointer(t)), 0, pgMapped, r.mask}) || !r.fresh(p, uintptr(unsafe.Pointer(t)), 0) {
		return
	}
	switch {
	case r.mask.at == 0:
		r.note(p, 8)
	case r.mask.of(nil).maps == pgReadWritten:
		r.note(p, 8)
	case r.mask.of(nil).maps == pgOnlyRead:
		r.note(p, 8|pgReads)
	}
	dir, n := r.see(uintptr(unsafe.Pointer(&m.dir))), int(r.see(uintptr(unsafe.Pointer(&m.dirLen))))
	if n <= 0 {
		r.add(dir, pgTypeOf(t.Group), 1, 0)
		return
	}
	kind, _, end, _ := pgRegion(dir)
	for at := dir; kind == pgHeap && at < min(end, dir+uintptr(n)*8) && !r.all; at += 8 {
		p := r.see(at)
		if kind, _, end, _ := pgRegion(p); kind == pgHeap && end-p >= unsafe.Sizeof(pgTable{}) {
			x := (*pgTable)(unsafe.Pointer(p))
			r.add(r.see(uintptr(unsafe.Pointer(&x.groups))), pgTypeOf(t.Group), r.see(uintptr(unsafe.Pointer(&x.mask)))+1, 0)
		}
	}
}

// pgMap and pgTable are the beginnings of maps.Map and maps.table.
type pgMap struct {
	used   uint64
	seed   uintptr
	dir    uintptr
	dirLen int
}

type pgTable struct {
	_      uint64
	index  int
	groups uintptr
	mask   uintptr
}
