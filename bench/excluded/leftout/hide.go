package leftout

import (
	"errors"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// seen says what of an excluded call's own code stays in the trace.
type seen string

const (
	nothing         seen = "nothing"
	accesses        seen = "accesses"        // all but its synchronisation
	synchronisation seen = "synchronisation" // that: its own operations, as what they are
	// that, as the runtime's hooks record it, which do not know whose operations they are
	hooks seen = "hooks"
	// that, and its accesses, without values: outside code, as presage records it
	outside seen = "touched"
)

// drops says whether an event of an excluded call's own code goes.
func (s seen) drops(e *trace.Event, synchronises func(trace.Site) bool) bool {
	switch e.Kind {
	case format.Go, format.Start, format.End, format.Alloc, format.Enter:
		return false
	}
	sync := e.Kind >= format.Lock && e.Kind <= format.SelectDefault || e.Kind >= format.Acquire && e.Kind <= format.ReleaseMerge || e.Kind == format.Join
	switch s {
	case accesses:
		return sync
	case outside:
		return !sync && !e.Kind.IsAccess()
	case synchronisation, hooks:
		return !sync && !(e.Kind.IsAccess() && e.Flags&format.FlagOpaque != 0) && !s.part(e, synchronises)
	}
	return true
}

// sync says whether synchronisation is left.
func (s seen) sync() bool { return s == synchronisation || s == hooks || s == outside }

// part says whether an access is what an operation of synchronisation does: to the channel that it
// closes or sends on, or an atomic one.
func (s seen) part(e *trace.Event, synchronises func(trace.Site) bool) bool {
	return s.sync() && e.Kind.IsAccess() && (e.Kind.IsAtomic() || synchronises(e.Site))
}

// code is what the traced functions are.
type code struct {
	synchronises func(trace.Site) bool // whether the site is an operation of synchronisation
	missing      func(trace.Addr) bool // whether a method, that of a MethodBegin, is missing
}

// hidden is a full trace, and the same without what the functions did that contain synchronisation.
type hidden struct {
	all, rest stretch
	left      map[trace.Site]bool // of rest
	// of these: an access there is not between the ends of an excluded call's call
	beyond               map[trace.Site]bool
	calls, gone, escaped int
	lost                 map[loss]int // what has escaped

	frames map[trace.GoID][]frame
	backs  []int // by event of all: the stretch that it is of
	exits  []int // by stretch: the event with which it returns; 0: it does not
	fresh  made
	items  []item
	of     []*call // that an event of the full trace is dropped with

	methods map[trace.Addr]string // names, of a recording that was kept
	seen    seen
	code    code
	exact   bool         // Ds have what the dropped events act on, and nothing else
	objects excluded.Set // of synchronisation: their memory
}

// loss is what events of a position touch, that the D of their method had not.
type loss struct {
	method trace.Addr
	kind   format.Kind
	site   trace.Site
}

// frame is an invocation of a traced function.
type frame struct {
	depth uint64
	call  *call // nil: its code is not missing
	back  int   // the stretch that it is of (back.go)
	first bool  // and begins
}

// call is a call of an excluded call.
type call struct {
	begin    trace.Event
	from     int
	recorded *excluded.Set
	d        excluded.Set // with what it was seen to touch
	needs    []int64
}

// item is an event of what is left: of the full trace, or an end of a call.
type item struct {
	at         int // in all, or -1
	call       *call
	begin, end bool
	inside     bool
	own        bool // of the code of an excluded call
	// of the code of an excluded call, as the runtime's hooks record it: that fills what it
	// allocates without a record
	opaque  bool
	returns bool // the Exit of an excluded call
}

// readHidden reads a trace, without BarrierPairs and with them.
func readHidden(src trace.Source, w flow.Walker, c code, limit int, s seen, exact bool) (*hidden, error) {
	h := &hidden{seen: s, code: c, exact: exact, left: map[trace.Site]bool{}, beyond: map[trace.Site]bool{}, frames: map[trace.GoID][]frame{}, exits: []int{0}}
	h.all.meta, h.rest.meta = src.Meta(), src.Meta()
	open := map[trace.GoID][]*call{} // nil: a method that is not missing
	var pairs excluded.Pairs
	for len(h.all.events) < limit {
		var e trace.Event
		if err := src.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		var pair *excluded.Pair
		switch e.Kind {
		case format.MethodBegin, format.Reach, format.ReachGo, format.ReachSet, format.MethodEnd:
			var err error
			if pair, err = pairs.Step(int64(len(h.all.events)), &e); err != nil {
				return nil, err
			}
		}
		switch e.Kind {
		case format.MethodBegin:
			if !c.missing(e.Obj) {
				open[e.G] = append(open[e.G], nil)
				continue
			}
			pair.D.Seen = false
			x := &call{begin: e, from: len(h.all.events), recorded: &pair.D}
			open[e.G] = append(open[e.G], x)
			if n := len(h.frames[e.G]); n > 0 {
				h.frames[e.G][n-1].call = x
			}
			h.calls++
			h.items = append(h.items, item{at: -1, call: x, begin: true})
			continue
		case format.Reach, format.ReachGo, format.ReachSet:
			continue
		case format.MethodEnd:
			n := len(open[e.G]) - 1
			if x := open[e.G][n]; x != nil {
				h.items = append(h.items, item{at: -1, call: x, end: true})
			}
			open[e.G] = open[e.G][:n]
			continue
		}
		f := w.Step(int64(len(h.all.events)), &e)
		f.Needs, f.From, f.Where = slices.Clone(f.Needs), slices.Clone(f.From), slices.Clone(f.Where)
		h.add(e, f, slices.ContainsFunc(open[e.G], func(x *call) bool { return x != nil }))
	}
	h.finish()
	return h, nil
}

// add takes an event of the full trace.
func (h *hidden) add(e trace.Event, f flow.Flow, inside bool) {
	i := len(h.all.events)
	h.all.events, h.all.flows = append(h.all.events, e), append(h.all.flows, f)
	var of *call
	back := 0
	switch list := h.frames[e.G]; e.Kind {
	case format.Enter:
		for len(list) > 0 && list[len(list)-1].depth >= e.Aux {
			list = list[:len(list)-1]
		}
		h.frames[e.G] = append(list, h.entered(list, e.Aux))
	case format.Exit:
		for len(list) > 0 && list[len(list)-1].depth > e.Aux {
			list = list[:len(list)-1]
		}
		if n := len(list); n > 0 && list[n-1].depth == e.Aux {
			of, back = list[n-1].call, list[n-1].back
			h.returns(&list[n-1], &e, i)
			list = list[:n-1]
		}
		h.frames[e.G] = list
	case format.Alloc:
		h.fresh.note(e.Obj, e.Val, i)
		if n := len(list); n > 0 {
			of = list[n-1].call
		}
	default:
		if n := len(list); n > 0 {
			of, back = list[n-1].call, list[n-1].back
		}
	}
	if of != nil {
		back = 0
	}
	h.backs = append(h.backs, back)
	h.object(&e)
	dropped := of != nil && h.seen.drops(&e, h.code.synchronises)
	if h.of = append(h.of, nil); dropped {
		h.of[i] = of
	}
	if !dropped {
		h.items = append(h.items, item{at: i, inside: inside, own: of != nil, opaque: of != nil && (h.seen == hooks || h.seen == outside || e.Kind == format.Alloc)})
		return
	}
	if e.Kind == format.Exit {
		// else what its caller calls next would be taken for calls of this one
		h.items = append(h.items, item{at: i, returns: true})
	}
	h.gone++
	of.needs = append(append(of.needs, f.Needs...), f.From...)
	h.touch(of, &e)
}

// object notes the memory of an object of synchronisation. It is nobody's but of its operations.
func (h *hidden) object(e *trace.Event) {
	n := uint64(8)
	switch k := e.Kind; {
	case e.Obj == 0 || k < format.Lock || k > format.SelectCase || e.Flags&format.FlagOpaque != 0:
		return
	case k >= format.ChanSend:
		n = 96
	case k >= format.OnceBegin && k <= format.OncePass:
		n = 4
	case k >= format.WGAdd && k <= format.WGWait:
		n = 16
	case e.Flags&format.FlagRead != 0:
		n = 24
	}
	h.objects.AddMemory(uint64(e.Obj), n)
}

// without is a set less the memory of objects.
func without(d, objects *excluded.Set) (x excluded.Set) {
	none := func(trace.GoID) {}
	d.Each(func(from, to uint64) {
		objects.Each(func(f, t uint64) {
			if f < to && from < t {
				if from < f {
					x.AddMemory(from, f-from)
				}
				from = max(from, t)
			}
		}, none)
		if from < to {
			x.AddMemory(from, to-from)
		}
	}, none)
	return x
}

// touch adds what a dropped event acts on to the D of its call.
func (h *hidden) touch(x *call, e *trace.Event) {
	addr, n := uint64(e.Obj), uint64(1)
	switch k := e.Kind; {
	case k.IsAccess():
		if n = uint64(e.Size); e.Flags&format.FlagStack != 0 || addr == 0 {
			return
		}
	case k >= format.Lock && k <= format.SelectCase && addr != 0, k >= format.Acquire && k <= format.ReleaseMerge && addr != 0:
	default:
		return
	}
	if !e.Kind.IsAccess() {
		x.d.AddMemory(addr, n)
	}
	if !x.recorded.Hits(excluded.Memory(addr, n)) && h.fresh.by(addr) <= x.from {
		h.escaped++
		if h.lost == nil {
			h.lost = map[loss]int{}
		}
		h.lost[loss{x.begin.Obj, e.Kind, e.Site}]++
	}
}

// finish makes what is left.
func (h *hidden) finish() {
	h.cover()
	learned := h.learned()
	at := make([]int64, len(h.all.events))
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
	put := func(e trace.Event, f flow.Flow) {
		h.rest.events, h.rest.flows = append(h.rest.events, e), append(h.rest.flows, f)
	}
	for _, it := range h.items {
		switch {
		case it.begin:
			h.begin(it.call, move, put)
		case it.end && h.seen == outside:
		case it.end:
			e := it.call.begin
			e.Kind, e.Flags = format.MethodEnd, 0
			put(e, flow.Flow{Walked: true})
		case it.returns: // its deferred calls are part of the method
			e := h.all.events[it.at]
			if e.Site = 0; h.seen == outside {
				put(trace.Event{Kind: format.OpaqueEnd, G: e.G}, flow.Flow{Walked: true})
			}
			put(e, flow.Flow{Walked: true})
		default:
			at[it.at] = int64(len(h.rest.events))
			put(h.stays(it, learned[it.at], move))
		}
	}
}

// stays returns an event that is left, and its flow. Learned is what its method depends on by
// stretches; move finds events in what is left.
func (h *hidden) stays(it item, learned []int64, move func([]int64) []int64) (trace.Event, flow.Flow) {
	f := h.all.flows[it.at]
	f.Needs, f.From, f.Where = move(f.Needs), move(f.From), move(f.Where)
	if f.Appended != nil {
		x := *f.Appended
		x.Moved = move(x.Moved)
		f.Appended = &x
	}
	if it.inside && (it.own || h.exits[h.backs[it.at]] == 0) {
		f.Walked = false
	}
	if len(learned) > 0 {
		f.Needs = move(append(learned, h.all.flows[it.at].Needs...))
	}
	e := h.all.events[it.at]
	switch {
	case it.own && h.seen == outside && (e.Kind == format.Read || e.Kind == format.Write):
		e.Flags, e.Val = e.Flags|format.FlagOpaque|format.FlagNoValue, 0
		f = flow.Flow{Walked: true}
	case it.opaque:
		e.Flags = e.Flags&^(format.FlagZero|format.FlagFirst) | format.FlagOpaque
	case e.Kind.IsAccess():
		if h.left[e.Site] = true; !it.inside {
			h.beyond[e.Site] = true
		}
	}
	return e, f
}

// begin puts a MethodBegin, with its D.
func (h *hidden) begin(x *call, move func([]int64) []int64, put func(trace.Event, flow.Flow)) {
	e := x.begin
	if h.seen == outside {
		put(trace.Event{Kind: format.OpaqueBegin, G: e.G, Site: e.Site}, flow.Flow{Walked: true, Needs: move(x.needs)})
		return
	}
	d := *x.recorded
	if h.exact {
		d = excluded.Set{}
	}
	d.Add(&x.d)
	if e.Flags = 0; d.All {
		e.Flags = format.FlagAll
	}
	if h.seen.sync() {
		if e.Flags |= format.FlagSeen; !d.All {
			d = without(&d, &h.objects)
		}
	}
	put(e, flow.Flow{Walked: true, Needs: move(x.needs)})
	if d.All {
		return
	}
	d.Each(func(from, to uint64) {
		put(trace.Event{Kind: format.Reach, G: e.G, Site: e.Site, Obj: trace.Addr(from), Val: to - from}, flow.Flow{})
	}, func(trace.GoID) {})
}

// reader reads a stretch.
type reader struct {
	s *stretch
	n int
}

func (r *reader) Meta() *trace.Meta { return r.s.meta }

func (r *reader) Next(e *trace.Event) error {
	if r.n == len(r.s.events) {
		return io.EOF
	}
	*e = r.s.events[r.n]
	r.n++
	return nil
}

// walked says what the walk has found of each event.
type walked []flow.Flow

func (w walked) Step(i int64, _ *trace.Event) flow.Flow { return w[i] }
