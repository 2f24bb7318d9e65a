package excluded

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Later is at each moment what a union is to which everything was added at once.
func TestLater(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	now, later := Union(), NewLater()
	for n := range 3000 {
		d := &Set{Seen: r.IntN(2) == 0}
		for range r.IntN(20) {
			d.AddMemory(r.Uint64N(1<<20), r.Uint64N(24))
		}
		if r.IntN(5) == 0 {
			d.AddGo(trace.GoID(r.IntN(1000)))
		}
		d.All, d.shared = n == 2990, r.IntN(4) == 0
		now.Add(d)
		if later.Add(d); r.IntN(3) == 0 {
			later.Add(d)
		}
		e := trace.Event{Kind: format.Reach, Obj: trace.Addr(r.Uint64N(1 << 20)), Val: r.Uint64N(24)}
		piece := &Set{Seen: d.Seen}
		piece.AddReach(&e)
		now.Add(piece)
		later.Join(d, &e)
		if n%7 != 0 && n < 2990 {
			continue
		}
		for _, x := range []Touch{Memory(r.Uint64N(1<<20), 1+r.Uint64N(8)), Object(r.Uint64N(1 << 20)), {kind: touchesGo, g: trace.GoID(r.IntN(1000))}} {
			if now.Hits(x) != later.Hits(x) {
				t.Fatalf("after %d: %+v: %v, and at once %v", n, x, later.Hits(x), now.Hits(x))
			}
		}
	}
	if now.All != later.all.All || len(now.spans) != len(later.all.spans) {
		t.Errorf("%d spans, and at once %d", len(later.all.spans), len(now.spans))
	}
}
