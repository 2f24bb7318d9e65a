package evalorder

import (
	"go/ast"
	"go/types"
)

// What depends on the representation of values, and so on the version of the compiler, is in this
// file: go1.25 and go1.26.

// maxElem is the size of the largest elements of maps that have fast functions
// (internal/abi.MapMaxElemBytes).
const maxElem = 128

// boxed reports whether e becomes an interface by a call that takes its address:
// walk.dataWordFuncName (O6).
func (r *rewriter) boxed(e ast.Expr, to types.Type) bool {
	if !isInterface(to) || r.constant(e) {
		return false
	}
	from := r.typeOf(e)
	if from == nil || isInterface(from) || !sized(from) {
		return false
	}
	if _, tuple := from.(*types.Tuple); tuple {
		return false
	}
	from = types.Default(from)
	size, align := r.sizes.Sizeof(from), r.sizes.Alignof(from)
	switch {
	case size == 2 && align == 2:
		return false
	case (size == 4 && align == 4 || size == 8 && align == r.sizes.Alignof(types.Typ[types.Uint64])) && !pointers(from):
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

// direct reports whether an interface holds a value of type t itself: types.IsDirectIface (O7).
func (r *rewriter) direct(t types.Type) bool {
	if _, tuple := t.(*types.Tuple); tuple || t == nil {
		return false
	}
	if !sized(t) { // a type assertion to a type parameter is never evaluated in place
		return true
	}
	return !isInterface(t) && pointers(t) && r.sizes.Sizeof(t) == r.word()
}

func (r *rewriter) word() int64 { return r.sizes.Sizeof(types.Typ[types.Uintptr]) }

// copiesKey reports whether the key of a map operation is copied in its place:
// orderState.mapKeyTemp (O11).
func (r *rewriter) copiesKey(m *types.Map, key ast.Expr) bool {
	if r.constant(key) || !sized(m.Key()) || !sized(m.Elem()) {
		return false
	}
	if r.sizes.Sizeof(m.Elem()) <= maxElem && r.fastKey(m.Key()) {
		return aggregate(m.Key())
	}
	return isInterface(m.Key()) && !isInterface(r.typeOf(key)) || !r.addressable(key)
}

// convertsKey reports whether the key of a map is given to a fast function under another type, so
// that it is no longer a name.
func (r *rewriter) convertsKey(m *types.Map) bool {
	if !sized(m.Key()) || !sized(m.Elem()) || r.sizes.Sizeof(m.Elem()) > maxElem || !r.fastKey(m.Key()) {
		return false
	}
	switch b, _ := types.Unalias(m.Key()).(*types.Basic); {
	case b == nil:
		return true
	default:
		return b.Kind() != types.String && b.Kind() != types.Uint32 && b.Kind() != types.Uint64 && b.Kind() != types.UnsafePointer
	}
}

// fastKey reports whether maps with keys of type t have fast functions: walk.mapfast.
func (r *rewriter) fastKey(t types.Type) bool {
	if b, ok := sole(t).(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return true
	}
	if !r.plain(t) {
		return false
	}
	size := r.sizes.Sizeof(t)
	return size == 4 && !pointers(t) || size == 8 && (!pointers(t) || r.word() == 8) || size == 4 && r.word() == 4
}

// plain reports whether values of type t are equal if their memory is: types.AMEM.
func (r *rewriter) plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return r.plain(t.Elem())
	case *types.Struct:
		var sum int64
		for f := range t.Fields() {
			if f.Name() == "_" || !r.plain(f.Type()) {
				return false
			}
			sum += r.sizes.Sizeof(f.Type())
		}
		return sum == r.sizes.Sizeof(t) // no padding
	}
	return false
}

// bytesKey reports whether the key has a string of bytes that are not copied, so that the map must
// be read at once.
func (r *rewriter) bytesKey(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if !r.info.Types[e.Fun].IsType() || !isString(r.typeOf(e)) || r.constant(e) {
			return false
		}
		b, ok := elem(r.typeOf(e.Args[0])).(*types.Basic)
		_, slice := under(r.typeOf(e.Args[0])).(*types.Slice)
		return ok && slice && b.Kind() == types.Byte
	case *ast.CompositeLit:
		for _, v := range e.Elts {
			if kv, ok := v.(*ast.KeyValueExpr); ok {
				v = kv.Value
			}
			if r.bytesKey(v) {
				return true
			}
		}
	}
	return false
}

// sole is what a type consists of that is wrapped in structs and arrays of one.
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
