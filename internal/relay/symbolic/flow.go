package symbolic

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// flow notes that a function or a concrete type comes to where a call through a value may find it (X14).
func (f *function) flow(from, to string) {
	if !f.recording || f.Std {
		return
	}
	f.addFlow(summary.Flow{From: from, To: to})
}

// flowOfFunc notes that a function comes to a place.
func (f *function) flowOfFunc(v *path.Node, to string) {
	if !f.recording || f.Std {
		return
	}
	n := summary.Flow{From: v.Name, To: to}
	for i, a := range v.Args {
		if i < 32 && a != nil && !a.Root().Loop {
			n.Same |= 1 << i
		}
	}
	f.addFlow(n)
}

func (f *function) addFlow(n summary.Flow) {
	if f.flows == nil {
		f.flows = map[summary.Flow]bool{}
	}
	if !f.flows[n] {
		f.flows[n] = true
		f.sum.Flows = append(f.sum.Flows, n)
	}
}

// flowInto notes the functions and interface values among vals that are stored at addr.
func (f *function) flowInto(addr *path.Node, vals aliases) {
	for _, v := range vals {
		switch v.Kind {
		case path.Func:
			f.flowOfFunc(v, addr.Class())
		case path.Iface:
			f.flow(v.Name, addr.Class())
		}
	}
}

// flowOf notes what a conversion does: a concrete type that becomes an interface, an interface that becomes another, a function that
// becomes a named type.
func (f *function) flowOf(s *state, v, x ssa.Value, typ types.Type) {
	if !f.recording {
		return
	}
	to := f.class(typ)
	switch v.(type) {
	case *ssa.MakeInterface:
		if blank(to) || !f.methods(x.Type()) {
			return
		}
		f.flow(f.receiver(x.Type()), to)
	case *ssa.ChangeInterface, *ssa.TypeAssert:
		if from := f.class(x.Type()); !blank(from) && !blank(to) && types.IsInterface(typ) {
			f.flow(from, to)
		}
	case *ssa.ChangeType:
		for _, n := range f.eval(s, x) {
			if _, named := types.Unalias(typ).(*types.Named); named && n.Kind == path.Func {
				f.flowOfFunc(n, to)
			}
		}
	}
}

// blank reports whether an interface says nothing of what it holds.
func blank(iface string) bool { return iface == "any" || iface == "interface{}" || iface == "error" }

// Offered notes in the summary of a package's initialisation what its callers can make of its types: one that implements an interface of the package may be
// what they give as that interface (H6 of package link).
func (c *Context) Offered(pkg *types.Package, init *summary.Function) {
	f := &function{Context: c}
	names := pkg.Scope().Names()
	exported := func(name string) types.Type {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() || t.IsAlias() {
			return nil
		}
		if n, ok := t.Type().(*types.Named); !ok || n.TypeParams().Len() > 0 {
			return nil
		}
		return t.Type()
	}
	for _, name := range names {
		t := exported(name)
		if t == nil || !types.IsInterface(t) || t.Underlying().(*types.Interface).NumMethods() == 0 {
			continue
		}
		for _, impl := range names {
			v := exported(impl)
			if v == nil || types.IsInterface(v) {
				continue
			}
			if p := types.NewPointer(v); types.Implements(p, t.Underlying().(*types.Interface)) {
				init.Flows = append(init.Flows, summary.Flow{From: f.receiver(p), To: summary.Offered + f.class(t)})
			}
		}
	}
}
