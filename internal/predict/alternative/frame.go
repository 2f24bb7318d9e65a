package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A Frame is one invocation. The walk makes the frames of a fork; a path changes its own copies.
type Frame struct {
	Code       *regcode.Code
	Regs       []Value
	Cells      []Value // contents of local variables whose address does not leave the function
	Block, IP  int32   // the next instruction
	Defers     []Deferred
	LostDefers bool       // there are more deferred calls than Defers has
	Root       bool       // the goroutine ends with it
	Caller     *Frame     // immutable until it is returned to
	Once       trace.Addr // the Once that executes it, 0: none
	group      *group     // the WaitGroup whose Go has started its goroutine; nil: none

	deferred bool // runs as a deferred call
	depth    int  // number of frames that the path has entered below it
}

// A Deferred is a deferred call: its Defer instruction, with the callee and the arguments, and the
// free variables of a closure.
type Deferred struct {
	Instr      *regcode.Instr
	Args, Free []Value
}

// Entry returns the first frame of a goroutine, at the entry of its function.
func Entry(c *regcode.Code, args, free []Value) *Frame {
	f := newFrame(c, args, free)
	f.Root = true
	return f
}

// newFrame returns a frame at the entry of a function.
func newFrame(c *regcode.Code, args, free []Value) *Frame {
	f := &Frame{Code: c, Regs: make([]Value, c.Regs), Cells: make([]Value, len(c.Cells))}
	for i, r := range c.Args {
		switch {
		case i < len(args):
			f.Regs[r] = args[i]
		case i-len(args) < len(free):
			f.Regs[r] = free[i-len(args)]
		}
	}
	return f
}

func (f *Frame) instr() *regcode.Instr { return &f.Code.Blocks[f.Block].Instrs[f.IP] }

func (f *Frame) clone() *Frame {
	c := *f
	c.Regs, c.Cells, c.Defers = slices.Clone(f.Regs), slices.Clone(f.Cells), slices.Clip(f.Defers)
	return &c
}

// set gives an instruction's first register its value, if it has one.
func (f *Frame) set(in *regcode.Instr, v Value) {
	if in.Reg >= 0 && in.N > 0 {
		f.Regs[in.Reg] = v
	}
}

// finish gives an instruction its result, and goes to the next one.
func (f *Frame) finish(in *regcode.Instr, v Value) {
	f.set(in, v)
	f.IP++
}

// returned gives the current call its results, and goes to the next instruction.
func (f *Frame) returned(results []Value) {
	in := f.instr()
	for i := range in.N {
		f.Regs[in.Reg+i] = Value{}
		if int(i) < len(results) {
			f.Regs[in.Reg+i] = results[i]
		}
	}
	f.IP++
}

// entered returns the invocations below the frames of the fork, from f outwards.
func (f *Frame) entered() []flow.Call {
	var list []flow.Call
	for ; f.depth > 0 && f.Caller != nil; f = f.Caller {
		list = append(list, flow.Call{Fn: f.Code.Plan.Site, Site: f.Caller.instr().Site})
	}
	return list
}

// root returns the outermost frame that the path has entered.
func (f *Frame) root() *Frame {
	for f.depth > 0 && f.Caller != nil {
		f = f.Caller
	}
	return f
}

// storeLocal stores to a local variable, at the offset off.
func (f *Frame) storeLocal(in *regcode.Instr, off, v Value) {
	c := &f.Cells[in.Cell]
	whole := f.Code.Cells[in.Cell]
	at, ok := off.Concrete.Bits()
	switch {
	case ok && at == 0 && in.Size == whole:
		*c = v
	case !ok || in.Size < 0 || whole < 0 || at+uint64(in.Size) > uint64(whole):
		*c = Value{}
	default:
		*c = c.patched(v, int64(at), in.Size, whole)
	}
}

// loadLocal loads from a local variable, at the offset off.
func (f *Frame) loadLocal(in *regcode.Instr, off Value) Value {
	c := f.Cells[in.Cell]
	at, ok := off.Concrete.Bits()
	whole := f.Code.Cells[in.Cell]
	switch {
	case !ok || in.Size < 0 || whole < 0 || at+uint64(in.Size) > uint64(whole):
		return Value{}
	case at == 0 && in.Size == whole:
		return c
	}
	return c.piece(int64(at), in.Size)
}

// boundPart loads from a variable that is bound to a register (package plan), or computes an
// address in it. Operand 0 has the value of the variable.
func boundPart(in *regcode.Instr, args []Value) (v Value, why string) {
	switch in.SSA.(type) {
	case *ssa.FieldAddr:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return Value{}, ""
		}
		return args[0].piece(in.Offsets[in.Index], in.Size), ""
	case *ssa.IndexAddr:
		n, ok := lengthOf(in, goval.Value{})
		if !ok || in.Elem < 0 {
			return Value{}, ""
		}
		if why := within(in.Kind2, args[1].Concrete, n); why != "" {
			return Value{}, why
		}
		at, _ := args[1].Concrete.Bits()
		return args[0].piece(goval.Signed(in.Kind2, at)*in.Elem, in.Elem), ""
	}
	return args[0], ""
}

// fixed returns the size of a type. ok is false if that depends on type parameters.
func (f *Frame) fixed(t types.Type) (size int64, ok bool) {
	if plan.Open(t) {
		return 0, false
	}
	return f.Code.Sizes.Sizeof(t), true
}

// sizeof returns the size of t, 0 if it depends on type parameters.
func (f *Frame) sizeof(t types.Type) int64 {
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid || plan.Open(t) {
		return 0
	}
	return f.Code.Sizes.Sizeof(t)
}
