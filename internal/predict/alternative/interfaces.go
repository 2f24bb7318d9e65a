package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// Interfaces (A9).

// holds returns the type of what is in an interface that the alternative has made, else nil.
func (s *Value) holds() *goval.Dynamic {
	switch {
	case s.symbolic():
		return s.Term.Type
	}
	return s.Concrete.Dynamic()
}

// inInterface returns an interface of type i that holds a value of type t, with the data word data.
func (p *path) inInterface(i types.Type, t *goval.Dynamic, data Value) Value {
	w := &goval.Term{Words: []*expr.Expr{nil, data.term().Word(0)}, Type: t}
	if bits, ok := p.x.Facts.TypeWord(i, t.Type, p.s.Until()); ok {
		w.Words[0] = expr.Word(bits)
	}
	if data.symbolic() {
		return Value{Term: w}
	}
	v, _ := goval.RecordedValue(w)
	return Value{Concrete: v.WithDynamic(t)}
}

// makeInterface boxes a value.
func (p *path) makeInterface(in *regcode.Instr, x *ssa.MakeInterface) bool {
	if plan.Generic(p.frame.Code.Plan.SSA) {
		return p.next(in, Value{})
	}
	v := p.val(&in.Args[0])
	t := &goval.Dynamic{Type: x.X.Type(), Prog: p.frame.Code.Plan.SSA.Prog}
	size := p.frame.Code.Sizes.Sizeof(t.Type)
	as, sure := pointerShaped(t.Type)
	switch {
	case as:
		return p.next(in, p.inInterface(x.Type(), t, pieceOf(v, 0, 8)))
	case !sure || size >= int64(freshSize):
		return p.next(in, p.inInterface(x.Type(), t, Value{}))
	}
	p.fresh++
	box := freshMemory + p.fresh*freshSize
	if size > 0 {
		p.mem = append(slices.Clip(p.mem), stored{box, size, v})
	}
	return p.next(in, p.inInterface(x.Type(), t, Value{Concrete: goval.Known(box)}))
}

// changeInterface converts an interface to another interface type.
func (p *path) changeInterface(in *regcode.Instr, to types.Type) bool {
	v := p.val(&in.Args[0])
	if w, ok := v.Concrete.Bits(); ok && w == 0 && !v.symbolic() {
		return p.next(in, Value{Concrete: goval.Zero(16)})
	}
	t, ok := p.dynamic(v)
	if !ok || plan.Generic(p.frame.Code.Plan.SSA) {
		return p.next(in, Value{})
	}
	return p.next(in, p.inInterface(to, t, pieceOf(v, 8, 8)))
}

// changesInterface reports whether in converts an interface with methods whose dynamic type is
// known. The interface has another type word as a value of another named type.
func (p *path) changesInterface(in *regcode.Instr, x *ssa.ChangeType) bool {
	i, ok := x.Type().Underlying().(*types.Interface)
	if !ok || i.Empty() || plan.Generic(p.frame.Code.Plan.SSA) {
		return false
	}
	_, ok = p.dynamic(p.val(&in.Args[0]))
	return ok
}

// dynamic returns the type of what is in an interface, if it is known.
func (p *path) dynamic(v Value) (t *goval.Dynamic, ok bool) {
	if t := v.holds(); t != nil {
		return t, true
	}
	w, ok := v.Concrete.Bits()
	if v.symbolic() {
		e := v.Term.Word(0)
		if e == nil || !e.IsConst() {
			return nil, false
		}
		w, ok = e.Recorded()
	}
	if !ok || w == 0 {
		return nil, false
	}
	d, ok := p.x.Facts.TypeOf(w, p.s.Until())
	return &d, ok
}

// typeAssert is x.(T).
func (p *path) typeAssert(in *regcode.Instr, x *ssa.TypeAssert) bool {
	v := p.val(&in.Args[0])
	if plan.Generic(p.frame.Code.Plan.SSA) {
		return p.stop("unknown-type")
	}
	if w, ok := v.Concrete.Bits(); ok && w == 0 && !v.symbolic() {
		return p.asserted(in, x, Value{}, false)
	}
	t, ok := p.dynamic(v)
	if !ok {
		return p.stop("unknown-type")
	}
	i, isInterface := x.AssertedType.Underlying().(*types.Interface)
	if isInterface {
		if !i.Empty() && t.Prog != p.frame.Code.Plan.SSA.Prog && !basicMethods(i) {
			return p.stop("unknown-type")
		}
		if !types.Implements(t.Type, i) {
			return p.asserted(in, x, Value{}, false)
		}
		return p.asserted(in, x, p.inInterface(x.AssertedType, t, pieceOf(v, 8, 8)), true)
	}
	same, sure := goval.SameType(t.Type, x.AssertedType)
	switch {
	case !sure:
		return p.stop("unknown-type")
	case !same:
		return p.asserted(in, x, Value{}, false)
	}
	as, sure := pointerShaped(t.Type)
	data := pieceOf(v, 8, 8)
	if !as {
		data = p.unboxed(in, data, p.frame.Code.Sizes.Sizeof(t.Type), sure)
	}
	return p.asserted(in, x, data, true)
}

// unboxed loads from a box that the alternative has made.
func (p *path) unboxed(in *regcode.Instr, box Value, size int64, sure bool) Value {
	addr, ok := box.Concrete.Bits()
	if !sure || !ok || box.symbolic() || addr < freshMemory {
		return Value{}
	}
	s, _ := p.known(in, addr, size)
	return s
}

// asserted is the result of a type assertion.
func (p *path) asserted(in *regcode.Instr, x *ssa.TypeAssert, v Value, ok bool) bool {
	if !x.CommaOk {
		if !ok {
			return p.stop("panic")
		}
		return p.next(in, v)
	}
	bit := uint64(1)
	if !ok {
		v, bit = Value{Concrete: goval.Zero(p.frame.Code.Sizes.Sizeof(x.AssertedType))}, 0
	}
	p.frame.Regs[in.Reg+1] = Value{Concrete: goval.Known(bit)}
	return p.next(in, v)
}

// basicMethods reports whether the methods of an interface have parameters and results of basic
// types only. Then the interface is the same in all programs.
func basicMethods(i *types.Interface) bool {
	for m := range i.Methods() {
		for _, list := range []*types.Tuple{m.Signature().Params(), m.Signature().Results()} {
			for v := range list.Variables() {
				if _, ok := types.Unalias(v.Type()).(*types.Basic); !ok || !m.Exported() {
					return false
				}
			}
		}
	}
	return true
}

// invoked returns the code of an interface's method, with the receiver.
func (p *path) invoked(call *ssa.CallCommon, v Value) (c *regcode.Code, recv Value, why string) {
	if w, ok := v.Concrete.Bits(); ok && w == 0 && !v.symbolic() {
		return nil, Value{}, "panic"
	}
	t, ok := p.dynamic(v)
	if !ok {
		return nil, Value{}, "unknown-type"
	}
	pf, boxed := p.x.Program.Plan.MethodOf(t.Type, call.Method)
	if pf == nil {
		return nil, Value{}, "opaque-call"
	}
	data := pieceOf(v, 8, 8)
	if as, sure := pointerShaped(t.Type); boxed && !as {
		data = p.unboxed(nil, data, p.frame.Code.Sizes.Sizeof(t.Type), sure)
	}
	return p.x.Program.Code(pf), data, ""
}

// pointerShaped reports whether the data word of an interface is the value of type t itself, and
// not a pointer to a copy. sure is false for types where it depends on Go's compiler.
func pointerShaped(t types.Type) (yes, sure bool) {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true, true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer, true
	case *types.Struct:
		return false, u.NumFields() == 0 || plan.Sizeof(t) != 8
	case *types.Array:
		return false, plan.Sizeof(t) != 8
	}
	return false, true
}
