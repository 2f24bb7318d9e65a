package online

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestFirstRaces, with the filter and without: on random traces the detector names the same access
// as package fasttrack, its specification, as the one that completes the first race of each word;
// and with cells inside words not there yet, none that package hb does not know.
func TestFirstRaces(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 600
	}
	ftInitSlots()
	ftInitShadow()
	races := 0
	defer func() { spread = nil }()
	ftSlots.alive = 1 << 20 // no slot is taken early (ON1)
	for k := range n {
		if ftSlots.head, ftSlots.tail, ftSlots.n = 0, 0, 1; k%3 == 0 { // clocks of many slots
			spread = rand.New(rand.NewPCG(6, uint64(k)))
		} else {
			spread = nil
		}
		events := tracetest.Loops(5, uint64(k))
		if k%2 == 1 {
			events, _ = tracetest.Trace(tracetest.Generate(rand.New(rand.NewPCG(5, uint64(k))), tracetest.Profiles()[k/2%len(tracetest.Profiles())]))
		}
		tracetest.FailSwaps(events)
		want := specified(events)
		got := detected(events, true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d: first races -fasttrack +online:\n%s", k, diff)
		}
		ftFilter = true
		filtered := detected(events, true)
		ftFilter = false
		if diff := cmp.Diff(want, filtered); diff != "" {
			t.Fatalf("%d: first races -fasttrack +online, with the filter:\n%s", k, diff)
		}
		races += len(got)
		byHB := happensBefore(events)
		for f := range detected(events, false) {
			if !byHB[f.event] {
				t.Fatalf("%d: event %d races online only", k, f.event)
			}
		}
	}
	if t.Logf("%d first races; %d slots taken again; %d contexts given back", races, again, returned); races < n/10 || again < n/10 || returned < n/2 {
		t.Error("too few to tell anything")
	}
}

// first is the event that completes the first race of a word.
type first struct {
	event int64
	word  trace.Addr
}

// firsts gathers them; memory that is allocated anew is another word.
type firsts struct {
	found map[first]bool
	seen  map[trace.Addr]bool
}

func newFirsts() firsts { return firsts{make(map[first]bool), make(map[trace.Addr]bool)} }

func (f *firsts) race(i int64, addr trace.Addr) {
	if word := addr &^ 7; !f.seen[word] {
		f.seen[word] = true
		f.found[first{i, word}] = true
	}
}

func specified(events []trace.Event) map[first]bool {
	f := newFirsts()
	d := fasttrack.New(true, func(shadow.Access, shadow.Access, format.Addr) {})
	d.First = func(i int64, addr format.Addr, _ uint8) { f.race(i, addr) }
	for i := range events {
		if e := &events[i]; e.Kind == format.Alloc {
			delete(f.seen, e.Obj&^7)
		}
		d.Step(int64(i), &events[i])
		if a := lockAccess(&events[i]); a != nil {
			d.Step(int64(i), a)
		}
	}
	return f.found
}

// accessesLocks says that a goroutine that takes a lock accesses it, as in a program: one that
// writes over a lock races with it.
var accessesLocks bool

// lockAccess is that access; nil: none. Its order is the lock's.
func lockAccess(e *trace.Event) *trace.Event {
	if !accessesLocks || e.Kind != format.Lock {
		return nil
	}
	a := *e
	if a.Kind, a.Flags, a.Size = format.AtomicRMW, 0, 1; e.Flags&format.FlagRead != 0 {
		a.Kind = format.AtomicRead
	}
	return &a
}

func happensBefore(events []trace.Event) map[int64]bool {
	found := make(map[int64]bool)
	h := hb.New()
	h.Each(func(_, b int64) { found[b] = true })
	for i := range events {
		h.Step(int64(i), &events[i])
	}
	return found
}

// program is a trace as the program under the detector would have it.
type program struct {
	gs    map[trace.GoID]*ftG
	ended map[trace.GoID]ftRel // the last clocks of goroutines that have ended, for Join
}

func detected(events []trace.Event, inside bool) map[first]bool {
	p := program{gs: make(map[trace.GoID]*ftG), ended: make(map[trace.GoID]ftRel)}
	f := newFirsts()
	defer func(turns uint8) { ftTurns, processor = turns, 0 }(ftTurns)
	ftTurns = 2
	for i := range events {
		e := &events[i]
		processor = uint32(e.G) ^ uint32(i>>4) // goroutines move
		if e.Kind.IsAccess() && inside && e.Obj != 0 {
			ftCellOf(uintptr(e.Obj))
			ftLineOf(uintptr(e.Obj)).marked(ftMarkInside)
		}
		if e.Kind == format.Alloc {
			delete(f.seen, e.Obj&^7)
		}
		if g := p.step(e); g != nil && g.n > 0 {
			g.n = 0
			f.race(int64(i), e.Obj)
		}
	}
	for _, g := range p.gs {
		again += int(g.stats.slotsAgain)
		returned += int(g.stats.returned)
		for i := range g.steps {
			stepped += int(g.steps[i].gone)
		}
		g.end()
	}
	for id := range p.ended {
		r := p.ended[id]
		r.clear()
	}
	ftReset(0, 1<<20)
	return f.found
}

// again counts the slots that were taken again, returned the contexts that were given back, stepped
// some of the steps that goroutines have taken.
var again, returned, kept, stepped int

// spread says how many slots other goroutines take between those of a trace.
var spread *rand.Rand

func (p *program) g(id trace.GoID) *ftG {
	g := p.gs[id]
	if spread != nil && ftSlots.n < ftMaxSlots/2 {
		ftSlots.n += spread.Uint32N(5000)
	}
	if g == nil {
		g = (*ftG)(new(ftG))
		g.start(nil, ftWho{})
		p.gs[id] = g
	}
	return g
}

func (p *program) step(e *trace.Event) *ftG {
	g := p.g(e.G)
	addr := uintptr(e.Obj)
	switch e.Kind {
	case format.Read, format.Write:
		p.access(g, e)
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		p.atomic(g, e)
	case format.Alloc:
		ftReset(addr, uintptr(e.Val))
	case format.Go:
		u := (*ftG)(new(ftG))
		u.start(&g.ftThread, ftWho{})
		p.gs[trace.GoID(e.Obj)] = u
	case format.End:
		returned += int(g.stats.returned)
		var last ftRel
		last.vc.share(&g.vc)
		last.slot, last.clock = g.slot, g.clock
		p.ended[e.G] = last
		again += int(g.stats.slotsAgain)
		g.end()
		delete(p.gs, e.G)
		return nil
	case format.Join:
		if last, ok := p.ended[trace.GoID(e.Obj)]; ok {
			if g.vc.join(&last.vc); last.slot != 0 {
				g.vc.set(last.slot, last.clock)
			}
			g.from = ftComponent{}
			return g
		}
		u := p.g(trace.GoID(e.Obj))
		g.vc.join(&u.vc)
		if g.from = (ftComponent{}); u.slot != 0 {
			g.vc.set(u.slot, u.clock)
		}
	case format.Lock, format.Unlock:
		acquire, read := e.Kind == format.Lock, e.Flags&format.FlagRead != 0
		if !read && acquire {
			if o, accesses := g.relocks(addr); o != nil {
				if kept++; accesses {
					if a := lockAccess(e); a != nil {
						g.access(&ftAccess{addr: addr, site: uint64(e.Site), kind: ftAtomicWrites})
					}
				}
				break
			}
		}
		if !read && !acquire && g.reunlocks(addr) {
			kept++
			break
		}
		o := ftObjects.at(ftLockClass, addr)
		o.lock(&g.ftThread, acquire, read)
		if acquire {
			o.seen = g.epoch // of no access, if there are none
		}
		if a := lockAccess(e); a != nil {
			kind := uint8(ftAtomicWrites)
			if read {
				kind = ftAtomicReads
			}
			if o.again(&g.ftThread, addr, kind) {
				o.seen = g.base
			} else {
				g.access(&ftAccess{addr: addr, site: uint64(e.Site), kind: kind})
				o.seen = g.epoch
			}
		}
	case format.WGAdd:
		if int64(e.Val) < 0 {
			ftObjects.at(ftMergeClass, addr).w.merge(&g.ftThread)
		}
	case format.OnceEnd, format.CondSignal, format.CondBroadcast:
		ftObjects.at(ftMergeClass, addr).w.merge(&g.ftThread)
	case format.WGWait, format.OncePass, format.CondWake:
		if o := ftObjects.there(ftMergeClass, addr); o != nil {
			o.w.acquire(&g.ftThread)
		}
	case format.Acquire:
		if addr == 0 {
			g.acquireAll()
			for _, t := range p.gs {
				t.cut()
			}
			return g
		}
		ftObjects.at(ftHiddenClass, addr).w.acquire(&g.ftThread)
	case format.Release:
		ftObjects.at(ftHiddenClass, addr).w.release(&g.ftThread)
	case format.ReleaseMerge:
		ftObjects.at(ftHiddenClass, addr).w.merge(&g.ftThread)
	case format.ChanClose, format.ChanSend, format.ChanRecv:
		p.channel(g, e)
	}
	return g
}

func (p *program) channel(g *ftG, e *trace.Event) {
	o := ftObjects.at(ftChanClass, uintptr(e.Obj))
	switch {
	case e.Kind == format.ChanClose:
		o.w.merge(&g.ftThread)
	case e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0:
		o.w.acquire(&g.ftThread)
	case e.Aux == 0:
		o.meet(&g.ftThread, e.Kind == format.ChanSend)
	case e.Kind == format.ChanSend:
		o.buffer(&g.ftThread, &o.send, e.Aux)
	default:
		o.buffer(&g.ftThread, &o.recv, e.Aux)
	}
}

func (p *program) access(g *ftG, e *trace.Event) {
	if e.Obj == 0 || e.Flags&format.FlagStack != 0 {
		return
	}
	a := ftAccess{addr: uintptr(e.Obj), site: uint64(e.Site) & ftSiteMask, kind: ftReads}
	switch e.Kind {
	case format.Write:
		a.kind = ftWrites
	case format.AtomicRead:
		if a.kind = ftAtomicReads; e.WriteLike() {
			a.kind = ftAtomicWrites
		}
	case format.AtomicWrite, format.AtomicRMW:
		a.kind = ftAtomicWrites
	}
	g.span(a, max(uintptr(e.Size), 1))
}

// atomic is as in a program, where an operation is of the location that begins at its address, and
// of the word at times. Others that it covers come before.
func (p *program) atomic(g *ftG, e *trace.Event) {
	a := ftAccess{addr: uintptr(e.Obj), site: uint64(e.Site) & ftSiteMask, kind: ftAtomicWrites}
	if !e.WriteLike() {
		a.kind = ftAtomicReads
	}
	if e.Obj == 0 || e.Flags&format.FlagStack != 0 {
		a.addr |= 1 << 47 // no cell
	}
	acquires, releases := e.Kind != format.AtomicWrite, e.Kind != format.AtomicRead
	if a.addr&7 == 0 && e.Size == 8 && g.stats.atomic%3 == 0 {
		a.site |= ftFull
	} else if a.addr>>47 == 0 && e.Size > 1 {
		if o := ftObjects.there(ftAtomicClass, a.addr); o != nil && acquires {
			o.w.acquire(&g.ftThread)
		}
		b := a
		b.addr++
		g.span(b, uintptr(e.Size)-1)
	}
	g.opens(&a, ftCellAt(a.addr&^7), releases)
	g.completes(&a, acquires, releases)
}

// TestSlotTakenEarly: a goroutine that knows of a slot's clock does not know what a goroutine that
// had the slot before has released, if its successor did not.
func TestSlotTakenEarly(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	defer ftReset(0, 1<<20)
	var p program
	p.gs = make(map[trace.GoID]*ftG)
	do := func(k format.Kind, g trace.GoID, obj trace.Addr) int {
		if k == format.End {
			p.g(g).end()
			delete(p.gs, g)
			return 0
		}
		return p.step(&trace.Event{Kind: k, G: g, Obj: obj, Size: 8, Site: trace.Site(g)}).n
	}
	const x, y, z, a, b, c = 0x40, 0x48, 0x50, 0x80, 0x88, 0x90
	do(format.Write, 4, z+8)
	do(format.Write, 1, x)
	do(format.Unlock, 1, a) // 1 tells 2 of x, which leaves it at b
	do(format.Lock, 2, a)
	do(format.Write, 2, y)
	do(format.Unlock, 2, b)
	slot := p.g(2).slot
	do(format.End, 2, 0)
	ftSlots.n = ftMaxSlots
	do(format.Write, 3, z)
	if p.g(3).slot != slot || p.g(3).stats.slotsEarly != 1 {
		t.Fatalf("3 has slot %d, want that of 2, %d", p.g(3).slot, slot)
	}
	do(format.Unlock, 3, c)
	do(format.Lock, 4, c)
	do(format.Lock, 4, b)
	if do(format.Read, 4, x) != 0 {
		t.Error("what b was left with is not known to the goroutine that took it")
	}
	for _, g := range p.gs {
		g.end()
	}
}

// TestFinalizer: what is done before a finalizer is known to it, and what is done later with the
// same clock is not.
func TestFinalizer(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	defer ftReset(0, 1<<20)
	var p program
	p.gs = make(map[trace.GoID]*ftG)
	do := func(k format.Kind, g trace.GoID, obj trace.Addr) int {
		return p.step(&trace.Event{Kind: k, G: g, Obj: obj, Size: 8, Site: trace.Site(g)}).n
	}
	const x, y, z, a, b = 0x40, 0x48, 0x50, 0x80, 0x88
	do(format.Write, 1, x)
	do(format.Write, 2, z)
	do(format.Write, 3, z+8)
	do(format.Acquire, 3, 0) // the finalizer
	if do(format.Read, 3, x) != 0 {
		t.Error("what came before a finalizer races with it")
	}
	do(format.Unlock, 1, a+8)
	do(format.Write, 1, y)
	do(format.Unlock, 1, a) // 1 tells 2 of y, which leaves it at b, with the clock that it had
	do(format.Lock, 2, a)
	do(format.Unlock, 2, b)
	do(format.Lock, 3, b)
	if do(format.Read, 3, y) != 0 {
		t.Error("what b was left with is not known to the goroutine that took it")
	}
	for _, g := range p.gs {
		g.end()
	}
}
