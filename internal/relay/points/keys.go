package points

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/symbolic"
)

// anyType is the key of what may have any type; parameter is that of a type parameter, and of parts of a type that are not looked at.
const (
	anyType   = "_"
	parameter = "?"
)

// key names the type of an object (N1). Instances have the name of their origin; types that are no structs that of their underlying type.
func (b *builder) key(t types.Type) string {
	if s, ok := b.keys[t]; ok {
		return s
	}
	s := b.makeKey(t)
	b.keys[t] = s
	return s
}

func (b *builder) makeKey(t types.Type) string {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		b.given(n.TypeArgs())
		if _, ok := n.Underlying().(*types.Struct); ok {
			o := n.Origin().Obj()
			if o.Pkg() == nil {
				return o.Name()
			}
			return o.Pkg().Path() + "." + o.Name()
		}
		t = n.Underlying()
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return parameter
	case *types.Pointer:
		return "*" + b.element(t.Elem())
	case *types.Slice, *types.Chan, *types.Map: // the variable, not what it leads to
		return "&" + b.object(t)
	case *types.Array:
		return b.object(t)
	case *types.Struct:
		var s strings.Builder
		for i := range t.NumFields() {
			fmt.Fprintf(&s, "%s %s;", t.Field(i).Name(), b.element(t.Field(i).Type()))
		}
		return "struct{" + s.String() + "}"
	case *types.Basic:
		return t.Name()
	case *types.Interface:
		return "interface"
	case *types.Signature:
		return "func"
	}
	return anyType
}

// object is the key of what a slice, map or channel leads to. An array is what its slices lead to.
func (b *builder) object(t types.Type) string {
	switch t := t.(type) {
	case *types.Slice:
		return "[]" + b.element(t.Elem())
	case *types.Array:
		return "[]" + b.element(t.Elem())
	case *types.Chan:
		return "chan " + b.element(t.Elem())
	case *types.Map:
		return "map[" + b.element(t.Key()) + "]" + b.element(t.Elem())
	}
	return anyType
}

// core is the underlying type of all types that a type parameter may be; nil if they have several.
func core(p *types.TypeParam) types.Type {
	var out types.Type
	iface, _ := p.Underlying().(*types.Interface)
	for i := range iface.NumEmbeddeds() {
		t := iface.EmbeddedType(i)
		if u, ok := t.(*types.Union); ok && u.Len() == 1 {
			t = u.Term(0).Type()
		}
		if out != nil || types.IsInterface(t) {
			return nil
		}
		out = t.Underlying()
	}
	return out
}

// element is the key of a part of another key: types that contain themselves have a name.
func (b *builder) element(t types.Type) string {
	t = types.Unalias(t)
	n, ok := t.(*types.Named)
	if !ok {
		return b.key(t)
	}
	switch u := n.Underlying().(type) {
	case *types.Struct:
		return b.key(n)
	case *types.Basic:
		return u.Name()
	case *types.Interface:
		return "interface"
	case *types.Signature:
		return "func"
	}
	return parameter
}

// pointee is the key of what a value of the type points to; anyType of interfaces.
func (b *builder) pointee(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		c := core(p)
		if c == nil {
			return parameter
		}
		t = c
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return b.key(u.Elem())
	case *types.Slice, *types.Map, *types.Chan, *types.Array:
		return b.object(u)
	}
	return anyType
}

// tracked reports whether values of the type hold addresses (N2). Structs do not count: their fields have nodes of their own.
func tracked(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		return true
	case *types.Array:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

func array(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// structOf is the struct that a value or pointer is of.
func structOf(t types.Type) (types.Type, *types.Struct) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return t, s
}

func fieldName(structKey string, s *types.Struct, i int) string {
	return fmt.Sprintf("%s.%s/%d", structKey, s.Field(i).Name(), i)
}

// signature is the key of function values that may be called by one call.
func (b *builder) signature(s *types.Signature) string {
	var out strings.Builder
	list := func(t *types.Tuple) {
		for i := range t.Len() {
			out.WriteString(b.key(t.At(i).Type()))
			out.WriteByte(',')
		}
	}
	list(s.Params())
	out.WriteByte(')')
	list(s.Results())
	return out.String()
}

// method is the key of methods that may be called by one call through an interface: name and numbers of parameters and results.
func method(f *types.Func) string {
	s := f.Signature()
	return fmt.Sprintf("%s %d %d", f.Id(), s.Params().Len(), s.Results().Len())
}

func funcKey(fn *ssa.Function) string { return symbolic.Key(fn) }

// given notes type arguments: objects whose type is a parameter have one of these.
func (b *builder) given(args *types.TypeList) {
	for i := range args.Len() {
		b.args[b.pointee(args.At(i))], b.args[b.key(args.At(i))] = true, true
	}
}
