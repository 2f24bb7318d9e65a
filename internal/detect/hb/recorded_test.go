package hb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestRecorded compares witness.Recorded, the checker of races of the recorded run, with the
// definition. It must accept no ordered pair. Unordered pairs that it refuses are counted.
func TestRecorded(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4000
	}
	accepted, ordered, coarse := 0, 0, 0
	ps := tracetest.Profiles()
	for k := range n {
		p := ps[k%len(ps)]
		p.Before = 0
		w := tracetest.Generate(rand.New(rand.NewPCG(6, uint64(k))), p)
		events, _ := tracetest.Trace(w)
		order := happensBefore(events)
		var pairs []witness.RecordedPair
		for b := range events {
			for a := range b {
				if conflict(&events[a], &events[b]) {
					pairs = append(pairs, witness.RecordedPair{A: int64(a), B: int64(b), Addr: events[a].Obj})
				}
			}
		}
		r := witness.NewRecorded(pairs)
		for i := range events {
			r.Step(int64(i), &events[i])
		}
		for i, p := range pairs {
			switch before := order.reach[end(int(p.A))][end(int(p.B))]; {
			case r.Err(i) == nil && before:
				t.Fatalf("%d: events %v are ordered\n%s", k, p, tracetest.Format(w))
			case r.Err(i) == nil:
				accepted++
			case before:
				ordered++
			default:
				coarse++
			}
		}
	}
	t.Logf("%d accepted, %d ordered, %d unordered and refused", accepted, ordered, coarse)
	if accepted < 10*coarse || ordered < 1000 {
		t.Error("too little was accepted, or seen")
	}
}

// TestRecordedFaults leaves out one kind of event at a time. If only such an event ordered two
// accesses, the checker must then accept them. So each edge of (CW1) is needed by some trace.
func TestRecordedFaults(t *testing.T) {
	faults := map[string]func(e *trace.Event) bool{
		"CW1: Go":     kind(format.Go),
		"CW1: Join":   kind(format.Join),
		"CW1: Unlock": func(e *trace.Event) bool { return e.Kind == format.Unlock && e.Flags&format.FlagRead == 0 },
		"CW1: RUnlock": func(e *trace.Event) bool {
			return e.Kind == format.Unlock && e.Flags&format.FlagRead != 0
		},
		"CW1: Done":      kind(format.WGAdd),
		"CW1: OnceEnd":   kind(format.OnceEnd),
		"CW1: Signal":    kind(format.CondSignal),
		"CW1: Broadcast": kind(format.CondBroadcast),
		"CW1: send":      kind(format.ChanSend),
		"CW1: receive":   kind(format.ChanRecv),
		"CW1: close":     kind(format.ChanClose),
		"CW1: write":     kind(format.AtomicWrite),
		"CW1: update":    kind(format.AtomicRMW),
	}
	ps := tracetest.Profiles()
	for k := 0; k < 20_000 && len(faults) > 0; k++ {
		p := ps[k%len(ps)]
		p.Before = 0
		w := tracetest.Generate(rand.New(rand.NewPCG(8, uint64(k))), p)
		events, _ := tracetest.Trace(w)
		order := happensBefore(events)
		for name, drop := range faults {
			var pairs []witness.RecordedPair
			for b := range events {
				for a := range b {
					if conflict(&events[a], &events[b]) && order.reach[end(a)][end(b)] {
						pairs = append(pairs, witness.RecordedPair{A: int64(a), B: int64(b), Addr: events[a].Obj})
					}
				}
			}
			r := witness.NewRecorded(pairs)
			for i := range events {
				e := events[i]
				if drop(&e) && !e.Kind.IsAccess() {
					e = trace.Event{Kind: format.Block, G: e.G}
				} else if drop(&e) {
					e.Obj += 0x100000
				}
				r.Step(int64(i), &e)
			}
			for i := range pairs {
				if r.Err(i) == nil {
					delete(faults, name)
					break
				}
			}
		}
	}
	for name := range faults {
		t.Errorf("%s: not noticed when it is left out", name)
	}
}

func kind(k format.Kind) func(e *trace.Event) bool {
	return func(e *trace.Event) bool { return e.Kind == k }
}
