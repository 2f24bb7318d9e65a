package promise

import (
	"go/ast"
	"go/types"

	"github.com/presage-race/presage/internal/static/load"
)

// Of reads a package.
func Of(p *load.Package) *Package {
	out := &Package{}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok && d.Recv != nil {
					out.note(fn.FullName(), d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						out.declared(p.Path+"."+t.Name.Name, t, d)
					}
				}
			}
		}
	}
	if p.Target && p.Types != nil {
		out.implemented(p)
	}
	return out
}

// declared reads the comments of a type.
func (out *Package) declared(name string, t *ast.TypeSpec, d *ast.GenDecl) {
	doc := t.Doc
	if doc == nil {
		doc = d.Doc
	}
	out.note(name, doc)
	i, ok := t.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, m := range i.Methods.List {
		for _, id := range m.Names {
			out.note(name+"."+id.Name, m.Doc)
		}
	}
}

func (out *Package) note(name string, doc *ast.CommentGroup) {
	if v := Read(doc.Text()); v != None {
		out.Notes = append(out.Notes, Note{name, v})
	}
}

// iface is an interface with a name.
type iface struct {
	name string
	*types.Interface
}

// implemented finds which interfaces, of the package and its imports, the types of the package
// implement.
func (out *Package) implemented(p *load.Package) {
	ifaces := interfaces(p.Types, true)
	for _, i := range p.Types.Imports() {
		ifaces = append(ifaces, interfaces(i, false)...)
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}
		typ := Type{Name: p.Path + "." + name}
		at := map[string]int{}
		for m := range named.Methods() {
			if m.Exported() {
				at[m.Name()] = len(typ.Methods)
				typ.Methods = append(typ.Methods, Method{Key: m.FullName(), Name: m.Name(), Context: takesContext(m)})
			}
		}
		for _, i := range ifaces {
			if named.TypeParams().Len() == 0 && mentions(i, at) && types.Implements(types.NewPointer(named), i.Interface) {
				typ.Ifaces = append(typ.Ifaces, i.name)
				for m := range i.Methods() {
					if k, own := at[m.Name()]; own {
						typ.Methods[k].Ifaces = append(typ.Methods[k].Ifaces, i.name)
					}
				}
			}
		}
		if len(typ.Methods) > 0 {
			out.Types = append(out.Types, typ)
		}
	}
}

// interfaces lists the interfaces that a package declares, by name.
func interfaces(pkg *types.Package, all bool) []iface {
	var out []iface
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() && !all {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 {
			continue
		}
		if i, ok := named.Underlying().(*types.Interface); ok && i.IsMethodSet() {
			out = append(out, iface{pkg.Path() + "." + name, i})
		}
	}
	return out
}

// mentions reports whether one of the methods has a name of the interface.
func mentions(i iface, methods map[string]int) bool {
	for m := range i.Methods() {
		if _, ok := methods[m.Name()]; ok {
			return true
		}
	}
	return false
}

func takesContext(m *types.Func) bool {
	params := m.Signature().Params()
	return params.Len() > 0 && params.At(0).Type().String() == "context.Context"
}
