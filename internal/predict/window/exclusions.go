package window

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Excluded calls (docs/theory/excluded.md). Package excluded computes their orders. Here they
// become hard edges, conditional orders, reads and writes of a window. The rules EX1 to EX12 are in
// the doc of package excluded.

// excludedCode is what a Builder knows of excluded code.
type excludedCode struct {
	mode    excluded.Mode
	pairs   excluded.Pairs
	listing *excluded.Pair                  // the last call that began or ended
	reached excluded.Later                  // by all calls so far
	early   excluded.Later                  // by calls that began before the buffer
	open    map[trace.GoID][]*excluded.Pair // calls that are open where the buffer begins
	ends    map[trace.GoID]int64            // goroutines that have ended
	// known are goroutines with a Go, a Start, or an event before the first call.
	known map[trace.GoID]bool
	// sending are goroutines that wait in a send where the buffer begins: on which unbuffered
	// channel.
	sending map[trace.GoID]trace.Addr
}

func newExcludedCode(mode excluded.Mode) excludedCode {
	return excludedCode{
		mode: mode, pairs: excluded.Pairs{Mode: mode}, reached: excluded.NewLater(), early: excluded.NewLater(),
		open: make(map[trace.GoID][]*excluded.Pair), ends: make(map[trace.GoID]int64), known: make(map[trace.GoID]bool), sending: make(map[trace.GoID]trace.Addr),
	}
}

func (x *excludedCode) active() bool { return x.pairs.Any() && x.mode != excluded.Ignore }

// step takes the next event of the trace. keep reports whether the buffer gets it.
func (x *excludedCode) step(r *record) (keep bool, err error) {
	x.noteGoroutine(r)
	p, err := x.pairs.Step(r.Index, &r.Event)
	switch k := r.Event.Kind; {
	case err != nil:
		return false, err
	case k == format.Reach && r.Event.Flags&format.FlagGone != 0:
		return false, nil
	case k == format.Reach:
		x.reached.Join(&x.listing.D, &r.Event)
		return false, nil
	case k == format.ReachSet:
		switch {
		case r.Event.Val == 0:
			x.reached.Add(x.pairs.Set(r.Event.Obj, x.listing.D.Seen))
		case r.Event.Aux != 0: // what it shares with another set is not listed again
			x.reached.Add(x.pairs.Set(trace.Addr(r.Event.Aux), x.listing.D.Seen))
		}
		return false, nil
	case k == format.ReachGo:
		x.reached.AddGo(trace.GoID(r.Event.Obj))
		return false, nil
	case p != nil:
		x.reached.JoinAll(&p.D)
		r.Pair, x.listing = p, p
		return x.mode != excluded.Ignore, nil
	}
	return true, nil
}

// noteGoroutine notes the goroutine of r. Excluded code may have started a goroutine whose start is
// not in the trace (EX7).
func (x *excludedCode) noteGoroutine(r *record) {
	switch {
	case r.Event.Kind == format.Go:
		x.known[trace.GoID(r.Event.Obj)] = true
	case r.Event.Kind == format.Start || x.known[r.Event.G]:
	case x.active() && r.Event.G > 1:
		r.unstarted = true
	}
	x.known[r.Event.G] = true
	if x.pairs.Inside(r.Event.G) {
		r.back = r.walked && r.Event.Kind == format.Read && x.pairs.Seen(r.Event.G) // (EX12)
		r.walked = r.back                                                           // (EX4)
	}
}

// end notes the end of a goroutine. The buffer has such events only in a trace with excluded code.
func (x *excludedCode) end(r *record) { x.ends[r.Event.G] = r.Index }

// pass takes a record that leaves the buffer.
func (x *excludedCode) pass(r *record) {
	delete(x.sending, r.Event.G)
	switch k := r.Event.Kind; {
	case k == format.ChanSend && r.Event.Aux == 0:
		x.sending[r.Event.G] = r.Event.Obj
	case k == format.ChanRecv && r.Event.Aux == 0:
		maps.DeleteFunc(x.sending, func(_ trace.GoID, c trace.Addr) bool { return c == r.Event.Obj })
	}
	switch r.Event.Kind {
	case format.MethodBegin:
		x.open[r.Event.G] = append(x.open[r.Event.G], r.Pair)
		x.early.Add(&r.Pair.D)
	case format.MethodEnd:
		list := x.open[r.Event.G]
		x.open[r.Event.G] = list[:len(list)-1]
	case format.End:
		delete(x.open, r.Event.G)
	}
}

func (x *excludedCode) reaches(t excluded.Touch) bool {
	return x.active() && (x.pairs.Cut() || x.reached.Hits(t))
}

// touchOf returns the memory that an access to a touches.
func touchOf(w *word, a *atom) excluded.Touch {
	lo, n := uint64(0), uint64(0)
	for k := range uint64(8) {
		if a.mask>>k&1 != 0 {
			if n == 0 {
				lo = k
			}
			n = k - lo + 1
		}
	}
	return excluded.Memory(w.addr+lo, n)
}

// exclusions keeps events in their order with calls of excluded code, and has what these calls may
// read and write in the window.
type exclusions struct {
	*graph
	reads *resolver
	*quietness
	calls   excluded.Order
	keptBy  []built.KeptOrder
	methods map[int32]trace.Addr // begun or ended by an event

	// free are the reads of code that calls under way have called back. They keep their values
	// only as far as the calls learn of them (EX12).
	free map[trace.GoID][]int32

	// dirty are the atoms that some D may have and that were written since the last MethodBegin
	// after which all later ones read the same.
	dirty []dirtied
}

// openCalls takes the calls that are open at the start of the window.
func (m *exclusions) openCalls() {
	for _, g := range slices.Sorted(maps.Keys(m.b.excode.open)) {
		for _, p := range m.b.excode.open[g] {
			m.calls.Open(p)
		}
	}
	// a call of excluded code may be the receiver, at an unknown time (EX6)
	for g, c := range m.b.excode.sending {
		if m.b.excode.reaches(excluded.Object(uint64(c))) {
			m.cut(m.thread(g))
		}
	}
}

// besideMethods orders an event that shows that outside code has run with the ends of calls of
// excluded code by other goroutines (EX11). Not all accesses of such code are recorded, so it is
// unknown what it shares with a call's D. first is the record's first event, or -1.
func (m *exclusions) besideMethods(i int, t *thread, first int32) int32 {
	if first < 0 {
		first = m.add(t, i, model.Event{Kind: model.Pin, Obj: -1})
	}
	for _, u := range m.order {
		if u != t && u.method > 0 {
			m.edge(u.method-1, first)
			m.keptOrder(u.method-1, first, &m.recs[i], excluded.Touch{})
		}
	}
	t.call = first + 1
	return first
}

// besideCalls is besideMethods for an end of a call of excluded code.
func (m *exclusions) besideCalls(r *record, t *thread, first int32) {
	for _, u := range m.order {
		if u != t && u.call > 0 {
			m.edge(u.call-1, first)
			m.keptOrder(u.call-1, first, r, excluded.Touch{})
		}
	}
	t.method = t.last + 1
}

// keepOrders makes edges and conditional orders of what comes before event first, of r.
func (m *exclusions) keepOrders(kept *excluded.Kept, first int32, r *record, x excluded.Touch) {
	for _, f := range kept.Edges {
		m.edge(f, first)
		m.keptOrder(f, first, r, x)
	}
	for _, f := range kept.Weak {
		m.weakEdge(f, first)
		m.keptOrder(f, first, r, x)
	}
	for _, c := range kept.Orders {
		for _, n := range []*int32{&c.If, &c.From, &c.To} {
			if *n == excluded.Self {
				*n = first
			}
		}
		if c.From < c.To && m.w.Events[c.From].Thread != m.w.Events[c.To].Thread {
			m.w.Orders = append(m.w.Orders, model.Conditional{If: c.If, From: c.From, To: c.To})
			m.keptOrder(c.From, c.To, r, x)
		}
	}
}

// onlyReads reports whether an event of kind k has no effect that others could see.
func onlyReads(k format.Kind) bool { return k == format.Read || k == format.AtomicRead }

// pinRead pins the reads that the result of a read depends on, in code that excluded code calls
// back: that code may get the result (EX4). No other goroutine need access what it reads. If the
// walk says what excluded code gets, this waits until then (EX12).
func (m *exclusions) pinRead(i int, t *thread) {
	switch deps := m.reads.src[i]; {
	case len(deps) == 0, len(deps) == 1 && m.w.Events[deps[0]].Strict:
	case m.recs[i].back:
		if m.free == nil {
			m.free = make(map[trace.GoID][]int32)
		}
		m.free[t.g] = append(m.free[t.g], deps...)
	default:
		m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: slices.Clone(deps)})
	}
}

// learns takes an event that shows how far calls of excluded code by other goroutines than g have
// run. Code that these calls have called back may have passed on all that it has read, even if no
// later event of its goroutine needs that. So those reads keep their values (EX12).
func (m *exclusions) learns(kept *excluded.Kept, g trace.GoID) {
	for _, o := range kept.Runs {
		if o != g {
			m.keeps(o)
		}
	}
}

// keeps makes strict all reads so far of code that calls of excluded code by g have called back.
func (m *exclusions) keeps(g trace.GoID) {
	for _, n := range m.free[g] {
		m.w.Events[n].Strict = true
	}
	delete(m.free, g)
}

// synchronises reports whether other goroutines may learn from an event of kind k what was before
// it.
func synchronises(k format.Kind) bool {
	return k.IsAtomic() || k == format.Go || k >= format.Lock && k <= format.ChanLen || k >= format.Acquire && k <= format.ReleaseMerge
}

// endedBefore adds to what comes before a MethodBegin the ends of goroutines in its D that the
// buffer does not have: those before the first MethodBegin of the trace.
func (m *exclusions) endedBefore(before []int32, p *excluded.Pair) []int32 {
	for _, u := range m.order {
		end, ok := m.b.excode.ends[u.g]
		if !ok || end >= p.Begin || u.g == p.G || !p.D.Hits(excluded.TouchOf(&trace.Event{Kind: format.End, G: u.g})) {
			continue
		}
		if u.last >= 0 && !slices.Contains(before, u.last) {
			before = append(before, u.last)
		}
	}
	return before
}

// pinWritten makes what the events of t from first on write keep its value.
func (m *exclusions) pinWritten(t *thread, first int32) {
	for k := int(first); k < len(m.w.Events); k++ {
		if e := &m.w.Events[k]; e.Thread == t.id && e.Kind.IsWrite() {
			e.Deps = model.Union(e.Deps, e.ValDeps)
		}
	}
}

// excludedCall makes the events of a MethodBegin or MethodEnd: a Pin, and at the beginning reads
// of the memory that the call may read (EX4).
func (m *exclusions) excludedCall(i int, r *record, t *thread) {
	n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)})
	if r.Event.Kind != format.MethodBegin || r.Pair.D.Empty() {
		return
	}
	known := m.known(t)
	m.dirty = slices.DeleteFunc(m.dirty, func(d dirtied) bool {
		if !r.Pair.D.Hits(d.of) { // most
			return false
		}
		w := &m.words[d.word]
		a := &w.atoms[d.atom]
		x := touchOf(w, a)
		if !r.Pair.D.Hits(x) || slices.ContainsFunc(a.strict, known.Before) {
			return false
		}
		if a.quiet {
			return m.readQuiet(n, a, r.Pair.D.Covers(x))
		}
		// it is in no pair
		e := model.Event{Kind: format.Read, Flags: format.FlagStack, Strict: true, Obj: a.obj, Val: a.cur}
		if a.version >= 0 {
			e.Kind, e.Obj = format.AtomicRead, a.version
		}
		n := m.add(t, i, e)
		if a.barrier >= 0 {
			m.edge(a.barrier, n)
		}
		m.accessed(a, n, r.Index)
		a.strict = append(a.strict, n)
		// else every later method that reaches it comes after this one
		a.dirty = !r.Pair.D.Covers(x)
		return !a.dirty
	})
}

// dirtied is an atom with a value that calls of excluded code may read.
type dirtied struct {
	word, atom int32
	of         excluded.Touch // the word
}

// noteDirty notes that a record leaves a value in a that calls of excluded code may read.
func (m *exclusions) noteDirty(r *record, a *atom) {
	if !a.reached || !r.Event.Kind.IsWrite() {
		return
	}
	if a.strict = nil; a.dirty {
		return
	}
	a.dirty = true
	for k := range m.words[r.mem].atoms {
		if &m.words[r.mem].atoms[k] == a {
			m.dirty = append(m.dirty, dirtied{r.mem, int32(k), excluded.Memory(m.words[r.mem].addr, 8)})
		}
	}
}

// foundBeside puts a write by a thread of its own before an access to a, if excluded code may have
// written there since the last access (EX5). It writes what the access reads, if that is another
// value, or something unknown, if the access writes. What was there before the first access of the
// window is unknown anyway.
func (m *exclusions) foundBeside(i int, t *thread, w *word, a *atom, e *trace.Event) {
	v := built.Extract(e.Val<<(8*(uint64(e.Obj)&7)), a.mask)
	if reads(e.Kind) && v == m.plain(a.cur) {
		return
	}
	since := a.last
	if len(a.events) == 0 {
		if since = -1; !reads(e.Kind) && a.unknown {
			return
		}
	}
	touch := touchOf(w, a)
	kept, may := m.calls.Wrote(touch, since, reads(e.Kind))
	if !may {
		return
	}
	m.b.count.Hidden++
	ghost := &thread{g: -1, id: -1, last: -1}
	x := model.Event{Kind: format.Write, Obj: a.obj, Val: v}
	if reads(e.Kind) {
		x.Val = m.object64(a, v)
	} else {
		r := m.add(ghost, i, model.Event{Kind: format.Read, Obj: m.newObj(model.ObjState{Unknown: true}, built.Place{})})
		x.Val, x.ValDeps = unreadable, []int32{r}
	}
	for _, e := range a.events {
		if onlyReads(m.w.Events[e].Kind) { // a call has come after what wrote before it
			kept.Orders = append(kept.Orders, excluded.Cond{If: e, From: e, To: excluded.Self})
		} else {
			kept.Edges = append(kept.Edges, e)
		}
	}
	kept.Edges = append(kept.Edges, a.barrier, t.last)
	n := m.add(ghost, i, x)
	m.keepOrders(kept, n, &m.recs[i], touch)
	m.learns(kept, -1)
	if reads(e.Kind) {
		m.calls.Seen(touch, n, m.recs[i].Index)
	}
	a.cur, a.barrier = x.Val, n
}

// keptOrder notes that event e of r, which acts on x, follows event f because of a call of excluded
// code.
func (m *exclusions) keptOrder(f, e int32, r *record, x excluded.Touch) {
	k := built.KeptOrder{Edge: model.Edge{From: f, To: e}}
	if p := r.Pair; p != nil {
		k.Method = p.Method
		m.methods[e] = p.Method
	} else if method, ok := m.methods[f]; ok {
		k.Method = method
	} else if p := m.calls.Which(r.Event.G, x); p != nil {
		k.Method = p.Method
	}
	m.keptBy = append(m.keptBy, k)
}
