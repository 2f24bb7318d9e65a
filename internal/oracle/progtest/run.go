package progtest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"

	"github.com/presage-race/presage/internal/trace"
)

// A Run is one execution under one schedule, as a trace.
type Run struct {
	Events []trace.Event
	Meta   *trace.Meta
	Ended  bool // main returned; else all goroutines are blocked, or one panicked

	paths map[uint64][]decision // by goroutine name
	ends  map[uint64]int        // by goroutine name: instructions after the last decision
}

// Source returns the run as a [trace.Source].
func (r *Run) Source() trace.Source { return &source{run: r} }

type source struct {
	run *Run
	i   int
}

func (s *source) Meta() *trace.Meta { return s.run.Meta }

func (s *source) Next(e *trace.Event) error {
	if s.i == len(s.run.Events) {
		return io.EOF
	}
	*e = s.run.Events[s.i]
	s.i++
	return nil
}

// ErrLimit is returned if a run did something that the machine does not support, or was too long.
var ErrLimit = errors.New("limit of a tiny program")

// maxRun is the number of steps of a run.
const maxRun = 1 << 16

// Record executes the program once under a random schedule and returns its trace, as package merge
// would write it for a real run.
func (p *Program) Record(seed uint64) (*Run, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	bias := rng.IntN(4) // 0: any goroutine at any step; else mostly the same goroutine again
	last := -1
	return p.record(func(ts []transition) int {
		if bias > 0 && rng.IntN(8) != 0 {
			for i, t := range ts {
				if t.g == last {
					return i
				}
			}
		}
		i := rng.IntN(len(ts))
		last = ts[i].g
		return i
	})
}

// RecordOrder runs the goroutines one after the other in the given order, each as far as it can,
// and again from the beginning of the order. Goroutines are numbered in the order of their start;
// main is 0. Those that are not in the order come last.
func (p *Program) RecordOrder(order ...int) (*Run, error) {
	at := 0
	return p.record(func(ts []transition) int {
		for n := 0; n < len(order); n++ {
			for i, t := range ts {
				if t.g == order[at] || t.h == order[at] {
					return i
				}
			}
			at = (at + 1) % len(order)
		}
		return 0
	})
}

// record executes the program; choose picks the next step.
func (p *Program) record(choose func([]transition) int) (*Run, error) {
	return p.recordAt(func(_ *Run, _ *enabled, ts []transition) int {
		if len(ts) == 0 {
			return 0
		}
		return choose(ts)
	})
}

// recordAt is record. choose is given the run so far and the next steps of all goroutines as well.
func (p *Program) recordAt(choose func(*Run, *enabled, []transition) int) (*Run, error) {
	r := &recorder{prog: p, run: &Run{Meta: p.meta(), paths: map[uint64][]decision{}}}
	m := newMachine(p, r)
	s := p.start.clone()
	r.begin(s)
	var ops []op
	var ts []transition
	defer func() { r.stops(s) }()
	for range maxRun {
		ops = ops[:0]
		for _, g := range s.gs {
			if err := m.run(s, g); err != nil {
				return nil, fmt.Errorf("%w: %v", ErrLimit, err)
			}
		}
		if s.done {
			r.run.Ended = s.gs[0].ended
			return r.run, nil
		}
		for _, g := range s.gs {
			ops = append(ops, s.pending(g))
		}
		e := &enabled{s, ops}
		if ts = e.transitions(ts[:0]); len(ts) == 0 {
			choose(r.run, e, nil)
			return r.run, nil
		}
		if err := m.steps.perform(s, ts[choose(r.run, e, ts)]); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrLimit, err)
		}
	}
	return nil, fmt.Errorf("%w: more than %d steps", ErrLimit, maxRun)
}

// stops records how far each goroutine has run.
func (r *recorder) stops(s *state) {
	r.run.ends = map[uint64]int{}
	for _, g := range s.gs {
		if r.run.ends[g.name] = g.steps; g.ended {
			r.run.ends[g.name] = maxRun
		}
	}
}

func (p *Program) meta() *trace.Meta {
	var texts []trace.Memory
	if len(p.rodata) > 0 {
		texts = []trace.Memory{{Addr: trace.Addr(rodataBase), Data: p.rodata}}
	}
	return &trace.Meta{
		Texts:  texts,
		Source: "presage", GoVersion: runtime.Version(), GOOS: "linux", GOARCH: "amd64", Packages: p.Plan.Packages,
		Files: p.Plan.Files, Funcs: p.Plan.Funcs, Sites: p.Plan.Sites, Goroutines: []trace.Goroutine{{}},
	}
}

// Accesses returns the sites whose accesses of memory occur in the run.
func (r *Run) Accesses() map[trace.Site]bool {
	m := map[trace.Site]bool{}
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind.IsAccess() {
			m[e.Site] = true
		}
	}
	return m
}

// Describe prints a pair of sites: source line and expression of both.
func (p *Program) Describe(q Pair) string {
	one := func(s trace.Site) string {
		i := &p.Plan.Sites[s]
		return fmt.Sprintf("%d:%d %s", i.Line, i.Col, i.Expr)
	}
	return one(q.A) + " / " + one(q.B)
}
