package excluded

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/trace"
)

// TestQuiet takes random events twice: once all of them, and once without some accesses that need
// no event. Each order of such an access is known, or Kept.Quiet of the MethodBegin after it has
// it.
func TestQuiet(t *testing.T) {
	quiet, listed := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 2))
		steps := randomSteps(r)
		whole, fewer := &Order{}, &Order{}
		k := withQuiet{before: make(before, len(steps)), steps: steps, silent: make([]bool, len(steps))}
		for i := range steps {
			s, n := steps[i], int32(i)
			for j := range i {
				if steps[j].G == s.G || steps[j].G < s.G && r.IntN(20) == 0 {
					k.before.add(int32(j), n)
				}
			}
			want := whole.Before(&s)
			s.Known = k.at(n)
			if s.X.kind == touchesMemory && !whole.Inside(s.G) && r.IntN(2) == 0 && fewer.Settled(&s) {
				for _, c := range want.Orders {
					if c.To == Self && !k.before[n][c.From] {
						t.Fatalf("seed %d: access %d is settled, and comes after %d", seed, n, c.From)
					}
				}
				for _, f := range append(want.Edges, want.Weak...) {
					if !k.before[n][f] {
						t.Fatalf("seed %d: access %d is settled, and comes after %d", seed, n, f)
					}
				}
				k.silent[n] = true
				fewer.Passed(&s, k.last(s.G, n))
				quiet++
			} else {
				got := fewer.Before(&s)
				for _, f := range got.Edges {
					k.before.add(f, n)
				}
				listed += checkQuiet(t, seed, &k, n, want, got)
				fewer.After(&s, Extent{n, n})
			}
			s.Known = nil
			whole.After(&s, Extent{n, n})
		}
	}
	if t.Logf("%d quiet accesses, %d listed", quiet, listed); quiet < 1000 || listed < 100 {
		t.Error("too few to tell")
	}
}

// checkQuiet checks that each quiet access that event n comes after is known or in Kept.Quiet.
func checkQuiet(t *testing.T, seed uint64, k *withQuiet, n int32, want, got *Kept) (listed int) {
	has := func(f int32) bool {
		x := k.steps[f]
		for _, q := range got.Quiet {
			if q.Addr == x.X.addr && q.G == x.G && q.At >= k.last(x.G, f) {
				return true
			}
		}
		return false
	}
	list := append([]int32(nil), want.Edges...)
	for _, c := range want.Orders {
		if c.To == Self {
			list = append(list, c.From)
		}
	}
	for _, f := range list {
		switch {
		case !k.silent[f] || k.Past(k.steps[f].G, k.last(k.steps[f].G, f)):
		case !has(f):
			t.Fatalf("seed %d: %d comes after access %d, which is quiet and not listed", seed, n, f)
		default:
			listed++
		}
	}
	return listed
}

// withQuiet is events, some of which are silent.
type withQuiet struct {
	before
	steps  []Step
	silent []bool
	n      int32
}

func (h *withQuiet) at(n int32) *withQuiet {
	h.n = n
	return h
}

func (h *withQuiet) Before(n int32) bool { return n < 0 || h.before[h.n][n] }

func (h *withQuiet) Past(g trace.GoID, n int32) bool {
	for f := n + 1; f < h.n; f++ {
		if h.steps[f].G == g && !h.silent[f] && h.before[h.n][f] {
			return true
		}
	}
	return false
}

// last is the last event of g before event n that is not silent, -1 if there is none.
func (h *withQuiet) last(g trace.GoID, n int32) int32 {
	for n--; n >= 0; n-- {
		if h.steps[n].G == g && !h.silent[n] {
			break
		}
	}
	return n
}
