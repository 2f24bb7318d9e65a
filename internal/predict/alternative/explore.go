package alternative

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
)

// Bounds of an exploration.
const (
	maxInstrs       = 4096 // of one alternative
	maxSteps        = 48
	maxDepth        = 32
	maxAlternatives = 12 // of one fork, with at least one event
	maxPaths        = 48 // of one fork, with or without events
	maxChoices      = 6  // values that one operand takes
	maxCombined     = 64 // combinations of values of the reads of one operand
)

// explorer is one exploration of a fork.
type explorer struct {
	x       *Fork
	s       flow.Surroundings
	paths   []*path
	done    []*flow.Alternative
	globals map[*regcode.Global]uint64 // assumed addresses of variables that have no access yet
	eval    expr.Evaluator
}

// path is an alternative under way.
type path struct {
	*explorer
	g        trace.GoID
	frame    *Frame
	waiting  []started // goroutines to be executed
	steps    []flow.Step
	needs    []int64 // of the next step
	guards   []flow.Guard
	chosen   []flow.Guard
	mem      []stored // stores of this alternative, in order
	held     []uint64 // locked mutexes that the alternative has allocated
	closures []closure
	forked   bool // a goroutine was started
	off      bool // the choice at the fork is made
	left     int  // functions of the fork's stack that have returned
	assumes  []flow.Assumption
	fresh    uint64
	instrs   int
	end      string
}

type started struct {
	g     trace.GoID
	frame *Frame
}

// stored is what the alternative knows to be in memory.
type stored struct {
	addr uint64
	size int64
	val  Value
}

// Addresses that no program has. From freshMemory on is memory that an alternative has allocated,
// from unseenMemory on are variables of packages that have no access yet.
const (
	freshMemory  = uint64(1) << 56
	unseenMemory = uint64(1) << 57
	freshSize    = uint64(1) << 24
)

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

// starting reports whether the path has not left the recorded path yet.
func (p *path) starting() bool { return !p.off }

// val returns an operand.
func (p *path) val(a *regcode.Arg) Value {
	switch {
	case a.Reg >= 0:
		return p.frame.Regs[a.Reg]
	case a.Glob != nil:
		if addr, at, ok := a.Glob.AddressAt(); ok && at < p.s.Until() {
			return Value{Concrete: goval.Known(addr)}
		}
		if p.x.Program.Plan.Named(a.Glob.Var) { // else a pointer may point to it
			return Value{Concrete: goval.Known(p.unseen(a.Glob))}
		}
		return Value{}
	}
	_, known := a.Val.Bits()
	if s, ok := a.Val.Content(); ok && !known { // a string constant
		if at, ok := p.x.Program.Texts.Place(s); ok {
			return Value{Concrete: goval.Words([]uint64{at, uint64(len(s))}).WithText(s)}
		}
	}
	return Value{Concrete: a.Val}
}

// unseen returns an address for a variable that has no access in the trace so far. The memory is
// the alternative's own, and its content is unknown.
func (e *explorer) unseen(g *regcode.Global) uint64 {
	if e.globals == nil {
		e.globals = map[*regcode.Global]uint64{}
	}
	at, ok := e.globals[g]
	if !ok {
		at = unseenMemory + uint64(len(e.globals))*freshSize
		e.globals[g] = at
	}
	return at
}

// settle makes operand i known (A3). If ok is false, the path was split, or it has ended.
func (p *path) settle(in *regcode.Instr, i int) (ok, going bool) {
	a := &in.Args[i]
	s := p.val(a)
	if !s.symbolic() {
		return true, true
	}
	var choices []func(*path)
	choice := p.starting() && slices.Contains(p.x.Args, i)
	last := i == p.x.Args[len(p.x.Args)-1] // else a later operand may have another value
	var recorded goval.Value
	if choice {
		recorded, _ = goval.RecordedValue(s.Term)
	}
	for _, v := range p.values(s.Term) {
		same := choice && goval.Same(v, recorded)
		if same && last {
			continue
		}
		guards, ok := p.guard(s.Term, v)
		if !ok {
			continue
		}
		choices = append(choices, func(q *path) {
			q.guards = append(q.guards, guards...)
			if choice && !same {
				q.chosen, q.off = guards, true
			}
			q.frame.Regs[a.Reg] = Value{Concrete: v}
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
	pins := in.Pins
	if _, ok := in.SSA.(*ssa.TypeAssert); ok || in.Dynamic { // the arguments may be terms
		pins = 1
	}
	if pins != 0 && in.Op != regcode.OpIf && in.Std == nil {
		for i := range in.Args {
			if pins != regcode.AllOperands && pins>>min(i, 63)&1 == 0 {
				continue
			}
			if ok, going := p.settle(in, i); !ok {
				return going
			}
		}
	}
	if p.starting() && in.Op != regcode.OpIf {
		return p.stop("no-value")
	}
	switch in.Op {
	case regcode.OpNop:
		return p.nop(in)
	case regcode.OpAlloc:
		f.Cells[in.Cell] = Value{Concrete: goval.Zero(f.Code.Cells[in.Cell])}
		p.set(in, Value{Concrete: goval.Known(0)})
	case regcode.OpSet:
		return p.setLocal(in)
	case regcode.OpBind:
		f.Regs[in.Args[0].Reg] = p.val(&in.Args[1])
	case regcode.OpPart:
		return p.part(in)
	case regcode.OpLocal:
		return p.getLocal(in)
	case regcode.OpLoad:
		return p.load(in)
	case regcode.OpStore:
		return p.store(in)
	case regcode.OpJump:
		p.enter(f.Code.Blocks[f.Block].Succs[0])
		return true
	case regcode.OpIf:
		return p.branch(in)
	case regcode.OpReturn:
		return p.ret(in)
	case regcode.OpPanic:
		return p.stop("panic")
	case regcode.OpCall:
		return p.call(in)
	default:
		return p.other(in)
	}
	f.IP++
	return true
}

func (p *path) set(in *regcode.Instr, s Value) {
	if in.Reg >= 0 && in.N > 0 {
		p.frame.Regs[in.Reg] = s
	}
}

func (p *path) next(in *regcode.Instr, s Value) bool {
	p.set(in, s)
	p.frame.IP++
	return true
}

// emit appends a step.
func (p *path) emit(in *regcode.Instr, e trace.Event, f flow.Flow) int64 {
	e.Site = in.Site
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

// last marks the last step: it can race, but it cannot be executed.
func (p *path) last(why string) bool {
	p.steps[len(p.steps)-1].Last = true
	return p.stop(why)
}
