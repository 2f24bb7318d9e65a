package runtime

import (
	"internal/abi"
	"unsafe"
)

// What a call that leaves traced code can reach: the D of RDIT's BarrierPairs, found by following
// what the call is given, by its types. docs/theory/excluded.md says what is in it.
//
// The memory followed belongs to other goroutines too, and nothing keeps them from writing to it.
// So no word is trusted: a pointer is looked up before it is followed, and what it points to ends
// where its object does. The walk is on the system stack: no garbage collection begins or ends
// meanwhile, so what was reachable when a pointer to it was read is not used for anything else.
//
// Where a walk goes depends on where it begins and on the words it reads, and on nothing else that
// changes before the next garbage collection has ended. So it notes the words (see), and need not
// be made again while they are what they were (presage_sets.go).

const (
	pgParts  = 4096    // spans from which on a D is everything
	pgPlaces = 1 << 14 // of the table; half of it is used
	pgFew    = 1 << 7  // of that of a small walk
	pgTodo   = 1 << 13
	pgWords  = 1 << 14 // words read from which on a walk is made anew each time
)

// A pgWalk is a D, or a part of it, while it is made.
type pgWalk struct {
	free   pgFree
	all    bool
	large  bool // all, as there is too much of it
	loose  bool // it depends on more than the words noted
	frozen bool // what is read now never changes
	whole  bool // it goes on in memory that is a set's
	parts  int
	todo   int
	places int
	words  int
	deps   int
	cycle  uint32 // of garbage collection, when it began
	round  uint64
	// where the last pointer pointed to; only while the walk is under way: it holds an object that
	// is in use
	near *mspan
	made *pgWalk // what that walk has come to is in D already
	dep  [pgDeps]pgDep
	// the table, as long as it is half full at most: it stays in the processor's cache
	few   [pgFew]pgPlace
	part  [pgParts][2]uintptr // address, bytes
	work  [pgTodo]pgPlace
	place [pgPlaces]pgPlace
	word  [pgWords][2]uintptr // address, value
}

// A pgPlace is n values of a type, which a pgType stands for, at addr; untyped: the object that
// begins there.
type pgPlace struct {
	addr uintptr
	typ  uintptr
	n    uintptr
	// in which the entry of the table was made; of what is to be followed: how it was added
	round uint64
}

func pgNewWalk() *pgWalk {
	r := (*pgWalk)(unsafe.Pointer(pgReuse(pgWalks)))
	if r == nil {
		r = (*pgWalk)(persistentalloc(unsafe.Sizeof(pgWalk{}), 64, &memstats.other_sys))
	}
	r.round++
	r.all, r.large, r.loose, r.frozen, r.whole = false, false, false, false, presageReach.full
	r.parts, r.todo, r.places, r.words, r.deps = 0, 0, 0, 0, 0
	r.near, r.made, r.cycle = nil, nil, pgCycle()
	return r
}

func (r *pgWalk) release() { pgKeep(pgWalks, &r.free) }

// roots adds the variables of all packages that are left out: one calls the other.
func (r *pgWalk) roots() {
	for x := presageOutside.last; x != nil; x = x.next {
		for i := range x.n {
			v := (*eface)(unsafe.Pointer(x.roots + uintptr(i)*unsafe.Sizeof(eface{})))
			r.add(uintptr(v.data), pgTypeOf((*abi.PtrType)(unsafe.Pointer(v._type)).Elem), 1, pgNoted)
			r.run()
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
	for r.todo > 0 && !r.all {
		r.todo--
		x := r.work[r.todo]
		r.frozen = x.round&pgFrozen != 0
		if x.typ == 0 {
			r.scan(x.addr)
			continue
		}
		if t := (*pgType)(unsafe.Pointer(x.typ)); x.n == 1 { // most times
			r.value(x.addr, t)
		} else {
			r.values(x.addr, t, x.n)
		}
	}
	r.frozen, r.todo = false, 0
	r.near = nil
}

// How memory is added.
const (
	pgNoted  = 1 << iota // it is the call's to touch
	pgFrozen             // it never changes
)

// add adds n values of type t at p.
func (r *pgWalk) add(p uintptr, x *pgType, n uintptr, how uint8) {
	if p == 0 || n == 0 || x.size == 0 || r.all {
		return
	}
	t := uintptr(unsafe.Pointer(x.typ))
	h := pgHash(p, t)
	place, was := r.was(h, p, t, n)
	if was { // most times
		return
	}
	leads := x.n > 0
	if leads && how == pgNoted && !r.whole {
		if slot, tag := pgSlot(h, n, pgValues); presageReach.tags[slot] == pgTag(tag) && r.depends(pgKey{p, t, n, pgValues}) {
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
	size := n * x.size
	if n > 1 && n > (end-p)/x.size {
		n = max(1, (end-p)/x.size)
		if _, was = r.was(h, p, t, n); was {
			return
		}
		size = n * x.size
	}
	size = min(size, end-p)
	r.notes(place, p, t, n)
	if how&pgNoted != 0 {
		r.note(p, size)
	}
	if leads && size == n*x.size {
		r.push(pgPlace{p, uintptr(unsafe.Pointer(x)), n, uint64(how)})
	}
}

// note adds a span of n bytes at p.
func (r *pgWalk) note(p, n uintptr) {
	if i := r.parts - 1; i >= 0 && r.part[i][0]+r.part[i][1] == p {
		r.part[i][1] += n
		return
	}
	if r.parts == pgParts {
		r.tooMuch()
		return
	}
	r.part[r.parts] = [2]uintptr{p, n}
	r.parts++
}

// tooMuch makes it everything, because one walk has no room for more. Sets may have it in pieces.
func (r *pgWalk) tooMuch() { r.all, r.large = true, true }

func (r *pgWalk) push(x pgPlace) {
	if r.todo == pgTodo {
		r.tooMuch()
		return
	}
	r.work[r.todo] = x
	r.todo++
}

// object adds the object that p points into, whatever it is.
func (r *pgWalk) object(p uintptr, noted bool) {
	if p == 0 || r.all || noted && r.depends(pgKey{p, 0, 0, pgObject}) {
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
	case pgVariable, pgForeign, pgStack: // its size and its content are unknown
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
