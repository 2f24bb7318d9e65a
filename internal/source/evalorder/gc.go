package evalorder

import (
	"go/ast"
	"go/types"
)

// This file has the conditions that depend on the representation of values. They are the same in
// all versions of the compiler that package goversion supports.

// maxElem is the size of the largest elements of maps that have fast functions
// (internal/abi.MapMaxElemBytes).
const maxElem = 128

// boxed reports whether gc converts e to an interface by a call that takes its address (EO4). It is
// the compiler's walk.dataWordFuncName.
func (f *facts) boxed(e ast.Expr, to types.Type) bool {
	if !isInterface(to) || f.constant(e) {
		return false
	}
	from := f.typeOf(e)
	if from == nil || isInterface(from) || !sized(from) {
		return false
	}
	if _, tuple := from.(*types.Tuple); tuple {
		return false
	}
	from = types.Default(from)
	size, align := f.sizes.Sizeof(from), f.sizes.Alignof(from)
	switch {
	case size == 2 && align == 2:
		return false
	case (size == 4 && align == 4 || size == 8 && align == f.sizes.Alignof(types.Typ[types.Uint64])) && !pointers(from):
		return false
	}
	switch t := sole(from).(type) {
	case *types.Slice:
		return false
	case *types.Basic:
		return t.Info()&types.IsString == 0
	}
	return true
}

// direct reports whether an interface holds a value of type t itself and not a pointer to it (EO4).
// It is the compiler's types.IsDirectIface.
func (f *facts) direct(t types.Type) bool {
	if _, tuple := t.(*types.Tuple); tuple || t == nil {
		return false
	}
	if !sized(t) { // a type assertion to a type parameter is never evaluated in place
		return true
	}
	return !isInterface(t) && pointers(t) && f.sizes.Sizeof(t) == f.word()
}

func (f *facts) word() int64 { return f.sizes.Sizeof(types.Typ[types.Uintptr]) }

// copiesKey reports whether the key of a map operation is copied in place (EO4). It is the
// compiler's orderState.mapKeyTemp.
func (f *facts) copiesKey(m *types.Map, key ast.Expr) bool {
	if f.constant(key) || !sized(m.Key()) || !sized(m.Elem()) {
		return false
	}
	if f.sizes.Sizeof(m.Elem()) <= maxElem && f.fastKey(m.Key()) {
		return aggregate(m.Key())
	}
	return isInterface(m.Key()) && !isInterface(f.typeOf(key)) || !f.addressable(key)
}

// convertsKey reports whether gc converts the key of a map to another type for a fast map function.
// Then the key is not a name any more.
func (f *facts) convertsKey(m *types.Map) bool {
	if !sized(m.Key()) || !sized(m.Elem()) || f.sizes.Sizeof(m.Elem()) > maxElem || !f.fastKey(m.Key()) {
		return false
	}
	switch b, _ := types.Unalias(m.Key()).(*types.Basic); {
	case b == nil:
		return true
	default:
		return b.Kind() != types.String && b.Kind() != types.Uint32 && b.Kind() != types.Uint64 && b.Kind() != types.UnsafePointer
	}
}

// fastKey reports whether maps with keys of type t have fast functions. It is the compiler's
// walk.mapfast.
func (f *facts) fastKey(t types.Type) bool {
	if b, ok := sole(t).(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return true
	}
	if !f.plain(t) {
		return false
	}
	size := f.sizes.Sizeof(t)
	return size == 4 && !pointers(t) || size == 8 && (!pointers(t) || f.word() == 8) || size == 4 && f.word() == 4
}

// plain reports whether two values of type t are equal if and only if their memory is equal. It is
// the compiler's types.AMEM.
func (f *facts) plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return f.plain(t.Elem())
	case *types.Struct:
		var sum int64
		for field := range t.Fields() {
			if field.Name() == "_" || !f.plain(field.Type()) {
				return false
			}
			sum += f.sizes.Sizeof(field.Type())
		}
		return sum == f.sizes.Sizeof(t) // no padding
	}
	return false
}

// bytesKey reports whether the key contains a conversion of bytes to a string for which gc does not
// copy the bytes. Then the map must be read at once.
func (f *facts) bytesKey(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if !f.info.Types[e.Fun].IsType() || !isString(f.typeOf(e)) || f.constant(e) {
			return false
		}
		b, ok := elem(f.typeOf(e.Args[0])).(*types.Basic)
		_, slice := under(f.typeOf(e.Args[0])).(*types.Slice)
		return ok && slice && b.Kind() == types.Byte
	case *ast.CompositeLit:
		for _, v := range e.Elts {
			if kv, ok := v.(*ast.KeyValueExpr); ok {
				v = kv.Value
			}
			if f.bytesKey(v) {
				return true
			}
		}
	}
	return false
}

// sole returns the type inside of structs with one field and arrays of length one.
func sole(t types.Type) types.Type {
	for {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if u.NumFields() != 1 {
				return u
			}
			t = u.Field(0).Type()
		case *types.Array:
			if u.Len() != 1 {
				return u
			}
			t = u.Elem()
		default:
			return u
		}
	}
}

// pointers reports whether values of type t contain pointers.
func pointers(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.String || t.Kind() == types.UnsafePointer
	case *types.Array:
		return t.Len() > 0 && pointers(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if pointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// sized reports whether the size of t does not depend on type parameters.
func sized(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return sized(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !sized(f.Type()) {
				return false
			}
		}
	}
	return true
}
