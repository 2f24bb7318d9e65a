package runtime

import (
	"internal/abi"
	"internal/stringslite"
	"unsafe"
)

// What a call that leaves traced code comes to while it runs. Its D is found when it begins; after
// that it can get pointers that it was not given, and its D grows by what these lead to. The rules:
//
//  1. Missing code gets a pointer from outside in four ways: traced code that it calls returns it,
//     or panics with it; it is received from a channel, or loaded by an atomic operation; or it is
//     loaded from memory where others have stored it since, which the missing code learns by an
//     operation of synchronisation, or they are traced code that it has called. (Else it races
//     itself.) What package internal/godebug loads is no such pointer (settings): no code but the
//     standard library's can call it, what it keeps are words, counters and what it has made of
//     them, and its callers get a string. Nearly all that synchronises in the standard library asks
//     it something, and from there to what is not in the heap it is not far.
//  2. So the walk is made again from what the call was given, and from what it got since, after
//     every operation that acquires and whenever traced code returns to it. Most times no word has
//     changed, and that is all.
//  3. Memory that the call has made itself joins D when traced code is given a pointer to it, or
//     finds one in what the call can reach: what others know of it they know from there.
//  4. What is found besides is recorded as a set that belongs to this call alone; the call names it
//     when it begins. So a D says what the call reaches at any time, not when.
//  5. What a walk begins with is an address, and keeps nothing alive. What a garbage collection has
//     marked when it ends is the same object until the next one ends. If something of it was not
//     marked, its address may be another object's, and what the call has loaded from it lives on,
//     maybe: if the walk would have to begin there, the call reaches everything.

// pgRoots is what a call is given and gets; if it is more, and the walk has to be made again, it
// reaches everything.
const pgRoots = 24

// A pgMissing is a call that leaves traced code and has not returned.
type pgMissing struct {
	free      pgFree
	next      *pgMissing // the one around it
	depth     uint32
	number    uint32 // of the set that D grows by
	cycle     uint32 // of garbage collection, of the roots
	all       bool   // it reaches everything
	stale     bool   // roots of several cycles, or too many
	variables bool   // those of the packages that are left out are roots
	roots     int
	root      [pgRoots]pgKey
	sets      int
	set       [2 * pgCallSets]uint32 // that D has
	sum       uint64                 // of what was found without a set
	parts     int                    // D has grown by
}

func pgNewMissing() *pgMissing {
	o := (*pgMissing)(unsafe.Pointer(pgReuse(pgMissings)))
	if o == nil {
		o = (*pgMissing)(persistentalloc(unsafe.Sizeof(pgMissing{}), 8, &memstats.other_sys))
	}
	o.next, o.number = nil, 0
	o.reset()
	return o
}

func (o *pgMissing) release() { pgKeep(pgMissings, &o.free) }

func (o *pgMissing) reset() {
	o.all, o.stale, o.variables, o.roots, o.sets, o.sum, o.parts = false, false, false, 0, 0, 0, 0
}

// begins adds a root.
func (o *pgMissing) begins(k pgKey) {
	if k.kind == pgVariables {
		o.variables = true
		return
	}
	if pgOnStack(k.addr) {
		o.stale = true
		return
	}
	for i := range o.roots {
		if o.root[i].is(&k) {
			return
		}
	}
	cycle := pgCycle()
	if o.roots == pgRoots || o.roots > 0 && o.cycle != cycle {
		o.stale = true
		return
	}
	o.cycle = cycle
	o.root[o.roots] = k
	o.roots++
}

// survives says that a garbage collection ends: what it has marked of what a call begins with stays
// what it is in the cycle that comes now.
func (o *pgMissing) survives() {
	if o.stale || o.cycle != pgCycle() {
		return
	}
	for i := range o.roots {
		switch kind, _, _, _ := pgRegion(o.root[i].addr); kind {
		case pgHeap:
			if !markBitsForAddr(o.root[i].addr).isMarked() {
				return
			}
		case pgVariable, pgConstant:
		default:
			return
		}
	}
	o.cycle += 2 // as gcSweep has it
}

// opens notes that a call begins, by a function of the depth given, and returns the number of the
// set that its D may grow by; 0: it reaches everything already. What D has is in s.call.
func (s *PresageG) opens(c *pgCall) uint32 {
	s.over(c.depth)
	o := c.late
	c.late, c.notes = nil, false
	if c.all {
		if o != nil {
			o.release()
		}
		return 0
	}
	if o == nil {
		o = pgNewMissing()
	}
	o.depth = c.depth
	o.number = presageReach.grown.Add(1)
	for i := range c.sets {
		if c.number[i] != 0 {
			o.lacks(c.number[i])
		}
	}
	o.sum = c.sum()
	o.next = s.open
	s.open = o
	return o.number
}

// over notes that the calls by functions of this depth and more have returned.
func (s *PresageG) over(depth uint32) {
	if s.open != nil && s.open.depth >= depth {
		s.ended(depth)
	}
}

//go:noinline
func (s *PresageG) ended(depth uint32) {
	for s.open != nil && s.open.depth >= depth {
		o := s.open
		s.open = o.next
		o.release()
	}
}

// inMissing returns the call that the goroutine is in, nil if it is in traced code, or D is not to
// grow.
func (s *PresageG) inMissing() *pgMissing {
	s.over(s.depth + 1)
	if o := s.open; o != nil && o.depth == s.depth && !o.all && !s.call.open && !s.going && presage.on && !s.off {
		return o
	}
	return nil
}

// Back reports whether the innermost function was called by missing code: what it is given, and
// returns, goes there.
func (s *PresageG) Back() bool { return s.open != nil && s.open.depth+1 == s.depth }

// Known adds a value of type t at p to what the call around the innermost function, which it has
// called, begins with.
//
//go:noinline
func (s *PresageG) Known(t *_type, p unsafe.Pointer) {
	o := s.open
	if o == nil || o.depth+1 != s.depth || o.all || s.call.open || !t.Pointers() {
		return
	}
	systemstack(func() { s.gets(o, uintptr(p), t) })
}

// returns is Known for the values at the addresses that a value of type t at p has: results of a
// function. Missing code gets what is in them, and never the address.
//
//go:noinline
func (s *PresageG) returns(t *_type, p unsafe.Pointer) {
	o := s.open
	if o == nil || o.depth+1 != s.depth || s.call.open {
		return
	}
	systemstack(func() {
		x := pgTypeOf(t)
		for i := 0; i < x.n && !o.all; i++ {
			if a := x.op(i); a.kind == abi.Pointer {
				s.gets(o, pgWord(uintptr(p)+a.off), a.typ)
			}
		}
	})
}

// gets adds what a call gets while it runs to what it begins with.
func (s *PresageG) gets(o *pgMissing, p uintptr, t *_type) {
	s.afresh(o)
	c := &s.call
	c.late, c.notes = o, true
	s.given(p, t)
	c.late, c.notes = nil, false
	if c.all {
		s.everything(o)
	}
	c.unwalk()
}

// presageReceived is called when the running goroutine has received an element of c, with no lock
// held.
func presageReceived(c *hchan, elem unsafe.Pointer) {
	s := getg().presage
	if s == nil || s.open == nil || c == nil {
		return
	}
	o := s.inMissing()
	if o == nil {
		return
	}
	systemstack(func() {
		if elem != nil && c.elemtype.Pointers() {
			s.gets(o, uintptr(elem), c.elemtype)
		}
		s.again(o)
	})
}

// loaded is woken, for an atomic operation that has loaded the pointer p.
func (s *PresageG) loaded(p unsafe.Pointer) {
	if s.open == nil {
		return
	}
	o := s.inMissing()
	if o == nil {
		return
	}
	own := p != nil && pgSettings()
	systemstack(func() {
		if p != nil && !own {
			s.gets(o, uintptr(unsafe.Pointer(&p)), pgPointerType())
		}
		s.again(o)
	})
}

// pgSettings reports whether the atomic operation under way is one of package internal/godebug, or
// of the maps of package sync for it.
//
//go:noinline
func pgSettings() bool {
	var pcs [12]uintptr
	for _, pc := range pcs[:callers(1, pcs[:])] {
		f := findfunc(pc - 1)
		if !f.valid() {
			return false
		}
		u, in := newInlineUnwinder(f, pc-1)
		name := u.srcFunc(in).name()
		switch {
		case stringslite.HasPrefix(name, "internal/godebug."):
			return true
		case stringslite.HasPrefix(name, "sync."), stringslite.HasPrefix(name, "sync/atomic."), stringslite.HasPrefix(name, "internal/sync."), stringslite.HasPrefix(name, "runtime."):
		default:
			return false
		}
	}
	return false
}

// woken is called when the goroutine has acquired, with no lock of the recorder held.
func (s *PresageG) woken() {
	if s.open != nil {
		s.lookAgain()
	}
}

//go:noinline
func (s *PresageG) lookAgain() {
	if o := s.inMissing(); o != nil {
		systemstack(func() { s.again(o) })
	}
}

// afresh prepares for a walk of a call under way.
func (s *PresageG) afresh(o *pgMissing) {
	c := &s.call
	c.all, c.late, c.notes = false, nil, false
	c.sets, c.due, c.own = 0, 0, 0
	c.unwalk()
}

// again walks from all that a call was given and got.
func (s *PresageG) again(o *pgMissing) {
	if o.all {
		return
	}
	if o.stale || o.roots > 0 && o.cycle != pgCycle() {
		s.everything(o)
		return
	}
	s.afresh(o)
	c := &s.call
	c.looks = true
	for i := 0; i < o.roots && !c.all; i++ {
		if k := &o.root[i]; k.kind == pgValues {
			s.pointer(k.addr, pgTypeOf((*_type)(unsafe.Pointer(k.typ))), k.n)
		} else {
			s.root(*k)
		}
	}
	if o.variables {
		s.root(pgKey{kind: pgVariables, n: presageOutside.n})
	}
	c.looks = false
	s.finds(o)
	c.unwalk()
}

// finds records what the walk of a call under way has found and D does not have.
func (s *PresageG) finds(o *pgMissing) {
	c := &s.call
	if c.all {
		s.everything(o)
		return
	}
	for i := range c.sets {
		if c.number[i] != 0 && o.lacks(c.number[i]) {
			s.growsBySet(o, c.set[i])
		}
	}
	if sum := c.sum(); sum != 0 && sum != o.sum {
		o.sum = sum
		s.grows(o, c.part[:c.own])
		if r := c.walk; r != nil {
			s.grows(o, r.part[:r.parts])
		}
	}
}

// unwalk gives the walks back.
func (c *pgCall) unwalk() {
	if c.walk != nil {
		c.walk.release()
		c.walk = nil
	}
	if c.made != nil {
		c.made.release()
		c.made = nil
	}
}

// sum is that of what was found without a set.
func (c *pgCall) sum() uint64 {
	h := pgSum(c.part[:c.own])
	if r := c.walk; r != nil {
		h += pgSum(r.part[:r.parts])
	}
	return h
}

// lacks reports whether D does not have a set, and notes that it has.
func (o *pgMissing) lacks(number uint32) bool {
	for i := range min(o.sets, len(o.set)) {
		if o.set[i] == number {
			return false
		}
	}
	o.set[o.sets%len(o.set)] = number
	o.sets++
	return true
}

func (s *PresageG) growsBySet(o *pgMissing, d pgDep) {
	e := &presageReach.slots[d.slot]
	for !e.take() {
		osyield()
	}
	if e.serial == d.serial {
		s.grows(o, e.part.pairs())
	} else {
		s.everything(o)
	}
	e.drop()
}

// grows records that D has more parts.
func (s *PresageG) grows(o *pgMissing, parts [][2]uintptr) {
	if o.all || len(parts) == 0 {
		return
	}
	if o.parts += len(parts); o.parts > pgParts {
		s.everything(o)
		return
	}
	s.recordSet(pgFlagMore, o.number, parts)
}

// everything records that the call reaches everything.
func (s *PresageG) everything(o *pgMissing) {
	if o.all {
		return
	}
	o.all = true
	p := s.room(1)
	pgStore(p, pgHead(pgRawSet, pgFlagMore|pgFlagAll, 0, uint64(o.number)))
	s.pos = p + 8
}

// unwound notes that a panic with the value at e, or Goexit, may go through traced code that
// missing code has called, and be recovered there.
func (s *PresageG) unwound(e unsafe.Pointer) {
	if s.call.open || s.going || !presage.on || s.off {
		return
	}
	systemstack(func() {
		for o := s.open; o != nil; o = o.next {
			if o.depth < s.depth && !o.all {
				s.gets(o, uintptr(e), abi.TypeFor[any]())
				s.again(o)
			}
		}
	})
}
