package footprint

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// changed is what traced code changes, as far as it shows, of what table.txt and the types that are immutable say is constant (F14).
type changed struct {
	always  map[lookedAt]bool     // what functions of the table may read: variables of the standard library, constant types
	through []throughChanged      // changes of what such a variable leads to
	parts   []partChanged         // changes of memory of types of code outside
	given   []*ssa.CallCommon     // calls outside
	outside map[string]types.Type // types of code outside of which traced code has values
	seen    map[types.Type]bool
	leads   map[types.Type]bool // to values of interfaces that are taken as constant
	held    map[string]bool     // names of what such a value may be found to have changed
	settled bool
}

// partChanged is a change of a part of something of type whole: by an instruction, or by who has the address; of a field, if neither.
type partChanged struct {
	whole string
	by    ssa.Instruction
	addr  ssa.Value
}

// lookedAt is a name, and the package of the standard library that exports what it is the name of.
type lookedAt struct{ name, of string }

// throughChanged is a change of what a variable of a package leads to.
type throughChanged struct {
	by ssa.Instruction
	of string
}

func newChanged() changed {
	return changed{always: map[lookedAt]bool{}, outside: map[string]types.Type{}, seen: map[types.Type]bool{}, leads: map[types.Type]bool{}}
}

// variable names a variable of another package (F14).
func variable(g *ssa.Global) string { return "$" + globalKey(g) }

// change notes what an instruction changes.
func (p *Program) change(in ssa.Instruction) {
	if v, ok := in.(ssa.Value); ok {
		p.has(v.Type())
	}
	switch in := in.(type) {
	case *ssa.MakeInterface:
		p.has(in.X.Type())
	case *ssa.Store:
		p.stores(in)
	case *ssa.MapUpdate:
		p.changesAll(in, in.Map)
	case ssa.CallInstruction:
		c := in.Common()
		b, builtin := c.Value.(*ssa.Builtin)
		switch _, pkg := callee(c); {
		case builtin && slices.Contains([]string{"append", "copy", "clear", "delete"}, b.Name()):
			p.changesAll(in, c.Args[0])
		case !builtin && pkg != "" && !p.traced(pkg):
			p.changed.given = append(p.changed.given, c)
		}
	}
}

// stores notes a store.
func (p *Program) stores(in *ssa.Store) {
	c := &p.changed
	if g, ok := in.Addr.(*ssa.Global); ok && p.standard(g) {
		c.always[lookedAt{variable(g), g.Pkg.Pkg.Path()}] = true
	} else if g := root(in.Addr); g != nil && p.standard(g) {
		c.through = append(c.through, throughChanged{in, g.Pkg.Pkg.Path()})
	}
	var wholes []types.Type
	if elem := deref(in.Addr.Type()); p.isOutside(elem) && hasParts(elem) {
		wholes = append(wholes, elem)
	}
	switch a := in.Addr.(type) {
	case *ssa.FieldAddr:
		wholes = append(wholes, deref(a.X.Type()))
	case *ssa.IndexAddr:
		if p.isOutside(a.X.Type()) {
			c.parts = append(c.parts, partChanged{whole: typeName(a.X.Type()), by: in})
		}
	}
	for _, t := range wholes {
		name := typeName(t)
		if p.ours(name) || initial(in) {
			continue
		}
		if constant[name] {
			c.always[lookedAt{name: name}] = true
		}
		c.parts = append(c.parts, partChanged{whole: name})
	}
}

// hasParts reports whether a type names more than a word of a kind that all have.
func hasParts(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Basic, *types.Interface, *types.Signature:
		return false
	}
	return true
}

// changesAll notes a change of elements of a map or slice.
func (p *Program) changesAll(in ssa.Instruction, v ssa.Value) {
	if g := root(v); g != nil && p.standard(g) {
		p.changed.through = append(p.changed.through, throughChanged{in, g.Pkg.Pkg.Path()})
	}
	if p.isOutside(v.Type()) {
		p.changed.parts = append(p.changed.parts, partChanged{whole: typeName(v.Type()), by: in})
	}
}

// exposes notes that an address is a value, by which anybody may change what is there.
func (p *Program) exposes(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Global:
		if p.standard(v) {
			names := map[string]bool{variable(v): true}
			pointee(v.Type(), names)
			for n := range names {
				p.changed.always[lookedAt{n, v.Pkg.Pkg.Path()}] = true
			}
		}
	case *ssa.FieldAddr:
		if whole := typeName(deref(v.X.Type())); !p.ours(whole) {
			p.changed.parts = append(p.changed.parts, partChanged{whole: whole, addr: v})
		}
	}
}

// standard reports whether a variable is one of the standard library.
func (p *Program) standard(g *ssa.Global) bool {
	return g.Pkg != nil && !p.traced(g.Pkg.Pkg.Path()) && !p.module(g.Pkg.Pkg.Path())
}

// isOutside reports whether t is declared by code outside.
func (p *Program) isOutside(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !p.traced(n.Obj().Pkg().Path())
}

// root returns the variable from which an address, a map or a slice has been loaded, or that it is a part of.
func root(v ssa.Value) *ssa.Global {
	for {
		switch x := v.(type) {
		case *ssa.Global:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return nil
		}
	}
}

// initial reports whether a store is to a variable that its function has made and of which nobody else can have the address yet.
func initial(in *ssa.Store) bool {
	v := in.Addr
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
			continue
		case *ssa.IndexAddr:
			v = x.X
			continue
		case *ssa.Alloc:
			return !anyBefore(escapes(x, nil), in, x)
		}
		return false
	}
}

// escapes adds to list the instructions that do more with an address than load, store, or compute that of a part.
func escapes(v ssa.Value, list []ssa.Instruction) []ssa.Instruction {
	for _, ref := range *v.Referrers() {
		switch r := ref.(type) {
		case *ssa.FieldAddr:
			list = escapes(r, list)
		case *ssa.IndexAddr:
			list = escapes(r, list)
		case *ssa.Store:
			if r.Val == v {
				list = append(list, r)
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			list = append(list, ref)
		}
	}
	return list
}

// anyBefore reports whether one of the instructions may be executed before in, with no execution of fresh between them.
func anyBefore(list []ssa.Instruction, in, fresh ssa.Instruction) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var from func(b *ssa.BasicBlock, k int) bool
	from = func(b *ssa.BasicBlock, k int) bool {
		for _, x := range b.Instrs[k:] {
			switch x {
			case in:
				return true
			case fresh:
				return false
			}
		}
		for _, s := range b.Succs {
			if !seen[s] {
				seen[s] = true
				if from(s, 0) {
					return true
				}
			}
		}
		return false
	}
	for _, x := range list {
		if b := x.Block(); from(b, slices.Index(b.Instrs, x)+1) {
			return true
		}
	}
	return false
}

// has notes the types of code outside that values of type t have.
func (p *Program) has(t types.Type) {
	c := &p.changed
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	if p.isOutside(t) {
		c.outside[typeName(t)] = types.Unalias(t)
		return
	}
	parts(t, func(t types.Type) bool {
		p.has(t)
		return true
	})
}

// parts calls f for what a type is made of, as long as f returns true.
func parts(t types.Type, f func(types.Type) bool) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		f(u.Elem())
	case *types.Slice:
		f(u.Elem())
	case *types.Array:
		f(u.Elem())
	case *types.Chan:
		f(u.Elem())
	case *types.Map:
		_ = f(u.Key()) && f(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !f(u.Field(i).Type()) {
				return
			}
		}
	case *types.Tuple:
		for i := range u.Len() {
			if !f(u.At(i).Type()) {
				return
			}
		}
	}
}
