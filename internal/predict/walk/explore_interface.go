package walk

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/source/plan"
)

// Interfaces of alternatives (A9). What is in one is known by its type word, or because the alternative has put it there.

// holds is the type of what is in an interface that the alternative has made.
func (s *sval) holds() *dynamic {
	switch {
	case s.symbolic():
		return s.t.typ
	}
	return s.v.dynamic()
}

// inInterface is an interface of type i that holds a value of type t as the word data.
func (p *path) inInterface(i types.Type, t *dynamic, data sval) sval {
	w := &term{words: []*expr.Expr{nil, data.term().word(0)}, typ: t}
	if bits, ok := p.x.Facts.TypeWord(i, t.typ, p.s.Until()); ok {
		w.words[0] = expr.Word(bits)
	}
	if data.symbolic() {
		return sval{t: w}
	}
	v, _ := recordedOf(w)
	return sval{v: v.withDynamic(t)}
}

// makeInterface boxes a value.
func (p *path) makeInterface(in *instr, x *ssa.MakeInterface) bool {
	if plan.Generic(p.frame.code.plan.SSA) {
		return p.next(in, sval{})
	}
	v := p.val(&in.args[0])
	t := &dynamic{typ: x.X.Type(), prog: p.frame.code.plan.SSA.Prog}
	size := p.frame.code.sizes.Sizeof(t.typ)
	as, sure := pointerShaped(t.typ)
	switch {
	case as:
		return p.next(in, p.inInterface(x.Type(), t, pieceOf(v, 0, 8)))
	case !sure || size >= int64(freshSize):
		return p.next(in, p.inInterface(x.Type(), t, sval{}))
	}
	p.fresh++
	box := freshMemory + p.fresh*freshSize
	if size > 0 {
		p.mem = append(slices.Clip(p.mem), stored{box, size, v})
	}
	return p.next(in, p.inInterface(x.Type(), t, sval{v: Known(box)}))
}

// changeInterface is an interface as another one, of which its type has all methods.
func (p *path) changeInterface(in *instr, to types.Type) bool {
	v := p.val(&in.args[0])
	if w, ok := v.v.Bits(); ok && w == 0 && !v.symbolic() {
		return p.next(in, sval{v: Zero(16)})
	}
	t, ok := p.dynamic(v)
	if !ok || plan.Generic(p.frame.code.plan.SSA) {
		return p.next(in, sval{})
	}
	return p.next(in, p.inInterface(to, t, pieceOf(v, 8, 8)))
}

// changesInterface reports whether a conversion is one of an interface with methods that holds something known: as another named type, it has another type word.
func (p *path) changesInterface(in *instr, x *ssa.ChangeType) bool {
	i, ok := x.Type().Underlying().(*types.Interface)
	if !ok || i.Empty() || plan.Generic(p.frame.code.plan.SSA) {
		return false
	}
	_, ok = p.dynamic(p.val(&in.args[0]))
	return ok
}

// dynamic is the type of what is in an interface.
func (p *path) dynamic(v sval) (t *dynamic, ok bool) {
	if t := v.holds(); t != nil {
		return t, true
	}
	w, ok := v.v.Bits()
	if v.symbolic() {
		e := v.t.word(0)
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
func (p *path) typeAssert(in *instr, x *ssa.TypeAssert) bool {
	v := p.val(&in.args[0])
	if plan.Generic(p.frame.code.plan.SSA) {
		return p.stop("unknown-type")
	}
	if w, ok := v.v.Bits(); ok && w == 0 && !v.symbolic() {
		return p.asserted(in, x, sval{}, false)
	}
	t, ok := p.dynamic(v)
	if !ok {
		return p.stop("unknown-type")
	}
	i, isInterface := x.AssertedType.Underlying().(*types.Interface)
	if isInterface {
		if !i.Empty() && t.prog != p.frame.code.plan.SSA.Prog && !basicMethods(i) {
			return p.stop("unknown-type")
		}
		if !types.Implements(t.typ, i) {
			return p.asserted(in, x, sval{}, false)
		}
		return p.asserted(in, x, p.inInterface(x.AssertedType, t, pieceOf(v, 8, 8)), true)
	}
	same, sure := sameType(t.typ, x.AssertedType)
	switch {
	case !sure:
		return p.stop("unknown-type")
	case !same:
		return p.asserted(in, x, sval{}, false)
	}
	as, sure := pointerShaped(t.typ)
	data := pieceOf(v, 8, 8)
	if !as {
		data = p.unboxed(in, data, p.frame.code.sizes.Sizeof(t.typ), sure)
	}
	return p.asserted(in, x, data, true)
}

// unboxed is what stands in a box that the alternative has made.
func (p *path) unboxed(in *instr, box sval, size int64, sure bool) sval {
	addr, ok := box.v.Bits()
	if !sure || !ok || box.symbolic() || addr < freshMemory {
		return sval{}
	}
	s, _ := p.known(in, addr, size)
	return s
}

// asserted is the result of a type assertion.
func (p *path) asserted(in *instr, x *ssa.TypeAssert, v sval, ok bool) bool {
	if !x.CommaOk {
		if !ok {
			return p.stop("panic")
		}
		return p.next(in, v)
	}
	bit := uint64(1)
	if !ok {
		v, bit = sval{v: Zero(p.frame.code.sizes.Sizeof(x.AssertedType))}, 0
	}
	p.frame.regs[in.reg+1] = sval{v: Known(bit)}
	return p.next(in, v)
}

// basicMethods reports whether the methods of an interface are those of every program: their parameters and results are of basic types.
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

// invoked is the code of an interface's method, with the receiver.
func (p *path) invoked(call *ssa.CallCommon, v sval) (c *code, recv sval, why string) {
	if w, ok := v.v.Bits(); ok && w == 0 && !v.symbolic() {
		return nil, sval{}, "panic"
	}
	t, ok := p.dynamic(v)
	if !ok {
		return nil, sval{}, "unknown-type"
	}
	pf, boxed := p.x.Program.plan.MethodOf(t.typ, call.Method)
	if pf == nil {
		return nil, sval{}, "opaque-call"
	}
	data := pieceOf(v, 8, 8)
	if as, sure := pointerShaped(t.typ); boxed && !as {
		data = p.unboxed(nil, data, p.frame.code.sizes.Sizeof(t.typ), sure)
	}
	return p.x.Program.code(pf), data, ""
}
