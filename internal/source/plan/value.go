package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// What the walker can recompute (PL1), and so has no Value record:
//
//	numbers and booleans   all operators; conversions between integer types, between float
//	                       types, from integer to float (not from float to integer: machine
//	                       dependent)
//	complex numbers        nothing
//	pointers, chans, maps,
//	funcs, slices          comparisons with nil; of chans, and of pointers to what has a size: any
//	interfaces             comparison with nil
//	strings                nothing but Slice: the walker need not know their bytes
//	type parameters        nothing
//
// Addresses of fields and elements, slicing, fields and elements of values, len and cap
// of slices, strings and arrays follow from the words of the operand.

// binopComputable reports whether the walker can compute the operation.
func binopComputable(in *ssa.BinOp) bool {
	x, y := in.X.Type(), in.Y.Type()
	if scalar(x) && scalar(y) {
		return true
	}
	if in.Op != token.EQL && in.Op != token.NEQ {
		return false
	}
	if isNil(in.X) || isNil(in.Y) {
		return !isTypeParam(x) && !isTypeParam(y)
	}
	return word(x) && word(y) && !Ambiguous(in.X, in.Y)
}

// Ambiguous reports whether x and y may be pointers to variables of size zero. The language leaves
// it open whether pointers to two such variables are equal: the compiler may find them different
// though their addresses are equal.
func Ambiguous(x, y ssa.Value) bool { return pointsToEmpty(x) || pointsToEmpty(y) }

// pointsToEmpty reports whether v is a pointer to what may have size zero, or a conversion of one.
func pointsToEmpty(v ssa.Value) bool {
	if !word(v.Type()) {
		return false
	}
	switch c := v.(type) {
	case *ssa.Convert:
		return pointsToEmpty(c.X)
	case *ssa.ChangeType:
		return pointsToEmpty(c.X)
	}
	p, ok := v.Type().Underlying().(*types.Pointer)
	return ok && MaybeEmpty(p.Elem())
}

// MaybeEmpty reports whether variables of type t have size zero, or have it for some type
// arguments.
func MaybeEmpty(t types.Type) bool { return Open(t) || Sizeof(t) == 0 }

// convertComputable reports whether the walker can compute the conversion.
func convertComputable(in *ssa.Convert) bool {
	from, to := in.X.Type(), in.Type()
	if scalar(from) && scalar(to) {
		return !isFloat(from) || isFloat(to)
	}
	return wordOrUintptr(from) && wordOrUintptr(to)
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// scalar reports whether t is an integer, float or boolean type.
func scalar(t types.Type) bool {
	b, ok := basic(t)
	return ok && b.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) != 0
}

// word reports whether t is one word compared by its bits.
func word(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

func wordOrUintptr(t types.Type) bool {
	b, ok := basic(t)
	return word(t) || ok && b.Kind() == types.Uintptr
}

func basic(t types.Type) (*types.Basic, bool) {
	if isTypeParam(t) {
		return nil, false
	}
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return b, ok
}

func isFloat(t types.Type) bool {
	b, ok := basic(t)
	return ok && b.Info()&types.IsFloat != 0
}

func isString(t types.Type) bool {
	b, ok := basic(t)
	return ok && b.Info()&types.IsString != 0
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := Core(t).(*types.Map)
	return ok
}

func isChan(t types.Type) bool {
	_, ok := Core(t).(*types.Chan)
	return ok
}

func isSlice(t types.Type) bool {
	_, ok := Core(t).(*types.Slice)
	return ok
}

// Core returns the underlying type of t; of a type parameter the one that all its
// type terms share, or its constraint interface if there is none.
func Core(t types.Type) types.Type {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	it, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok {
		return t.Underlying()
	}
	var core types.Type
	for i := range it.NumEmbeddeds() {
		for _, term := range terms(it.EmbeddedType(i)) {
			if core != nil && !types.Identical(core, term) {
				return it
			}
			core = term
		}
	}
	if core == nil {
		return it
	}
	return core
}

// Element returns the element type of an array, of a pointer to one, of a slice or of a string; of
// a type parameter the one that its type terms share. It is nil for other types.
func Element(t types.Type) types.Type {
	switch u := Core(t).(type) {
	case *types.Array:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		return types.Typ[types.Uint8]
	case *types.Pointer:
		if _, again := Core(u.Elem()).(*types.Pointer); !again {
			return Element(u.Elem())
		}
	case *types.Interface:
		for _, term := range terms(u) {
			return Element(term)
		}
	}
	return nil
}

// Mixed reports whether the type terms of a type parameter have elements in different places: in
// the value itself, as for arrays and strings, or behind a pointer, as for slices. x[i] is then a
// variable for some type arguments and not for others, and SSA has no instruction for that.
func Mixed(t types.Type) bool {
	u, ok := Core(t).(*types.Interface)
	if !ok {
		return false
	}
	var arrays, texts, behind bool
	for _, term := range terms(u) {
		switch term.(type) {
		case *types.Array:
			arrays = true
		case *types.Basic:
			texts = true
		default:
			behind = true
		}
	}
	return arrays && texts || (arrays || texts) && behind
}

func terms(t types.Type) []types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Union:
		var out []types.Type
		for i := range t.Len() {
			out = append(out, terms(t.Term(i).Type())...)
		}
		return out
	}
	if it, ok := t.Underlying().(*types.Interface); ok {
		var out []types.Type
		for i := range it.NumEmbeddeds() {
			out = append(out, terms(it.EmbeddedType(i))...)
		}
		return out
	}
	return []types.Type{t.Underlying()}
}
