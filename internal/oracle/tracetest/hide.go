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

// Hidden is a trace of which parts were removed, as if they were excluded code.
type Hidden struct {
	Events []trace.Event
	Flows  []flow.Flow
	Calls  int // BarrierPairs
	Gone   int // events
}

// Hide replaces pieces of the goroutines of a trace by calls of excluded code (package excluded).
// Most events of a piece are dropped, the others are in callbacks. The call has a MethodBegin,
// which reaches all that the dropped events act on and sometimes more, and a MethodEnd, at places
// where the ends of the call could have been. The reads that dropped events depend on are arguments
// of the call, so it needs them. It also needs the reads in callbacks, or those whose values the
// callbacks return.
func Hide(r *rand.Rand, events []trace.Event, flows []flow.Flow) Hidden {
	return hide(r, events, flows, false, false)
}

// HideAccesses drops accesses alone: the synchronisation of the calls is recorded, and they do not
// reach accesses that go statements order with all conflicting ones (package excluded).
func HideAccesses(r *rand.Rand, events []trace.Event, flows []flow.Flow) Hidden {
	return hide(r, events, flows, true, false)
}

// HideOutside is HideAccesses as presage records it: the synchronisation of the calls has the flag
// of outside code.
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

// handOn ends each callback with an event that needs the reads whose values the call may get. They
// are those that later events outside the callback need or write, and those that the callback
// writes to memory.
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

// hiding is the state of Hide.
type hiding struct {
	r             *rand.Rand
	events        []trace.Event
	flows         []flow.Flow
	units         []unit
	gone, inside  []bool
	back          []int // by event: the run of events that is called back together, from 1; 0: none
	runs          int
	seen, outside bool
	// with seen: by event, the events that are before it in every execution
	knows   []map[trace.GoID]int
	made    []placed
	endless map[trace.GoID]bool // goroutines with a call that does not end
	calls   int
	words   uint64 // how many private words were made
}

// placed is a new event and its place among the old ones.
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

// live gives goroutines that no event starts a Start at the beginning: else excluded code could
// have started them.
func (h *hiding) live(gos []trace.GoID) {
	for _, g := range gos {
		if !slices.ContainsFunc(h.events, func(e trace.Event) bool {
			return e.Kind == format.Go && trace.GoID(e.Obj) == g || e.Kind == format.Start && e.G == g
		}) {
			h.made = append(h.made, placed{-1, []trace.Event{{Kind: format.Start, G: g}}, flow.Flow{}})
		}
	}
}

// hideable reports whether excluded code can contain an event.
func hideable(k format.Kind) bool {
	return k.IsAccess() || k >= format.Lock && k <= format.SelectDefault || k == format.Join || k == model.Pin
}

// piece replaces n units of a goroutine, from unit k on, by a call of excluded code. It returns n.
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

// around puts all events of a goroutine into a callback of one call, which reaches little, such as
// the function that was started. Pieces of it may be further calls.
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
// in callbacks.
func (h *hiding) take(part []unit) (reach []trace.Event, needs []int64) {
	// whether the reads in callbacks are followed
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

// callBack puts a unit into a callback. running is whether the events before are a callback whose
// reads are followed; the result is the same for the events after.
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

// private adds an access in a callback, after a unit, of a word that no other goroutine accesses
// and that the call reaches: a quiet access (package window). It needs some reads of its goroutine.
// The result is what the call reaches.
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

// ownWords is where private words begin.
const ownWords = 1 << 32

// place puts a call around n units of a goroutine, from unit k on. Calls nest if no event is
// between their ends.
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

// byMissing flags most of the synchronisation in a call as that of outside code. The rest is in
// callbacks.
func (h *hiding) byMissing(e *trace.Event, g trace.GoID) {
	k := e.Kind
	if h.outside && e.G == g && (k.IsAtomic() || k >= format.Lock && k <= format.SelectDefault) && h.r.IntN(8) > 0 {
		e.Flags |= format.FlagOpaque
	}
}

// known computes, for each event, the last event of each goroutine that is before it by program
// order and go statements.
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

// ordered reports whether every execution orders access i with all conflicting ones.
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

// meets reports whether an event may have been waiting since before an event of another goroutine.
// Then no call can end before it.
func (h *hiding) meets(u unit) bool {
	e := &h.events[u.to]
	return e.Kind == format.ChanRecv && e.Aux == 0
}

// waits reports whether the goroutine is blocked after an event until another one receives.
func waits(e *trace.Event) bool { return e.Kind == format.ChanSend && e.Aux == 0 }

// between is a place in a range.
func (h *hiding) between(from, to float64) float64 {
	if to <= from {
		return from
	}
	return from + (to-from)*h.r.Float64()
}

// reachOf returns what a call must reach to act on an event.
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

// finish puts the events in order and renumbers the reads in the flows.
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
