package walk

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// NewBranching returns a symbolic walker whose Flows have forks.
func NewBranching(p *plan.Plan) *Walker {
	w := NewSymbolic(p)
	w.opts.branching = true
	w.facts.timers.bubbles = p.Bubbles()
	return w
}

// MindMissing makes the walk keep no forks after the first call of excluded code, because what that
// code does on other paths is unknown.
func (w *Walker) MindMissing() { w.minding = true }

// choices returns the operands of an instruction that may have other values, nil if it is no fork.
func (f *Frame) choices(in *regcode.Instr) []int {
	pins := in.Pins
	switch in.Op {
	case regcode.OpIf, regcode.OpLoad, regcode.OpStore:
	case regcode.OpEval, regcode.OpPart:
		switch x := in.SSA.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
		case *ssa.Slice:
			if in.Kind == types.String { // it has bounds, and is evaluated
				return nil
			}
		case *ssa.Lookup:
			if !looksUp(in) {
				return nil
			}
			pins = 1 << 1 // the key
		case *ssa.MapUpdate:
			pins = 1 << 1
		case *ssa.Call:
			switch {
			case in.Dynamic:
				pins = 1
			case deletes(&x.Call):
				pins = 1 << 2
			case !measures(&x.Call):
				return nil
			}
		default:
			return nil
		}
	default:
		return nil
	}
	var open []int
	for i := range in.Args {
		if pins != regcode.AllOperands && pins>>min(i, 63)&1 == 0 {
			continue
		}
		if d := f.depsOf(&in.Args[i]); d != nil && !d.pinned && f.termOf(&in.Args[i]) != nil {
			open = append(open, i)
		}
	}
	return open
}

// hasOutcomes reports whether an instruction is an operation of synchronisation, or a lookup in a
// map, whose outcome depends on the schedule alone (AL3).
func hasOutcomes(in *regcode.Instr) bool {
	switch x := in.SSA.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return x.Op == token.ARROW
	case *ssa.Lookup:
		return looksUp(in)
	case *ssa.Call:
		if counts(in) {
			return true
		}
		fn := x.Call.StaticCallee()
		if fn == nil || !plan.Typed(fn) {
			return false
		}
		name := fn.Name()
		if plan.MapMethod(fn) != "" {
			return name != "Store"
		}
		return strings.HasPrefix(name, "CompareAndSwap") || name == "TryLock" || name == "TryRLock" || name == "Do"
	}
	return false
}

// looksUp reports whether an instruction is a lookup in a map.
func looksUp(in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.Lookup)
	if ok {
		_, ok = plan.Core(x.X.Type()).(*types.Map)
	}
	return ok
}

// counts reports whether an instruction is len of a channel.
func counts(in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.Call)
	return ok && measures(&x.Call) && x.Call.Value.Name() == "len"
}

// measures reports whether a call is len or cap of a channel.
func measures(call *ssa.CallCommon) bool {
	b, ok := call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "len" && b.Name() != "cap" {
		return false
	}
	_, ok = plan.Core(call.Args[0].Type()).(*types.Chan)
	return ok
}

// deletes reports whether a call is delete, of a key of a map.
func deletes(call *ssa.CallCommon) bool {
	b, ok := call.Value.(*ssa.Builtin)
	return ok && b.Name() == "delete"
}

// sampled reports whether to keep the n-th fork of one instruction in a goroutine: the first ones,
// then fewer and fewer.
func sampled(n uint32) bool { return n <= 64 || n&(n-1) == 0 }

// A forker keeps the forks of a goroutine.
type forker struct {
	w      *Walker
	id     trace.GoID
	event  *int64 // the current one
	stack  *frameStack
	stacks *spans
	deps   *deps
	pins   *pinner
	list   []flow.Fork               // before the next event
	count  map[*regcode.Instr]uint32 // of each instruction
}

// keep keeps the state of the goroutine at an instruction, if that is a fork.
func (k *forker) keep(f *Frame, in *regcode.Instr) {
	if args := f.choices(in); args != nil {
		k.add(f, in, args, false)
	}
	if hasOutcomes(in) || k.callsOnce(f, in) || k.asksContext(f, in) || k.makesContext(f, in) || gets(in) || k.stops(f, in) {
		k.add(f, in, nil, true)
	}
}

// took keeps the state of the goroutine before a Get of a sync.Pool takes an item: the pool could
// have had none (AL3).
func (k *forker) took() {
	f := k.stack.top()
	if f == nil || !f.walked || !f.stage.inside {
		return
	}
	if in := f.Instr(); gets(in) {
		n := len(k.list)
		if k.add(f, in, nil, true); len(k.list) > n {
			k.list[n].(*alternative.Fork).Took = true
		}
	}
}

// stops reports whether an instruction stops a timer that calls a function.
func (k *forker) stops(f *Frame, in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || !plan.TimerStop(&call.Call) {
		return false
	}
	addr, ok := f.Value(&in.Args[1]).Bits()
	return ok && k.w.facts.callsAt(addr, *k.event)
}

// gets reports whether an instruction is a Get of a sync.Pool.
func gets(in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	return ok && plan.PoolGet(&call.Call)
}

// add keeps the state at an instruction. Operands args may have other values; other says that there
// are none, and that the instruction may have another outcome.
func (k *forker) add(f *Frame, in *regcode.Instr, args []int, other bool) {
	if k.count == nil {
		k.count = map[*regcode.Instr]uint32{}
	}
	if k.count[in]++; !sampled(k.count[in]) {
		k.w.stats.ForksLeft++
		return
	}
	if k.w.straight {
		return
	}
	k.w.stats.Forks++
	x := &alternative.Fork{
		Program: k.w.program, Facts: ownFacts{&k.w.facts, k.id, *k.event}, G: k.id, Frame: k.stack.freeze(len(k.stack.frames) - 1), Args: args, Other: other, At: in.Site, Event: *k.event,
		Needs: slices.Concat(k.deps.pending, k.deps.later), Guards: slices.Clone(k.pins.guards),
	}
	if x.At == 0 {
		x.At = f.code.Blocks[f.block].Site
	}
	x.Stacks = slices.Clip(*k.stacks)
	k.list = append(k.list, x)
}

// callsOnce reports whether an instruction calls what OnceFunc or the like has returned: any
// goroutine could be the first.
func (k *forker) callsOnce(f *Frame, in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || !in.Maybe || !in.Dynamic || call.Call.IsInvoke() {
		return false
	}
	addr, ok := f.Value(&in.Args[0]).Bits()
	if ok {
		_, ok = k.w.facts.isOnce(addr, *k.event)
	}
	return ok
}

// maxFrames bounds the callers that a fork keeps.
const maxFrames = 16

// freeze returns frame n of the goroutine and its callers, as package alternative has them.
func (st *frameStack) freeze(n int) *alternative.Frame {
	st.wake(n - maxFrames)
	top := st.frames[n].freeze()
	x := top
	for k := n; k > 0 && n-k < maxFrames; k-- {
		f, caller := st.frames[k], st.frames[k-1]
		if !caller.walked || f.once == 0 && (!f.static || !caller.atCall()) {
			break
		}
		if caller.frozen == nil {
			caller.frozen = caller.freeze()
		}
		x.Caller = caller.frozen
		if x = x.Caller; x.Caller != nil {
			return top
		}
		if k == 1 && !x.Root {
			x.Root = true
		}
	}
	if n == 0 {
		x.Root = true
	}
	return top
}

// freeze returns a frame as package alternative has it, without its callers.
func (f *Frame) freeze() *alternative.Frame {
	x := &alternative.Frame{Code: f.code, Block: f.block, IP: f.ip, Defers: slices.Clip(f.defers), LostDefers: f.lostDefers, Once: f.once}
	x.Regs = make([]alternative.Value, len(f.regs))
	for r := range f.regs {
		x.Regs[r] = f.open(f.regs[r], f.deps[r], f.terms[r])
	}
	x.Cells = make([]alternative.Value, len(f.code.Cells))
	for i := range x.Cells {
		c := &f.cells[i]
		if c.words == nil {
			continue
		}
		v := goval.Partial(c.words[0], slices.Clone(c.words[1:]), c.known)
		if x.Cells[i] = (alternative.Value{Concrete: v}); c.terms != nil {
			x.Cells[i] = f.open(v, c.deps, &goval.Term{Words: c.terms})
		}
	}
	return x
}

// open returns a value that depends on the reads d. It is symbolic if these are not pinned.
func (f *Frame) open(v goval.Value, d *reads, t *goval.Term) alternative.Value {
	switch {
	case d == nil || d.pinned:
		return alternative.Value{Concrete: v}
	}
	return alternative.FromTerm(t)
}

// deferCall keeps a deferred call.
func (f *Frame) deferCall(in *regcode.Instr) {
	if len(f.defers) >= maxFrames {
		f.lostDefers = true
		return
	}
	d := alternative.Deferred{Instr: in}
	for i := range in.Args {
		d.Args = append(d.Args, f.symbolOf(&in.Args[i]))
	}
	for i := range in.Free {
		d.Free = append(d.Free, f.symbolOf(&in.Free[i]))
	}
	f.defers = append(slices.Clip(f.defers), d)
}

func (f *Frame) symbolOf(a *regcode.Arg) alternative.Value {
	if a.Reg < 0 {
		return alternative.Value{Concrete: f.Value(a)}
	}
	return f.open(f.regs[a.Reg], f.deps[a.Reg], f.terms[a.Reg])
}
