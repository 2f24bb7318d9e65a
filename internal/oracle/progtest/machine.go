package progtest

import (
	"fmt"
)

// A machine executes a program. It has no state of the execution.
type machine struct {
	prog  *Program
	rec   *recorder // nil: nothing is recorded
	eval  *evaluator
	calls *calls
	steps *steps
	// stops reports whether a step is a scheduling point; nil: every step is one
	stops func(s *state, g *goroutine, o *op) bool
	phis  []uint64
}

func newMachine(p *Program, r *recorder) *machine {
	c := &calls{prog: p, rec: r}
	return &machine{prog: p, rec: r, eval: &evaluator{prog: p, rec: r}, calls: c, steps: &steps{prog: p, rec: r, calls: c}}
}

// initialise executes the initialisers of the package's variables. They are not recorded, since
// they are not instrumented. Initialisers of dependencies are left out.
func (p *Program) initialise(init *fn) error {
	s := &state{globals: make([]uint64, p.nglobal), live: 1}
	m := newMachine(p, nil)
	m.stops = func(*state, *goroutine, *op) bool { return false }
	g := &goroutine{name: 1}
	s.gs = []*goroutine{g}
	m.calls.enter(s, g, init, started, nil, nil, 0)
	if err := m.run(s, g); err != nil {
		return err
	}
	if !s.done && !g.ended {
		return fmt.Errorf("the initialisers do not end")
	}
	heap := g.heap
	g = &goroutine{name: 1, heap: heap, fresh: true}
	m.calls.enter(s, g, p.main, started, nil, nil, 0)
	*s = state{globals: s.globals, gs: []*goroutine{g}, live: 1}
	p.start = s
	return nil
}

// run executes a goroutine up to its next scheduling point.
func (m *machine) run(s *state, g *goroutine) (err error) {
	for range maxSteps {
		if g.ended || s.done {
			return nil
		}
		o := s.pending(g)
		if o.kind == opNone {
			if err := m.silent(s, g); err != nil {
				return err
			}
			continue
		}
		if m.stop(s, g, &o) {
			return nil
		}
		if err := m.steps.perform(s, transition{g: g.slot, h: -1, op: o}); err != nil {
			return err
		}
	}
	return fmt.Errorf("more than %d steps", maxSteps)
}

// silent executes one instruction. If it panics, the panic is the goroutine's next step.
func (m *machine) silent(s *state, g *goroutine) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case isPanic:
			g.panics = true
		case fault:
			err = fmt.Errorf("%s", string(r))
		default:
			panic(r)
		}
	}()
	m.exec(s, g)
	return nil
}

// stop reports whether a step is a scheduling point (PT2).
func (m *machine) stop(s *state, g *goroutine, o *op) bool {
	if m.stops == nil {
		return true
	}
	switch o.kind {
	case opAccess, opAtomic, opGo, opStart:
		return m.stops(s, g, o)
	case opExit, opOutside:
		return m.prog.start != nil
	}
	return true
}
