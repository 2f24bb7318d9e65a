package excluded

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/trace"
)

// TestKnown keeps the precedences of random events, once all of them and once those that do not
// follow from others: these, with what they follow from, are to be the same. Some pairs of events
// are ordered besides, as by go statements.
func TestKnown(t *testing.T) {
	left, all := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		steps := randomSteps(r)
		whole, fewer := &Order{}, &Order{}
		known := make(before, len(steps))
		for i := range steps {
			s := steps[i]
			n := int32(i)
			for k := range i {
				if steps[k].G == s.G || steps[k].G < s.G && r.IntN(40) == 0 {
					known.add(int32(k), n)
				}
			}
			want := whole.Before(&s)
			s.Known = knownAt{known, n}
			got := fewer.Before(&s)
			for _, f := range got.Edges {
				known.add(f, n)
			}
			all, left = all+len(want.Edges)+len(want.Orders), left+len(got.Edges)+len(got.Orders)
			for _, f := range want.Edges {
				if !known[n][f] {
					t.Fatalf("seed %d: %d does not come after %d", seed, n, f)
				}
			}
			for _, f := range want.Weak {
				if !known[n][f] && !slices.Contains(got.Weak, f) {
					t.Fatalf("seed %d: %d does not come after %d, weakly", seed, n, f)
				}
			}
			for _, c := range want.Orders {
				if c.To == Self && !known[n][c.From] && !slices.Contains(got.Orders, c) {
					t.Fatalf("seed %d: %d does not come after %d, if %d is executed", seed, n, c.From, c.If)
				}
				if c.To != Self && !slices.Contains(got.Orders, c) {
					t.Fatalf("seed %d: %v is not kept", seed, c)
				}
			}
			s.Known = nil
			whole.After(&s, Extent{n, n})
			fewer.After(&s, Extent{n, n})
		}
	}
	if t.Logf("%d precedences, of %d", left, all); left == 0 || left >= all {
		t.Error("nothing follows, or all does")
	}
}

// before is, by event, what comes before it.
type before []map[int32]bool

func (b before) add(from, to int32) {
	if b[to] == nil {
		b[to] = map[int32]bool{}
	}
	b[to][from] = true
	for f := range b[from] {
		b[to][f] = true
	}
}

type knownAt struct {
	before
	n int32
}

func (k knownAt) Before(n int32) bool { return n < 0 || k.before[k.n][n] }

func (k knownAt) Past(trace.GoID, int32) bool { panic("no access is quiet") }

// randomSteps are events of a few goroutines on a few words, with excluded calls.
func randomSteps(r *rand.Rand) (steps []Step) {
	open := map[trace.GoID][]*Pair{}
	for i := range int64(60) {
		g := trace.GoID(1 + r.IntN(4))
		s := Step{G: g, Index: i}
		switch n := len(open[g]); {
		case n < 2 && r.IntN(6) == 0:
			p := &Pair{G: g, Begin: i, End: -1}
			p.D.Seen = r.IntN(2) == 0
			for range 1 + r.IntN(2) {
				p.D.AddMemory(uint64(0x1000+8*r.IntN(6)), 8)
			}
			p.D.All = r.IntN(8) == 0
			s.Begins, open[g] = p, append(open[g], p)
		case n > 0 && r.IntN(4) == 0:
			s.Ends, open[g] = open[g][n-1], open[g][:n-1]
			s.Ends.End = i
		default:
			s.X, s.Reads = Memory(uint64(0x1000+8*r.IntN(6)), 8), r.IntN(2) == 0
			s.Demands = r.IntN(5) == 0
		}
		steps = append(steps, s)
	}
	return steps
}
