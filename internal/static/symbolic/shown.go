package symbolic

import (
	"go/types"
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/static/path"
)

// Shown lists the types of internal packages that the exported declarations of a package mention:
// whoever imports the package may have an object of one, and call its methods.
func Shown(pkg *types.Package) []string {
	if pkg.Name() == "main" || path.Internal(pkg.Path()) {
		return nil
	}
	v := shown{pkg: pkg, types: map[string]bool{}, seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			v.visit(obj.Type())
		}
	}
	return slices.Sorted(maps.Keys(v.types))
}

// shown visits what the declarations of a package mention.
type shown struct {
	pkg   *types.Package
	types map[string]bool
	seen  map[types.Type]bool
}

func (v *shown) visit(t types.Type) {
	t = types.Unalias(t)
	if t == nil || v.seen[t] {
		return
	}
	v.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		v.named(t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				v.visit(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			v.visit(m.Type())
		}
	case *types.Signature:
		v.visit(t.Params())
		v.visit(t.Results())
	case *types.Tuple:
		for x := range t.Variables() {
			v.visit(x.Type())
		}
	case *types.Map:
		v.visit(t.Key())
		v.visit(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		v.visit(t.Elem())
	}
}

// named visits the methods and fields of a type: of this package, or of an internal one, which is
// shown.
func (v *shown) named(t *types.Named) {
	for a := range t.TypeArgs().Types() {
		v.visit(a)
	}
	pkg := t.Obj().Pkg()
	if pkg == nil || pkg != v.pkg && !path.Internal(pkg.Path()) {
		return
	}
	if pkg != v.pkg {
		v.types[pkg.Path()+"."+t.Obj().Name()] = true
	}
	for m := range t.Origin().Methods() {
		if m.Exported() {
			v.visit(m.Type())
		}
	}
	v.visit(t.Underlying())
}
