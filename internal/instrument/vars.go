package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"presage/internal/plan"
)

// (E10): initialisers of package-level variables stay as written, and constant ones are no code at all: what they leave in
// the variables, no record tells. So each file has an init function that tells the recorder where its variables are.
//
//	var vars0_ = []presagert_.Var{{unsafe_.Pointer(&y), unsafe_.Sizeof(y)}, …}
//	func init() { presagert_.Vars(vars0_) }
//
// The list is data, made by the linker: nothing is initialised later than without it.

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

// registration is the text that tells the recorder of variables.
func (f *fileEmitter) registration(names []string) string {
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nvar vars%d_ = []%s.Var{\n", f.index, rtName)
	for _, n := range names {
		fmt.Fprintf(&b, "{%[1]s.Pointer(&%[2]s), %[1]s.Sizeof(%[2]s)},\n", unsafeName, n)
	}
	fmt.Fprintf(&b, "}\n\nfunc init() { %s.Vars(vars%d_) }\n", rtName, f.index)
	return b.String()
}
