package instrument

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// value writes an operand.
func (b *body) value(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		return b.constant(v)
	case *ssa.Global:
		return "(&" + b.global(v) + ")"
	case *ssa.Function:
		return b.function(v)
	case *ssa.Builtin:
		refuse("builtin as a value")
	}
	if b.inlined[v] {
		return "(" + b.expression(v) + ")"
	}
	if in, ok := v.(ssa.Instruction); ok && b.fused(in) {
		return b.selector(v)
	}
	name, ok := b.names[v]
	if !ok {
		refuse(fmt.Sprintf("operand of kind %T", v))
	}
	return name
}

func (b *body) global(g *ssa.Global) string {
	if g.Pkg.Pkg.Path() == b.pkg.Types.Path() {
		b.uses[g.Name()] = true
		return g.Name()
	}
	if g.Object() == nil || !g.Object().Exported() {
		refuse("unexported variable of another package")
	}
	return b.importName(g.Pkg.Pkg) + "." + g.Name()
}

// selector writes v where a field or method is selected from it. A fused instruction is
// replaced by its own operand: Go's selectors pass through embedded fields by themselves.
func (b *body) selector(v ssa.Value) string {
	if in, ok := v.(ssa.Instruction); ok && b.fused(in) {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			b.mustEmbed(x.X.Type(), x.Field)
			return b.selector(x.X)
		case *ssa.Field:
			b.mustEmbed(x.X.Type(), x.Field)
			return b.selector(x.X)
		case *ssa.UnOp:
			if fa, ok := x.X.(*ssa.FieldAddr); ok {
				return b.selector(fa)
			}
			return b.global(x.X.(*ssa.Global))
		}
	}
	if b.plan.Local(v) {
		return b.path(v)
	}
	if _, ok := v.(*ssa.Const); ok {
		return b.hidden(v)
	}
	return b.value(v)
}

func (b *body) mustEmbed(t types.Type, field int) {
	if !plan.StructOf(t).Field(field).Embedded() {
		refuse("unexported field of another package")
	}
}

func (b *body) fieldName(t types.Type, field int) string {
	s := plan.StructOf(t)
	if s == nil {
		refuse("field of a type parameter")
	}
	if s.Field(field).Name() == "_" {
		refuse("blank field")
	}
	return s.Field(field).Name()
}

// path writes the variable, field or element that a local address stands for.
func (b *body) path(addr ssa.Value) string {
	switch x := addr.(type) {
	case *ssa.FreeVar:
		return b.names[x]
	case *ssa.Alloc:
		if r, ok := b.results[x]; ok {
			return r
		}
		return b.names[x]
	case *ssa.FieldAddr:
		if plan.ForeignField(b.pkg, x.X.Type(), x.Field) {
			b.mustEmbed(x.X.Type(), x.Field)
			return b.path(x.X)
		}
		return b.path(x.X) + "." + b.fieldName(x.X.Type(), x.Field)
	case *ssa.IndexAddr:
		return b.path(x.X) + "[" + b.index(x.X.Type(), x.Index) + "]"
	}
	panic("instrument: no path for " + addr.String())
}

// indexed writes what an element has its address in: a slice, or a pointer to an array. One to a
// type parameter has to be dereferenced.
func (b *body) indexed(x ssa.Value) string {
	whole(x)
	if p, ok := plan.Core(x.Type()).(*types.Pointer); ok {
		if _, ok := types.Unalias(p.Elem()).(*types.TypeParam); ok {
			return "(*" + b.hidden(x) + ")"
		}
	}
	return b.hidden(x)
}

// whole refuses to index what is an array for some type arguments and a slice for others.
func whole(x ssa.Value) {
	if plan.Mixed(x.Type()) {
		refuse("index of a type parameter that stands for arrays or strings and for other types")
	}
}

// index writes an index. A constant one is hidden where the compiler would check it.
func (b *body) index(t types.Type, i ssa.Value) string {
	c, ok := i.(*ssa.Const)
	if !ok {
		return b.value(i)
	}
	if c.Value != nil && c.Int64() >= 0 {
		switch t := plan.Core(t).(type) {
		case *types.Slice:
			return b.value(i)
		case *types.Array:
			if c.Int64() < t.Len() {
				return b.value(i)
			}
		case *types.Pointer:
			if a, ok := plan.Core(t.Elem()).(*types.Array); ok && c.Int64() < a.Len() {
				return b.value(i)
			}
		}
	}
	return b.hidden(i)
}

// binary writes an operation. Two constant operands are hidden, and so is what makes a constant
// expression illegal; a comparison with nil has the word nil, because slices, maps and funcs have
// no other.
func (b *body) binary(in *ssa.BinOp) string {
	x, y := in.X, in.Y
	_, cx := x.(*ssa.Const)
	cyc, cy := y.(*ssa.Const)
	if in.Op == token.EQL || in.Op == token.NEQ {
		if isNil(y) && nilable(x.Type()) && !untyped(x) {
			return b.hidden(x) + " " + in.Op.String() + " nil"
		}
		if isNil(x) && nilable(y.Type()) && !untyped(y) {
			return "nil " + in.Op.String() + " " + b.hidden(y)
		}
	}
	switch {
	case cx && cy:
		return b.hidden(x) + " " + in.Op.String() + " " + b.hidden(y)
	case cy && cyc.Value != nil && (in.Op == token.QUO || in.Op == token.REM || in.Op == token.SHL || in.Op == token.SHR):
		return b.value(x) + " " + in.Op.String() + " " + b.hidden(y)
	case cx && (in.Op == token.SHL || in.Op == token.SHR):
		return b.hidden(x) + " " + in.Op.String() + " " + b.value(y)
	}
	return b.value(x) + " " + in.Op.String() + " " + b.value(y)
}

func untyped(v ssa.Value) bool {
	b, ok := v.Type().(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// sliceExpr writes x[low:high:max], constant bounds hidden.
func (b *body) sliceExpr(in *ssa.Slice) string {
	var s strings.Builder
	s.WriteString(b.hidden(in.X) + "[")
	if in.Low != nil {
		s.WriteString(b.hidden(in.Low))
	}
	s.WriteString(":")
	if in.High != nil {
		s.WriteString(b.hidden(in.High))
	}
	if in.Max != nil {
		s.WriteString(":" + b.hidden(in.Max))
	}
	return s.String() + "]"
}

// checkMake has make([]T, n, m) of a constant m, which SSA has as new([m]T)[:n], panic as make
// does.
func (b *body) checkMake(in *ssa.Slice) {
	a, ok := in.X.(*ssa.Alloc)
	if !ok || a.Comment != "makeslice" || in.High == nil {
		return
	}
	array := a.Type().Underlying().(*types.Pointer).Elem().(*types.Array)
	if c, ok := in.High.(*ssa.Const); ok && 0 <= c.Int64() && c.Int64() <= array.Len() {
		return
	}
	n := b.hidden(in.High)
	b.out.putf("if uint64(%s) > %d { _ = make([]%s, %[1]s, %[2]d) }", n, array.Len(), b.typ(array.Elem()))
}

// expression writes the operation of an instruction that is a pure function of its operands.
func (b *body) expression(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.BinOp:
		return b.binary(v)
	case *ssa.UnOp:
		return v.Op.String() + b.hidden(v.X)
	case *ssa.Convert:
		return b.conv(v.Type()) + "(" + b.hidden(v.X) + ")"
	case *ssa.MultiConvert:
		return b.conv(v.Type()) + "(" + b.hidden(v.X) + ")"
	case *ssa.ChangeType:
		return b.conv(v.Type()) + "(" + b.value(v.X) + ")"
	case *ssa.ChangeInterface:
		return b.conv(v.Type()) + "(" + b.value(v.X) + ")"
	case *ssa.MakeInterface:
		return b.conv(v.Type()) + "(" + b.value(v.X) + ")"
	case *ssa.SliceToArrayPointer:
		return b.conv(v.Type()) + "(" + b.hidden(v.X) + ")"
	case *ssa.Slice:
		return b.sliceExpr(v)
	case *ssa.FieldAddr:
		return "&" + b.selector(v.X) + "." + b.fieldName(v.X.Type(), v.Field)
	case *ssa.Field:
		return b.selector(v.X) + "." + b.fieldName(v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return "&" + b.indexed(v.X) + "[" + b.index(v.X.Type(), v.Index) + "]"
	case *ssa.Index:
		whole(v.X)
		return b.hidden(v.X) + "[" + b.index(v.X.Type(), v.Index) + "]"
	case *ssa.Extract:
		return b.component(v.Tuple, v.Index)
	}
	refuse(fmt.Sprintf("expression of kind %T", v))
	return ""
}
