package static

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
)

// Guard is a suggestion: a lock that guards a field or a package-level variable (package guard).
type Guard struct {
	guard.Fact
	// of the declaration; of a use if it is a field of a type that is declared in a function
	Pos     token.Position
	Memory  string // pkg.T.f or pkg.v
	Without []token.Position
}

// Guards lists the suggestions, by class. Declarations are read from the sources again: summaries
// do not have them.
func (r *Result) Guards() []Guard {
	var out []Guard
	declared := map[string]map[string]token.Position{}
	for _, f := range r.guards.Facts() {
		class := strings.TrimPrefix(f.Class, "var ")
		g := Guard{Fact: f, Memory: strings.Replace(Short(class), ":", ".", 1), Pos: r.Position(f.First)}
		dir, name := splitClass(class)
		if declared[dir] == nil {
			declared[dir] = declarations(r.sources[dir])
		}
		if p, ok := declared[dir][name]; ok {
			g.Pos = p
		}
		for _, p := range f.Without {
			g.Without = append(g.Without, r.Position(p))
		}
		out = append(out, g)
	}
	return out
}

// splitClass takes a package path off: path/pkg.T.f is path/pkg and T.f.
func splitClass(class string) (pkg, name string) {
	slash := strings.LastIndexByte(class, '/')
	dot := strings.IndexByte(class[slash+1:], '.')
	if dot < 0 {
		return "", class
	}
	return class[:slash+1+dot], class[slash+1+dot+1:]
}

// declarations finds the variables of a package, as v, and the fields of its struct types, as T.f.
func declarations(files []string) map[string]token.Position {
	out := map[string]token.Position{}
	fset := token.NewFileSet()
	note := func(id *ast.Ident, prefix string) { out[prefix+id.Name] = fset.Position(id.Pos()) }
	for _, name := range files {
		// what can be read of it is enough
		f, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if f == nil {
			continue
		}
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range gen.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, id := range s.Names {
						note(id, "")
					}
				case *ast.TypeSpec:
					fields(s.Type, s.Name.Name+".", note)
				}
			}
		}
	}
	return out
}

// fields notes the fields of a struct type, and of those without a name in it, which have a colon
// before their own.
func fields(typ ast.Expr, prefix string, note func(id *ast.Ident, prefix string)) {
	st, ok := typ.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		for _, id := range f.Names {
			note(id, prefix)
			fields(f.Type, prefix+id.Name+":", note)
		}
		if len(f.Names) == 0 {
			if id := embedded(f.Type); id != nil {
				note(id, prefix)
			}
		}
	}
}

// embedded is the name of an embedded field.
func embedded(t ast.Expr) *ast.Ident {
	switch t := t.(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embedded(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embedded(t.X)
	case *ast.IndexListExpr:
		return embedded(t.X)
	}
	return nil
}
