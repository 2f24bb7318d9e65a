package instrument

import (
	"fmt"
	"go/constant"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// constant writes a constant with its type.
func (ex *expressions) constant(c *ssa.Const) string {
	t := c.Type()
	if c.Value == nil {
		return ex.zero(t)
	}
	conv := ex.unit.conv(t)
	if basic, ok := plan.Core(t).(*types.Basic); ok {
		if s := literal(c.Value, basic); s != "" {
			return conv + "(" + s + ")"
		}
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		switch c.Value.Kind() {
		case constant.String:
			return conv + "(" + strconv.Quote(constant.StringVal(c.Value)) + ")"
		case constant.Int:
			return conv + "(" + c.Value.ExactString() + ")"
		}
	}
	refuse(fmt.Sprintf("constant of type %s", t))
	return ""
}

func literal(v constant.Value, t *types.Basic) string {
	switch info := t.Info(); {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(v))
	case info&types.IsString != 0:
		if v.Kind() == constant.String {
			return strconv.Quote(constant.StringVal(v))
		}
	case info&types.IsInteger != 0:
		return constant.ToInt(v).ExactString()
	case info&types.IsFloat != 0:
		return hexFloat(v)
	case info&types.IsComplex != 0:
		return fmt.Sprintf("complex(%s, %s)", hexFloat(constant.Real(v)), hexFloat(constant.Imag(v)))
	case t.Kind() == types.UnsafePointer:
		return "uintptr(" + constant.ToInt(v).ExactString() + ")"
	}
	return ""
}

func hexFloat(v constant.Value) string {
	f, _ := constant.Float64Val(constant.ToFloat(v))
	return strconv.FormatFloat(f, 'x', -1, 64)
}

// zero writes the zero value of t.
func (ex *expressions) zero(t types.Type) string {
	if basic, ok := t.(*types.Basic); ok && basic.Kind() == types.UntypedNil {
		return "nil"
	}
	if nilable(t) {
		return ex.unit.conv(t) + "(nil)"
	}
	return "(*new(" + ex.unit.typ(t) + "))"
}

// nilable reports whether nil is a value of t.
func nilable(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Signature, *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// hidden writes an operand so that the compiler cannot see its constant value (IN3). SSA
// has constants where the source has variables, and the compiler rejects constant
// expressions that overflow, divide by zero, or index out of range.
func (ex *expressions) hidden(v ssa.Value) string {
	c, ok := v.(*ssa.Const)
	if !ok {
		return ex.value(v)
	}
	expr := ex.constant(c)
	if expr == "nil" {
		return expr
	}
	name, ok := ex.regs.consts[expr]
	if !ok {
		name = fmt.Sprintf("%sk%d_", ex.regs.prefix, len(ex.regs.consts))
		ex.regs.consts[expr] = name
		ex.regs.declare(name, c.Type(), expr)
	}
	return name
}
