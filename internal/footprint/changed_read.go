package footprint

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What a call of the table may read of what traced code changes (F14).

// mayHold reports whether values of type t, or pointers to one, may be in an interface of which table.txt and immutable say that its values do not change:
// they are errors, or contexts.
func mayHold(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Basic: // no memory
		return false
	}
	set := types.NewMethodSet(types.NewPointer(t))
	for i := range set.Len() {
		if m := set.At(i).Obj(); m.Name() == "Error" {
			sig := m.Type().(*types.Signature)
			return sig.Params().Len() == 0 && sig.Results().Len() == 1
		}
	}
	return implementsAny(types.NewPointer(t), [][]string{{"Deadline", "Done", "Err", "Value"}})
}

// settleChanged finds what values of these interfaces may have that changes: what traced code changes of the types of code outside of which they may be, and
// of what these lead to; all of that, if it is given to code outside.
func (p *Program) settleChanged() {
	c := &p.changed
	if c.settled {
		return
	}
	c.settled = true
	for _, x := range c.through {
		set, _ := p.OfInstr(x.by)
		names := map[string]bool{}
		addNames(names, set.Types)
		for n := range names {
			c.always[lookedAt{n, x.of}] = true
		}
	}
	c.held = map[string]bool{}
	reached := map[string]bool{} // by name, of all
	var holders []types.Type
	for _, t := range c.outside {
		if mayHold(t) {
			holders = append(holders, t)
			p.leadsTo(t, true, reached)
		}
	}
	if len(holders) == 0 {
		return
	}
	for _, x := range c.parts {
		if !reached[x.whole] {
			continue
		}
		switch {
		case x.by != nil:
			set, _ := p.OfInstr(x.by)
			addNames(c.held, set.Types)
		case x.addr != nil:
			pointee(x.addr.Type(), c.held)
			alone(c.held)
		}
		c.held[x.whole] = true
	}
	for _, call := range c.given {
		p.givesHolder(call, holders)
	}
}

func addNames(to map[string]bool, names []string) {
	for _, n := range names {
		to[strings.TrimPrefix(n, mark)] = true
	}
}

// leadsTo adds the names of the types that t is, is made of, and points to; through interfaces with methods, if through, those of code outside that
// have these.
func (p *Program) leadsTo(t types.Type, through bool, names map[string]bool) {
	t = types.Unalias(t)
	n := typeName(t)
	if names[n] || constant[n] {
		return
	}
	names[n] = true
	if i, ok := t.Underlying().(*types.Interface); ok && through && i.NumMethods() > 0 {
		var wants []string
		for m := range i.Methods() {
			wants = append(wants, m.Name())
		}
		for _, u := range p.changed.outside {
			if _, iface := u.Underlying().(*types.Interface); !iface && implementsAny(types.NewPointer(u), [][]string{wants}) {
				p.leadsTo(u, through, names)
			}
		}
		return
	}
	parts(t, func(t types.Type) bool {
		p.leadsTo(t, through, names)
		return true
	})
}

// askers are the methods of errors that only ask.
var askers = map[string]bool{"Error": true, "Unwrap": true, "Is": true, "As": true, "Timeout": true, "Temporary": true, "String": true, "GoString": true, "Format": true, "ExitCode": true}

// givesHolder notes all that the types lead to which a call gives to code that may write there.
func (p *Program) givesHolder(call *ssa.CallCommon, holders []types.Type) {
	name, pkg := callee(call)
	e, _ := lookup(name, pkg)
	if e.effect != Write || e.pointed || call.StaticCallee() == nil || call.Signature().Recv() != nil && askers[call.StaticCallee().Name()] {
		return
	}
	given := map[string]bool{}
	first := len(call.Args) - call.Signature().Params().Len()
	var give func(v ssa.Value)
	give = func(v ssa.Value) {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			p.leadsTo(x.X.Type(), false, given)
			return
		case *ssa.ChangeInterface:
			give(x.X)
			return
		case *ssa.Slice:
			if elems, ok := literalElements(x); ok {
				for _, e := range elems {
					give(e)
				}
				return
			}
		}
		p.leadsTo(v.Type(), false, given)
	}
	for i, a := range call.Args {
		if i >= first && !p.module(pkg) && immutable[typeName(call.Signature().Params().At(i-first).Type())] {
			continue
		}
		give(a)
	}
	for _, t := range holders {
		if given[typeName(t)] {
			p.leadsTo(t, true, p.changed.held)
		}
	}
}

// ofChanged returns what a function of the table may read besides (F14).
func (p *Program) ofChanged(c *ssa.CallCommon) []string {
	name, pkg := callee(c)
	e, _ := lookup(name, pkg)
	switch {
	case pkg == "" && (c.IsInvoke() || p.isOurs(c.Value, map[ssa.Value]bool{})), pkg != "" && p.traced(pkg), pkg != "" && e.state:
		return nil
	case e.effect == None && c.Signature().Results().Len() == 0: // nothing depends on it
		return nil
	}
	p.settleChanged()
	names := map[string]bool{}
	for x := range p.changed.always {
		if c.StaticCallee() == nil || calls(c.Signature()) || mayRead(pkg, x.of) {
			names[x.name] = true
		}
	}
	if len(p.changed.held) > 0 && p.meetsConstant(c) {
		maps.Copy(names, p.changed.held)
	}
	if len(names) == 0 {
		return nil
	}
	return p.marked(names)
}

// meetsConstant reports whether a call is given values of interfaces that are taken as constant, or is of a method of one.
func (p *Program) meetsConstant(c *ssa.CallCommon) bool {
	if c.IsInvoke() || c.StaticCallee() == nil {
		return true
	}
	var leads func(v ssa.Value) bool
	leads = func(v ssa.Value) bool {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			return leads(x.X)
		case *ssa.ChangeInterface:
			return leads(x.X)
		case *ssa.Slice:
			if elems, ok := literalElements(x); ok {
				return slices.ContainsFunc(elems, leads)
			}
		}
		return p.leadsToConstant(v.Type())
	}
	return slices.ContainsFunc(c.Args, leads)
}

// leadsToConstant reports whether values of type t lead to one of an interface that is taken as constant.
func (p *Program) leadsToConstant(t types.Type) bool {
	known, ok := p.changed.leads[t]
	if ok {
		return known
	}
	names := map[string]bool{}
	p.leadsTo(t, false, names)
	known = names["error"] || names["context.Context"]
	p.changed.leads[t] = known
	return known
}

// calls reports whether a function may call what it is given.
func calls(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		switch v.Type().Underlying().(type) {
		case *types.Basic:
		case *types.Slice:
			if _, basic := v.Type().Underlying().(*types.Slice).Elem().Underlying().(*types.Basic); !basic {
				return true
			}
		default:
			return true
		}
	}
	return false
}
