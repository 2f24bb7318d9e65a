package walk

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/source/plan"
)

// This file is eval.go over expressions: what an instruction computes from its operands' terms. Where eval goes by the value
// of an operand, the expression has an Ite.

// kinds are the basic kinds of words, after kindOf.
var kinds = map[types.BasicKind]expr.Kind{
	types.Bool: expr.Bool, types.Int8: expr.Int8, types.Int16: expr.Int16, types.Int32: expr.Int32, types.Int64: expr.Int64,
	types.Uint8: expr.Uint8, types.Uint16: expr.Uint16, types.Uint32: expr.Uint32, types.Uint64: expr.Uint64,
	types.UnsafePointer: expr.Uint64, types.Float32: expr.Float32, types.Float64: expr.Float64,
}

var operators = map[token.Token]expr.Op{
	token.ADD: expr.Add, token.SUB: expr.Sub, token.MUL: expr.Mul, token.QUO: expr.Quo, token.REM: expr.Rem,
	token.AND: expr.And, token.OR: expr.Or, token.XOR: expr.Xor, token.AND_NOT: expr.AndNot, token.SHL: expr.Shl, token.SHR: expr.Shr,
	token.EQL: expr.Eql, token.NEQ: expr.Neq, token.LSS: expr.Lss, token.LEQ: expr.Leq, token.GTR: expr.Gtr, token.GEQ: expr.Geq,
}

// express returns the term of an instruction's result, nil if it has none. A word that it has is a function of the
// operands alone, an operand that is nil is not known.
func (c *code) express(in *instr, a []*term) *term {
	switch x := in.in.(type) {
	case *ssa.BinOp:
		return c.expressBinop(in, x, a[0], a[1])
	case *ssa.UnOp:
		return expressUnop(in, x.Op, a[0])
	case *ssa.ChangeType:
		return expressType(x, a[0])
	case *ssa.Convert:
		return expressConvert(in, x, a[0])
	case *ssa.Extract:
		return a[0]
	case *ssa.FieldAddr:
		if in.off == nil || in.fused {
			return nil
		}
		return single(plus(a[0].word(0), expr.Word(uint64(in.off[in.index]))))
	case *ssa.Field:
		if in.off == nil || in.size < 0 || in.fused {
			return nil
		}
		return a[0].part(in.off[in.index], in.size)
	case *ssa.IndexAddr:
		if in.elem < 0 {
			return nil
		}
		return single(plus(a[0].word(0), times(widened(in.kind2, a[1].word(0)), in.elem)))
	case *ssa.Index:
		return c.expressElement(in, a[0], a[1])
	case *ssa.Slice:
		return c.expressSlice(in, x, a)
	case *ssa.SliceToArrayPointer:
		return single(a[0].word(0))
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return c.expressBuiltin(in, b.Name(), a[1:])
		}
	}
	return nil
}

func plus(x, y *expr.Expr) *expr.Expr  { return expr.Binary(expr.Add, expr.Uint64, 0, x, y) }
func minus(x, y *expr.Expr) *expr.Expr { return expr.Binary(expr.Sub, expr.Uint64, 0, x, y) }
func equals(x, y *expr.Expr) *expr.Expr {
	return expr.Binary(expr.Eql, expr.Uint64, 0, x, y)
}

func times(x *expr.Expr, n int64) *expr.Expr {
	if n == 1 {
		return x
	}
	return expr.Binary(expr.Mul, expr.Uint64, 0, x, expr.Word(uint64(n)))
}

// widened is an integer as an int.
func widened(k types.BasicKind, x *expr.Expr) *expr.Expr {
	if kinds[k] == 0 {
		return nil
	}
	return expr.ConvertTo(expr.Int64, kinds[k], x)
}

// unknown is a bool that nothing tells.
func unknown() *expr.Expr { return expr.Apply("unknown", expr.Bool) }

func (c *code) expressBinop(in *instr, x *ssa.BinOp, a, b *term) *term {
	switch op := x.Op; {
	case op == token.SHL || op == token.SHR:
		if !kinds[in.kind].IsInteger() || !kinds[in.kind2].IsInteger() {
			return nil
		}
		return single(expr.Binary(operators[op], kinds[in.kind], kinds[in.kind2], a.word(0), b.word(0)))
	case op != token.EQL && op != token.NEQ:
		return c.expressArithmetic(op, in.kind, a, b)
	case in.vague && !isNil(a.word(0)) && !isNil(b.word(0)):
		return nil
	}
	e := c.expressEqual(in.typ, a, b)
	if e == nil && !types.Identical(x.X.Type(), x.Y.Type()) {
		e = c.expressEqual(x.Y.Type(), a, b)
	}
	if x.Op == token.NEQ {
		e = expr.Unary(expr.Not, expr.Bool, e)
	}
	return single(e)
}

// expressArithmetic is a binary operator but shifts, == and !=.
func (c *code) expressArithmetic(op token.Token, k types.BasicKind, a, b *term) *term {
	o := operators[op]
	switch k {
	case types.String:
		if a == nil || b == nil {
			return nil
		}
		if op == token.ADD {
			return &term{words: []*expr.Expr{nil, plus(a.word(1), b.word(1))}, text: expr.Binary(o, expr.String, 0, content(c.texts, a), content(c.texts, b))}
		}
		return single(expr.Binary(o, expr.String, 0, content(c.texts, a), content(c.texts, b)))
	case types.Complex64, types.Complex128:
		return arithmetic(op, k, a, b)
	}
	if o == 0 || kinds[k] == 0 || kinds[k] == expr.Bool {
		return nil
	}
	return single(expr.Binary(o, kinds[k], 0, a.word(0), b.word(0)))
}

// maxElements is how many elements of an array are compared or chosen from in an expression.
const maxElements = 16

// expressEqual is x == y for operands of type t.
func (c *code) expressEqual(t types.Type, x, y *term) *expr.Expr {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || x == nil || y == nil {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return c.equalBasic(kindOf(u), x, y)
	case *types.Pointer:
		if plan.MaybeEmpty(u.Elem()) && !isNil(x.word(0)) && !isNil(y.word(0)) {
			return nil // the spec leaves it open
		}
		return equals(x.word(0), y.word(0))
	case *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return equals(x.word(0), y.word(0)) // all but channels: with nil
	case *types.Interface:
		return equalInterface(x, y)
	case *types.Struct:
		return c.expressFields(u, x, y)
	case *types.Array:
		return c.expressElements(u, x, y)
	}
	return nil
}

func isNil(e *expr.Expr) bool {
	if e == nil || !e.IsConst() {
		return false
	}
	v, _ := e.Recorded()
	return v == 0
}

func (c *code) equalBasic(k types.BasicKind, x, y *term) *expr.Expr {
	switch k {
	case types.String:
		return c.equalText(x, y)
	case types.Complex64, types.Complex128:
		return equalComplex(k, x, y)
	}
	if kinds[k] == 0 {
		return nil
	}
	return expr.Binary(expr.Eql, kinds[k], 0, x.word(0), y.word(0))
}

// equalText compares strings by length, pointer and content, as far as these are known.
func (c *code) equalText(x, y *term) *expr.Expr {
	var same *expr.Expr
	if a, b := content(c.texts, x), content(c.texts, y); a != nil && b != nil {
		if same = expr.Binary(expr.Eql, expr.String, 0, a, b); same.IsConst() {
			return same
		}
	} else {
		same = expr.Choose(equals(x.word(1), expr.Word(0)), expr.Truth(true), unknown())
	}
	if p := equals(x.word(0), y.word(0)); p != nil {
		same = expr.Choose(p, expr.Truth(true), same)
	}
	return expr.Choose(equals(x.word(1), y.word(1)), same, expr.Truth(false))
}

// equalInterface compares interfaces: of different types, or nil. Whether the data word is the value or points to it
// is not known, nor whether the comparison panics.
func equalInterface(x, y *term) *expr.Expr {
	a, b := x.word(0), y.word(0)
	switch {
	case isNil(b) && x != nil && x.typ != nil, isNil(a) && y != nil && y.typ != nil:
		return expr.Truth(false)
	case isNil(b) && x.null != nil:
		return x.null
	case isNil(a) && y.null != nil:
		return y.null
	case isNil(a) || isNil(b):
		return equals(a, b)
	}
	same := expr.Choose(equals(a, expr.Word(0)), expr.Truth(true), unknown())
	return expr.Choose(equals(a, b), same, expr.Truth(false))
}

func (c *code) expressFields(s *types.Struct, x, y *term) *expr.Expr {
	if plan.Open(s) {
		return nil
	}
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	all := expr.Truth(true)
	for i, off := range c.sizes.Offsetsof(vars) {
		if vars[i].Name() != "_" {
			n := c.sizes.Sizeof(vars[i].Type())
			all = both(all, c.expressEqual(vars[i].Type(), x.part(off, n), y.part(off, n)))
		}
	}
	return all
}

func (c *code) expressElements(u *types.Array, x, y *term) *expr.Expr {
	if plan.Open(u) || u.Len() > maxElements {
		return nil
	}
	all := expr.Truth(true)
	n := c.sizes.Sizeof(u.Elem())
	for i := range u.Len() {
		all = both(all, c.expressEqual(u.Elem(), x.part(i*n, n), y.part(i*n, n)))
	}
	return all
}

// both is x && y. Where x is false, y need not have a value.
func both(x, y *expr.Expr) *expr.Expr {
	if y == nil {
		return nil
	}
	return expr.Choose(x, y, expr.Truth(false))
}

func expressUnop(in *instr, op token.Token, a *term) *term {
	k := kinds[in.kind]
	switch {
	case op == token.SUB && (in.kind == types.Complex64 || in.kind == types.Complex128):
		return negative(in.kind, a)
	case op == token.SUB && (k.IsInteger() || k.IsFloat()):
		return single(expr.Unary(expr.Neg, k, a.word(0)))
	case op == token.NOT:
		return single(expr.Unary(expr.Not, expr.Bool, a.word(0)))
	case op == token.XOR && k.IsInteger():
		return single(expr.Unary(expr.Com, k, a.word(0)))
	}
	return nil
}

// expressType is changeType.
func expressType(x *ssa.ChangeType, a *term) *term {
	i, ok := x.Type().Underlying().(*types.Interface)
	switch {
	case ok && !isInterface(x.X.Type()):
		return nil
	case !ok || i.NumMethods() == 0 || a == nil || isNil(a.word(0)):
		return a
	}
	return a.without(0)
}

func expressConvert(in *instr, x *ssa.Convert, a *term) *term {
	from, to := in.kind, in.kind2
	switch {
	case a == nil:
		return nil
	case from != types.Invalid && from == to || isWord(x.X.Type()) && isWord(x.Type()):
		return a
	case from == types.Complex64 && to == types.Complex128 || from == types.Complex128 && to == types.Complex64:
		return pair(to, halves(from, a))
	case kinds[from].IsInteger() && to == types.String:
		s := expr.ConvertTo(expr.String, kinds[from], a.word(0))
		return &term{words: []*expr.Expr{nil, expr.Length(s)}, text: s}
	case kinds[from] > expr.Bool && kinds[to] > expr.Bool:
		return single(expr.ConvertTo(kinds[to], kinds[from], a.word(0)))
	}
	return nil
}

// expressElement is x[i] for an array or a string x.
func (c *code) expressElement(in *instr, x, i *term) *term {
	at := widened(in.kind2, i.word(0))
	if in.kind == types.String {
		if x == nil {
			return nil
		}
		return single(expr.ByteAt(content(c.texts, x), at))
	}
	u, ok := plan.Core(in.typ).(*types.Array)
	if !ok || in.elem < 0 || in.size < 0 || x == nil || at == nil {
		return nil
	}
	if n, _ := at.Recorded(); at.IsConst() {
		return x.part(int64(n)*in.elem, in.elem)
	}
	if u.Len() > maxElements || in.elem > 8 {
		return nil
	}
	e := unknown()
	for n := u.Len() - 1; n >= 0; n-- {
		e = expr.Choose(equals(at, expr.Word(uint64(n))), x.part(n*in.elem, in.elem).word(0), e)
	}
	return single(e)
}

// expressSlice is x[lo:hi:max].
func (c *code) expressSlice(in *instr, s *ssa.Slice, a []*term) *term {
	if a[0] == nil {
		return nil
	}
	ptr, hi, limit := a[0].word(0), a[0].word(1), a[0].word(2)
	if array, ok := plan.Core(pointee(in.typ)).(*types.Array); ok {
		hi = expr.Word(uint64(array.Len()))
		limit = hi
	}
	lo := expr.Word(0)
	if s.Low != nil {
		lo = widened(kindOf(s.Low.Type()), a[1].word(0))
	}
	if s.High != nil {
		hi = widened(kindOf(s.High.Type()), a[2].word(0))
	}
	if s.Max != nil {
		limit = widened(kindOf(s.Max.Type()), a[3].word(0))
	}
	if in.kind == types.String {
		limit = hi
	}
	length, capacity := minus(hi, lo), minus(limit, lo)
	switch {
	case isNil(lo):
	case in.elem >= 0: // where nothing is left, the pointer stays
		ptr = expr.Choose(equals(capacity, expr.Word(0)), ptr, plus(ptr, times(lo, in.elem)))
	default:
		ptr = nil
	}
	if in.kind == types.String {
		return &term{words: []*expr.Expr{ptr, length}, text: expr.Slice(content(c.texts, a[0]), lo, hi)}
	}
	return &term{words: []*expr.Expr{ptr, length, capacity}}
}

// expressBuiltin is a call of a builtin function that has no effect.
func (c *code) expressBuiltin(in *instr, name string, a []*term) *term {
	switch name {
	case "len", "cap":
		switch u := plan.Core(pointee(in.typ)).(type) {
		case *types.Array:
			return single(expr.Word(uint64(u.Len())))
		case *types.Slice, *types.Basic:
			if name == "cap" {
				return single(a[0].word(2))
			}
			return single(a[0].word(1))
		}
	case "min", "max":
		op := expr.Min
		if name == "max" {
			op = expr.Max
		}
		switch {
		case in.kind == types.String:
			return c.expressExtreme(op, a)
		case kinds[in.kind] <= expr.Bool:
			return nil
		}
		e := a[0].word(0)
		for _, x := range a[1:] {
			e = expr.Binary(op, kinds[in.kind], 0, e, x.word(0))
		}
		return single(e)
	case "real", "imag":
		if n := in.size; n != 4 && n != 8 {
			return nil
		} else if name == "imag" {
			return a[0].part(n, n)
		}
		return a[0].part(0, in.size)
	case "complex":
		switch in.size {
		case 8:
			return single(expr.Concat(a[0].word(0), 4, a[1].word(0)))
		case 16:
			return &term{words: []*expr.Expr{a[0].word(0), a[1].word(0)}}
		}
	case "append": // more elements, wherever they are
		if !in.appends {
			return nil
		}
		return &term{words: []*expr.Expr{nil, plus(a[0].word(1), a[1].word(1)), nil}}
	case "Add":
		return single(plus(a[0].word(0), widened(kindOf(in.in.(*ssa.Call).Call.Args[1].Type()), a[1].word(0))))
	case "ssa:wrapnilchk":
		return a[0]
	case "StringData", "SliceData":
		return single(a[0].word(0))
	}
	return nil
}
