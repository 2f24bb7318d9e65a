package instrument

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// methodValues are the functions that the compiler makes for method values of declared methods of
// traced packages, by the names that the linker has for them, one a line: they call traced code,
// and nothing else. Those of interfaces, of instances, and promoted ones, whose names are of the
// type that embeds the other, are not there.
func (r *Result) methodValues() string {
	traced := map[string]bool{}
	for _, pkg := range r.Plan.Program.Packages {
		traced[pkg.PkgPath] = true
	}
	names := map[string]bool{}
	for i := range r.Plan.Funcs {
		f := r.Plan.ByID(trace.FuncID(i))
		if f == nil {
			continue
		}
		for _, b := range f.SSA.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(*ssa.MakeClosure); ok {
					if name := bound(c.Fn.(*ssa.Function), traced); name != "" {
						names[name] = true
					}
				}
			}
		}
	}
	var list []string
	for name := range names {
		list = append(list, name+"\n")
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

// bound is the linker's name of a method value, if its method is declared in a traced package.
func bound(fn *ssa.Function, traced map[string]bool) string {
	m, ok := fn.Object().(*types.Func)
	if !ok || !strings.HasPrefix(fn.Synthetic, "bound method wrapper") || m.Pkg() == nil || !traced[m.Pkg().Path()] {
		return ""
	}
	t, pointer := m.Signature().Recv().Type(), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 || n.TypeParams().Len() > 0 || types.IsInterface(n) || n.Obj().Parent() != m.Pkg().Scope() {
		return ""
	}
	path := "main"
	if m.Pkg().Name() != "main" {
		path = linkPath(m.Pkg().Path())
	}
	if pointer {
		return path + ".(*" + n.Obj().Name() + ")." + m.Name() + "-fm"
	}
	return path + "." + n.Obj().Name() + "." + m.Name() + "-fm"
}
