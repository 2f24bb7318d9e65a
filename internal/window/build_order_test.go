package window

import (
	"math/rand/v2"
	"testing"

	"presage/internal/footprint"
	"presage/internal/trace/format"
)

// TestBeyond holds what a footprint has been told of points against a list of them, one by one.
func TestBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		var u use
		told := make([]bool, 40)
		for n := 1; n <= len(told); n += rng.IntN(4) {
			if len(told[:n]) == u.seen {
				continue // nobody asks
			}
			later := u.seen + rng.IntN(n-u.seen+1)
			got := make([]bool, n)
			for from, to := range u.unseen(later, n) {
				for k := from; k < to; k++ {
					if got[k] {
						t.Fatalf("point %d twice: %+v, from %d up to %d", k, u, later, n)
					}
					got[k] = true
				}
			}
			for k := range n {
				if want := k >= later && !told[k]; got[k] != want {
					t.Fatalf("point %d: %v: %+v, from %d up to %d", k, got[k], u, later, n)
				}
			}
			for k := later; k < n; k++ {
				told[k] = true
			}
			u.sees(later, n)
			for k := range n {
				if known := k < u.seen; known && !told[k] {
					t.Fatalf("point %d was not told: %+v", k, u)
				}
			}
		}
	}
}

// TestOpenCall: an access to memory that was allocated after a call had begun follows that call's beginning while the call is open, once; not if nobody but
// the goroutine has the memory, nor if the call has ended before the memory was allocated.
func TestOpenCall(t *testing.T) {
	const addr = 1 << 20
	for name, c := range map[string]struct {
		ended, private bool
		want           int
	}{
		"open":     {want: 1},
		"ended":    {ended: true},
		"nobody's": {private: true},
	} {
		m := newMaker(NewBuilder(BuildOptions{}, nil))
		call := m.b.prints.number(footprint.Anything)
		caller, other := m.thread(1), m.thread(2)
		m.recs, m.kept = make([]record, 8), make([]bool, 8)
		begin := &record{touch: call}
		begin.e.Kind, begin.e.G = format.OpaqueBegin, 1
		m.point(0, begin, caller)
		if c.ended {
			end := *begin
			end.e.Kind = format.OpaqueEnd
			m.point(1, &end, caller)
		}
		m.allocs = append(m.allocs, span{g: 2, addr: addr, size: 8})
		m.allocIn[addr>>carryPageShift] = []int32{0}
		if m.past = 1; !c.private {
			other.published = 1
		}
		u := other.useOf(m.b.prints.numberOf(footprint.Anything, true))
		for _, want := range []int{c.want, 0} {
			later, unknown := m.newer(other, u.seen, addr)
			if got := len(m.meeting(other, u, later, unknown)); got != want {
				t.Errorf("%s: %d calls to follow, want %d", name, got, want)
			}
			m.knows(u, later, unknown)
		}
	}
}
