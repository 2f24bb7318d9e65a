package online

import (
	"testing"
	"time"
	"unsafe"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// begin starts a program of which a test does one event after the other. do returns how many checks
// fail for it.
func begin(t *testing.T, filter bool) (p *program, do func(k format.Kind, g trace.GoID, obj trace.Addr, size uint16) int) {
	ftInitSlots()
	ftInitShadow()
	ftFilter = filter
	p = &program{gs: make(map[trace.GoID]*ftG)}
	t.Cleanup(func() {
		ftFilter = false
		for _, g := range p.gs {
			g.end()
		}
		ftReset(0, 1<<20)
	})
	return p, func(k format.Kind, g trace.GoID, obj trace.Addr, size uint16) int {
		return p.fails(&trace.Event{Kind: k, G: g, Obj: obj, Size: size, Val: uint64(size), Site: trace.Site(g)})
	}
}

func (p *program) fails(e *trace.Event) (n int) {
	g := p.step(e)
	if g != nil {
		n, g.n = g.n, 0
	}
	return n
}

// TestRacesFound: the last event of each races, with the filter and without.
func TestRacesFound(t *testing.T) {
	const x, l = 0x40, 0x80
	for name, events := range map[string][]trace.Event{
		"several have read the word, and a location inside it is new": {
			{Kind: format.Read, G: 1, Obj: x, Size: 8}, {Kind: format.Read, G: 2, Obj: x, Size: 8},
			{Kind: format.Write, G: 3, Obj: x + 4, Size: 4},
		},
		"another releases the lock for reading": {
			{Kind: format.Lock, G: 1, Obj: l, Flags: format.FlagRead}, {Kind: format.Write, G: 1, Obj: x, Size: 8}, {Kind: format.Unlock, G: 1, Obj: l, Flags: format.FlagRead},
			{Kind: format.Lock, G: 1, Obj: l, Flags: format.FlagRead}, {Kind: format.Write, G: 1, Obj: x, Size: 8},
			{Kind: format.Unlock, G: 2, Obj: l, Flags: format.FlagRead}, {Kind: format.Lock, G: 3, Obj: l}, {Kind: format.Write, G: 3, Obj: x, Size: 8},
		},
		"the lock is released, taken and released again before it is noted that another took it": {
			// and 2 takes it
			{Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Unlock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8},
			{Kind: format.Unlock, G: 1, Obj: l}, {Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8},
			{Kind: format.Lock, G: 2, Obj: l}, {Kind: format.Write, G: 2, Obj: x, Size: 8},
		},
		"the same, after somebody else had released it once": {
			{Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Unlock, G: 3, Obj: l}, {Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Unlock, G: 1, Obj: l},
			{Kind: format.Write, G: 1, Obj: x, Size: 8},
			{Kind: format.Unlock, G: 1, Obj: l}, {Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8},
			{Kind: format.Lock, G: 2, Obj: l}, {Kind: format.Write, G: 2, Obj: x, Size: 8},
		},
		"a finalizer knows of a context that was given back before it ran": {
			{Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8}, {Kind: format.Unlock, G: 1, Obj: l}, {Kind: format.Lock, G: 1, Obj: l},
			{Kind: format.Acquire, G: 2}, {Kind: format.Read, G: 2, Obj: x, Size: 8}, {Kind: format.Write, G: 1, Obj: x, Size: 8},
		},
		"the memory of the lock is another lock": {
			{Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8}, {Kind: format.Unlock, G: 1, Obj: l}, {Kind: format.Lock, G: 2, Obj: l},
			{Kind: format.Alloc, G: 4, Obj: l, Val: 8}, {Kind: format.Lock, G: 3, Obj: l}, {Kind: format.Unlock, G: 3, Obj: l},
			{Kind: format.Lock, G: 1, Obj: l}, {Kind: format.Write, G: 1, Obj: x, Size: 8}, {Kind: format.Write, G: 2, Obj: x, Size: 8},
		},
	} {
		for _, filter := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				p, _ := begin(t, filter)
				for i := range events {
					if n, last := p.fails(&events[i]), i == len(events)-1; n != 0 != last {
						t.Errorf("filter %v, event %d: %d checks fail", filter, i, n)
					}
				}
			})
		}
	}
}

// TestMoveInSwap: a goroutine that goes on to another slot in an operation of a buffered channel
// knows later what it did in the one before.
func TestMoveInSwap(t *testing.T) {
	p, do := begin(t, false)
	const x, c, l = 0x40, 0x80, 0x90
	channel := func(k format.Kind, g trace.GoID) { p.step(&trace.Event{Kind: k, G: g, Obj: c, Aux: 1}) }
	do(format.Write, 1, x+8, 8)
	do(format.Write, 2, x+16, 8)
	channel(format.ChanSend, 2)
	g := p.g(1)
	g.clock = ftMaxClock - 1
	g.epoch = ftEpoch(g.slot, g.clock)
	g.begin()
	do(format.Write, 1, x, 8)
	channel(format.ChanRecv, 1)
	do(format.Unlock, 2, l, 0)
	do(format.Lock, 1, l, 0)
	if do(format.Write, 1, x, 8) != 0 || g.stats.moves != 1 {
		t.Errorf("after %d moves a goroutine races with itself", g.stats.moves)
	}
}

// TestFinalizerMeanwhile: while a finalizer looks at all clocks, 1 tells 2 of what it does, and 2
// releases that with a clock that began meanwhile.
func TestFinalizerMeanwhile(t *testing.T) {
	p, do := begin(t, false)
	const x, y, a, b, c = 0x40, 0x48, 0x80, 0x88, 0x90
	ftSlots.n = 65 // those of the first leaf need memory at once
	for g := trace.GoID(1); g <= 5; g++ {
		do(format.Write, g, x, 8)
	}
	for _, l := range []uintptr{a, b, c} {
		ftObjects.at(ftLockClass, l)
	}
	finalizer := p.g(6)
	finalizer.vc.set(1, 0)
	class, _ := ftClassOf(unsafe.Sizeof(ftNode{}))
	ftLock(&ftClasses[0][class].lock) // the finalizer waits for memory where it looks at 4
	looked, released := make(chan bool), make(chan bool)
	go func() {
		finalizer.acquireAll()
		close(looked)
	}()
	for ftLoad32(&finalizer.vc.n) != 3 {
		ftYield(1000)
	}
	go func() {
		do(format.Unlock, 1, a, 0)
		do(format.Write, 1, y, 8)
		do(format.Unlock, 1, b, 0)
		do(format.Lock, 5, b, 0)
		p.g(5).beforeRelease()
		close(released)
	}()
	select {
	case <-released:
	case <-time.After(20 * time.Millisecond):
	}
	ftUnlock(&ftClasses[0][class].lock)
	<-looked
	<-released
	do(format.Unlock, 5, c, 0)
	do(format.Lock, 6, c, 0)
	if do(format.Read, 6, y, 8) != 0 {
		t.Error("what c was left with is not known to the goroutine that took it")
	}
}

// TestLongBuffer: a channel of millions is used to its end.
func TestLongBuffer(t *testing.T) {
	ftInitSlots()
	o, g := new(ftObject), new(ftG)
	g.start(nil, ftWho{})
	for _, k := range []uint64{0, 1<<20 - 1, 1 << 20, 3<<20 - 1} {
		o.buffer(&g.ftThread, &k, 3<<20)
	}
	if o.size < 3<<20 {
		t.Errorf("%d entries", o.size)
	}
}

// TestSendAndClose: a close races with the sends that are not ordered before it, whether they are
// kept with the channel or in the cell.
func TestSendAndClose(t *testing.T) {
	ftInitSlots()
	const addr = 4096
	defer ftReset(0, 1<<20)
	for _, c := range []struct {
		sends   string // the senders, one after the other; a knows of b's
		inCells int    // of them, those that are noted in the cell
		closer  int
		want    int
	}{{"", 0, 0, 0}, {"a", 0, 0, 0}, {"aa", 0, 1, 1}, {"ba", 0, 0, 0}, {"ab", 1, 1, 1}, {"ab", 1, 0, 1}, {"ab", 1, 2, 2}} {
		ftReset(0, 1<<20)
		o := ftObjects.at(ftChanClass, addr)
		var gs [3]*ftG
		for i := range gs {
			gs[i] = new(ftG)
			gs[i].start(nil, ftWho{})
			gs[i].arrive()
		}
		cells := 0
		for _, s := range c.sends {
			g := gs[s-'a']
			if !o.sends(&g.ftThread, uint64(s)) {
				cells++
				g.access(&ftAccess{addr: addr, kind: ftReads, site: uint64(s)})
			}
			if s == 'b' && c.sends[0] == 'b' {
				var r ftRel
				r.release(&g.ftThread)
				r.acquire(&gs[0].ftThread)
			}
		}
		g, a := gs[c.closer], &ftAccess{addr: addr, kind: ftWrites}
		o.closes(g, a)
		g.access(a)
		if g.n != c.want || cells != c.inCells {
			t.Errorf("%q, closed by %d: %d races, want %d; %d reads in cells, want %d", c.sends, c.closer, g.n, c.want, cells, c.inCells)
		}
	}
}

// TestTinyObjects: of two objects that share a word of new memory the second may be reset first,
// since the goroutine that allocates the first can be preempted before its reset. What the whole
// word had before is of neither.
func TestTinyObjects(t *testing.T) {
	const x = 0x40
	for _, k := range []format.Kind{format.Read, format.Write} {
		p, do := begin(t, false)
		for in := trace.Addr(x); in < x+8; in++ {
			do(k, 1, in, 1)
		}
		if k == format.Read {
			do(k, 3, x, 8)
		}
		do(format.Alloc, 2, x+1, 1)
		if do(format.Write, 2, x+1, 1) != 0 {
			t.Errorf("%v: the second object has what was there before", k)
		}
		do(format.Alloc, 1, x, 1)
		if do(format.Write, 1, x, 1) != 0 {
			t.Errorf("%v: the first object has what was there before", k)
		}
		if p.step(&trace.Event{Kind: format.Write, G: 3, Obj: x + 1, Size: 1}).n == 0 {
			t.Errorf("%v: a race of the second object is lost", k)
		}
	}
}

// TestClocksUsedUp: a goroutine that has used up the clocks of thousands of slots is still seen.
func TestClocksUsedUp(t *testing.T) {
	p, do := begin(t, true)
	do(format.Write, 1, 0x40, 8)
	g := p.g(1)
	for range 2 * ftSoftSlots {
		do(format.Lock, 1, 0x80, 0)
		g.clock = ftMaxClock - 1
		g.epoch = ftEpoch(g.slot, g.clock)
		g.begin()
		do(format.Unlock, 1, 0x80, 0)
	}
	if do(format.Write, 1, 0x48, 8); do(format.Write, 2, 0x48, 8) != 1 {
		t.Error("its last access races, and is not seen")
	}
}
