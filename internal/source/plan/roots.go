package plan

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/presage-race/presage/internal/trace"
)

// Missing is the plan of the excluded packages. Their functions are excluded code (package
// excluded): the recorder finds the memory that a call of it can reach. The source of these
// packages shows which package-level variables they use.
type Missing struct {
	Packages []*Package
	Meta     []trace.MissingPackage // one for each
	// by path: the roots, which are variables that its functions use, its own and others'
	Roots   map[string][]*types.Var
	index   map[string]int  // by path
	written map[string]bool // functions that are written in Go, by name
	rooted  map[string]bool // and those that may use some of the roots
	// packages with //presage:global comments or functions without Go code
	hidden  map[string]bool
	dynamic bool // some function uses a root, so a call whose callee is unknown may use one
	// names in //presage:global comments that denote no variable
	Unknown []string
	// variables that some function assigns to, or takes the address of
	assigned map[string]bool
	// variables of interface type, and whether their initial value is other than a new error
	errors map[string]bool
}

// missingOf returns the packages that a recording excludes. The recording itself has their roots.
func missingOf(paths []string) *Missing {
	m := &Missing{index: map[string]int{}}
	for i, path := range paths {
		m.index[path] = i
	}
	return m
}

// newMissing finds the roots of the excluded packages, and the functions that may use them.
func newMissing(prog *Program) *Missing {
	m := &Missing{Packages: prog.Missing, Roots: map[string][]*types.Var{}, index: map[string]int{}, written: map[string]bool{}, rooted: map[string]bool{}, hidden: map[string]bool{}, assigned: map[string]bool{}, errors: map[string]bool{}}
	for i, pkg := range prog.Missing {
		m.index[pkg.PkgPath] = i
	}
	if len(m.Packages) == 0 {
		return m
	}
	for _, pkg := range slices.Concat(prog.Packages, prog.Missing) {
		for _, fn := range functionsOf(pkg) {
			m.assigns(fn)
		}
		m.keepsAddresses(pkg)
		m.addErrors(pkg)
	}
	for _, pkg := range prog.Missing {
		m.addRoots(pkg)
		m.assembly(pkg)
		m.annotated(pkg)
		m.Meta = append(m.Meta, trace.MissingPackage{Path: pkg.PkgPath})
	}
	m.reachRoots()
	return m
}

// functionsOf returns the functions of a package but those that initialise its variables.
func functionsOf(pkg *Package) []*ssa.Function {
	var list []*ssa.Function
	for fn := range allFunctions(pkg) {
		if fn.Pkg == pkg.SSA && fn != pkg.SSA.Func("init") && len(fn.Blocks) > 0 {
			list = append(list, fn)
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int {
		if a.Pos() != b.Pos() {
			return int(a.Pos() - b.Pos())
		}
		return strings.Compare(a.String(), b.String())
	})
	return list
}

// allFunctions returns all functions that the package's program has. Of methods of generic types
// ssautil.AllFunctions has those alone that are used.
func allFunctions(pkg *Package) map[*ssa.Function]bool {
	all := ssautil.AllFunctions(pkg.SSA.Prog)
	for _, fn := range genericMethods(pkg) {
		all[fn] = true
	}
	return all
}

// genericMethods returns the methods of generic types, with the functions in them.
func genericMethods(pkg *Package) (list []*ssa.Function) {
	for _, name := range pkg.Types.Scope().Names() {
		t, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		n, ok := t.Type().(*types.Named)
		if !ok || n.TypeParams().Len() == 0 {
			continue
		}
		for m := range n.Methods() {
			if fn := pkg.SSA.Prog.FuncValue(m); fn != nil {
				list = append(list, fn)
			}
		}
	}
	for i := 0; i < len(list); i++ {
		list = append(list, list[i].AnonFuncs...)
	}
	return list
}

func instructions(fn *ssa.Function, f func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			f(in)
		}
	}
}

// assigns notes the variables that may change after package initialisation.
func (m *Missing) assigns(fn *ssa.Function) {
	instructions(fn, func(in ssa.Instruction) {
		for _, o := range in.Operands(nil) {
			if g, ok := (*o).(*ssa.Global); ok {
				if u, ok := in.(*ssa.UnOp); !ok || u.Op != token.MUL {
					m.assigned[g.String()] = true
				}
			}
		}
	})
}

// keepsAddresses notes the variables whose addresses package initialisation uses as values. Code
// that has such an address may assign to the variable.
func (m *Missing) keepsAddresses(pkg *Package) {
	instructions(pkg.SSA.Func("init"), func(in ssa.Instruction) {
		for _, o := range in.Operands(nil) {
			if g, ok := (*o).(*ssa.Global); ok && keepsAddress(in, g) {
				m.assigned[g.String()] = true
			}
		}
	})
}

// keepsAddress reports whether an instruction does more with an address than load, store, or
// compute that of a part of which no more is done.
func keepsAddress(in ssa.Instruction, v ssa.Value) bool {
	switch x := in.(type) {
	case *ssa.UnOp, *ssa.DebugRef:
		return false
	case *ssa.Store:
		return x.Val == v
	case *ssa.FieldAddr, *ssa.IndexAddr:
		part := x.(ssa.Value)
		return slices.ContainsFunc(*part.Referrers(), func(r ssa.Instruction) bool { return keepsAddress(r, part) })
	}
	return true
}

// addRoots finds the variables that the functions of pkg use. A variable that keeps its initial
// value and leads to no memory that changes is not a root.
func (m *Missing) addRoots(pkg *Package) {
	seen := map[*types.Var]bool{}
	for _, fn := range functionsOf(pkg) {
		instructions(fn, func(in ssa.Instruction) {
			for _, o := range in.Operands(nil) {
				g, ok := (*o).(*ssa.Global)
				if !ok || !m.isRoot(g) {
					continue
				}
				if v, ok := g.Object().(*types.Var); ok && !seen[v] {
					seen[v] = true
					m.Roots[pkg.PkgPath] = append(m.Roots[pkg.PkgPath], v)
				}
			}
		})
	}
}

func (m *Missing) isRoot(g *ssa.Global) bool {
	return m.assigned[g.String()] || m.errors[g.String()] || !unchanging(g.Type().(*types.Pointer).Elem())
}

// addErrors finds the variables of pkg that may lead to errors that change. A result of errors.New
// does not change.
func (m *Missing) addErrors(pkg *Package) {
	instructions(pkg.SSA.Func("init"), func(in ssa.Instruction) {
		if s, ok := in.(*ssa.Store); ok {
			if g, ok := s.Addr.(*ssa.Global); ok {
				call, ok := s.Val.(*ssa.Call)
				m.errors[g.String()] = types.IsInterface(s.Val.Type()) && !(ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().String() == "errors.New")
			}
		}
	})
}

// unchanging reports whether a variable of type t, to which nothing is assigned, leads to nothing
// that changes.
func unchanging(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return unchanging(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !unchanging(u.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		return types.Identical(t, types.Universe.Lookup("error").Type())
	}
	return false
}

// reachRoots finds the functions that may use a root, by themselves or by what they call. A call of
// which the callee is not known is one of any function.
func (m *Missing) reachRoots() {
	callees, dynamic := map[string][]string{}, map[string]bool{}
	for _, pkg := range m.Packages {
		for _, fn := range functionsOf(pkg) {
			key := fn.String()
			m.written[key] = true
			instructions(fn, func(in ssa.Instruction) {
				for _, o := range in.Operands(nil) {
					if g, ok := (*o).(*ssa.Global); ok && m.isRoot(g) {
						m.rooted[key], m.dynamic = true, true
					}
				}
				switch in := in.(type) {
				case ssa.CallInstruction:
					callee := origin(in.Common().StaticCallee())
					if _, builtin := in.Common().Value.(*ssa.Builtin); builtin {
						return
					}
					dynamic[key] = dynamic[key] || callee == nil || m.mayCallBack(callee)
					if callee != nil {
						callees[key] = append(callees[key], callee.String())
					}
				case *ssa.MakeClosure: // it may be called here without a call of it in the SSA
					callees[key] = append(callees[key], in.Fn.String())
				}
			})
		}
	}
	for again := m.dynamic; again; {
		again = false
		for _, pkg := range m.Packages {
			for _, fn := range functionsOf(pkg) {
				key := fn.String()
				if !m.rooted[key] && (m.hidden[pkg.PkgPath] || dynamic[key] || slices.ContainsFunc(callees[key], func(k string) bool { return m.rooted[k] })) {
					m.rooted[key], again = true, true
				}
			}
		}
	}
}

func origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// mayCallBack reports whether code outside the packages may call their functions when it is called.
func (m *Missing) mayCallBack(callee *ssa.Function) bool {
	obj, ok := callee.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return false
	}
	if _, missing := m.index[obj.Pkg().Path()]; missing {
		return false
	}
	sig := obj.Signature()
	if r := sig.Recv(); r != nil && leadsToCalls(r.Type()) {
		return true
	}
	for i := range sig.Params().Len() {
		if leadsToCalls(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// leadsToCalls reports whether code that has a value of type t can call what it does not know.
func leadsToCalls(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Slice:
		return leadsToCalls(u.Elem())
	case *types.Pointer:
		n, ok := types.Unalias(u.Elem()).(*types.Named)
		return !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "sync" && n.Obj().Pkg().Path() != "sync/atomic"
	}
	return true
}
