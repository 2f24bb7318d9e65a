package instrument

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// expressions writes values of the SSA as Go expressions over the variables of the emitted
// function.
type expressions struct {
	unit    *unitEmitter
	plan    *plan.Func
	regs    *registers
	literal func(*ssa.Function) string // writes a function literal without free variables
	out     *lines                     // for the source line of a literal that is called
}

// value writes an operand.
func (ex *expressions) value(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		return ex.constant(v)
	case *ssa.Global:
		return "(&" + ex.global(v) + ")"
	case *ssa.Function:
		return ex.function(v)
	case *ssa.Builtin:
		refuse("builtin as a value")
	}
	if ex.regs.inlined[v] {
		return "(" + ex.expression(v) + ")"
	}
	if in, ok := v.(ssa.Instruction); ok && ex.fused(in) {
		return ex.selector(v)
	}
	name, ok := ex.regs.names[v]
	if !ok {
		refuse(fmt.Sprintf("operand of kind %T", v))
	}
	return name
}

func (ex *expressions) global(g *ssa.Global) string {
	if g.Pkg.Pkg.Path() == ex.unit.pkg.Types.Path() {
		ex.unit.uses[g.Name()] = true
		return g.Name()
	}
	if g.Object() == nil || !g.Object().Exported() {
		refuse("unexported variable of another package")
	}
	return ex.unit.importName(g.Pkg.Pkg) + "." + g.Name()
}

// selector writes v where a field or method is selected from it. A fused instruction is
// replaced by its own operand: Go's selectors pass through embedded fields by themselves.
func (ex *expressions) selector(v ssa.Value) string {
	if in, ok := v.(ssa.Instruction); ok && ex.fused(in) {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			ex.mustEmbed(x.X.Type(), x.Field)
			return ex.selector(x.X)
		case *ssa.Field:
			ex.mustEmbed(x.X.Type(), x.Field)
			return ex.selector(x.X)
		case *ssa.UnOp:
			if fa, ok := x.X.(*ssa.FieldAddr); ok {
				return ex.selector(fa)
			}
			return ex.global(x.X.(*ssa.Global))
		case *ssa.Convert: // (PL2)
			return ex.unit.conv(x.Type()) + "(&" + ex.path(x.X) + ")"
		}
	}
	if ex.plan.Local(v) {
		return ex.path(v)
	}
	if _, ok := v.(*ssa.Const); ok {
		return ex.hidden(v)
	}
	return ex.value(v)
}

func (ex *expressions) mustEmbed(t types.Type, field int) {
	if !plan.StructOf(t).Field(field).Embedded() {
		refuse("unexported field of another package")
	}
}

func (ex *expressions) fieldName(t types.Type, field int) string {
	s := plan.StructOf(t)
	if s == nil {
		refuse("field of a type parameter")
	}
	if s.Field(field).Name() == "_" {
		refuse("blank field")
	}
	return s.Field(field).Name()
}

// path writes the variable, field or element at a local address.
func (ex *expressions) path(addr ssa.Value) string {
	switch x := addr.(type) {
	case *ssa.FreeVar:
		return ex.regs.names[x]
	case *ssa.Alloc:
		if r, ok := ex.regs.results[x]; ok {
			return r
		}
		return ex.regs.names[x]
	case *ssa.FieldAddr:
		if plan.ForeignField(ex.unit.pkg, x.X.Type(), x.Field) {
			ex.mustEmbed(x.X.Type(), x.Field)
			return ex.path(x.X)
		}
		return ex.path(x.X) + "." + ex.fieldName(x.X.Type(), x.Field)
	case *ssa.IndexAddr:
		return ex.path(x.X) + "[" + ex.index(x.X.Type(), x.Index) + "]"
	}
	panic("instrument: no path for " + addr.String())
}

// indexed writes the operand of the index of an element address: a slice, or a pointer to an array.
// A pointer to a type parameter has to be dereferenced.
func (ex *expressions) indexed(x ssa.Value) string {
	whole(x)
	if p, ok := plan.Core(x.Type()).(*types.Pointer); ok {
		if _, ok := types.Unalias(p.Elem()).(*types.TypeParam); ok {
			return "(*" + ex.hidden(x) + ")"
		}
	}
	return ex.hidden(x)
}

// whole refuses to index a value that is an array for some type arguments and a slice for others.
func whole(x ssa.Value) {
	if plan.Mixed(x.Type()) {
		refuse("index of a type parameter that stands for arrays or strings and for other types")
	}
}

// index writes an index. A constant one is hidden where the compiler would check it.
func (ex *expressions) index(t types.Type, i ssa.Value) string {
	c, ok := i.(*ssa.Const)
	if !ok {
		return ex.value(i)
	}
	if c.Value != nil && c.Int64() >= 0 {
		switch t := plan.Core(t).(type) {
		case *types.Slice:
			return ex.value(i)
		case *types.Array:
			if c.Int64() < t.Len() {
				return ex.value(i)
			}
		case *types.Pointer:
			if a, ok := plan.Core(t.Elem()).(*types.Array); ok && c.Int64() < a.Len() {
				return ex.value(i)
			}
		}
	}
	return ex.hidden(i)
}

// binary writes an operation. Two constant operands are hidden, and so is an operand that would
// make a constant expression illegal. A comparison with nil uses the identifier nil, because
// slices, maps and funcs can be compared with nothing else.
func (ex *expressions) binary(in *ssa.BinOp) string {
	x, y := in.X, in.Y
	_, cx := x.(*ssa.Const)
	cyc, cy := y.(*ssa.Const)
	if in.Op == token.EQL || in.Op == token.NEQ {
		if isNil(y) && nilable(x.Type()) && !untyped(x) {
			return ex.hidden(x) + " " + in.Op.String() + " nil"
		}
		if isNil(x) && nilable(y.Type()) && !untyped(y) {
			return "nil " + in.Op.String() + " " + ex.hidden(y)
		}
	}
	switch {
	case cx && cy:
		return ex.hidden(x) + " " + in.Op.String() + " " + ex.hidden(y)
	case cy && cyc.Value != nil && (in.Op == token.QUO || in.Op == token.REM || in.Op == token.SHL || in.Op == token.SHR):
		return ex.value(x) + " " + in.Op.String() + " " + ex.hidden(y)
	case cx && (in.Op == token.SHL || in.Op == token.SHR):
		return ex.hidden(x) + " " + in.Op.String() + " " + ex.value(y)
	}
	return ex.value(x) + " " + in.Op.String() + " " + ex.value(y)
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
func (ex *expressions) sliceExpr(in *ssa.Slice) string {
	var s strings.Builder
	s.WriteString(ex.hidden(in.X) + "[")
	if in.Low != nil {
		s.WriteString(ex.hidden(in.Low))
	}
	s.WriteString(":")
	if in.High != nil {
		s.WriteString(ex.hidden(in.High))
	}
	if in.Max != nil {
		s.WriteString(":" + ex.hidden(in.Max))
	}
	return s.String() + "]"
}

// expression writes the operation of an instruction that is a pure function of its operands.
func (ex *expressions) expression(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.BinOp:
		return ex.binary(v)
	case *ssa.UnOp:
		return v.Op.String() + ex.hidden(v.X)
	case *ssa.Convert:
		return ex.unit.conv(v.Type()) + "(" + ex.hidden(v.X) + ")"
	case *ssa.MultiConvert:
		return ex.unit.conv(v.Type()) + "(" + ex.hidden(v.X) + ")"
	case *ssa.ChangeType:
		return ex.unit.conv(v.Type()) + "(" + ex.value(v.X) + ")"
	case *ssa.ChangeInterface:
		return ex.unit.conv(v.Type()) + "(" + ex.value(v.X) + ")"
	case *ssa.MakeInterface:
		return ex.unit.conv(v.Type()) + "(" + ex.value(v.X) + ")"
	case *ssa.SliceToArrayPointer:
		return ex.unit.conv(v.Type()) + "(" + ex.hidden(v.X) + ")"
	case *ssa.Slice:
		return ex.sliceExpr(v)
	case *ssa.FieldAddr:
		return "&" + ex.selector(v.X) + "." + ex.fieldName(v.X.Type(), v.Field)
	case *ssa.Field:
		return ex.selector(v.X) + "." + ex.fieldName(v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return "&" + ex.indexed(v.X) + "[" + ex.index(v.X.Type(), v.Index) + "]"
	case *ssa.Index:
		whole(v.X)
		return ex.hidden(v.X) + "[" + ex.index(v.X.Type(), v.Index) + "]"
	case *ssa.Extract:
		return ex.regs.component(v.Tuple, v.Index)
	}
	refuse(fmt.Sprintf("expression of kind %T", v))
	return ""
}
