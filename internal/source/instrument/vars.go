package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// (E10): initialisers of package-level variables stay as written, and constant ones are no code at
// all: what they leave in the variables, no record tells. So each file has an init function that
// tells the recorder where its variables are.
//
//	var vars0_ = []presagert_.Var{{unsafe_.Pointer(&y), unsafe_.Sizeof(y)}, …}
//	func init() { presagert_.Vars(vars0_, true) }
//
// The list is data, made by the linker: nothing is initialised later than without it. A file
// without variables has the function too: it tells the recorder that the package is emitted, and
// whether all of its functions are.

// variables are the names of the package-level variables of the file.
func (f *fileEmitter) variables() []string {
	if f.gates || !plan.IsSource(f.pkg, f.name) {
		return nil
	}
	var names []string
	for _, d := range f.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if id.Name != "_" {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// isWhole reports whether none of the units of a package is left as written: todo are those that
// were to be emitted.
func isWhole(units, todo []*plan.Unit, files []*emitted) bool {
	return len(todo) == len(units) &&
		!slices.ContainsFunc(units, func(u *plan.Unit) bool { return u.Opaque != "" }) &&
		!slices.ContainsFunc(files, func(f *emitted) bool { return len(f.refused) > 0 })
}

// registration is the text that tells the recorder of variables, and whether the package is whole.
func (f *fileEmitter) registration(whole bool) string {
	names, isWhole := f.variables(), "1 == 0" // true and false may be something else here
	if whole {
		isWhole = "1 == 1"
	}
	if len(names) == 0 {
		return fmt.Sprintf("\nfunc init() { %[1]s.Vars([]%[1]s.Var{}, %s) }\n", rtName, isWhole)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nvar vars%d_ = []%s.Var{\n", f.index, rtName)
	for _, n := range names {
		fmt.Fprintf(&b, "{%[1]s.Pointer(&%[2]s), %[1]s.Sizeof(%[2]s)},\n", unsafeName, n)
	}
	fmt.Fprintf(&b, "}\n\nfunc init() { %s.Vars(vars%d_, %s) }\n", rtName, f.index, isWhole)
	return b.String()
}
