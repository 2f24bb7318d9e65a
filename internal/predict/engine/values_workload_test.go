package engine

import (
	"math/rand"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// arithmetic generates windows as value relaxation has them, by running goroutines that do what
// RECIPE's programs do, on many objects: an account (guarded subtraction), an airline (count up to
// a capacity), a bounded buffer (indices modulo its size), a bubble sort (compare and swap of
// words), a Monte Carlo estimate (a linear congruential generator, whose bits are squared and
// compared), a checksum (xor, times), a bitset (or, and, shifts), flags that guard data
// (ping-pong), and particles (sums of products). Each object has a lock, which is now and then
// forgotten.
type arithmetic struct {
	name    string
	seed    int64
	threads int
	events  int
	objects int     // of each kind
	sloppy  float64 // how often an operation forgets the lock
}

// word is a local variable: what it is computed from, and its value in the recorded run.
type local struct {
	e   *expr.Expr
	val uint64
}

func constant(n uint64) local { return local{expr.Word(n), n} }

type arithmeticRun struct {
	arithmetic
	r    *rand.Rand
	w    *model.Window
	mem  []uint64
	t    model.Thread
	held model.Obj // by t, or -1
	sets [][]model.Obj
}

// Each object has as many words, and a lock.
const (
	kinds        = 9
	wordsPerKind = 12
)

func (c arithmetic) window() (*model.Window, [][]model.Obj) {
	n := c.objects * kinds
	g := &arithmeticRun{
		arithmetic: c, r: rand.New(rand.NewSource(c.seed)), held: -1,
		w:   &model.Window{Semantics: model.EvaluatedReads, Threads: make([]trace.GoID, c.threads), Init: make([]model.ObjState, n*(wordsPerKind+1))},
		mem: make([]uint64, n*wordsPerKind),
	}
	for x := range g.mem {
		g.mem[x] = uint64(g.r.Intn(100))
		g.w.Init[x].Val = g.mem[x]
	}
	for t := 1; t < c.threads; t++ {
		g.add(model.Event{Kind: format.Go, Obj: model.Obj(t)})
	}
	for len(g.w.Events) < c.events-c.threads {
		g.t = model.Thread(g.r.Intn(c.threads))
		g.operation(g.r.Intn(n))
	}
	g.t = 0
	for t := 1; t < c.threads; t++ {
		g.add(model.Event{Kind: format.Join, Obj: model.Obj(t)})
	}
	return g.w, g.sets
}

func (g *arithmeticRun) add(e model.Event) int32 {
	e.Thread, e.Partner = g.t, -1
	g.w.Events = append(g.w.Events, e)
	var set []model.Obj
	if g.held >= 0 {
		set = []model.Obj{g.held}
	}
	g.sets = append(g.sets, set)
	return int32(len(g.w.Events)) - 1
}

func (g *arithmeticRun) load(x int) local {
	e := g.add(model.Event{Kind: format.Read, Obj: model.Obj(x), Val: g.mem[x]})
	return local{expr.NewRead(int64(e), 8, g.mem[x]), g.mem[x]}
}

func (g *arithmeticRun) store(x int, v local) {
	e := model.Event{Kind: format.Write, Obj: model.Obj(x), Val: v.val}
	if !v.e.IsConst() {
		e.Value = model.NewTerm(v.e)
		e.ValDeps = e.Value.Reads()
	}
	g.add(e)
	g.mem[x] = v.val
}

func (g *arithmeticRun) op(op expr.Op, x, y local) local {
	to := expr.Kind(0)
	if op == expr.Shl || op == expr.Shr {
		to = expr.Uint64
	}
	e := expr.Binary(op, expr.Uint64, to, x.e, y.e)
	val, _ := e.Recorded()
	return local{e, val}
}

// branch says what the recorded run did.
func (g *arithmeticRun) branch(x local) bool {
	if !x.e.IsConst() {
		g.add(model.Event{Kind: model.Pin, Guards: []model.Guard{{Term: model.NewTerm(x.e), Want: x.val}}})
	}
	return x.val != 0
}

// operation does something with object k.
func (g *arithmeticRun) operation(k int) {
	base, lock := k*wordsPerKind, model.Obj(len(g.mem)+k)
	if g.r.Float64() >= g.sloppy {
		g.add(model.Event{Kind: format.Lock, Obj: lock})
		g.held = lock
		defer func() {
			g.add(model.Event{Kind: format.Unlock, Obj: lock})
			g.held = -1
		}()
	}
	c := constant
	i := g.r.Intn(8)
	switch k % kinds {
	case 0:
		g.account(base, uint64(g.r.Intn(20)))
	case 1: // airline
		sold := g.load(base)
		if g.branch(g.op(expr.Lss, sold, c(200))) {
			g.store(base, g.op(expr.Add, sold, c(1)))
			g.store(base+1+i, c(uint64(g.t)))
		}
	case 2:
		g.buffer(base)
	case 3: // bubble sort
		a, b := g.load(base+i), g.load(base+i+1)
		if g.branch(g.op(expr.Lss, b, a)) {
			g.store(base+i, b)
			g.store(base+i+1, a)
		}
	case 4:
		g.estimate(base)
	case 5: // checksum
		h, v := g.load(base), g.load(base+1+i)
		g.store(base, g.op(expr.Mul, g.op(expr.Xor, h, v), c(16777619)))
		if g.r.Intn(3) == 0 {
			g.store(base+1+i, c(uint64(g.r.Intn(256))))
		}
	case 6: // bitset
		w := g.load(base)
		bit := g.op(expr.Shl, c(1), c(uint64(g.r.Intn(60))))
		if !g.branch(g.op(expr.And, w, bit)) {
			g.store(base, g.op(expr.Or, w, bit))
		}
	case 7: // flag
		if g.r.Intn(2) == 0 {
			g.store(base+1+i, c(uint64(g.r.Intn(100))))
			g.store(base, c(uint64(i)))
		} else if f := g.load(base); g.branch(g.op(expr.Eql, f, c(uint64(i)))) {
			g.load(base + 1 + i)
		}
	case 8: // particles
		p, q := g.load(base+i), g.load(base+g.r.Intn(8))
		d := g.op(expr.Sub, p, q)
		f := g.op(expr.Shr, g.op(expr.Mul, d, d), c(3))
		g.store(base+8+i%4, g.op(expr.Add, g.load(base+8+i%4), f))
	}
}

func (g *arithmeticRun) account(base int, amount uint64) {
	balance := g.load(base)
	if g.r.Intn(2) == 0 {
		g.store(base, g.op(expr.Add, balance, constant(amount)))
	} else if !g.branch(g.op(expr.Lss, balance, constant(amount))) {
		g.store(base, g.op(expr.Sub, balance, constant(amount)))
	}
	if g.r.Intn(4) == 0 {
		g.store(base+1, g.op(expr.Add, g.load(base+1), balance))
	}
}

func (g *arithmeticRun) buffer(base int) {
	count := g.load(base)
	if g.r.Intn(2) == 0 {
		if g.branch(g.op(expr.Lss, count, constant(8))) {
			tail := g.load(base + 1)
			at := g.op(expr.And, tail, constant(7))
			g.branch(at) // the address
			g.store(base+3+int(at.val), constant(uint64(g.r.Intn(100))))
			g.store(base+1, g.op(expr.Add, tail, constant(1)))
			g.store(base, g.op(expr.Add, count, constant(1)))
		}
	} else if g.branch(g.op(expr.Lss, constant(0), count)) {
		head := g.load(base + 2)
		at := g.op(expr.And, head, constant(7))
		g.branch(at)
		g.load(base + 3 + int(at.val))
		g.store(base+2, g.op(expr.Add, head, constant(1)))
		g.store(base, g.op(expr.Sub, count, constant(1)))
	}
}

func (g *arithmeticRun) estimate(base int) {
	c := constant
	s := g.load(base)
	s = g.op(expr.Add, g.op(expr.Mul, s, c(1103515245)), c(12345))
	s = g.op(expr.Xor, s, g.op(expr.Shr, s, c(7)))
	g.store(base, s)
	x, y := g.op(expr.And, s, c(1023)), g.op(expr.And, g.op(expr.Shr, s, c(10)), c(1023))
	if g.branch(g.op(expr.Lss, g.op(expr.Add, g.op(expr.Mul, x, x), g.op(expr.Mul, y, y)), c(1<<20))) {
		g.store(base+1, g.op(expr.Add, g.load(base+1), c(1)))
	}
	g.store(base+2, g.op(expr.Add, g.load(base+2), c(1)))
}

// nearPairs picks conflicting pairs that have nothing of the first one's thread to the same
// location between them, evenly over the window.
func nearPairs(w *model.Window, sets [][]model.Obj, limit int) []model.Pair {
	s := New(w, Options{})
	last := map[model.Obj][]int32{} // by location: the last access of each thread
	var all []model.Pair
	for i := range w.Events {
		e := &w.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		kept := []int32{int32(i)}
		for _, j := range last[e.Obj] {
			p := model.Pair{A: j, B: int32(i)}
			if s.candidate(p) && !slices.ContainsFunc(sets[i], func(l model.Obj) bool { return slices.Contains(sets[j], l) }) {
				all = append(all, p)
			}
			if w.Events[j].Thread != e.Thread {
				kept = append(kept, j)
			}
		}
		last[e.Obj] = kept
	}
	var pairs []model.Pair
	for k := range min(limit, len(all)) {
		pairs = append(pairs, all[k*len(all)/min(limit, len(all))])
	}
	return pairs
}
