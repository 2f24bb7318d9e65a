package progtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// A Pair is two sites whose accesses race, A not after B.
type Pair struct{ A, B trace.Site }

// PairOf orders two sites.
func PairOf(a, b trace.Site) Pair {
	if a > b {
		a, b = b, a
	}
	return Pair{a, b}
}

// Races is the result of an exploration.
type Races struct {
	Pairs []Pair // in order
	// Off has, for each pair of ExploreFrom, the least number of goroutines that have left their
	// recorded paths, plus Beyond for each goroutine that continues after the end of its recording.
	Off []int
	// Left has, for each pair of ExploreFrom, where goroutines have left their recorded paths: in
	// all executions with the least number that the search has met.
	Left   []Outcome
	States int // how many were visited
	// Exhausted reports that all schedules were explored. If not, Why is the reason, and there may
	// be more races.
	Exhausted bool
	Why       string
}

// Has reports whether the pair of sites races.
func (r *Races) Has(p Pair) bool { return slices.Contains(r.Pairs, p) }

// Explore executes the program under every schedule and returns the races of all of them (PT1 to
// PT3). It gives up after limit states.
func (p *Program) Explore(limit int) *Races { return newExplorer(p).explore(limit) }

// Beyond is the distance of a goroutine that continues after the end of its recording, where main
// had returned or panicked.
const Beyond = 1000

// ExploreFrom is Explore, and computes the distance of every race from a recorded run. The distance
// is the number of goroutines that have to take another branch, or call another function, than in
// the run, plus Beyond for each goroutine that has to continue after the end of the run. A race at
// distance 0 is on the recorded path: only values differ.
func (p *Program) ExploreFrom(run *Run, limit int) *Races {
	e := newExplorer(p)
	e.m.calls.paths, e.m.calls.ran, e.ends = run.paths, run.ends, run.ends
	return e.explore(limit)
}

func newExplorer(p *Program) *explorer {
	e := &explorer{prog: p, pairs: map[Pair]distance{}, shared: map[uint64]bool{}, seen: map[uint64]touch{}}
	e.m = newMachine(p, nil)
	e.m.stops, e.m.steps.access = e.stops, e.access
	return e
}

func (e *explorer) explore(limit int) *Races {
	res := &Races{}
	for {
		e.grown, e.visited = false, map[uint64]bool{}
		err := e.search(limit)
		res.States = len(e.visited)
		if err != nil {
			res.Why = err.Error()
			break
		}
		if !e.grown {
			res.Exhausted = true
			break
		}
	}
	for q := range e.pairs {
		res.Pairs = append(res.Pairs, q)
	}
	slices.SortFunc(res.Pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	for _, q := range res.Pairs {
		if e.m.calls.paths != nil {
			res.Off = append(res.Off, e.pairs[q].off)
			res.Left = append(res.Left, e.pairs[q].left)
		}
	}
	return res
}

// A touch is which goroutines have accessed a word.
type touch struct {
	g     uint64 // the first, by name
	many  bool
	write bool
}

// A distance of a race from the recorded run.
type distance struct {
	off  int
	left Outcome
}

type explorer struct {
	prog    *Program
	m       *machine
	pairs   map[Pair]distance // the least
	ends    map[uint64]int
	visited map[uint64]bool
	shared  map[uint64]bool // words that are scheduling points (PT2)
	seen    map[uint64]touch
	grown   bool // shared has a new word
	whole   bool // for tests: dead registers are part of a state
	stack   []*state
	free    []*state // to be used again
	ops     []op
	ts      []transition
}

// stops is (PT2) for accesses, go statements and first steps.
func (e *explorer) stops(s *state, g *goroutine, o *op) bool {
	switch o.kind {
	case opGo, opStart:
		return false
	}
	return e.shared[o.addr&^7]
}

// access records accesses, once there is more than one goroutine.
func (e *explorer) access(s *state, g *goroutine, o *op) {
	if !s.started {
		return
	}
	w := o.addr &^ 7
	t, ok := e.seen[w]
	if !ok {
		t.g = g.name
	}
	u := t
	u.many = t.many || t.g != g.name
	u.write = t.write || o.write
	if ok && u == t {
		return
	}
	e.seen[w] = u
	if u.many && u.write && !e.shared[w] {
		e.shared[w], e.grown = true, true
	}
}

// search visits the states depth first (PT3).
func (e *explorer) search(limit int) error {
	s := e.prog.start.clone()
	if err := e.settle(s); err != nil {
		return err
	}
	e.stack = append(e.stack[:0], s)
	for len(e.stack) > 0 {
		s := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		h := s.hash(e.whole)
		if e.visited[h] {
			e.free = append(e.free, s)
			continue
		}
		e.visited[h] = true
		if len(e.visited) > limit {
			return fmt.Errorf("more than %d states", limit)
		}
		e.ops = e.ops[:0]
		for _, g := range s.gs {
			e.ops = append(e.ops, s.pending(g))
		}
		e.races(s)
		e.ts = (&enabled{s, e.ops}).transitions(e.ts[:0])
		for i, t := range e.ts {
			c := s
			if i < len(e.ts)-1 {
				c = e.clone(s)
			}
			if err := e.m.steps.perform(c, t); err != nil {
				return err
			}
			if err := e.settle(c); err != nil {
				return err
			}
			if c.done {
				e.free = append(e.free, c)
			} else {
				e.stack = append(e.stack, c)
			}
		}
		if len(e.ts) == 0 {
			e.free = append(e.free, s)
		}
	}
	return nil
}

func (e *explorer) clone(s *state) *state {
	c := new(state)
	if n := len(e.free); n > 0 {
		c, e.free = e.free[n-1], e.free[:n-1]
	}
	return c.copy(s)
}

// settle runs every goroutine to its next scheduling point.
func (e *explorer) settle(s *state) error {
	for i := 0; i < len(s.gs); i++ { // s.gs may grow
		if err := e.m.run(s, s.gs[i]); err != nil {
			return err
		}
	}
	return nil
}

// races is (PT1).
func (e *explorer) races(s *state) {
	off, left := 0, Outcome(0)
	for _, g := range s.gs {
		off += int(truth(g.off))
		left |= g.left
		if e.beyond(g, 1) {
			off += Beyond
		}
	}
	for i := range e.ops {
		a := &e.ops[i]
		if a.kind != opAccess && a.kind != opAtomic {
			continue
		}
		for j := range i {
			b := &e.ops[j]
			if b.kind != opAccess && b.kind != opAtomic || a.kind == opAtomic && b.kind == opAtomic || !a.writes() && !b.writes() {
				continue
			}
			if a.addr < b.addr+uint64(b.size) && b.addr < a.addr+uint64(a.size) {
				q := PairOf(a.ins.site(), b.ins.site())
				off := off
				for _, g := range [...]*goroutine{s.gs[i], s.gs[j]} {
					if e.beyond(g, 0) {
						off += Beyond
					}
				}
				switch least, ok := e.pairs[q]; {
				case !ok || off < least.off:
					e.pairs[q] = distance{off, left}
				case off == least.off:
					e.pairs[q] = distance{off, left | least.left}
				}
			}
		}
	}
}

// beyond reports whether a goroutine, which has not left its recorded path, is n instructions after
// the end of its recording.
func (e *explorer) beyond(g *goroutine, n int) bool {
	switch {
	case g.past:
		return true
	case e.m.calls.paths == nil || g.off || g.pos < len(e.m.calls.paths[g.name]):
		return false
	}
	return g.steps >= e.ends[g.name]+n
}

func (o *op) writes() bool { return o.write }
