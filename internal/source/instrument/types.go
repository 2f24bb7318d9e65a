package instrument

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// typ writes a type as Go source in the emitted file (IN3). It refuses types that have
// no name there: unexported ones of other packages, local ones of other functions.
func (u *unitEmitter) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return unsafeName + ".Pointer"
		}
		if t.Kind() == types.Invalid {
			refuse("type that SSA does not give")
		}
		return types.Default(t).(*types.Basic).Name()
	case *types.Alias:
		return u.typeName(t.Obj(), t.TypeArgs())
	case *types.Named:
		return u.typeName(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return u.typeParam(t)
	case *types.Pointer:
		return "*" + u.typ(t.Elem())
	case *types.Slice:
		return "[]" + u.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), u.typ(t.Elem()))
	case *types.Map:
		return "map[" + u.typ(t.Key()) + "]" + u.typ(t.Elem())
	case *types.Chan:
		return u.chanType(t)
	case *types.Signature:
		return "func" + u.signature(t)
	case *types.Struct:
		return u.structType(t)
	case *types.Interface:
		return u.interfaceType(t)
	case *types.Union:
		return u.union(t)
	}
	refuse(fmt.Sprintf("type of kind %T", t))
	return ""
}

// conv writes a type where a conversion applies it: in parentheses.
func (u *unitEmitter) conv(t types.Type) string { return "(" + u.typ(t) + ")" }

func (u *unitEmitter) typeName(o *types.TypeName, args *types.TypeList) string {
	return u.qualified(o) + u.typeArgs(args)
}

func (u *unitEmitter) typeArgs(args *types.TypeList) string {
	if args.Len() == 0 {
		return ""
	}
	var s []string
	for i := range args.Len() {
		s = append(s, u.typ(args.At(i)))
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// qualified writes the name of a type, with its package if that is another one.
func (u *unitEmitter) qualified(o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name() // error, any, comparable
	}
	if o.Parent() != nil && o.Parent() != o.Pkg().Scope() {
		name, ok := u.locals[o]
		if !ok {
			refuse("local type of another function")
		}
		return name
	}
	if o.Pkg().Path() == u.pkg.Types.Path() {
		u.uses[o.Name()] = true
		return o.Name()
	}
	name := o.Name()
	if !o.Exported() {
		name = u.alias(o)
	}
	return u.importName(o.Pkg()) + "." + name
}

// typeParam writes a type parameter. Blank ones of receivers get a name.
func (u *unitEmitter) typeParam(t *types.TypeParam) string {
	if t.Obj().Name() == "_" {
		return fmt.Sprintf("T%d_", t.Index())
	}
	return t.Obj().Name()
}

func (u *unitEmitter) chanType(t *types.Chan) string {
	elem := u.typ(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return "chan<- " + elem
	case types.RecvOnly:
		return "<-chan " + elem
	}
	if c, ok := t.Elem().(*types.Chan); ok && c.Dir() == types.RecvOnly {
		elem = "(" + elem + ")"
	}
	return "chan " + elem
}

// signature writes parameters and results without names.
func (u *unitEmitter) signature(t *types.Signature) string {
	var ps []string
	for i := range t.Params().Len() {
		pt := t.Params().At(i).Type()
		if t.Variadic() && i == t.Params().Len()-1 {
			ps = append(ps, "..."+u.variadicElem(pt))
		} else {
			ps = append(ps, u.typ(pt))
		}
	}
	s := "(" + strings.Join(ps, ", ") + ")"
	var rs []string
	for i := range t.Results().Len() {
		rs = append(rs, u.typ(t.Results().At(i).Type()))
	}
	switch len(rs) {
	case 0:
		return s
	case 1:
		return s + " " + rs[0]
	}
	return s + " (" + strings.Join(rs, ", ") + ")"
}

func (u *unitEmitter) variadicElem(t types.Type) string {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		refuse("variadic parameter that is not a slice")
	}
	return u.typ(s.Elem())
}

func (u *unitEmitter) structType(t *types.Struct) string {
	var fs []string
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() && f.Pkg() != nil && f.Pkg().Path() != u.pkg.Types.Path() {
			refuse("struct type of another package with an unexported field")
		}
		s := ""
		if f.Embedded() {
			s = u.embedded(f.Type())
		} else {
			s = f.Name() + " " + u.typ(f.Type())
		}
		if tag := t.Tag(i); tag != "" {
			s += " " + strconv.Quote(tag)
		}
		fs = append(fs, s)
	}
	return "struct{" + strings.Join(fs, "; ") + "}"
}

func (u *unitEmitter) interfaceType(t *types.Interface) string {
	var ms []string
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		if !m.Exported() && m.Pkg().Path() != u.pkg.Types.Path() {
			refuse("interface type of another package with an unexported method")
		}
		ms = append(ms, m.Name()+u.signature(m.Type().(*types.Signature)))
	}
	for i := range t.NumEmbeddeds() {
		ms = append(ms, u.typ(t.EmbeddedType(i)))
	}
	return "interface{" + strings.Join(ms, "; ") + "}"
}

func (u *unitEmitter) union(t *types.Union) string {
	var s []string
	for i := range t.Len() {
		tilde := ""
		if t.Term(i).Tilde() {
			tilde = "~"
		}
		s = append(s, tilde+u.typ(t.Term(i).Type()))
	}
	return strings.Join(s, " | ")
}
