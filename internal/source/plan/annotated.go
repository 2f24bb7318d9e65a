package plan

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A comment //presage:global x in an excluded package declares that its functions use the variable
// x where their SSA does not show it: in assembly, through a linker name, or through a computed
// address. x is a variable of the package, or p.X one of a package that the file imports. x then
// belongs to the D of every call of the package's functions, and of functions that may call them.
const globalComment = "//presage:global"

// In a package that has functions without Go code, every variable is treated so, because assembly
// can name it.
func (m *Missing) assembly(pkg *Package) {
	scope := pkg.Types.Scope()
	var vars []*types.Var
	bare := false
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.Func:
			fn := pkg.SSA.Prog.FuncValue(o)
			bare = bare || fn != nil && len(fn.Blocks) == 0 && o.Signature().TypeParams() == nil
		case *types.Var:
			vars = append(vars, o)
		}
	}
	if !bare {
		return
	}
	m.hidden[pkg.PkgPath], m.dynamic = true, true
	for _, v := range vars {
		m.addRoot(pkg.PkgPath, v)
	}
}

func (m *Missing) addRoot(path string, v *types.Var) {
	if !slices.Contains(m.Roots[path], v) {
		m.Roots[path] = append(m.Roots[path], v)
	}
}

// annotated adds the variables that a package's comments name.
func (m *Missing) annotated(pkg *Package) {
	for _, f := range pkg.Syntax {
		for _, group := range f.Comments {
			for _, c := range group.List {
				text, ok := strings.CutPrefix(c.Text, globalComment)
				if !ok || text != "" && text[0] != ' ' && text[0] != '\t' {
					continue
				}
				names := strings.Fields(text)
				for _, name := range names {
					m.annotate(pkg, f, name)
				}
				if len(names) == 0 {
					m.Unknown = append(m.Unknown, pkg.Fset.Position(c.Pos()).String()+": names nothing")
				}
			}
		}
	}
}

func (m *Missing) annotate(pkg *Package, f *ast.File, name string) {
	scope, last := pkg.Types.Scope(), name
	if first, rest, qualified := strings.Cut(name, "."); qualified {
		scope, last = imported(pkg, f, first), rest
	}
	var v *types.Var
	if scope != nil {
		v, _ = scope.Lookup(last).(*types.Var)
	}
	if v == nil || v.Pkg() != pkg.Types && !v.Exported() {
		m.Unknown = append(m.Unknown, pkg.PkgPath+": "+name)
		return
	}
	m.hidden[pkg.PkgPath], m.dynamic = true, true
	m.addRoot(pkg.PkgPath, v)
}

// imported returns the scope of a package by its name in a file.
func imported(pkg *Package, f *ast.File, name string) *types.Scope {
	for _, spec := range f.Imports {
		p := pkg.TypesInfo.PkgNameOf(spec)
		if p != nil && p.Name() == name {
			return p.Imported().Scope()
		}
	}
	return nil
}
