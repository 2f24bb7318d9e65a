package goval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
)

// TypeKey returns a name that identifies a type in all programs. It is "" if there is none: the
// type is local, generic, or a literal with such a type.
func TypeKey(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name()
	case *types.Pointer:
		if n := TypeKey(t.Elem()); n != "" {
			return "*" + n
		}
	case *types.Slice:
		if n := TypeKey(t.Elem()); n != "" {
			return "[]" + n
		}
	case *types.Interface:
		if t.Empty() {
			return "any"
		}
	case *types.Named:
		obj := t.Obj()
		switch {
		case t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0:
		case obj.Pkg() == nil:
			return obj.Name()
		case obj.Parent() == obj.Pkg().Scope():
			return obj.Pkg().Path() + "." + obj.Name()
		}
	}
	return ""
}

// SameType reports whether two types, which may be of different programs, are the same. sure is
// false if this is unknown.
func SameType(a, b types.Type) (same, sure bool) {
	if types.Identical(a, b) {
		return true, true
	}
	x, y := TypeKey(a), TypeKey(b)
	return x == y, x != "" && y != ""
}

// WordKind returns the kind of a basic type, 0 for other types.
func WordKind(t types.Type) expr.Kind {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return 0
	}
	k := KindOf(t)
	if k == types.String {
		return expr.String
	}
	return Kinds[k]
}

// IsInterface reports whether t is an interface type, and no type parameter.
func IsInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}

// A Dynamic is the type of the content of an interface.
type Dynamic struct {
	Type types.Type
	Prog *ssa.Program // the program that the type is of
}
