package online

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestLocksAgain: a goroutine that takes a lock again, with no other Lock in between, need not
// repeat the access of the lock itself. It must once another goroutine has taken the lock, or
// knows of another release.
func TestLocksAgain(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	ftFilter = true
	defer func() { ftFilter = false; ftReset(0, 1<<20) }()
	p := program{gs: make(map[trace.GoID]*ftG)}
	const a, b = 0x80, 0x88
	do := func(k format.Kind, g trace.GoID, obj trace.Addr) {
		p.step(&trace.Event{Kind: k, G: g, Obj: obj})
		if k == format.Lock {
			p.g(g).access(&ftAccess{addr: uintptr(obj), kind: ftAtomicWrites})
		}
	}
	lock := func(g trace.GoID, obj trace.Addr, want bool) {
		t.Helper()
		p.step(&trace.Event{Kind: format.Lock, G: g, Obj: obj})
		if got := ftObjects.at(ftLockClass, uintptr(obj)).again(&p.g(g).ftThread, uintptr(obj), ftAtomicWrites); got != want {
			t.Errorf("goroutine %d, lock %#x: again %v, want %v", g, obj, got, want)
		}
		do(format.Unlock, g, obj)
	}
	do(format.Lock, 1, a)
	do(format.Unlock, 1, a)
	lock(1, a, true)
	lock(1, a, true)
	do(format.Lock, 1, a) // nested
	do(format.Lock, 1, b)
	do(format.Unlock, 1, b)
	do(format.Unlock, 1, a)
	do(format.Lock, 1, a)
	lock(1, b, true)
	do(format.Unlock, 1, a)
	do(format.Lock, 2, b) // 2 knows now what 1 did under both
	do(format.Unlock, 2, b)
	do(format.Lock, 1, a)
	lock(1, b, false)
	do(format.Unlock, 1, a)
	for _, g := range p.gs {
		g.end()
	}
}

// TestLockPassedOn: a lock that goroutines pass on gives nothing back, and is looked at now and
// then; one that comes to stay with one of them gives contexts back again.
func TestLockPassedOn(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	ftFilter = true
	defer func() { ftFilter = false; ftReset(0, 1<<20) }()
	p := program{gs: make(map[trace.GoID]*ftG)}
	use := func(g trace.GoID) int64 {
		p.step(&trace.Event{Kind: format.Lock, G: g, Obj: 0x80})
		p.g(g).access(&ftAccess{addr: 0x80, kind: ftAtomicWrites})
		p.step(&trace.Event{Kind: format.Unlock, G: g, Obj: 0x80})
		return p.g(g).stats.returned
	}
	for range 5 * ftLost {
		if use(1)+use(2) != 0 {
			t.Fatal("a lock that is passed on gives a context back")
		}
	}
	if !ftObjects.at(ftLockClass, 0x80).lost() {
		t.Error("every release of a lock that is passed on is noted")
	}
	for range 5 * ftLost {
		use(1)
	}
	if n := use(1); n < 3*ftLost {
		t.Errorf("a lock that stays gave %d contexts back", n)
	}
	for _, g := range p.gs {
		g.end()
	}
}

// TestFilterNoReturn: each of these in between, a context is not given back.
func TestFilterNoReturn(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	ftFilter, accessesLocks = true, true
	defer func() { ftFilter, accessesLocks = false, false; ftReset(0, 1<<20) }()
	const a, b = 0x80, 0x88
	for name, c := range map[string]struct {
		between []trace.Event
		want    int64
	}{
		"nothing":        {nil, 1},
		"another's lock": {[]trace.Event{{Kind: format.Lock, G: 2, Obj: a}, {Kind: format.Unlock, G: 2, Obj: a}}, 0},
		"a message":      {[]trace.Event{{Kind: format.Release, G: 1, Obj: b}}, 0},
		"a go statement": {[]trace.Event{{Kind: format.Go, G: 1, Obj: 3}}, 0},
		"a finalizer":    {[]trace.Event{{Kind: format.Acquire, G: 2}}, 0},
		"what 1 is told": {[]trace.Event{{Kind: format.Release, G: 2, Obj: b}, {Kind: format.Acquire, G: 1, Obj: b}}, 1},
		"locks taken again in another order": {[]trace.Event{{Kind: format.Lock, G: 1, Obj: b}, {Kind: format.Unlock, G: 1, Obj: b}, {Kind: format.Lock, G: 1, Obj: a},
			{Kind: format.Lock, G: 1, Obj: b}, {Kind: format.Unlock, G: 1, Obj: a}, {Kind: format.Unlock, G: 1, Obj: b}}, 2},
		"a message, then another lock again": {[]trace.Event{{Kind: format.Release, G: 1, Obj: b + 8}, {Kind: format.Lock, G: 1, Obj: b}, {Kind: format.Unlock, G: 1, Obj: b},
			{Kind: format.Lock, G: 1, Obj: b}}, 1},
		"another's lock, then twice again": {[]trace.Event{{Kind: format.Lock, G: 2, Obj: a}, {Kind: format.Unlock, G: 2, Obj: a}, {Kind: format.Lock, G: 1, Obj: a},
			{Kind: format.Unlock, G: 1, Obj: a}}, 1},
		"and one of them not":            {[]trace.Event{{Kind: format.Lock, G: 1, Obj: b}, {Kind: format.Unlock, G: 1, Obj: b}, {Kind: format.Lock, G: 2, Obj: b}}, 0},
		"somebody else's, for reading":   {[]trace.Event{{Kind: format.Lock, G: 2, Obj: a, Flags: format.FlagRead}, {Kind: format.Unlock, G: 2, Obj: a, Flags: format.FlagRead}}, 0},
		"the lock's memory is another's": {[]trace.Event{{Kind: format.Alloc, G: 1, Obj: a, Val: 8}}, 0},
		"a lock of its own":              {[]trace.Event{{Kind: format.Lock, G: 1, Obj: b}, {Kind: format.Unlock, G: 1, Obj: b}}, 0},
	} {
		p := program{gs: make(map[trace.GoID]*ftG)}
		events := []trace.Event{{Kind: format.Write, G: 1, Obj: 0x40, Size: 8}, {Kind: format.Lock, G: 1, Obj: a}, {Kind: format.Unlock, G: 1, Obj: a}}
		events = append(append(events, c.between...), trace.Event{Kind: format.Lock, G: 1, Obj: a})
		for i := range events {
			p.step(&events[i])
		}
		if got := p.g(1).stats.returned; got != c.want {
			t.Errorf("%s: %d contexts given back, want %d", name, got, c.want)
		}
		for _, g := range p.gs {
			g.end()
		}
		ftReset(0, 1<<20)
	}
}

// TestReleaseAfterAtomic: what t came to know by an atomic operation in place (bothFew) is in the
// next release of a lock that stays with t.
func TestReleaseAfterAtomic(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	ftFilter = true
	defer func() { ftFilter = false; ftReset(0, 1<<20) }()
	const a, y, h, x = 0x80, 0x300, 0x200, 0x400
	on := func(g trace.GoID, k format.Kind, obj trace.Addr) trace.Event {
		return trace.Event{G: g, Kind: k, Obj: obj, Size: 8}
	}
	events := []trace.Event{
		on(3, format.AtomicRMW, y), on(2, format.AtomicRMW, y), on(3, format.AtomicRMW, y),
		on(2, format.Write, x+8), on(2, format.Release, h), on(1, format.Acquire, h),
		on(1, format.Write, x+16), on(1, format.Lock, a), on(1, format.Unlock, a),
		// 1 has clocks of its own now, and a those that it had
		on(2, format.Release, h), on(1, format.Acquire, h),
		on(1, format.Lock, a), on(1, format.Unlock, a),
		on(3, format.Write, x), on(3, format.AtomicRMW, y),
		on(2, format.Release, h), on(3, format.Acquire, h), // and so has 3, and y those that it had
		on(1, format.AtomicRMW, y),
		on(1, format.Lock, a), on(1, format.Unlock, a),
		on(4, format.Lock, a), on(4, format.Write, x),
	}
	if got := detected(events, true); len(got) != 0 {
		t.Errorf("races where everything is ordered: %v", got)
	}
}

// TestFirstRacesOfLocks: three goroutines take and release three locks, one of them for reading
// too, in any order, and access up to twelve words; now and then one tells another something, or
// (in one trace of six) acquires everything, a lock is written over, or copied, and its memory is
// allocated anew. Whoever takes a lock accesses it. Or (in one trace of three, and no lock is
// accessed) somebody releases a lock that he has not taken, also before it is noted that another
// has. The filter changes no first race.
func TestFirstRacesOfLocks(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	ftInitSlots()
	ftInitShadow()
	ftSlots.alive = 1 << 20
	defer func() { ftFilter, accessesLocks = false, false }()
	races, before, locks := 0, returned, kept
	for k := range n {
		ftSlots.head, ftSlots.tail, ftSlots.n = 0, 0, 1
		accessesLocks = k%3 != 0
		all := k%6 == 1
		events := locking(rand.New(rand.NewPCG(8, uint64(k))), all)
		ftFilter = false
		want := detected(events, true)
		if !all { // of which package fasttrack knows no loss (ON4)
			want = specified(events)
		}
		for _, ftFilter = range []bool{false, true} {
			if diff := cmp.Diff(want, detected(events, true)); diff != "" {
				t.Fatalf("%d, filter %v: first races -fasttrack +online:\n%s", k, ftFilter, diff)
			}
		}
		races += len(want)
	}
	if t.Logf("%d first races, %d contexts given back, %d operations on locks that were kept", races, returned-before, kept-locks); races < n/10 || returned-before < n || kept-locks < n {
		t.Error("too few to tell anything")
	}
}

// locking makes such a trace; all: a goroutine acquires everything now and then.
func locking(r *rand.Rand, all bool) (events []trace.Event) {
	type lock struct{ writer, readers int }
	locks := make([]lock, 3)
	held := make(map[[2]int]bool) // by goroutine and lock
	// by goroutine: the lock, from 1 on, that it has taken, which is not noted yet
	late := make(map[int]int)
	on, words := 1, 1+r.IntN(12)
	for range 12 + r.IntN(120) {
		if r.IntN(4) == 0 {
			on = 1 + r.IntN(3)
		}
		e := trace.Event{G: trace.GoID(on), Site: trace.Site(1 + r.IntN(9)), Size: 8}
		l := r.IntN(len(locks))
		x, mine := &locks[l], held[[2]int{on, l}]
		if k := late[on] - 1; k >= 0 {
			e.Kind, e.Obj, late[on] = format.Lock, trace.Addr(0x80+8*k), 0
			held[[2]int{on, k}] = locks[k].writer == on
			events = append(events, e)
			continue
		}
		if !accessesLocks && x.writer == 0 && x.readers == 0 && r.IntN(6) == 0 {
			x.writer, late[on] = on, l+1
			continue
		}
		switch c := r.IntN(20); {
		case c < 6:
			e.Kind, e.Obj = []format.Kind{format.Read, format.Write}[c%2], trace.Addr(0x400+8*r.IntN(words))
		case c == 6:
			e.Kind, e.Obj = []format.Kind{format.Release, format.Acquire}[r.IntN(2)], 0x200
		case c == 8 || c == 9:
			e.Kind, e.Obj = []format.Kind{format.AtomicRead, format.AtomicRMW, format.AtomicRMW}[r.IntN(3)], 0x300
		case c == 7 && all && r.IntN(4) == 0:
			e.Kind, e.Obj = format.Acquire, 0
		case c == 7 && accessesLocks && r.IntN(8) == 0:
			e.Kind, e.Obj = []format.Kind{format.Read, format.Write}[r.IntN(2)], trace.Addr(0x80+8*l)
		case c == 7 && x.writer == 0 && x.readers == 0 && r.IntN(8) == 0:
			e.Kind, e.Obj, e.Val = format.Alloc, trace.Addr(0x80+8*l), 8
		case c == 7 && !accessesLocks && !mine && x.readers == 0:
			e.Kind, e.Obj = format.Unlock, trace.Addr(0x80+8*l)
			held[[2]int{x.writer, l}], x.writer = false, 0
		default:
			e.Obj = trace.Addr(0x80 + 8*l)
			switch {
			case mine && x.writer == on:
				e.Kind, x.writer = format.Unlock, 0
			case mine:
				e.Kind, e.Flags = format.Unlock, format.FlagRead
				x.readers--
			case x.writer == 0 && l == 0 && r.IntN(2) == 0:
				e.Kind, e.Flags = format.Lock, format.FlagRead
				x.readers++
			case x.writer == 0 && x.readers == 0:
				e.Kind, x.writer = format.Lock, on
			default:
				continue
			}
			held[[2]int{on, l}] = !mine
		}
		events = append(events, e)
	}
	return events
}
