package regcode

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
)

func (k *compiler) arg(v ssa.Value) Arg {
	switch v := v.(type) {
	case nil:
		return Arg{Reg: -1}
	case *ssa.Const:
		return Arg{Reg: -1, Val: k.constant(v)}
	case *ssa.Global:
		return Arg{Reg: -1, Glob: k.p.Global(v)}
	case *ssa.Function:
		return Arg{Reg: -1, Val: goval.FunctionValue(v)}
	case *ssa.Builtin:
		return Arg{Reg: -1}
	}
	r, ok := k.reg[v]
	if !ok {
		panic("regcode: no register for " + v.String())
	}
	return Arg{Reg: r}
}

func (k *compiler) constant(c *ssa.Const) goval.Value {
	if _, ok := types.Unalias(c.Type()).(*types.TypeParam); ok {
		return goval.Value{}
	}
	if b, ok := c.Type().(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return goval.Zero(24)
	}
	if c.Value == nil {
		n := k.size(c.Type())
		if n < 0 || n > 512 {
			return goval.Value{}
		}
		return goval.Zero(n)
	}
	return Constant(c)
}

// Constant returns the value of a constant that is not nil or zero, unknown if it has no type of
// fixed size.
func Constant(c *ssa.Const) goval.Value {
	if c.Value == nil {
		return goval.Value{}
	}
	switch kind := goval.KindOf(c.Type()); kind {
	case types.Bool:
		return goval.BoolValue(constant.BoolVal(c.Value))
	case types.String:
		return goval.Text(constant.StringVal(c.Value))
	case types.Float32:
		f, _ := constant.Float32Val(c.Value)
		return goval.WrapFloat(f)
	case types.Float64:
		f, _ := constant.Float64Val(c.Value)
		return goval.WrapFloat(f)
	case types.Complex64:
		re, _ := constant.Float32Val(constant.Real(c.Value))
		im, _ := constant.Float32Val(constant.Imag(c.Value))
		return goval.WrapComplex64(complex(re, im))
	case types.Complex128:
		re, _ := constant.Float64Val(constant.Real(c.Value))
		im, _ := constant.Float64Val(constant.Imag(c.Value))
		return goval.Words([]uint64{math.Float64bits(re), math.Float64bits(im)})
	default:
		if !goval.IsInteger(kind) && kind != types.UnsafePointer {
			return goval.Value{}
		}
		v := constant.ToInt(c.Value)
		if i, ok := constant.Int64Val(v); ok {
			return goval.Known(uint64(i) & goval.Mask(goval.SizeOfKind(kind)))
		}
		u, ok := constant.Uint64Val(v)
		if !ok {
			return goval.Value{}
		}
		return goval.Known(u)
	}
}
