package walk

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// Alternatives (path relaxation, seed 000 section IV). From a fork, the machine of this file
// executes the program's SSA over *symbolic* values: a value is known, or a term over reads, or
// nothing is known about it. It knows no schedule; what an alternative needs of one stands in its
// guards.
//
// (A1) A load or store of memory that others may access is an event, and what it loads is a term
//
//	over its own read. Memory that
//
// no other goroutine accesses in the window has the content that it has at the fork. What the
// alternative itself allocates is in no event.
//
// (A2) A branch on a term goes both ways, each with the guard that says so. This is where the
//
//	alternative's first step differs from the
//
// recorded run.
//
// (A3) A pointer, index, divisor or other operand that has to be known (rule F2) and is a term,
//
//	takes the values that it can have: those
//
// that come from what is written in the window (Surroundings.Values), each with a guard. So a base
// object may be another one than in the recorded run. Seed 000 requires that it resolves to one
// object (criterion 3); here it is each of a few. Where the fork is an instruction with several
// such operands (a[i]), at least one of them is another than in the recorded run.
//
// (A4) Implicit checks (nil, bounds, division, shifts) are made; one that fails is a panic, and
//
//	ends the alternative.
//
// (A5) What is not modelled ends it as well: code that is not instrumented, maps, panics, and all
//
//	that
//
// needs a value about which nothing is known. An access that can race but not be executed stands as
// its last step.
//
// (A6) A goroutine that is started in an alternative is executed with it. Its arguments have to be
//
//	known (A3). What the alternative has
//
// allocated is not changed any more by either of them.
//
// (A7) What an operation does goes by the schedule: a receive, a CompareAndSwap, a select. There
//
//	the alternative goes on in each of the ways that there are, each with
//
// an event that says which: a value or that the channel is closed; an update of the value that is
// compared with, or a read with a guard that it finds another one; each case, and the default, with
// the other cases beside it.
//
// (A8) A call through a function value is one of the function that it is known to be: a closure
//
//	that the alternative has made, or one that walked code has made or
//
// stored (functions.go), whose address the value is. A frame of the recorded run that was entered
// by such a call is returned from.
//
// (A9) What is in an interface is known from its type word, where walked code has made such an
//
//	interface (dynamic.go), or because the alternative has put it there.
//
// Then its methods can be called, and assertions have an answer; of a value that is not a pointer
// the content is known in the second case only.
//
// Loops and recursion are unrolled by execution, within maxInstrs, maxSteps and maxDepth.
const (
	maxInstrs       = 4096 // of one alternative
	maxSteps        = 48
	maxDepth        = 32
	maxAlternatives = 12 // of one fork, with an event
	maxPaths        = 48 // and without
	maxChoices      = 6  // values that one operand takes
	maxCombined     = 64 // combinations of what the reads of an operand may see
)

// sval is a symbolic value: known, a term, or neither.
type sval struct {
	v Value
	t *term
}

func (s *sval) symbolic() bool { return s.t != nil }

// xframe is an invocation in an alternative.
type xframe struct {
	code       *code
	regs       []sval
	cells      []sval
	block, ip  int32
	defers     []xdefer
	lostDefers bool
	deferred   bool // runs as a deferred call
	root       bool // the goroutine ends with it
	depth      int
	caller     *xframe // immutable until it is returned to
}

type xdefer struct {
	in         *instr
	args, free []sval
}

func (f *xframe) instr() *instr { return &f.code.blocks[f.block].instrs[f.ip] }

func (f *xframe) clone() *xframe {
	c := *f
	c.regs, c.cells, c.defers = slices.Clone(f.regs), slices.Clone(f.cells), slices.Clip(f.defers)
	return &c
}

// explorer is one exploration of a fork.
type explorer struct {
	x       *fork
	w       *Walker
	s       flow.Surroundings
	paths   []*path
	done    []*flow.Alternative
	globals map[*global]uint64 // where they are taken to be, if nobody has accessed them
	eval    expr.Evaluator
}

// path is an alternative under way.
type path struct {
	*explorer
	g        trace.GoID
	frame    *xframe
	waiting  []xstart // goroutines to be executed
	steps    []flow.Step
	needs    []int64 // of the next step
	guards   []flow.Guard
	chosen   []flow.Guard
	mem      []stored // by this alternative, last one last
	held     []uint64 // mutexes of its own
	closures []closure
	forked   bool // a goroutine was started
	off      bool // the choice at the fork is made
	left     int  // functions of the fork's stack that have returned
	assumes  []flow.Assumption
	fresh    uint64
	instrs   int
	end      string
}

type xstart struct {
	g     trace.GoID
	frame *xframe
}

// stored is what the alternative knows to be in memory.
type stored struct {
	addr uint64
	size int64
	val  sval
}

// Fresh memory, and from unseenMemory on variables of packages that nobody has accessed so far: no
// address of a program.
const (
	freshMemory  = uint64(1) << 56
	unseenMemory = uint64(1) << 57
	freshSize    = uint64(1) << 24
)

// Explore implements [flow.Fork].
func (x *fork) Explore(s flow.Surroundings) []*flow.Alternative {
	e := &explorer{x: x, w: x.w, s: s}
	first := &path{explorer: e, g: x.g, frame: x.frame.clone(), needs: x.needs, guards: slices.Clip(x.guards)}
	e.paths = []*path{first}
	some := 0 // that do something
	for len(e.paths) > 0 && some < maxAlternatives && len(e.done) < maxPaths {
		p := e.paths[len(e.paths)-1]
		e.paths = e.paths[:len(e.paths)-1]
		if p.run() {
			if len(p.steps) > 0 {
				some++
			}
			e.done = append(e.done, &flow.Alternative{Steps: p.steps, Chosen: p.chosen, Assumes: p.assumes, End: p.end, Executed: p.instrs})
		}
	}
	return e.done
}

// run executes a path to its end. It returns false if it was split into others.
func (p *path) run() (ended bool) {
	defer func() {
		if r := recover(); r != nil {
			p.stop("not-modelled")
			ended = true
		}
	}()
	for {
		for p.end == "" {
			if p.instrs++; p.instrs > maxInstrs {
				p.stop("too-long")
				break
			}
			if !p.step() {
				return false
			}
		}
		n := len(p.waiting)
		if n == 0 {
			return true
		}
		next := p.waiting[n-1]
		p.waiting = p.waiting[:n-1]
		p.g, p.frame, p.end, p.needs, p.guards = next.g, next.frame, "", nil, nil
	}
}

func (p *path) stop(why string) bool {
	p.end = why
	return true
}

// split makes a path for each choice.
func (p *path) split(choices []func(*path)) bool {
	if len(choices) == 0 {
		return p.stop("no-value")
	}
	for i := len(choices) - 1; i >= 0; i-- {
		q := *p
		q.frame = p.frame.clone()
		q.steps, q.guards, q.mem, q.waiting, q.assumes = slices.Clip(p.steps), slices.Clip(p.guards), slices.Clip(p.mem), slices.Clip(p.waiting), slices.Clip(p.assumes)
		choices[i](&q)
		p.paths = append(p.paths, &q)
	}
	return false
}

// starting reports whether the path is still to leave the recorded one.
func (p *path) starting() bool { return !p.off }

// val returns an operand.
func (p *path) val(a *arg) sval {
	switch {
	case a.reg >= 0:
		return p.frame.regs[a.reg]
	case a.glob != nil:
		if l := a.glob.learnt.Load(); l != nil && l.at < p.s.Until() {
			return sval{v: l.addr}
		}
		if p.w.plan.Named(a.glob.of) { // else a pointer may lead to it as well
			return sval{v: Known(p.unseen(a.glob))}
		}
		return sval{}
	}
	if s, ok := a.val.Content(); ok && a.val.known&1 == 0 { // a string constant
		if at, ok := p.w.texts.Place(s); ok {
			return sval{v: Words([]uint64{at, uint64(len(s))}).withText(s)}
		}
	}
	return sval{v: a.val}
}

// unseen is an address for a variable that nobody has accessed in the trace so far. It is memory of
// the alternative's own, with unknown content.
func (e *explorer) unseen(g *global) uint64 {
	if e.globals == nil {
		e.globals = map[*global]uint64{}
	}
	at, ok := e.globals[g]
	if !ok {
		at = unseenMemory + uint64(len(e.globals))*freshSize
		e.globals[g] = at
	}
	return at
}

// settle makes operand i known (A3). False: the path was split, or has ended.
func (p *path) settle(in *instr, i int) (ok, going bool) {
	a := &in.args[i]
	s := p.val(a)
	if !s.symbolic() {
		return true, true
	}
	var choices []func(*path)
	choice := p.starting() && slices.Contains(p.x.args, i)
	last := i == p.x.args[len(p.x.args)-1] // else a later operand may be the one that is another
	var recorded Value
	if choice {
		recorded, _ = recordedOf(s.t)
	}
	for _, v := range p.values(s.t) {
		same := choice && sameValue(v, recorded)
		if same && last {
			continue
		}
		guards, ok := p.guard(s.t, v)
		if !ok {
			continue
		}
		choices = append(choices, func(q *path) {
			q.guards = append(q.guards, guards...)
			if choice && !same {
				q.chosen, q.off = guards, true
			}
			q.frame.regs[a.reg] = sval{v: v}
		})
		if len(choices) == maxChoices {
			break
		}
	}
	return false, p.split(choices)
}

// step executes one instruction. It is false if the path was split.
func (p *path) step() bool {
	f := p.frame
	in := f.instr()
	if going, ok := p.inBounds(in); ok {
		return going
	}
	pins := in.pins
	if _, ok := in.in.(*ssa.TypeAssert); ok || in.dynamic { // what it is called with may be a term
		pins = 1
	}
	if pins != 0 && in.op != opIf && in.std == nil {
		for i := range in.args {
			if pins != all && pins>>min(i, 63)&1 == 0 {
				continue
			}
			if ok, going := p.settle(in, i); !ok {
				return going
			}
		}
	}
	if p.starting() && in.op != opIf {
		return p.stop("no-value")
	}
	switch in.op {
	case opNop:
		return p.nop(in)
	case opAlloc:
		f.cells[in.cell] = sval{v: Zero(f.code.cells[in.cell])}
		p.set(in, sval{v: Known(0)})
	case opSet:
		return p.setLocal(in)
	case opBind:
		f.regs[in.args[0].reg] = p.val(&in.args[1])
	case opPart:
		return p.part(in)
	case opLocal:
		return p.getLocal(in)
	case opLoad:
		return p.load(in)
	case opStore:
		return p.store(in)
	case opJump:
		p.enter(f.code.blocks[f.block].succs[0])
		return true
	case opIf:
		return p.branch(in)
	case opReturn:
		return p.ret(in)
	case opPanic:
		return p.stop("panic")
	case opCall:
		return p.call(in)
	default:
		return p.other(in)
	}
	f.ip++
	return true
}

func (p *path) set(in *instr, s sval) {
	if in.reg >= 0 && in.n > 0 {
		p.frame.regs[in.reg] = s
	}
}

func (p *path) next(in *instr, s sval) bool {
	p.set(in, s)
	p.frame.ip++
	return true
}

// emit appends a step.
func (p *path) emit(in *instr, e trace.Event, f flow.Flow) int64 {
	e.Site = in.site
	e.G = p.g
	f.Walked = true
	f.Needs, f.Guards = p.needs, p.guards
	p.needs, p.guards = nil, nil
	p.steps = append(p.steps, flow.Step{Event: e, Flow: f, Left: p.left, Calls: p.calls()})
	if len(p.steps) >= maxSteps {
		p.stop("too-many-steps")
	}
	return flow.AlternativeBase + int64(len(p.steps)-1)
}

// last says that the step made last can race, but not be executed.
func (p *path) last(why string) bool {
	p.steps[len(p.steps)-1].Last = true
	return p.stop(why)
}
