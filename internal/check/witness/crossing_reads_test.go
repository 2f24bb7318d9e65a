package witness

import (
	"errors"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An excluded call has called back a read of x, which another goroutine writes. The witness has the
// read first. (CW6) refuses it if the call can depend on that.
func TestDifferingReads(t *testing.T) {
	const x, y, z, v = 0x100, 0x200, 0x300, 0x400
	type step struct {
		trace.Event
		needs, from []int64
		absent      bool // from the witness
	}
	ev := func(g trace.GoID, k format.Kind, obj trace.Addr) step {
		return step{Event: trace.Event{Kind: k, G: g, Obj: obj, Size: 8, Val: 5}}
	}
	needs := func(s step, list ...int64) step { s.needs = list; return s }
	from := func(s step, list ...int64) step { s.from = list; return s }
	absent := func(s step) step { s.absent = true; return s }
	begin, read := ev(2, format.MethodBegin, 0), ev(2, format.Read, x)
	for _, c := range []struct {
		name    string
		reached []uint64
		events  []step // behind the write of x, the MethodBegin, and the read: numbers 0 to 2
		refused bool
		bare    bool // the read
	}{
		{"nothing", []uint64{z}, []step{ev(2, format.Write, z)}, false, false},
		{"its return needs it", nil, []step{needs(ev(2, format.Block, 0), 2)}, true, false},
		{"not executed", nil, []step{absent(needs(ev(2, format.Block, 0), 2))}, false, false},
		{"what the call reaches", []uint64{z}, []step{from(ev(2, format.Write, z), 2), ev(2, format.Block, 0)}, true, false},
		{"what it reaches, but it does not go on", []uint64{z}, []step{from(ev(2, format.Write, z), 2), absent(ev(2, format.Block, 0))}, false, false},
		{"other memory", []uint64{z}, []step{from(ev(2, format.Write, v), 2), ev(2, format.Block, 0)}, false, false},
		{"by other memory", []uint64{z}, []step{from(ev(2, format.Write, v), 2), ev(2, format.Read, v), from(ev(2, format.Write, z), 4), ev(2, format.Block, 0)}, true, false},
		{"other memory, written anew", []uint64{z}, []step{from(ev(2, format.Write, v), 2), ev(2, format.Write, v), ev(2, format.Read, v), from(ev(2, format.Write, z), 5), ev(2, format.Block, 0)}, false, false},
		{"a call that begins", []uint64{z}, []step{from(ev(2, format.Write, z), 2), begin, ev(2, format.Block, 0)}, true, false},
		{"a value that was not recorded", nil, []step{needs(ev(2, format.Block, 0), 2)}, false, true},
		{"its version, which is another", nil, []step{ev(2, format.AtomicRead, x), needs(ev(2, format.Block, 0), 3)}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := append([]step{ev(1, format.Write, x), begin, read}, c.events...)
			w := &model.Window{Init: make([]model.ObjState, 5), Threads: []trace.GoID{1, 2, 3}}
			m := &model.ExcludedTrace{Calls: []model.ExcludedCall{{G: 2, Begin: 1, End: -1, Seen: true}}}
			for _, a := range c.reached {
				m.Calls[0].Memory = append(m.Calls[0].Memory, [2]uint64{a, a + 8})
			}
			var order []int32
			objs := map[trace.Addr]model.Obj{x: 0, y: 1, z: 2, v: 3}
			for n, s := range append(events, ev(1, format.Write, y), ev(3, format.Write, y)) {
				if s.Kind == format.MethodBegin && n > 1 {
					call := m.Calls[0]
					call.Begin = int64(n)
					m.Calls = append(m.Calls, call)
				}
				m.Index, m.Events = append(m.Index, int64(n)), append(m.Events, s.Event)
				m.Needs, m.From = append(m.Needs, s.needs), append(m.From, s.from)
				e := model.Event{Kind: s.Kind, Bare: c.bare && n == 2, Thread: model.Thread(s.G - 1), Obj: objs[s.Obj], Val: s.Val, Index: int64(n), Partner: -1}
				if !s.Kind.IsAccess() {
					e.Kind, e.Obj = model.Pin, -1
				}
				for _, r := range s.from {
					e.ValDeps = append(e.ValDeps, int32(r))
				}
				w.Events = append(w.Events, e)
				if n > 0 && n < len(events) && !s.absent {
					order = append(order, int32(n))
				}
			}
			order = append(order, 0)
			p := model.Pair{A: int32(len(events)), B: int32(len(events) + 1)}
			crossing := newCrossing(w, m, p, order)
			err := crossing.reads(p, order)
			var broken *Violation
			switch {
			case !c.refused && err != nil:
				t.Errorf("refused: %v", err)
			case c.refused && (!errors.As(err, &broken) || broken.Rule != "CW6"):
				t.Errorf("%v, want CW6", err)
			}
		})
	}
}
