package footprint

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// kept is what code of other modules can have kept in interfaces of its own, to look into it by
// reflection at any later call (F9): what it was ever given in an interface.
type kept struct {
	all     bool                  // a value of unknown type
	names   map[string]bool       // what the values of known types lead to
	wants   [][]string            // methods of the interfaces given
	boxed   map[string]types.Type // the types that traced code makes interfaces of
	through []*ssa.CallCommon     // calls of function values
	seen    map[place]bool
	done    bool
}

func newKept() kept {
	return kept{names: make(map[string]bool), boxed: make(map[string]types.Type), seen: make(map[place]bool)}
}

// module reports whether the package of a path is neither traced nor in the standard library.
func (p *Program) module(path string) bool {
	return path != "" && (strings.Contains(first(path), ".") || p.missing[path]) && !p.traced(path)
}

// give notes what an instruction gives to code of other modules.
func (p *Program) give(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.MakeInterface:
		p.kept.boxed[typeName(in.X.Type())] = in.X.Type()
	case *ssa.Store:
		switch a := in.Addr.(type) {
		case *ssa.FieldAddr:
			if n, ok := types.Unalias(deref(a.X.Type())).(*types.Named); ok && n.Obj().Pkg() != nil && p.module(n.Obj().Pkg().Path()) {
				p.keep(in.Val)
			}
		case *ssa.Global:
			if a.Pkg != nil && p.module(a.Pkg.Pkg.Path()) {
				p.keep(in.Val)
			}
		}
	case ssa.CallInstruction:
		c := in.Common()
		_, pkg := callee(c)
		if _, builtin := c.Value.(*ssa.Builtin); builtin {
			return
		}
		switch {
		case pkg == "" && !c.IsInvoke(): // it may be theirs
			p.kept.through = append(p.kept.through, c)
		case pkg == "" && p.onlyOurs(c.Value.Type()):
		case pkg == "" || p.module(pkg):
			p.keepAll(c.Args)
		}
	}
}

func (p *Program) keepAll(args []ssa.Value) {
	for _, a := range args {
		p.keep(a)
	}
}

// keep notes a value given away.
func (p *Program) keep(v ssa.Value) {
	for {
		x, ok := v.(*ssa.ChangeInterface)
		if !ok {
			break
		}
		v = x.X
	}
	switch x := v.(type) {
	case *ssa.Const:
		return
	case *ssa.MakeInterface:
		p.keepType(x.X.Type())
		return
	case *ssa.Slice:
		if elems, ok := literalElements(x); ok {
			for _, e := range elems {
				p.keep(e)
			}
			return
		}
	}
	p.keepType(v.Type())
}

func (p *Program) keepType(t types.Type) {
	r := reacher{traced: p.traced, seen: p.kept.seen, set: p.kept.names, met: p.keepInterface}
	r.holds(t)
	p.kept.all = p.kept.all || r.scope == Shared
}

// keepInterface notes an interface given away of which only the type is known.
func (p *Program) keepInterface(i *types.Interface) {
	if i.NumMethods() == 0 {
		p.kept.all = true
		return
	}
	var names []string
	for k := range i.NumMethods() {
		names = append(names, i.Method(k).Name())
	}
	p.kept.wants = append(p.kept.wants, names)
}

// keptNames returns what the other modules may have kept, all reporting that it can be anything that is shared.
func (p *Program) keptNames() (names map[string]bool, all bool) {
	k := &p.kept
	if !k.done {
		k.done = true
		for _, c := range k.through {
			if p.touches(c.Value) {
				p.keepAll(c.Args)
			}
		}
		for _, boxed := range k.boxed {
			list, unknown := p.standsFor(boxed)
			k.all = k.all || unknown
			for _, t := range list {
				if p.ours(typeName(t)) && implementsAny(t, k.wants) {
					p.keepType(t)
				}
			}
		}
	}
	return k.names, k.all
}

// implementsAny reports whether t has all methods of one of the lists, by name: types of different packages' views are not comparable.
func implementsAny(t types.Type, wants [][]string) bool {
	set := types.NewMethodSet(t)
	has := map[string]bool{}
	for i := range set.Len() {
		has[set.At(i).Obj().Name()] = true
	}
next:
	for _, names := range wants {
		for _, n := range names {
			if !has[n] {
				continue next
			}
		}
		return true
	}
	return false
}
