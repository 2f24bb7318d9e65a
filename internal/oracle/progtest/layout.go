package progtest

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// words returns the words of a value of so many bytes.
func words(bytes int64) int { return int(bytes+7) / 8 }

// A layout is how many bytes values have, and where their parts are.
type layout struct{ sizes types.Sizes }

// width returns the words of a value of type t; a tuple is its components, one after the other.
func (l layout) width(t types.Type) int {
	if tu, ok := t.(*types.Tuple); ok {
		n := 0
		for i := range tu.Len() {
			n += l.width(tu.At(i).Type())
		}
		return n
	}
	if b, ok := t.(*types.Basic); ok && (b.Kind() == types.Invalid || b.Info()&types.IsUntyped != 0) {
		return untyped(b)
	}
	return words(l.sizes.Sizeof(t))
}

// untyped returns the words of an untyped constant.
func untyped(b *types.Basic) int {
	switch b.Kind() {
	case types.Invalid:
		return 0
	case types.UntypedString:
		return 2
	}
	return 1
}

func (l layout) sizeof(t types.Type) int64 { return l.sizes.Sizeof(t) }

// elements returns the size of the elements of a slice, of a string (0), or of the array that a
// pointer points to; of the latter also their number.
func (l layout) elements(t types.Type) (size int64, n uint64) {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return l.sizeof(t.Elem()), 0
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		return l.sizeof(a.Elem()), uint64(a.Len())
	}
	return 0, 0
}

func (l layout) offset(s *types.Struct, field int) int64 {
	var fs []*types.Var
	for i := range s.NumFields() {
		fs = append(fs, s.Field(i))
	}
	return l.sizes.Offsetsof(fs)[field]
}

// basicKind returns the kind of a basic type, UnsafePointer for other types of one word, else
// Invalid.
func basicKind(t types.Type) types.BasicKind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.UntypedInt, types.UntypedRune:
			return types.Int
		case types.UntypedFloat:
			return types.Float64
		case types.UntypedBool:
			return types.Bool
		case types.UntypedString:
			return types.String
		}
		return u.Kind()
	case *types.Pointer, *types.Chan, *types.Signature, *types.Map:
		return types.UnsafePointer
	}
	return types.Invalid
}

// operandKind is the kind of x in x op y. It is Invalid for structs, arrays and slices, which are
// compared word by word. That is right only if they hold no strings, floats or interfaces.
func operandKind(in *ssa.BinOp) types.BasicKind {
	k := basicKind(in.X.Type())
	if types.IsInterface(in.X.Type()) && (isNil(in.X) || isNil(in.Y)) {
		return k
	}
	if k == types.Invalid && !plainWords(in.X.Type()) {
		panic(unsupported("comparison of " + in.X.Type().String()))
	}
	return k
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

func plainWords(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsBoolean) != 0
	case *types.Pointer, *types.Chan, *types.Slice:
		return true
	case *types.Array:
		return plainWords(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !plainWords(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// constant returns the words of a constant.
func (p *Program) constant(c *ssa.Const) []uint64 {
	w := make([]uint64, p.layout.width(c.Type()))
	if c.Value == nil {
		return w
	}
	b, ok := c.Type().Underlying().(*types.Basic)
	if !ok {
		panic(unsupported("constant of " + c.Type().String()))
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		if constant.BoolVal(c.Value) {
			w[0] = 1
		}
	case info&types.IsInteger != 0:
		v := constant.ToInt(c.Value)
		if i, exact := constant.Int64Val(v); exact {
			w[0] = clip(basicKind(b), uint64(i))
		} else {
			u, _ := constant.Uint64Val(v)
			w[0] = u
		}
	case info&types.IsFloat != 0:
		v, _ := constant.Float64Val(c.Value)
		if b.Kind() == types.Float32 {
			v32, _ := constant.Float32Val(c.Value)
			w[0] = uint64(math.Float32bits(v32))
		} else {
			w[0] = math.Float64bits(v)
		}
	case info&types.IsString != 0:
		s := constant.StringVal(c.Value)
		w[0], w[1] = p.text(s), uint64(len(s))
	default:
		panic(unsupported("constant of " + c.Type().String()))
	}
	return w
}

// text returns the address of a string constant.
func (p *Program) text(s string) uint64 {
	if s == "" {
		return 0
	}
	a, ok := p.strings[s]
	if !ok {
		a = rodataBase + uint64(len(p.rodata))
		p.strings[s] = a
		p.rodata = append(p.rodata, s...)
		p.rodata = append(p.rodata, make([]byte, 8-len(s)%8)...)
	}
	return a
}
