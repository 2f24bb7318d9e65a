package regcode

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// Express returns the term of an instruction's result, nil if it has none. Each word that the term
// has is a function of the operands alone. An operand that is nil is unknown.
// Where Eval decides by the value of an operand, the expression has a conditional.
func (c *Code) Express(in *Instr, a []*goval.Term) *goval.Term {
	switch x := in.SSA.(type) {
	case *ssa.BinOp:
		return c.expressBinop(in, x, a[0], a[1])
	case *ssa.UnOp:
		return expressUnop(in, x.Op, a[0])
	case *ssa.ChangeType:
		return expressType(x, a[0])
	case *ssa.Convert:
		if in.Fused {
			return nil
		}
		return expressConvert(in, x, a[0])
	case *ssa.Extract:
		return a[0]
	case *ssa.FieldAddr:
		if in.Offsets == nil || in.Fused {
			return nil
		}
		return goval.Single(goval.Plus(a[0].Word(0), expr.Word(uint64(in.Offsets[in.Index]))))
	case *ssa.Field:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return nil
		}
		return a[0].Part(in.Offsets[in.Index], in.Size)
	case *ssa.IndexAddr:
		if in.Elem < 0 {
			return nil
		}
		return goval.Single(goval.Plus(a[0].Word(0), goval.Times(goval.ToInt(in.Kind2, a[1].Word(0)), in.Elem)))
	case *ssa.Index:
		return c.expressElement(in, a[0], a[1])
	case *ssa.Slice:
		return c.expressSlice(in, x, a)
	case *ssa.SliceToArrayPointer:
		return goval.Single(a[0].Word(0))
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return c.expressBuiltin(in, b.Name(), a[1:])
		}
	}
	return nil
}

func (c *Code) expressBinop(in *Instr, x *ssa.BinOp, a, b *goval.Term) *goval.Term {
	switch op := x.Op; {
	case op == token.SHL || op == token.SHR:
		if !goval.Kinds[in.Kind].IsInteger() || !goval.Kinds[in.Kind2].IsInteger() {
			return nil
		}
		return goval.Single(expr.Binary(goval.Operators[op], goval.Kinds[in.Kind], goval.Kinds[in.Kind2], a.Word(0), b.Word(0)))
	case op != token.EQL && op != token.NEQ:
		return c.expressArithmetic(op, in.Kind, a, b)
	case in.vague && !goval.IsNil(a.Word(0)) && !goval.IsNil(b.Word(0)):
		return nil
	}
	e := c.expressEqual(in.Type, a, b)
	if e == nil && !types.Identical(x.X.Type(), x.Y.Type()) {
		e = c.expressEqual(x.Y.Type(), a, b)
	}
	if x.Op == token.NEQ {
		e = expr.Unary(expr.Not, expr.Bool, e)
	}
	return goval.Single(e)
}

// expressArithmetic is a binary operator other than shifts, == and !=.
func (c *Code) expressArithmetic(op token.Token, k types.BasicKind, a, b *goval.Term) *goval.Term {
	o := goval.Operators[op]
	switch k {
	case types.String:
		if a == nil || b == nil {
			return nil
		}
		if op == token.ADD {
			return &goval.Term{Words: []*expr.Expr{nil, goval.Plus(a.Word(1), b.Word(1))}, Text: expr.Binary(o, expr.String, 0, goval.StringTerm(c.Texts, a), goval.StringTerm(c.Texts, b))}
		}
		return goval.Single(expr.Binary(o, expr.String, 0, goval.StringTerm(c.Texts, a), goval.StringTerm(c.Texts, b)))
	case types.Complex64, types.Complex128:
		return goval.ComplexArithmetic(op, k, a, b)
	}
	if o == 0 || goval.Kinds[k] == 0 || goval.Kinds[k] == expr.Bool {
		return nil
	}
	return goval.Single(expr.Binary(o, goval.Kinds[k], 0, a.Word(0), b.Word(0)))
}

// maxElements bounds the elements of an array that an expression compares or chooses from.
const maxElements = 16

// expressEqual is x == y for operands of type t.
func (c *Code) expressEqual(t types.Type, x, y *goval.Term) *expr.Expr {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || x == nil || y == nil {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return c.equalBasic(goval.KindOf(u), x, y)
	case *types.Pointer:
		if plan.MaybeEmpty(u.Elem()) && !goval.IsNil(x.Word(0)) && !goval.IsNil(y.Word(0)) {
			return nil // not determined by the language
		}
		return goval.Equal(x.Word(0), y.Word(0))
	case *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return goval.Equal(x.Word(0), y.Word(0)) // all but channels: with nil
	case *types.Interface:
		return equalInterface(x, y)
	case *types.Struct:
		return c.expressFields(u, x, y)
	case *types.Array:
		return c.expressElements(u, x, y)
	}
	return nil
}

func (c *Code) equalBasic(k types.BasicKind, x, y *goval.Term) *expr.Expr {
	switch k {
	case types.String:
		return c.equalText(x, y)
	case types.Complex64, types.Complex128:
		return goval.EqualComplex(k, x, y)
	}
	if goval.Kinds[k] == 0 {
		return nil
	}
	return expr.Binary(expr.Eql, goval.Kinds[k], 0, x.Word(0), y.Word(0))
}

// equalText compares strings by length, pointer and content, as far as these are known.
func (c *Code) equalText(x, y *goval.Term) *expr.Expr {
	var same *expr.Expr
	if a, b := goval.StringTerm(c.Texts, x), goval.StringTerm(c.Texts, y); a != nil && b != nil {
		if same = expr.Binary(expr.Eql, expr.String, 0, a, b); same.IsConst() {
			return same
		}
	} else {
		same = expr.Choose(goval.Equal(x.Word(1), expr.Word(0)), expr.Truth(true), goval.UnknownBool())
	}
	if p := goval.Equal(x.Word(0), y.Word(0)); p != nil {
		same = expr.Choose(p, expr.Truth(true), same)
	}
	return expr.Choose(goval.Equal(x.Word(1), y.Word(1)), same, expr.Truth(false))
}

// equalInterface compares interfaces. The result is known if their types differ or one is nil. Else
// it is not: the data word may be the value or a pointer to it, and the comparison may panic.
func equalInterface(x, y *goval.Term) *expr.Expr {
	a, b := x.Word(0), y.Word(0)
	switch {
	case goval.IsNil(b) && x != nil && x.Type != nil, goval.IsNil(a) && y != nil && y.Type != nil:
		return expr.Truth(false)
	case goval.IsNil(b) && x.Null != nil:
		return x.Null
	case goval.IsNil(a) && y.Null != nil:
		return y.Null
	case goval.IsNil(a) || goval.IsNil(b):
		return goval.Equal(a, b)
	}
	same := expr.Choose(goval.Equal(a, expr.Word(0)), expr.Truth(true), goval.UnknownBool())
	return expr.Choose(goval.Equal(a, b), same, expr.Truth(false))
}

func (c *Code) expressFields(s *types.Struct, x, y *goval.Term) *expr.Expr {
	if plan.Open(s) {
		return nil
	}
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	all := expr.Truth(true)
	for i, off := range c.Sizes.Offsetsof(vars) {
		if vars[i].Name() != "_" {
			n := c.Sizes.Sizeof(vars[i].Type())
			all = goval.And(all, c.expressEqual(vars[i].Type(), x.Part(off, n), y.Part(off, n)))
		}
	}
	return all
}

func (c *Code) expressElements(u *types.Array, x, y *goval.Term) *expr.Expr {
	if plan.Open(u) || u.Len() > maxElements {
		return nil
	}
	all := expr.Truth(true)
	n := c.Sizes.Sizeof(u.Elem())
	for i := range u.Len() {
		all = goval.And(all, c.expressEqual(u.Elem(), x.Part(i*n, n), y.Part(i*n, n)))
	}
	return all
}

func expressUnop(in *Instr, op token.Token, a *goval.Term) *goval.Term {
	k := goval.Kinds[in.Kind]
	switch {
	case op == token.SUB && (in.Kind == types.Complex64 || in.Kind == types.Complex128):
		return goval.NegativeComplex(in.Kind, a)
	case op == token.SUB && (k.IsInteger() || k.IsFloat()):
		return goval.Single(expr.Unary(expr.Neg, k, a.Word(0)))
	case op == token.NOT:
		return goval.Single(expr.Unary(expr.Not, expr.Bool, a.Word(0)))
	case op == token.XOR && k.IsInteger():
		return goval.Single(expr.Unary(expr.Com, k, a.Word(0)))
	}
	return nil
}

// expressType is changeType.
func expressType(x *ssa.ChangeType, a *goval.Term) *goval.Term {
	i, ok := x.Type().Underlying().(*types.Interface)
	switch {
	case ok && !goval.IsInterface(x.X.Type()):
		return nil
	case !ok || i.NumMethods() == 0 || a == nil || goval.IsNil(a.Word(0)):
		return a
	}
	return a.Without(0)
}

func expressConvert(in *Instr, x *ssa.Convert, a *goval.Term) *goval.Term {
	from, to := in.Kind, in.Kind2
	switch {
	case a == nil:
		return nil
	case from != types.Invalid && from == to || IsWord(x.X.Type()) && IsWord(x.Type()):
		return a
	case from == types.Complex64 && to == types.Complex128 || from == types.Complex128 && to == types.Complex64:
		return goval.ComplexOf(to, goval.ComplexHalves(from, a))
	case goval.Kinds[from].IsInteger() && to == types.String:
		s := expr.ConvertTo(expr.String, goval.Kinds[from], a.Word(0))
		return &goval.Term{Words: []*expr.Expr{nil, expr.Length(s)}, Text: s}
	case goval.Kinds[from] > expr.Bool && goval.Kinds[to] > expr.Bool:
		return goval.Single(expr.ConvertTo(goval.Kinds[to], goval.Kinds[from], a.Word(0)))
	}
	return nil
}

// expressElement is x[i] for an array or a string x.
func (c *Code) expressElement(in *Instr, x, i *goval.Term) *goval.Term {
	at := goval.ToInt(in.Kind2, i.Word(0))
	if in.Kind == types.String {
		if x == nil {
			return nil
		}
		return goval.Single(expr.ByteAt(goval.StringTerm(c.Texts, x), at))
	}
	u, ok := plan.Core(in.Type).(*types.Array)
	if !ok || in.Elem < 0 || in.Size < 0 || x == nil || at == nil {
		return nil
	}
	if n, _ := at.Recorded(); at.IsConst() {
		return x.Part(int64(n)*in.Elem, in.Elem)
	}
	if u.Len() > maxElements || in.Elem > 8 {
		return nil
	}
	e := goval.UnknownBool()
	for n := u.Len() - 1; n >= 0; n-- {
		e = expr.Choose(goval.Equal(at, expr.Word(uint64(n))), x.Part(n*in.Elem, in.Elem).Word(0), e)
	}
	return goval.Single(e)
}

// expressSlice is x[lo:hi:max].
func (c *Code) expressSlice(in *Instr, s *ssa.Slice, a []*goval.Term) *goval.Term {
	if a[0] == nil {
		return nil
	}
	ptr, hi, limit := a[0].Word(0), a[0].Word(1), a[0].Word(2)
	if array, ok := plan.Core(Pointee(in.Type)).(*types.Array); ok {
		hi = expr.Word(uint64(array.Len()))
		limit = hi
	}
	lo := expr.Word(0)
	if s.Low != nil {
		lo = goval.ToInt(goval.KindOf(s.Low.Type()), a[1].Word(0))
	}
	if s.High != nil {
		hi = goval.ToInt(goval.KindOf(s.High.Type()), a[2].Word(0))
	}
	if s.Max != nil {
		limit = goval.ToInt(goval.KindOf(s.Max.Type()), a[3].Word(0))
	}
	if in.Kind == types.String {
		limit = hi
	}
	length, capacity := goval.Minus(hi, lo), goval.Minus(limit, lo)
	switch {
	case goval.IsNil(lo):
	case in.Elem >= 0: // if the capacity is zero, the pointer is that of the operand
		ptr = expr.Choose(goval.Equal(capacity, expr.Word(0)), ptr, goval.Plus(ptr, goval.Times(lo, in.Elem)))
	default:
		ptr = nil
	}
	if in.Kind == types.String {
		return &goval.Term{Words: []*expr.Expr{ptr, length}, Text: expr.Slice(goval.StringTerm(c.Texts, a[0]), lo, hi)}
	}
	return &goval.Term{Words: []*expr.Expr{ptr, length, capacity}}
}

// expressBuiltin is a call of a builtin function that has no effect.
func (c *Code) expressBuiltin(in *Instr, name string, a []*goval.Term) *goval.Term {
	switch name {
	case "len", "cap":
		switch u := plan.Core(Pointee(in.Type)).(type) {
		case *types.Array:
			return goval.Single(expr.Word(uint64(u.Len())))
		case *types.Slice, *types.Basic:
			if name == "cap" {
				return goval.Single(a[0].Word(2))
			}
			return goval.Single(a[0].Word(1))
		}
	case "min", "max":
		op := expr.Min
		if name == "max" {
			op = expr.Max
		}
		switch {
		case in.Kind == types.String:
			return c.expressExtreme(op, a)
		case goval.Kinds[in.Kind] <= expr.Bool:
			return nil
		}
		e := a[0].Word(0)
		for _, x := range a[1:] {
			e = expr.Binary(op, goval.Kinds[in.Kind], 0, e, x.Word(0))
		}
		return goval.Single(e)
	case "real", "imag":
		if n := in.Size; n != 4 && n != 8 {
			return nil
		} else if name == "imag" {
			return a[0].Part(n, n)
		}
		return a[0].Part(0, in.Size)
	case "complex":
		switch in.Size {
		case 8:
			return goval.Single(expr.Concat(a[0].Word(0), 4, a[1].Word(0)))
		case 16:
			return &goval.Term{Words: []*expr.Expr{a[0].Word(0), a[1].Word(0)}}
		}
	case "append": // the length; where the elements are is not known
		if !in.Appends {
			return nil
		}
		return &goval.Term{Words: []*expr.Expr{nil, goval.Plus(a[0].Word(1), a[1].Word(1)), nil}}
	case "Add":
		return goval.Single(goval.Plus(a[0].Word(0), goval.ToInt(goval.KindOf(in.SSA.(*ssa.Call).Call.Args[1].Type()), a[1].Word(0))))
	case "ssa:wrapnilchk":
		return a[0]
	case "StringData", "SliceData":
		return goval.Single(a[0].Word(0))
	}
	return nil
}
