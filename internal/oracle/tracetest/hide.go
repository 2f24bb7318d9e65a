package tracetest

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Hidden is a trace of which parts were taken away, as if they were missing methods.
type Hidden struct {
	Events []trace.Event
	Flows  []flow.Flow
	Calls  int // BarrierPairs
	Gone   int // events
}

// Hide makes pieces of the goroutines of a trace missing methods (package excluded): most events of
// a piece are dropped, the others are called back. What stays of it is a MethodBegin, with all that
// the dropped events act on and sometimes more, and a MethodEnd, where they can have been. What the
// dropped events depend on is what the method is given, so it is needed; and so is what is read in
// between, or what of it the method learns of.
func Hide(r *rand.Rand, events []trace.Event, flows []flow.Flow) Hidden {
	return hide(r, events, flows, false, false)
}

// HideAccesses drops accesses alone: the synchronisation of missing methods is seen (B11 of package
// excluded), and their Ds have nothing that go statements have in order with all that conflicts
// (B12).
func HideAccesses(r *rand.Rand, events []trace.Event, flows []flow.Flow) Hidden {
	return hide(r, events, flows, true, false)
}

// HideOutside is HideAccesses as presage records it: the synchronisation of missing methods is
// flagged as that of code outside.
func HideOutside(r *rand.Rand, events []trace.Event, flows []flow.Flow) Hidden {
	return hide(r, slices.Clone(events), flows, true, true)
}

func hide(r *rand.Rand, events []trace.Event, flows []flow.Flow, seen, outside bool) Hidden {
	h := &hiding{r: r, events: events, flows: flows, seen: seen, outside: outside, gone: make([]bool, len(events)), inside: make([]bool, len(events)), back: make([]int, len(events)), endless: map[trace.GoID]bool{}}
	if seen {
		h.knows = known(events)
	}
	h.cut()
	byGo := map[trace.GoID][]unit{}
	var gos []trace.GoID
	for _, u := range h.units {
		if byGo[u.g] == nil {
			gos = append(gos, u.g)
		}
		byGo[u.g] = append(byGo[u.g], u)
	}
	h.live(gos)
	for _, g := range gos {
		for k := 0; k < len(byGo[g]); k++ {
			if r.IntN(4) == 0 {
				k += h.piece(byGo[g], k, min(len(byGo[g])-k, 1+r.IntN(5)))
			}
		}
	}
	for _, g := range gos {
		if r.IntN(4) == 0 {
			h.around(byGo[g])
		}
	}
	h.handOn()
	return h.finish()
}

// handOn has what was called back end with an event that needs what the method may learn of what
// was read: what it returns, that is what any later event of the goroutine needs or writes,
// whatever has become of it, and all that rests on it in memory.
func (h *hiding) handOn() {
	last, needs := make([]int, h.runs+1), make([][]int64, h.runs+1)
	for i, run := range h.back {
		if run > 0 {
			last[run] = i
			if h.events[i].Kind.IsWrite() || h.events[i].Kind == format.ChanSend {
				needs[run] = append(needs[run], h.flows[i].From...)
			}
		}
	}
	for i := range h.events {
		for _, x := range slices.Concat(h.flows[i].Needs, h.flows[i].From) {
			if run := h.back[x]; run > 0 && run != h.back[i] {
				needs[run] = append(needs[run], x)
			}
		}
	}
	for run, list := range needs {
		if len(list) > 0 {
			e := trace.Event{Kind: format.Block, G: h.events[last[run]].G}
			h.made = append(h.made, placed{float64(last[run]) + 0.05, []trace.Event{e}, flow.Flow{Walked: true, Needs: list}})
		}
	}
}

// unit is an event with the SelectCases or the parts of the same access before it.
type unit struct {
	g        trace.GoID
	from, to int
}

// hiding is Hide under way.
type hiding struct {
	r             *rand.Rand
	events        []trace.Event
	flows         []flow.Flow
	units         []unit
	gone, inside  []bool
	back          []int // by event: the run of events that is called back together, from 1; 0: none
	runs          int
	seen, outside bool
	// with seen: by event, what it comes after in every execution
	knows   []map[trace.GoID]int
	made    []placed
	endless map[trace.GoID]bool // goroutines with a call that does not end
	calls   int
	words   uint64 // that were made for goroutines to have for themselves
}

// placed is a new event and where it stands among the old ones.
type placed struct {
	at     float64
	events []trace.Event
	flow   flow.Flow
}

func (h *hiding) cut() {
	open := map[trace.GoID]int{}
	for i := range h.events {
		e := &h.events[i]
		from, ok := open[e.G]
		if !ok {
			from = i
		}
		if e.Kind == format.SelectCase || e.Kind.IsAccess() && e.Flags&format.FlagMore != 0 {
			open[e.G] = from
			continue
		}
		delete(open, e.G)
		h.units = append(h.units, unit{e.G, from, i})
	}
}

// live has goroutines that nothing starts begin first: else a missing method could have started
// them.
func (h *hiding) live(gos []trace.GoID) {
	for _, g := range gos {
		if !slices.ContainsFunc(h.events, func(e trace.Event) bool {
			return e.Kind == format.Go && trace.GoID(e.Obj) == g || e.Kind == format.Start && e.G == g
		}) {
			h.made = append(h.made, placed{-1, []trace.Event{{Kind: format.Start, G: g}}, flow.Flow{}})
		}
	}
}

// hideable says whether the model of missing methods can stand for an event.
func hideable(k format.Kind) bool {
	return k.IsAccess() || k >= format.Lock && k <= format.SelectDefault || k == format.Join || k == model.Pin
}

// piece makes n units of a goroutine, from unit k on, a missing method. It returns n.
func (h *hiding) piece(list []unit, k, n int) int {
	if h.events[list[k].to].Kind == format.Start {
		return 1
	}
	if last := list[k+n-1]; h.events[last.to].Kind == format.End {
		if n--; n == 0 {
			return 1
		}
	}
	if h.meets(list[k]) || k+n < len(list) && h.meets(list[k+n]) {
		return n
	}
	part := list[k : k+n]
	begin := h.begin(part[0].g)
	reach, needs := h.take(part)
	for h.r.IntN(5) == 0 {
		reach = append(reach, reachOf(&h.events[h.r.IntN(len(h.events))])...)
	}
	for i := range reach {
		reach[i].G = begin.G
	}
	if h.r.IntN(40) == 0 {
		begin.Flags |= format.FlagAll
	}
	h.place(list, k, n, begin, reach, needs)
	h.calls++
	return n
}

// around has all that a goroutine does be called back, by a missing method that touches nothing, or
// not much: the function that was started, say. Pieces of it are missing methods in that.
func (h *hiding) around(list []unit) {
	before, after := h.startOf(list[0].g), float64(len(h.events))
	if first := list[0].to; h.events[first].Kind == format.Start {
		before, list = float64(first), list[1:]
	}
	if n := len(list) - 1; n >= 0 && h.events[list[n].to].Kind == format.End {
		after, list = float64(list[n].from)-0.5, list[:n]
	}
	if len(list) == 0 || h.meets(list[0]) || h.endless[list[0].g] {
		return
	}
	begin := h.begin(list[0].g)
	h.calls++
	walked, running := h.seen && h.r.IntN(4) > 0, false
	for _, u := range list {
		if running = running && !h.inside[u.to] && !h.gone[u.to]; !h.inside[u.to] && !h.gone[u.to] {
			running = h.callBack(u, walked, running)
		}
	}
	reach := []trace.Event{begin}
	for h.r.IntN(5) == 0 {
		reach = append(reach, reachOf(&h.events[h.r.IntN(len(h.events))])...)
	}
	for i := range reach {
		reach[i].G = begin.G
	}
	h.made = slices.Insert(h.made, 0, placed{before, reach, flow.Flow{Walked: true}})
	h.made = append(h.made, placed{after, []trace.Event{{Kind: format.MethodEnd, G: begin.G, Obj: begin.Obj}}, flow.Flow{Walked: true}})
}

// begin is the MethodBegin of the next call.
func (h *hiding) begin(g trace.GoID) trace.Event {
	e := trace.Event{Kind: format.MethodBegin, G: g, Obj: trace.Addr(1<<40 + h.calls)}
	if h.seen {
		e.Flags |= format.FlagSeen
	}
	return e
}

// take drops events of the units of a call, and returns what these act on and need. The others are
// called back.
func (h *hiding) take(part []unit) (reach []trace.Event, needs []int64) {
	// whether it is known what becomes of what is read in between
	walked, running := h.seen && h.r.IntN(4) > 0, false
	for _, u := range part {
		last := &h.events[u.to]
		if !hideable(last.Kind) || h.seen && (!last.Kind.IsAccess() || last.Kind.IsAtomic()) || h.r.IntN(4) == 0 {
			running = h.callBack(u, walked, running)
			if h.r.IntN(4) == 0 {
				reach = append(reach, h.private(u, walked))
			}
			continue
		}
		running = false
		for i := u.from; i <= u.to; i++ {
			if h.events[i].G != u.g {
				continue
			}
			h.gone[i] = true
			if !h.seen || !h.ordered(i) {
				reach = append(reach, reachOf(&h.events[i])...)
			}
			needs = append(append(needs, h.flows[i].Needs...), h.flows[i].From...)
		}
	}
	return reach, needs
}

// callBack has a unit be called back. It returns whether a run of such events whose reads are
// followed is under way, as running said of before.
func (h *hiding) callBack(u unit, walked, running bool) bool {
	for i := u.from; i <= u.to; i++ {
		h.inside[i] = h.inside[i] || h.events[i].G == u.g
		h.byMissing(&h.events[i], u.g)
		if walked && h.events[i].G == u.g && h.events[i].Flags&format.FlagOpaque == 0 {
			if !running {
				running = true
				h.runs++
			}
			h.back[i] = h.runs
		}
	}
	return running
}

// private has code that is called back access a word, behind a unit, that no other goroutine
// accesses and that the call reaches, as the result says: a quiet access (package window). It needs
// some of what its goroutine has read.
func (h *hiding) private(u unit, walked bool) trace.Event {
	h.words++
	e := trace.Event{Kind: format.Read, G: u.g, Obj: trace.Addr(ownWords + 8*h.words), Size: 8}
	if h.r.IntN(2) == 0 {
		e.Kind, e.Val = format.Write, 1
	}
	f := flow.Flow{Walked: walked}
	for i := range h.events[:u.to+1] {
		if x := &h.events[i]; x.G == u.g && x.Kind.IsAccess() && x.Kind != format.Write && x.Kind != format.AtomicWrite && h.r.IntN(2) == 0 {
			f.Needs = append(f.Needs, int64(i))
		}
	}
	h.made = append(h.made, placed{float64(u.to) + 0.02, []trace.Event{e}, f})
	return reachOf(&trace.Event{Kind: format.Write, Obj: e.Obj, Size: 8})[0]
}

// ownWords is where words begin that goroutines have for themselves.
const ownWords = 1 << 32

// place puts a call around n units of a goroutine, from unit k on. Calls nest if there is nothing
// between the ends of one and of another.
func (h *hiding) place(list []unit, k, n int, begin trace.Event, reach []trace.Event, needs []int64) {
	first, last := list[k], list[k+n-1]
	before, after := h.startOf(begin.G), float64(len(h.events))
	if k > 0 {
		if before = float64(list[k-1].to) + 0.45; waits(&h.events[list[k-1].to]) {
			before = float64(first.from) - 0.1
		}
	}
	if k+n < len(list) {
		after = float64(list[k+n].from) - 0.5
	}
	h.made = append(h.made, placed{h.between(before, float64(first.from)-0.1), append([]trace.Event{begin}, reach...), flow.Flow{Walked: true, Needs: needs}})
	end, open := h.between(float64(last.to)+0.1, after), k+n == len(list) && h.r.IntN(20) == 0
	if waits(&h.events[last.to]) {
		end, open = after, k+n == len(list)
	}
	if open {
		h.endless[begin.G] = true
	} else {
		h.made = append(h.made, placed{end, []trace.Event{{Kind: format.MethodEnd, G: begin.G, Obj: begin.Obj}}, flow.Flow{Walked: true}})
	}
}

// startOf is where a goroutine is started.
func (h *hiding) startOf(g trace.GoID) float64 {
	at := -0.5
	for i := range h.events {
		if e := &h.events[i]; e.Kind == format.Go && trace.GoID(e.Obj) == g {
			at = float64(i)
		}
	}
	return at
}

// byMissing flags most of the synchronisation in a missing method as that of code outside. The rest
// is called back.
func (h *hiding) byMissing(e *trace.Event, g trace.GoID) {
	k := e.Kind
	if h.outside && e.G == g && (k.IsAtomic() || k >= format.Lock && k <= format.SelectDefault) && h.r.IntN(8) > 0 {
		e.Flags |= format.FlagOpaque
	}
}

// known finds what each event comes after by program order and go statements: the last event of
// each goroutine.
func known(events []trace.Event) []map[trace.GoID]int {
	knows, of := make([]map[trace.GoID]int, len(events)), map[trace.GoID]map[trace.GoID]int{}
	for i := range events {
		e := &events[i]
		own := maps.Clone(of[e.G])
		if own == nil {
			own = map[trace.GoID]int{}
		}
		own[e.G] = i
		knows[i], of[e.G] = own, own
		if e.Kind == format.Go {
			of[trace.GoID(e.Obj)] = own
		}
	}
	return knows
}

// ordered says whether every execution has access i in order with all that conflicts.
func (h *hiding) ordered(i int) bool {
	e := &h.events[i]
	for j := range h.events {
		f := &h.events[j]
		if f.G == e.G || !f.Kind.IsAccess() || !f.Kind.IsWrite() && !e.Kind.IsWrite() || !overlap(e, f) {
			continue
		}
		if n, ok := h.knows[max(i, j)][h.events[min(i, j)].G]; !ok || n < min(i, j) {
			return false
		}
	}
	return true
}

func overlap(e, f *trace.Event) bool {
	return uint64(e.Obj) < uint64(f.Obj)+max(1, uint64(f.Size)) && uint64(f.Obj) < uint64(e.Obj)+max(1, uint64(e.Size))
}

// meets says whether a goroutine may have been waiting since before another event: nothing fits in
// before.
func (h *hiding) meets(u unit) bool {
	e := &h.events[u.to]
	return e.Kind == format.ChanRecv && e.Aux == 0
}

// waits says whether the goroutine does not go on before somebody receives.
func waits(e *trace.Event) bool { return e.Kind == format.ChanSend && e.Aux == 0 }

// between is a place in a range.
func (h *hiding) between(from, to float64) float64 {
	if to <= from {
		return from
	}
	return from + (to-from)*h.r.Float64()
}

// reachOf returns what an event acts on, as what a missing method reaches.
func reachOf(e *trace.Event) []trace.Event {
	switch k := e.Kind; {
	case k.IsAccess():
		return []trace.Event{{Kind: format.Reach, Obj: e.Obj, Val: uint64(e.Size)}}
	case k == format.Join:
		return []trace.Event{{Kind: format.ReachGo, Obj: e.Obj}}
	case k >= format.Lock && k <= format.SelectCase && e.Obj != 0:
		return []trace.Event{{Kind: format.Reach, Obj: e.Obj}}
	}
	return nil
}

// finish puts the events in order and numbers what the flows name anew.
func (h *hiding) finish() Hidden {
	out := Hidden{Calls: h.calls}
	slices.SortStableFunc(h.made, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	at := make([]int64, len(h.events)) // -1: gone, or not yet there
	for i := range at {
		at[i] = -1
	}
	move := func(list []int64) (moved []int64) {
		for _, x := range list {
			if at[x] >= 0 {
				moved = append(moved, at[x])
			}
		}
		slices.Sort(moved)
		return slices.Compact(moved)
	}
	add := func(p placed) {
		for i, e := range p.events {
			f := flow.Flow{}
			if i == 0 {
				f = p.flow
				f.Needs = move(f.Needs)
			}
			out.Events, out.Flows = append(out.Events, e), append(out.Flows, f)
		}
	}
	next := 0
	for i := range h.events {
		for ; next < len(h.made) && h.made[next].at < float64(i); next++ {
			add(h.made[next])
		}
		if h.gone[i] {
			out.Gone++
			continue
		}
		at[i] = int64(len(out.Events))
		f := h.flows[i]
		f.Needs, f.From = move(f.Needs), move(f.From)
		f.Walked = f.Walked && (!h.inside[i] || h.back[i] > 0)
		out.Events, out.Flows = append(out.Events, h.events[i]), append(out.Flows, f)
	}
	for ; next < len(h.made); next++ {
		add(h.made[next])
	}
	return out
}
