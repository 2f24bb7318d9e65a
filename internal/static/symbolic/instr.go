package symbolic

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// step executes one instruction; it reports whether control goes on.
func (f *function) step(s *state, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Call:
		return f.calls.call(s, v)
	case *ssa.Go:
		f.calls.spawn(s, v, v.Common())
	case *ssa.Defer:
		s.pushDefer(v)
	case *ssa.RunDefers:
		f.calls.runDefers(s)
	case *ssa.Return:
		f.exit(s, v)
	case *ssa.Panic:
		f.calls.runDefers(s)
		if f.panics == nil {
			f.panics = s.fork()
		} else {
			f.panics = f.panics.join(s)
		}
		return false
	case *ssa.Alloc, *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeClosure:
		f.makes(s, v)
	case *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Convert, *ssa.MultiConvert, *ssa.SliceToArrayPointer, *ssa.TypeAssert:
		f.conversion(s, v)
	case *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.Phi, *ssa.Extract, *ssa.BinOp, *ssa.Select:
		f.operand(s, v)
	case *ssa.Lookup, *ssa.MapUpdate, *ssa.Range, *ssa.Next, *ssa.UnOp, *ssa.Store, *ssa.Send:
		f.memory(s, v)
	case *ssa.If, *ssa.Jump, *ssa.DebugRef:
	default:
		panic(fmt.Sprintf("symbolic: instruction %T", instr))
	}
	return true
}

// makes executes an instruction that makes an object or a closure.
func (f *function) makes(s *state, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Alloc:
		if !f.round(s, v) {
			f.alloc(s, v, f.values.name(v, v.Comment), v.Type(), -2)
		}
	case *ssa.MakeChan:
		f.alloc(s, v, f.values.name(v, "chan"), v.Type(), length(v.Size))
	case *ssa.MakeMap:
		f.alloc(s, v, f.values.name(v, "map"), v.Type(), -2)
	case *ssa.MakeSlice:
		f.alloc(s, v, f.values.name(v, "slice"), v.Type(), -2)
	case *ssa.MakeClosure:
		var args aliases
		for _, b := range v.Bindings {
			args = append(args, f.values.single(s, b))
		}
		f.values.env[v] = aliases{f.Table.Closure(Key(v.Fn.(*ssa.Function)), args)}
	}
}

// conversion executes a conversion of a value to another type.
func (f *function) conversion(s *state, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.MakeInterface:
		f.flows.converted(s, v, v.X, v.Type())
		f.values.env[v] = nil
		if f.types.refers(v.X.Type()) || f.types.methods(v.X.Type()) {
			f.values.env[v] = f.values.each(f.values.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
				return f.Table.Of(path.Iface, n.Strip(), f.types.receiver(v.X.Type()))
			})
			if len(f.values.env[v]) == 0 {
				f.values.env[v] = aliases{f.Table.Of(path.Iface, f.Table.Unknown(f.types.class(v.X.Type())), f.types.receiver(v.X.Type()))}
			}
		}
	case *ssa.ChangeType:
		f.flows.converted(s, v, v.X, v.Type())
		f.values.env[v] = f.values.eval(s, v.X)
	case *ssa.ChangeInterface:
		f.flows.converted(s, v, v.X, v.Type())
		f.values.env[v] = f.values.eval(s, v.X)
	case *ssa.Convert:
		f.convert(s, v)
	case *ssa.MultiConvert:
		f.values.env[v] = f.values.unknown(v.Type())
	case *ssa.SliceToArrayPointer:
		f.values.env[v] = f.values.eval(s, v.X)
	case *ssa.TypeAssert:
		f.flows.converted(s, v, v.X, v.AssertedType)
		f.values.env[v] = f.values.each(f.values.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
			if _, iface := v.AssertedType.Underlying().(*types.Interface); iface {
				return n
			}
			return n.Strip()
		})
	}
}

// operand executes an instruction that computes a value without an access.
func (f *function) operand(s *state, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.FieldAddr:
		name := f.types.fieldName(v.X.Type(), v.Field)
		f.values.env[v] = f.values.each(f.values.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node { return f.Table.Field(n, name) })
	case *ssa.Field:
		f.values.field(s, v)
	case *ssa.IndexAddr:
		idx := f.values.index(v.Index)
		f.values.env[v] = f.values.each(f.values.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node { return f.Table.Elem(n, idx) })
	case *ssa.Index:
		f.values.env[v] = f.values.unknown(v.Type())
	case *ssa.Slice:
		f.values.slice(s, v)
	case *ssa.Phi:
		f.values.phi(s, v)
	case *ssa.Extract:
		f.values.extract(s, v)
	case *ssa.BinOp:
		f.values.env[v] = nil
	case *ssa.Select:
		f.values.env[v] = nil
	}
}

// memory executes an access to memory, or a send or receive.
func (f *function) memory(s *state, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Lookup:
		f.lookup(s, v)
	case *ssa.MapUpdate:
		for _, m := range f.values.eval(s, v.Map) {
			addr := f.values.all(m)
			f.accesses.access(s, v, addr, summary.Write)
			f.sharing.publish(s, addr, f.values.eval(s, v.Value))
			f.sharing.publish(s, addr, f.values.eval(s, v.Key))
			f.accesses.fill(s, m, f.values.eval(s, v.Value))
			f.flows.storedOf(addr, f.values.eval(s, v.Value), v.Value.Type())
		}
	case *ssa.Range:
		f.values.env[v] = f.values.eval(s, v.X)
	case *ssa.Next:
		f.values.env[v] = f.values.eval(s, v.Iter)
		if !v.IsString {
			for _, m := range f.values.env[v] {
				f.accesses.access(s, v, f.values.all(m), summary.Read)
			}
		}
	case *ssa.UnOp:
		f.unop(s, v)
	case *ssa.Store:
		f.assign(s, v)
	case *ssa.Send:
		f.chans.send(s, v, v.Chan, v.X)
	}
}

// round makes the variable that a loop has anew in each round, with the value of the earlier one
// (SY1). It reports whether v is one.
func (f *function) round(s *state, v *ssa.Alloc) bool {
	first := perRound(v)
	if first == nil {
		return false
	}
	n := f.Table.Alloc(f.values.name(first, first.Comment), f.types.class(v.Type()), true, -2)
	f.values.env[v] = aliases{n}
	if v == first {
		s.forget(n)
	}
	s.escaped = without(s.escaped, n)
	return true
}

// perRound is the integer variable of the first round of a loop of which v is the variable in some
// round; nil if it is none.
func perRound(v *ssa.Alloc) *ssa.Alloc {
	if b, ok := deref(v.Type()).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return nil
	}
	for _, in := range *v.Referrers() {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			continue
		}
		for _, e := range phi.Edges {
			if a, ok := e.(*ssa.Alloc); !ok || a.Comment != v.Comment || a.Pos() != v.Pos() {
				return nil
			}
		}
		return phi.Edges[0].(*ssa.Alloc)
	}
	return nil
}

func (f *function) alloc(s *state, v ssa.Value, name string, t types.Type, capacity int) {
	n := f.Table.Alloc(name, f.types.class(t), f.graph.looping(), capacity)
	f.values.env[v] = aliases{n}
	s.forget(n)
	switch {
	case isChannel(n):
		f.joins.made[n] = f.graph.block
		f.joins.makes(s, n)
	case cell(n):
		f.accesses.put(s, n, aliases{f.Table.Nil()}, true)
		s.waited = with(s.waited, n)
	}
}

func (f *function) lookup(s *state, v *ssa.Lookup) {
	f.values.env[v] = nil
	if _, ok := v.X.Type().Underlying().(*types.Map); !ok {
		return
	}
	var addrs aliases
	for _, m := range f.values.eval(s, v.X) {
		addr := f.values.all(m)
		f.accesses.access(s, v, addr, summary.Read)
		addrs = append(addrs, addr)
	}
	t := v.Type()
	if tup, ok := t.(*types.Tuple); ok {
		t = tup.At(0).Type()
	}
	if f.types.refers(t) {
		f.values.env[v] = f.values.deref(s, addrs, t)
	}
}

func (f *function) convert(s *state, v *ssa.Convert) {
	f.values.env[v] = nil
	if f.types.refers(v.Type()) && f.types.refers(v.X.Type()) {
		f.values.env[v] = f.values.eval(s, v.X)
		return
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			for _, n := range f.values.eval(s, v.X) {
				f.accesses.access(s, v, f.values.all(n), summary.Read)
			}
		}
	}
}

func (f *function) unop(s *state, v *ssa.UnOp) {
	f.values.env[v] = nil
	switch v.Op {
	case token.MUL:
		addrs := f.values.eval(s, v.X)
		for _, a := range addrs {
			f.accesses.access(s, v, a, summary.Read)
		}
		f.flags.look(s, v, addrs)
		if f.types.refers(v.Type()) {
			f.values.env[v] = f.values.deref(s, addrs, v.Type())
			for i, n := range f.values.env[v] {
				if i < len(addrs) && n.Kind == path.Load {
					f.sharing.touched[n] = addrs[i]
				}
			}
		} else if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && len(addrs) == 1 {
			f.values.env[v], _ = s.mem.get(addrs[0])
		}
	case token.ARROW:
		f.chans.receive(s, v, v.X)
		t := v.Type()
		if tup, ok := t.(*types.Tuple); ok {
			t = tup.At(0).Type()
		}
		if f.types.refers(t) {
			vals, known := f.values.received(s, f.values.channels(s, v.X), f.types.class(t))
			if !known {
				vals = aliases{f.Table.Result(0, f.places.site(v, "received"), f.types.class(t), f.graph.loop[v.Block().Index] > 0)}
			}
			f.values.env[v] = vals
		}
	}
}

// cuts reports whether a store replaces a slice by a part of it: a later append then overwrites
// elements.
func (f *function) cuts(s *state, addr *path.Node, v ssa.Value) bool {
	part, ok := v.(*ssa.Slice)
	if !f.draft.recording || !ok {
		return false
	}
	old, ok := part.X.(*ssa.UnOp)
	return ok && old.Op == token.MUL && slices.Contains(f.values.eval(s, old.X), addr)
}

// assign executes a store (SY1).
func (f *function) assign(s *state, v *ssa.Store) {
	addrs, vals := f.values.eval(s, v.Addr), f.values.eval(s, v.Val)
	if len(vals) == 0 {
		vals = f.values.number(v.Val)
	}
	if len(addrs) == 1 && addrs[0].Kind == path.Alloc && addrs[0].Loop && counts(v.Addr) {
		vals = aliases{f.Table.Value(addrs[0].Name, true)} // (SY1)
	}
	for _, a := range addrs {
		f.accesses.guarded(s, v, a, &summary.Access{Kind: summary.Write, Sets: f.draft.recording && f.values.nonzero(s, v.Val), Cuts: f.cuts(s, a, v.Val)})
	}
	f.sharing.unshare(s, addrs)
	for _, a := range addrs {
		f.sharing.publish(s, a, vals)
		if f.sharing.shared(s, a) {
			f.syncs.hand(s, vals)
		}
		if _, constant := v.Val.(*ssa.Const); !constant {
			f.flows.storedOf(a, vals, v.Val.Type())
		}
	}
	f.flags.raise(s, addrs, v.Val)
	if len(addrs) == 1 && (addrs[0].Kind != path.Elem || addrs[0].Idx != nil) {
		_, isConst := v.Val.(*ssa.Const)
		f.accesses.put(s, addrs[0], vals, f.types.refers(v.Val.Type()) || len(vals) > 0 || isConst && f.types.refers(v.Val.Type()))
		return
	}
	for _, a := range addrs {
		if a.Kind == path.Elem && f.values.container(s, a.Base) != nil {
			f.accesses.fill(s, a.Base, vals)
			continue
		}
		old, ok := s.mem.get(a)
		u, few := merge(old, vals)
		f.accesses.put(s, a, u, ok && few)
	}
}

// counts reports whether an address is that of an integer variable that a loop has anew in each
// round.
func counts(addr ssa.Value) bool {
	if phi, ok := addr.(*ssa.Phi); ok {
		addr = phi.Edges[0]
	}
	a, ok := addr.(*ssa.Alloc)
	return ok && perRound(a) != nil
}
