package walk

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// Operands: registers, variables of packages and constants.

func (k *compiler) arg(v ssa.Value) arg {
	switch v := v.(type) {
	case nil:
		return arg{reg: -1}
	case *ssa.Const:
		return arg{reg: -1, val: k.constant(v)}
	case *ssa.Global:
		return arg{reg: -1, glob: k.p.global(v)}
	case *ssa.Function:
		return arg{reg: -1, val: functionValue(v)}
	case *ssa.Builtin:
		return arg{reg: -1}
	}
	r, ok := k.reg[v]
	if !ok {
		panic("program: no register for " + v.String())
	}
	return arg{reg: r}
}

func (k *compiler) constant(c *ssa.Const) Value {
	if _, ok := types.Unalias(c.Type()).(*types.TypeParam); ok {
		return Value{}
	}
	if b, ok := c.Type().(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return Zero(24)
	}
	if c.Value == nil {
		n := k.size(c.Type())
		if n < 0 || n > 512 {
			return Value{}
		}
		return Zero(n)
	}
	switch kind := kindOf(c.Type()); kind {
	case types.Bool:
		return boolValue(constant.BoolVal(c.Value))
	case types.String:
		return Text(constant.StringVal(c.Value))
	case types.Float32:
		f, _ := constant.Float32Val(c.Value)
		return wrapFloat(f)
	case types.Float64:
		f, _ := constant.Float64Val(c.Value)
		return wrapFloat(f)
	case types.Complex64:
		re, _ := constant.Float32Val(constant.Real(c.Value))
		im, _ := constant.Float32Val(constant.Imag(c.Value))
		return wrapComplex64(complex(re, im))
	case types.Complex128:
		re, _ := constant.Float64Val(constant.Real(c.Value))
		im, _ := constant.Float64Val(constant.Imag(c.Value))
		return Words([]uint64{math.Float64bits(re), math.Float64bits(im)})
	default:
		if !isInteger(kind) && kind != types.UnsafePointer {
			return Value{}
		}
		v := constant.ToInt(c.Value)
		if i, ok := constant.Int64Val(v); ok {
			return Known(uint64(i) & mask(sizeOfKind(kind)))
		}
		u, ok := constant.Uint64Val(v)
		if !ok {
			return Value{}
		}
		return Known(u)
	}
}
