package engine

import (
	"math/rand"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// randomThreads is a window of n pins on k threads, with hard edges.
func randomThreads(r *rand.Rand, n, k int) *model.Window {
	w := &model.Window{Threads: make([]trace.GoID, k)}
	for i := range n {
		w.Events = append(w.Events, model.Event{Kind: model.Pin, Thread: model.Thread(r.Intn(k))})
		if i > 0 && r.Intn(4) == 0 {
			w.Edges = append(w.Edges, model.Edge{From: int32(r.Intn(i)), To: int32(i)})
		}
	}
	return w
}

// naive is a transitively closed relation, by matrix.
type naive [][]bool

func newNaive(st *static) naive {
	m := make(naive, st.n)
	for x := range m {
		m[x] = make([]bool, st.n)
	}
	for x := range st.n {
		if p := st.prev[x]; p >= 0 {
			m.add(p, x)
		}
		for _, p := range st.pre[x] {
			m.add(p, x)
		}
	}
	return m
}

func (m naive) add(x, y int32) {
	for a := range m {
		for b := range m {
			if (int32(a) == x || m[a][x]) && (int32(b) == y || m[y][b]) {
				m[a][b] = true
			}
		}
	}
}

// TestOrders inserts random arcs into the total order and the closed partial order
// and compares both, and the static clocks, with a matrix.
func TestOrders(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		st := newStatic(randomThreads(r, 24, 1+r.Intn(6)))
		st.assignChains()
		st.computeClocks()
		m, o, p := newNaive(st), newOrder(st), newPartial(st)
		o.reset(int32(r.Intn(24)))
		for x := range st.n {
			for y := range st.n {
				if st.must(x, y) != m[x][y] {
					t.Fatalf("seed %d: must(%d,%d) = %v", seed, x, y, !m[x][y])
				}
			}
		}
		for i := range 40 {
			x, y := int32(r.Intn(24)), int32(r.Intn(24))
			if x == y {
				continue
			}
			_, ok := o.add(x, y, lit(2*i))
			if ok == m[y][x] {
				t.Fatalf("seed %d: adding %d→%d: %v, but the opposite path: %v", seed, x, y, ok, m[y][x])
			}
			if ok {
				m.add(x, y)
				p.add(x, y)
			}
			compareOrders(t, seed, m, o, p)
		}
		p.reset()
		for x := range st.n {
			for y := range st.n {
				if p.precedes(x, y) != st.must(x, y) {
					t.Fatalf("seed %d: after reset, precedes(%d,%d)", seed, x, y)
				}
			}
		}
	}
}

// TestCycles gives the static order edges in both directions: what is on or behind a cycle
// never happens, and the rest has its order.
func TestCycles(t *testing.T) {
	cyclic := 0
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		w := randomThreads(r, 24, 1+r.Intn(6))
		for range r.Intn(8) {
			if x, y := int32(r.Intn(24)), int32(r.Intn(24)); x != y && w.Events[x].Thread != w.Events[y].Thread {
				w.Edges = append(w.Edges, model.Edge{From: x, To: y})
			}
		}
		m := make(naive, len(w.Events))
		for x := range m {
			m[x] = make([]bool, len(m))
		}
		for x := range m {
			for p := range x {
				if w.Events[p].Thread == w.Events[x].Thread {
					m.add(int32(p), int32(x))
				}
			}
		}
		for _, e := range w.Edges {
			m.add(e.From, e.To)
		}
		st := newStatic(w)
		st.assignChains()
		st.computeClocks()
		for y := range st.n {
			never := m[y][y]
			for x := range st.n {
				never = never || m[x][x] && m[x][y]
			}
			if st.never[y] != never {
				t.Fatalf("seed %d: never(%d) = %v", seed, y, !never)
			}
			if never {
				cyclic++
				continue
			}
			for x := range st.n {
				if st.must(x, y) != m[x][y] || m[x][y] && st.place[x] > st.place[y] {
					t.Fatalf("seed %d: %d must precede %d: %v, want %v; places %d, %d", seed, x, y, st.must(x, y), m[x][y], st.place[x], st.place[y])
				}
			}
		}
		for y := range st.n {
			for _, x := range st.pre[y] {
				if st.place[x] > st.place[y] {
					t.Fatalf("seed %d: edge %d→%d against the line", seed, x, y)
				}
			}
		}
	}
	if cyclic < 100 {
		t.Errorf("only %d events are on or behind cycles", cyclic)
	}
}

func compareOrders(t *testing.T, seed int64, m naive, o *order, p *partial) {
	t.Helper()
	for x := range o.static.n {
		if o.at[o.pos[x]] != x {
			t.Fatalf("seed %d: positions are no permutation", seed)
		}
		for y := range o.static.n {
			if m[x][y] && o.pos[x] > o.pos[y] {
				t.Fatalf("seed %d: %d must stand before %d", seed, x, y)
			}
			if p.precedes(x, y) != m[x][y] {
				t.Fatalf("seed %d: precedes(%d,%d) = %v", seed, x, y, !m[x][y])
			}
			if f := p.following(x, o.static.chain[y]) <= o.static.idx[y]; x != y && f != m[x][y] {
				t.Fatalf("seed %d: following(%d) of the chain of %d: %v", seed, x, y, f)
			}
		}
	}
}
