package engine

import (
	"math/rand"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// workload generates large windows: main writes some locations, starts the other
// threads, all run critical sections, main joins them.
type workload struct {
	seed        int64
	threads     int
	locations   int
	locks       int
	events      int
	values      int     // written values are smaller
	disciplined bool    // most accesses are under the location's lock
	needed      float64 // share of reads that something needs; 1: all reads are strict
}

type workloadRun struct {
	workload
	r    *rand.Rand
	w    *model.Window
	mem  []uint64
	held [][]model.Obj // by thread
	own  []bool        // by lock
	sets [][]model.Obj // by event: locks held
	last []int32       // by thread: last read
}

func (c workload) window() (*model.Window, [][]model.Obj) {
	g := &workloadRun{
		workload: c, r: rand.New(rand.NewSource(c.seed)),
		w:   &model.Window{Threads: make([]trace.GoID, c.threads), Init: make([]model.ObjState, c.locations+c.locks)},
		mem: make([]uint64, c.locations), held: make([][]model.Obj, c.threads), own: make([]bool, c.locks),
		last: filled(int32(c.threads), -1),
	}
	for v := 0; v < min(c.locations, 8); v++ {
		g.access(0, v, true)
	}
	for t := 1; t < c.threads; t++ {
		g.add(model.Event{Kind: format.Go, Obj: model.Obj(t)})
	}
	t := 0
	for len(g.w.Events) < c.events-c.threads {
		if g.r.Float64() < 0.1 {
			t = g.r.Intn(c.threads)
		}
		t = g.step(t)
	}
	for t := range c.threads {
		for len(g.held[t]) > 0 {
			g.unlock(t)
		}
	}
	for t := 1; t < c.threads; t++ {
		g.add(model.Event{Kind: format.Join, Obj: model.Obj(t)})
	}
	return g.w, g.sets
}

func (g *workloadRun) add(e model.Event) {
	e.Partner = -1
	g.w.Events = append(g.w.Events, e)
	g.sets = append(g.sets, append([]model.Obj(nil), g.held[e.Thread]...))
}

func (g *workloadRun) access(t, v int, write bool) {
	e := model.Event{Kind: format.Read, Thread: model.Thread(t), Obj: model.Obj(v), Val: g.mem[v]}
	if write {
		e.Kind, e.Val = format.Write, uint64(g.r.Intn(g.values))
		g.mem[v] = e.Val
	} else {
		e.Strict = g.needed >= 1
	}
	if g.needed < 1 && g.last[t] >= 0 && g.r.Float64() < g.needed {
		if write && g.r.Intn(2) == 0 {
			e.ValDeps = []int32{g.last[t]}
		} else {
			e.Deps = []int32{g.last[t]}
		}
	}
	g.add(e)
	if !write {
		g.last[t] = int32(len(g.w.Events)) - 1
	}
}

func (g *workloadRun) lock(t, l int) {
	g.own[l] = true
	o := model.Obj(g.locations + l)
	g.add(model.Event{Kind: format.Lock, Thread: model.Thread(t), Obj: o})
	g.held[t] = append(g.held[t], o)
}

func (g *workloadRun) unlock(t int) {
	n := len(g.held[t]) - 1
	o := g.held[t][n]
	g.held[t] = g.held[t][:n]
	g.own[int(o)-g.locations] = false
	g.add(model.Event{Kind: format.Unlock, Thread: model.Thread(t), Obj: o})
}

// step lets t do something, or returns the thread to run instead.
func (g *workloadRun) step(t int) int {
	x, n := g.r.Float64(), len(g.held[t])
	switch {
	case n > 0 && x < 0.22:
		g.unlock(t)
	case n == 0 && (x < 0.13 || g.disciplined && x < 0.5) || n == 1 && x < 0.25:
		l := g.r.Intn(g.locks)
		if n == 1 && model.Obj(g.locations+l) <= g.held[t][0] {
			return t
		}
		if g.own[l] {
			return g.r.Intn(g.threads)
		}
		g.lock(t, l)
	default:
		g.access(t, g.location(t), g.r.Float64() < 0.35)
	}
	return t
}

// location chooses one that t may access: a third of them is not protected, some
// are mostly protected, the others always.
func (g *workloadRun) location(t int) int {
	if n := len(g.held[t]); g.disciplined && n > 0 && g.r.Float64() < 0.85 {
		l := int(g.held[t][0]) - g.locations
		return (l + g.locks*g.r.Intn(max(1, g.locations/g.locks))) % g.locations
	}
	for {
		v := g.r.Intn(g.locations)
		p := [...]int{2, 0, 1, 0, 2, 0, 0, 1, 0, 0}[v%10]
		hold := false
		for _, o := range g.held[t] {
			hold = hold || int(o)-g.locations == v%g.locks
		}
		if p == 0 && !hold || p == 1 && !hold && g.r.Float64() > 0.1 || p == 2 && len(g.held[t]) > 0 && g.r.Float64() > 0.4 {
			continue
		}
		return v
	}
}

// samplePairs picks conflicting pairs that the static order and common locks leave open.
func samplePairs(w *model.Window, sets [][]model.Obj, limit int, seed int64) []model.Pair {
	s := New(w, Options{})
	r := rand.New(rand.NewSource(seed))
	byLoc := map[model.Obj][]int32{}
	for i := range w.Events {
		if e := &w.Events[i]; e.Kind.IsAccess() {
			byLoc[e.Obj] = append(byLoc[e.Obj], int32(i))
		}
	}
	common := func(a, b int32) bool {
		for _, x := range sets[a] {
			for _, y := range sets[b] {
				if x == y {
					return true
				}
			}
		}
		return false
	}
	var locs []model.Obj
	for o := range len(w.Init) {
		if len(byLoc[model.Obj(o)]) > 1 {
			locs = append(locs, model.Obj(o))
		}
	}
	var pairs []model.Pair
	for tries := 0; len(pairs) < limit && tries < 200*limit; tries++ {
		l := byLoc[locs[r.Intn(len(locs))]]
		a, b := l[r.Intn(len(l))], l[r.Intn(len(l))]
		if p := (model.Pair{A: min(a, b), B: max(a, b)}); s.candidate(p) && !common(a, b) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}
