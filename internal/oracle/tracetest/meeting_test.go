package tracetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestMeetings checks what docs/theory/model.md says of rendezvous: that a non-blocking send may
// take place before its Partner's thread is started, or while that thread is blocked, or although
// the reads that the receive needs are not intact, makes no race. Windows have no hard edges here:
// those of the builder are no property of the send.
func TestMeetings(t *testing.T) {
	races, early, n := 0, 0, uint64(0)
	for ; n < 120_000 && early < 400; n++ {
		w := meetings(n)
		var found [2]map[model.Pair]bool
		var states [2]int
		for k := range found {
			m := newMachine(w)
			m.waiting = k == 1
			found[k] = make(map[model.Pair]bool)
			complete := m.search(100_000, func(v *visit) {
				states[k]++
				for _, p := range m.racing(v.st) {
					found[k][p] = true
				}
			}, func(*visit, int32, error) {})
			if !complete {
				t.Fatalf("window %d is too large", n)
			}
		}
		races += len(found[0])
		if states[0] > states[1] {
			early++
		}
		if diff := cmp.Diff(found[0], found[1]); diff != "" {
			t.Fatalf("window %d: races (-as the model has it +where the receiver must wait)\n%s%s", n, diff, Format(w))
		}
	}
	t.Logf("%d windows, %d races; in %d windows a send could come too early", n, races, early)
	if early < 400 {
		t.Error("too few")
	}
}

// meetings is a random window in which every send on an unbuffered channel that can be is
// non-blocking.
func meetings(n uint64) *model.Window {
	p := Profile{
		Semantics: model.NeededReads, Threads: 4, Events: 16, Before: 0, Locations: 2, Channels: 1, Values: 2,
		Deps: 0.7, Strict: 0.2,
	}
	for _, name := range []string{"go", "memory"} {
		for o, k := range families[name] {
			p.Weights[o] += k
		}
	}
	p.Weights[opSend], p.Weights[opRecv], p.Weights[opGo] = 12, 12, 6
	w := Generate(rand.New(rand.NewPCG(19, n)), p)
	for i := range w.Events {
		e := &w.Events[i]
		j := slices.IndexFunc(w.Events[i:], func(f model.Event) bool { return f.Kind == format.ChanRecv && f.Obj == e.Obj })
		if e.Kind != format.ChanSend || w.Init[e.Obj].Cap > 0 || j < 0 {
			continue
		}
		was := *e
		e.Flags, e.Partner, e.Cases = e.Flags|format.FlagNonBlocking, int32(i+j), nil
		if n%2 == 1 {
			e.Partner = model.Anyone
		}
		m := newMachine(w)
		m.waiting = true
		if _, err := m.run(recorded(w)); err != nil {
			*e = was
		}
	}
	return w
}
