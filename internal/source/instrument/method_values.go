package instrument

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// methodValues returns the linker names, one per line, of the functions that the compiler makes for
// method values of declared methods of traced packages. These functions call traced code, and
// nothing else. Method values of interfaces and instances are left out, and those of promoted
// methods, whose names have the embedding type.
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

// bound returns the linker name of a method value, "" if its method is not declared in a traced
// package.
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
