package symbolic

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// flows notes which functions and concrete types come to which memory and types: package link finds
// the targets of calls through values there (SY9).
type flows struct {
	std    bool // the package is of the standard library: nothing is noted
	values *values
	draft  *draft
	noted  map[summary.Flow]bool
}

// note notes that a function or a concrete type comes to a class of memory or to a type, where a
// call through a value may find it (SY9).
func (fl *flows) note(from, to string) {
	if !fl.draft.recording || fl.std {
		return
	}
	fl.add(summary.Flow{From: from, To: to})
}

// noteFunc notes that a function comes to a class of memory or to a type.
func (fl *flows) noteFunc(v *path.Node, to string) {
	if !fl.draft.recording || fl.std {
		return
	}
	n := summary.Flow{From: v.Name, To: to}
	for i, a := range v.Args {
		if i < 32 && a != nil && !a.Root().Loop {
			n.Same |= 1 << i
		}
	}
	fl.add(n)
}

func (fl *flows) add(n summary.Flow) {
	if fl.noted == nil {
		fl.noted = map[summary.Flow]bool{}
	}
	if !fl.noted[n] {
		fl.noted[n] = true
		fl.draft.sum.Flows = append(fl.draft.sum.Flows, n)
	}
}

// stored notes the functions and interface values among vals that are stored at addr.
func (fl *flows) stored(addr *path.Node, vals aliases) {
	for _, v := range vals {
		switch v.Kind {
		case path.Func:
			fl.noteFunc(v, addr.Class())
		case path.Iface:
			fl.note(v.Name, addr.Class())
		}
	}
}

// storedOf notes that a value of unknown origin is stored at addr: what its type may hold
// comes there.
func (fl *flows) storedOf(addr *path.Node, vals aliases, t types.Type) {
	known := func(v *path.Node) bool { return v.Kind == path.Func || v.Kind == path.Iface }
	if !fl.draft.recording || addr.Kind == path.Alloc || len(vals) > 0 && !slices.ContainsFunc(vals, func(v *path.Node) bool { return !known(v) }) {
		return
	}
	named := false
	if _, function := t.Underlying().(*types.Signature); function {
		_, named = types.Unalias(t).(*types.Named)
	}
	if from := fl.values.types.class(t); named || types.IsInterface(t) && !blank(from) {
		fl.note(from, addr.Class())
	}
}

// converted notes what a conversion does: a concrete type that becomes an interface, an interface
// that becomes another, a function that becomes a named type.
func (fl *flows) converted(s *state, v, x ssa.Value, typ types.Type) {
	if !fl.draft.recording || fl.std {
		return
	}
	to := fl.values.types.class(typ)
	switch v.(type) {
	case *ssa.MakeInterface:
		if !fl.values.types.methods(x.Type()) {
			return
		}
		fl.note(fl.values.types.receiver(x.Type()), to)
		fl.promoted(x.Type(), typ)
		fl.service(to, typ)
	case *ssa.ChangeInterface, *ssa.TypeAssert:
		if from := fl.values.types.class(x.Type()); !blank(from) && !blank(to) && types.IsInterface(typ) {
			fl.note(from, to)
			fl.service(to, typ)
		}
	case *ssa.ChangeType:
		for _, n := range fl.values.eval(s, x) {
			if _, named := types.Unalias(typ).(*types.Named); named && n.Kind == path.Func {
				fl.noteFunc(n, to)
			}
		}
	}
}

// service notes the methods of an interface that servers of a service have (package model).
func (fl *flows) service(iface string, typ types.Type) {
	i, ok := typ.Underlying().(*types.Interface)
	if _, is := model.Service(iface); !ok || !is {
		return
	}
	for k := range i.NumMethods() {
		fl.note(i.Method(k).Name(), iface+summary.Methods)
	}
}

// promoted notes for the methods of an interface that a type has from an embedded field which
// methods these are (SY9).
func (fl *flows) promoted(t, iface types.Type) {
	i, ok := iface.Underlying().(*types.Interface)
	st, is := deref(t).Underlying().(*types.Struct)
	if !ok || !is || !embeds(st) {
		return
	}
	for k := range i.NumMethods() {
		m := i.Method(k)
		obj, index, _ := types.LookupFieldOrMethod(t, false, m.Pkg(), m.Name())
		fn, ok := obj.(*types.Func)
		if !ok || len(index) < 2 {
			continue
		}
		recv := fn.Signature().Recv().Type()
		fl.note("("+fl.values.types.receiver(recv)+")."+m.Name(), "("+fl.values.types.receiver(t)+")."+m.Name())
	}
}

// references notes the functions that fn mentions other than by a call: someone else may call them.
func (fl *flows) references() {
	if fl.std {
		return
	}
	var space [8]*ssa.Value
	for _, b := range fl.values.fn.Blocks {
		for _, in := range b.Instrs {
			var callee *ssa.Value
			if c, ok := in.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
				callee = &c.Common().Value
			}
			for _, op := range in.Operands(space[:0]) {
				if op == nil || op == callee {
					continue
				}
				if c, ok := (*op).(*ssa.Function); ok && c.Parent() == nil {
					fl.note(Key(c), "")
				}
			}
		}
	}
	if fl.draft.sum.Whole { // its calls are not kept
		for _, e := range fl.draft.sum.Edges {
			fl.note(e.Callee, "")
		}
	}
}

// blank reports whether an interface says nothing of what it holds.
func blank(iface string) bool { return iface == "any" || iface == "interface{}" || iface == "error" }

// Offered notes in the summary of a package's initialisation what its callers can make of its
// types: one that implements an interface of the package may be what they give as that interface
// (LI10).
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
				init.Flows = append(init.Flows, summary.Flow{From: f.types.receiver(p), To: summary.Offered + f.types.class(t)})
			}
		}
	}
}
