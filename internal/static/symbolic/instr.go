package symbolic

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// step executes one instruction; it reports whether control goes on.
func (f *function) step(s *state, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Alloc:
		if !f.round(s, v) {
			f.alloc(s, v, f.name(v, v.Comment), v.Type(), -2)
		}
	case *ssa.MakeChan:
		f.alloc(s, v, f.name(v, "chan"), v.Type(), length(v.Size))
	case *ssa.MakeMap:
		f.alloc(s, v, f.name(v, "map"), v.Type(), -2)
	case *ssa.MakeSlice:
		f.alloc(s, v, f.name(v, "slice"), v.Type(), -2)
	case *ssa.MakeClosure:
		var args aliases
		for _, b := range v.Bindings {
			args = append(args, f.single(s, b))
		}
		f.env[v] = aliases{f.Table.Closure(Key(v.Fn.(*ssa.Function)), args)}
	case *ssa.MakeInterface:
		f.flowOf(s, v, v.X, v.Type())
		f.env[v] = nil
		if f.refers(v.X.Type()) || f.methods(v.X.Type()) {
			f.env[v] = f.each(f.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
				return f.Table.Of(path.Iface, n.Strip(), f.receiver(v.X.Type()))
			})
			if len(f.env[v]) == 0 {
				f.env[v] = aliases{f.Table.Of(path.Iface, f.Table.Unknown(f.class(v.X.Type())), f.receiver(v.X.Type()))}
			}
		}
	case *ssa.FieldAddr:
		name := f.fieldName(v.X.Type(), v.Field)
		f.env[v] = f.each(f.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node { return f.Table.Field(n, name) })
	case *ssa.Field:
		f.field(s, v)
	case *ssa.IndexAddr:
		idx := f.index(v.Index)
		f.env[v] = f.each(f.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node { return f.Table.Elem(n, idx) })
	case *ssa.Index:
		f.env[v] = f.unknown(v.Type())
	case *ssa.Slice:
		f.slice(s, v)
	case *ssa.Lookup:
		f.lookup(s, v)
	case *ssa.MapUpdate:
		for _, m := range f.eval(s, v.Map) {
			addr := f.all(m)
			f.access(s, v, addr, summary.Write)
			f.publish(s, addr, f.eval(s, v.Value))
			f.publish(s, addr, f.eval(s, v.Key))
			f.flowType(addr, f.eval(s, v.Value), v.Value.Type())
		}
	case *ssa.Range:
		f.env[v] = f.eval(s, v.X)
	case *ssa.Next:
		f.env[v] = f.eval(s, v.Iter)
		if !v.IsString {
			for _, m := range f.env[v] {
				f.access(s, v, f.all(m), summary.Read)
			}
		}
	case *ssa.Phi:
		f.phi(s, v)
	case *ssa.ChangeType:
		f.flowOf(s, v, v.X, v.Type())
		f.env[v] = f.eval(s, v.X)
	case *ssa.ChangeInterface:
		f.flowOf(s, v, v.X, v.Type())
		f.env[v] = f.eval(s, v.X)
	case *ssa.Convert:
		f.convert(s, v)
	case *ssa.MultiConvert:
		f.env[v] = f.unknown(v.Type())
	case *ssa.SliceToArrayPointer:
		f.env[v] = f.eval(s, v.X)
	case *ssa.TypeAssert:
		f.flowOf(s, v, v.X, v.AssertedType)
		f.env[v] = f.each(f.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
			if _, iface := v.AssertedType.Underlying().(*types.Interface); iface {
				return n
			}
			return n.Strip()
		})
	case *ssa.Extract:
		f.extract(s, v)
	case *ssa.UnOp:
		f.unop(s, v)
	case *ssa.BinOp:
		f.env[v] = nil
	case *ssa.Store:
		f.assign(s, v)
	case *ssa.Send:
		f.send(s, v, v.Chan, v.X)
	case *ssa.Select:
		f.env[v] = nil
	case *ssa.Call:
		return f.call(s, v)
	case *ssa.Go:
		f.spawn(s, v, v.Common())
	case *ssa.Defer:
		s.pushDefer(v)
	case *ssa.RunDefers:
		f.runDefers(s)
	case *ssa.Return:
		f.exit(s, v)
	case *ssa.Panic:
		f.runDefers(s)
		if f.panics == nil {
			f.panics = s.fork()
		} else {
			f.panics = f.panics.join(s)
		}
		return false
	case *ssa.If, *ssa.Jump, *ssa.DebugRef:
	default:
		panic(fmt.Sprintf("symbolic: instruction %T", instr))
	}
	return true
}

// name is the key of an allocation site: the variable's name and the place.
func (f *function) name(v ssa.Value, label string) string {
	switch label {
	case "", "new", "complit", "map", "slice", "chan", "makeslice", "varargs", "slicelit":
		c := f.class(v.Type())
		label = "new " + c[strings.LastIndexAny(c, "/.")+1:]
	}
	in := v.(ssa.Instruction)
	return label + "#" + f.mark(f.place(in)) + "." + v.Name()
}

// round makes the variable of a loop that is a new one in each round, with what the one before held
// (X31). It reports whether v is one.
func (f *function) round(s *state, v *ssa.Alloc) bool {
	first := perRound(v)
	if first == nil {
		return false
	}
	n := f.Table.Alloc(f.name(first, first.Comment), f.class(v.Type()), true, -2)
	f.env[v] = aliases{n}
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
	n := f.Table.Alloc(name, f.class(t), f.loop[f.block.Index] > 0, capacity)
	f.env[v] = aliases{n}
	s.forget(n)
	switch {
	case isChannel(n):
		f.joins.made[n] = f.block
		f.make(s, n)
	case cell(n):
		f.put(s, n, aliases{f.Table.Nil()}, true)
		s.waited = with(s.waited, n)
	}
}

// single is a value as one path; ⊤ if it has several.
func (f *function) single(s *state, v ssa.Value) *path.Node {
	a := f.eval(s, v)
	if len(a) == 0 {
		a = f.number(v)
	}
	if len(a) == 1 {
		return a[0]
	}
	return f.Table.Unknown(f.class(v.Type()))
}

// methods reports whether the type has methods: its interface values are worth naming.
func (f *function) methods(t types.Type) bool {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	return n.NumMethods() > 0 || ok && embeds(st)
}

// receiver is the type as it stands in the names of its methods.
func (f *function) receiver(t types.Type) string {
	c := f.class(t)
	if _, ok := types.Unalias(t).(*types.Pointer); ok {
		c = "*" + c
	}
	return c
}

// field takes a field out of a struct value.
func (f *function) field(s *state, v *ssa.Field) {
	f.env[v] = nil
	if !f.refers(v.Type()) {
		return
	}
	name := f.fieldName(v.X.Type(), v.Field)
	var out aliases
	for _, n := range f.eval(s, v.X) {
		var in aliases
		if n.Kind == path.Load || n.Kind == path.Param {
			in = f.load(s, f.Table.Field(copied(n), name), f.class(v.Type()))
		} else {
			in = f.unknown(v.Type())
		}
		var ok bool
		if out, ok = merge(out, in); !ok {
			out = f.unknown(v.Type())
			break
		}
	}
	f.env[v] = out
}

func (f *function) slice(s *state, v *ssa.Slice) {
	whole := v.Low == nil && v.High == nil
	if _, made := v.X.(*ssa.Alloc); made && v.Low == nil { // make of constant size
		whole = true
	}
	f.env[v] = f.each(f.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
		if whole {
			return n
		}
		return f.Table.Sub(n, v.Low == nil)
	})
}

func (f *function) lookup(s *state, v *ssa.Lookup) {
	f.env[v] = nil
	if _, ok := v.X.Type().Underlying().(*types.Map); !ok {
		return
	}
	var addrs aliases
	for _, m := range f.eval(s, v.X) {
		addr := f.all(m)
		f.access(s, v, addr, summary.Read)
		addrs = append(addrs, addr)
	}
	t := v.Type()
	if tup, ok := t.(*types.Tuple); ok {
		t = tup.At(0).Type()
	}
	if f.refers(t) {
		f.env[v] = f.deref(s, addrs, t)
	}
}

func (f *function) phi(s *state, v *ssa.Phi) {
	if !f.refers(v.Type()) {
		return
	}
	var out aliases
	for _, e := range v.Edges {
		var ok bool
		if out, ok = merge(out, f.eval(s, e)); !ok {
			out = f.unknown(v.Type())
			break
		}
	}
	f.env[v] = out
}

func (f *function) convert(s *state, v *ssa.Convert) {
	f.env[v] = nil
	if f.refers(v.Type()) && f.refers(v.X.Type()) {
		f.env[v] = f.eval(s, v.X)
		return
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			for _, n := range f.eval(s, v.X) {
				f.access(s, v, f.all(n), summary.Read)
			}
		}
	}
}

// extract takes a component out of a tuple.
func (f *function) extract(s *state, v *ssa.Extract) {
	f.env[v] = nil
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		if r, ok := f.results[t]; ok && v.Index < len(r) {
			f.env[v] = r[v.Index]
		}
	case *ssa.Lookup, *ssa.TypeAssert:
		if v.Index == 0 {
			f.env[v] = f.env[v.Tuple]
		}
	case *ssa.UnOp:
		if v.Index == 0 {
			f.env[v] = f.env[v.Tuple]
		}
	case *ssa.Next:
		if v.Index > 0 && f.refers(v.Type()) {
			f.env[v] = f.deref(s, f.entry(t, v.Index == 1), v.Type())
		}
	case *ssa.Select:
		if v.Index >= 2 && f.refers(v.Type()) {
			f.env[v] = aliases{f.Table.Result(v.Index, f.site(t, "received"), f.class(v.Type()), f.loop[t.Block().Index] > 0)}
		}
	}
}

// entry is the address of the value, or of the key, of the entry of a map that a loop has come to
// (P3).
func (f *function) entry(t *ssa.Next, key bool) aliases {
	var addrs aliases
	for _, m := range f.env[t] {
		e := f.Table.Elem(m.Strip(), f.Table.Value(f.site(t, "range"), true))
		if key {
			e = f.Table.Field(e, "map.key")
		}
		addrs = append(addrs, e)
	}
	return addrs
}

func (f *function) unop(s *state, v *ssa.UnOp) {
	f.env[v] = nil
	switch v.Op {
	case token.MUL:
		addrs := f.eval(s, v.X)
		for _, a := range addrs {
			f.access(s, v, a, summary.Read)
		}
		f.look(s, v, addrs)
		if f.refers(v.Type()) {
			f.env[v] = f.deref(s, addrs, v.Type())
			for i, n := range f.env[v] {
				if i < len(addrs) && n.Kind == path.Load {
					f.touched[n] = addrs[i]
				}
			}
		} else if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && len(addrs) == 1 {
			f.env[v], _ = s.mem.get(addrs[0])
		}
	case token.ARROW:
		f.receive(s, v, v.X)
		t := v.Type()
		if tup, ok := t.(*types.Tuple); ok {
			t = tup.At(0).Type()
		}
		if f.refers(t) {
			f.env[v] = aliases{f.Table.Result(0, f.site(v, "received"), f.class(t), f.loop[v.Block().Index] > 0)}
		}
	}
}

// cuts reports whether a store leaves a slice with a part of what it had: what is appended then is
// written where there was something else.
func (f *function) cuts(s *state, addr *path.Node, v ssa.Value) bool {
	part, ok := v.(*ssa.Slice)
	if !f.recording || !ok {
		return false
	}
	old, ok := part.X.(*ssa.UnOp)
	return ok && old.Op == token.MUL && slices.Contains(f.eval(s, old.X), addr)
}

// assign executes a store (X3).
func (f *function) assign(s *state, v *ssa.Store) {
	addrs, vals := f.eval(s, v.Addr), f.eval(s, v.Val)
	if len(vals) == 0 {
		vals = f.number(v.Val)
	}
	if len(addrs) == 1 && addrs[0].Kind == path.Alloc && addrs[0].Loop && counts(v.Addr) {
		vals = aliases{f.Table.Value(addrs[0].Name, true)} // (X31)
	}
	for _, a := range addrs {
		f.guarded(s, v, a, &summary.Access{Kind: summary.Write, Sets: f.recording && f.nonzero(s, v.Val), Cuts: f.cuts(s, a, v.Val)})
	}
	f.unshare(s, addrs)
	for _, a := range addrs {
		f.publish(s, a, vals)
		if f.shared(s, a) {
			f.hand(s, vals)
		}
		if _, constant := v.Val.(*ssa.Const); !constant {
			f.flowType(a, vals, v.Val.Type())
		}
	}
	f.raise(s, addrs, v.Val)
	if len(addrs) == 1 && (addrs[0].Kind != path.Elem || addrs[0].Idx != nil) {
		_, isConst := v.Val.(*ssa.Const)
		f.put(s, addrs[0], vals, f.refers(v.Val.Type()) || len(vals) > 0 || isConst && f.refers(v.Val.Type()))
		return
	}
	for _, a := range addrs {
		old, ok := s.mem.get(a)
		u, few := merge(old, vals)
		f.put(s, a, u, ok && few)
	}
}

// counts reports whether an address is that of an integer that a loop has anew in each round.
func counts(addr ssa.Value) bool {
	if phi, ok := addr.(*ssa.Phi); ok {
		addr = phi.Edges[0]
	}
	a, ok := addr.(*ssa.Alloc)
	return ok && perRound(a) != nil
}

// send releases the channel, and acquires what its receivers have released.
func (f *function) send(s *state, in ssa.Instruction, ch, x ssa.Value) {
	for _, c := range f.channels(s, ch) {
		f.access(s, in, f.Table.Field(c, "chan.state"), summary.Read)
		f.sent(s, c, f.eval(s, x))
		if f.both[holder(ch)] && (c.Buffer() == 1 || c.Buffer() < -1) {
			f.toggle(s, c)
		}
		if c.Buffer() != -1 {
			f.acquire(s, in, f.Table.Of(path.Recv, c, ""), 1)
		}
		f.release(s, f.Table.Of(path.Token, c, "chan"), 1)
	}
}

// receive acquires the channel and releases its senders.
func (f *function) receive(s *state, in ssa.Instruction, ch ssa.Value) {
	from := f.channels(s, ch)
	for _, c := range from {
		if f.both[holder(ch)] && (c.Buffer() == 1 || c.Buffer() < -1) {
			f.toggle(s, c)
		}
		f.release(s, f.Table.Of(path.Recv, c, ""), 1)
		if len(from) == 1 {
			sent := f.Table.Of(path.Token, c, "chan")
			f.acquire(s, in, sent, 1)
			f.received(s, sent)
		}
	}
	if v := f.variable(s, ch, in); v != nil {
		f.await(s, v)
	}
}

// channels are those that a value may be; one that is nil is never ready.
func (f *function) channels(s *state, ch ssa.Value) aliases {
	var out aliases
	for _, c := range f.eval(s, ch) {
		if c = c.Strip(); !c.IsNil() {
			out = append(out, c)
		}
	}
	return out
}

// toggle takes or gives back a channel used as a mutex (X10).
func (f *function) toggle(s *state, c *path.Node) {
	l := f.Table.Of(path.Token, c, "mutex")
	if _, held := s.locks.Plus[l]; held {
		s.locks = s.locks.Release(l)
	} else {
		s.locks = s.locks.Acquire(l, lockset.Write)
	}
}
