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

// Races is what an exploration found.
type Races struct {
	Pairs []Pair // in order
	// of ExploreFrom, per pair: the least number of goroutines that have left their recorded paths,
	// and Beyond for each that goes on where the recording has left it
	Off    []int
	States int // at which goroutines wait for a choice
	// Exhausted says that every schedule was seen; if not, Why says what stopped it, and there may
	// be more races.
	Exhausted bool
	Why       string
}

// Has reports whether the pair of sites races.
func (r *Races) Has(p Pair) bool { return slices.Contains(r.Pairs, p) }

// Explore executes the program under every schedule and returns the races of all of them: see the
// package comment, rules (E1) to (E5). It gives up after so many states.
func (p *Program) Explore(limit int) *Races { return newExplorer(p).explore(limit) }

// Beyond is the distance of a goroutine that goes on where its recording ends: main has returned,
// or has panicked.
const Beyond = 1000

// ExploreFrom is Explore, and finds how far every race is from a recorded run: how many goroutines
// have to take a branch, or call a function, that they do not take there, or (Beyond each) to go on
// where the run ends for them. A race at distance 0 is on the recorded path: values alone differ.
// At distance 1, it is on one branch off it.
func (p *Program) ExploreFrom(run *Run, limit int) *Races {
	e := newExplorer(p)
	e.m.calls.paths, e.ends = run.paths, run.ends
	return e.explore(limit)
}

func newExplorer(p *Program) *explorer {
	e := &explorer{prog: p, pairs: map[Pair]int{}, shared: map[uint64]bool{}, seen: map[uint64]touch{}}
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
			res.Off = append(res.Off, e.pairs[q])
		}
	}
	return res
}

// A touch says who has accessed a word.
type touch struct {
	g     uint64 // name of the first
	many  bool
	write bool
}

type explorer struct {
	prog    *Program
	m       *machine
	pairs   map[Pair]int // goroutines off their paths
	ends    map[uint64]int
	visited map[uint64]bool
	shared  map[uint64]bool // words that are scheduling points (E3)
	seen    map[uint64]touch
	grown   bool // shared has
	whole   bool // tests: dead registers count
	stack   []*state
	free    []*state // to be used again
	ops     []op
	ts      []transition
}

// stops is (E3).
func (e *explorer) stops(s *state, g *goroutine, o *op) bool {
	switch o.kind {
	case opGo, opStart:
		return false
	}
	return e.shared[o.addr&^7]
}

// access notes who accesses what once there is more than one goroutine.
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

// search visits every state that the shared words distinguish, depth first.
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
	for i := 0; i < len(s.gs); i++ { // there may be more on the way
		if err := e.m.run(s, s.gs[i]); err != nil {
			return err
		}
	}
	return nil
}

// races is (E2): accesses that are next at the same time.
func (e *explorer) races(s *state) {
	off := 0
	for _, g := range s.gs {
		off += int(truth(g.off))
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
				if least, ok := e.pairs[q]; !ok || off < least {
					e.pairs[q] = off
				}
			}
		}
	}
}

// beyond reports whether a goroutine that has kept to its recorded path is by n instructions behind
// the place where the recording has left it.
func (e *explorer) beyond(g *goroutine, n int) bool {
	if e.m.calls.paths == nil || g.off || g.pos < len(e.m.calls.paths[g.name]) {
		return false
	}
	return g.steps >= e.ends[g.name]+n
}

func (o *op) writes() bool { return o.write }
