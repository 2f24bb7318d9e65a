package symbolic

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// caller executes calls, go statements and the functions of package model.
type caller struct {
	table    *path.Table
	lookup   func(key string) *summary.Function
	std      bool
	graph    *flowgraph
	places   *places
	values   *values
	choices  *choices
	flows    *flows
	sharing  *sharing
	accesses *accesses
	joins    *joins
	locks    *locking
	syncs    *syncs
	chans    *chans
	draft    *draft
}

// target is one function that a call may reach.
type target struct {
	key  string
	free []*path.Node // what a closure captured
	recv *path.Node   // of a method that was found by the dynamic type
	with *path.Node   // receiver of a method value
}

// call executes a call; it reports whether control comes back.
func (cl *caller) call(s *state, v *ssa.Call) bool {
	cl.values.env[v] = nil
	c := v.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		cl.builtin(s, v, b, c.Args, v)
		return true
	}
	cl.values.defaults(v)
	return cl.invoke(s, v, c, v)
}

// invoke executes a call, a deferred call or the call of a go statement's function in the caller's
// goroutine. result is nil if nothing uses the results.
func (cl *caller) invoke(s *state, in ssa.Instruction, c *ssa.CallCommon, result *ssa.Call) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		cl.builtin(s, in, b, c.Args, nil)
		return true
	}
	args := cl.values.arguments(s, c)
	if c.IsInvoke() {
		if op := cl.locker(c); op != model.None {
			return cl.modelled(s, in, model.Row{Op: op}, args, result)
		}
		if model.Changing(cl.values.types.class(c.Value.Type()), c.Method.Name()) {
			return cl.modelled(s, in, model.Row{Op: model.Changes}, args, result)
		}
	}
	targets, holes := cl.targets(s, c)
	for _, t := range targets {
		if row := model.Lookup(t.key, PackageOf(t.key)); row.Op != model.None {
			return cl.modelled(s, in, row, withRecv(args, t), result)
		}
	}
	for _, h := range holes {
		cl.hole(s, in, h, c, args, false)
	}
	return cl.apply(s, in, targets, args, result, len(holes) > 0)
}

func withRecv(args []aliases, t target) []aliases {
	if t.with != nil {
		return append([]aliases{{t.with}}, args...)
	}
	if t.recv == nil {
		return args
	}
	out := append([]aliases(nil), args...)
	out[0] = aliases{t.recv}
	return out
}

// apply executes a call whose callee is one of several known functions, or, if other is set, an
// unknown one.
func (cl *caller) apply(s *state, in ssa.Instruction, targets []target, args []aliases, result *ssa.Call, other bool) bool {
	if len(targets) == 0 {
		return true
	}
	var joined *state
	returns := other
	if other {
		joined = s.fork()
	}
	var values []aliases
	for _, t := range targets {
		one := s.fork()
		comes, vals := cl.instantiate(one, in, t, withRecv(args, t), result)
		if !comes {
			continue
		}
		returns = true
		if joined == nil {
			joined, values = one, vals
			continue
		}
		joined = joined.join(one)
		for i := range values {
			if i < len(vals) {
				u, ok := merge(values[i], vals[i])
				if !ok {
					u = nil
				}
				values[i] = u
			}
		}
	}
	if !returns {
		return false
	}
	*s = *joined
	if result != nil && values != nil && !other {
		if len(values) == 1 {
			cl.values.env[result] = values[0]
		} else {
			cl.values.results[result] = values
		}
	}
	return true
}

// targets finds the functions that a call may reach; holes are the called values whose function is
// unknown.
func (cl *caller) targets(s *state, c *ssa.CallCommon) (known []target, holes aliases) {
	if fn := c.StaticCallee(); fn != nil {
		t := target{key: Key(fn)}
		if m, ok := c.Value.(*ssa.MakeClosure); ok {
			for _, b := range m.Bindings {
				t.free = append(t.free, cl.values.single(s, b))
			}
		}
		return []target{t}, nil
	}
	for _, n := range cl.values.eval(s, c.Value) {
		method := ""
		if c.IsInvoke() {
			method = c.Method.Name()
		}
		if t, ok := cl.resolve(n, method); ok {
			known = append(known, t)
		} else {
			holes = append(holes, n)
		}
	}
	return known, holes
}

// resolve finds the function behind a value.
func (cl *caller) resolve(n *path.Node, method string) (target, bool) {
	if method == "" {
		if name, ok := strings.CutSuffix(n.Name, "$bound"); ok && n.Kind == path.Func && len(n.Args) == 1 {
			return target{key: name, with: n.Args[0].Strip()}, true
		}
		if n.Kind == path.Func {
			return target{key: n.Name, free: n.Args}, true
		}
		return target{}, false
	}
	if n.Kind == path.Iface {
		key := "(" + n.Name + ")." + method
		if cl.lookup(key) != nil || model.Lookup(key, PackageOf(key)).Op != model.None {
			return target{key: key, recv: n.Base}, true
		}
		if len(n.Name) > 0 && n.Name[0] == '*' { // a method of the value, by its pointer
			if key := "(" + n.Name[1:] + ")." + method; cl.lookup(key) != nil {
				return target{key: key, recv: n.Base}, true
			}
		}
	}
	return target{}, false
}

// locker recognises the methods of an interface that is a lock.
func (cl *caller) locker(c *ssa.CallCommon) model.Op {
	op := model.Locker(c.Method.Name())
	if op == model.None || c.Signature().Params().Len() > 0 {
		return model.None
	}
	i, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return model.None
	}
	has := map[string]bool{}
	for k := range i.NumMethods() {
		has[i.Method(k).Name()] = true
	}
	if !has["Lock"] || !has["Unlock"] {
		return model.None
	}
	return op
}

// modelled executes a function of the table; it reports whether control comes back.
func (cl *caller) modelled(s *state, in ssa.Instruction, row model.Row, args []aliases, result *ssa.Call) bool {
	var first aliases
	if len(args) > 0 {
		first = cl.values.each(args[0], nil, (*path.Node).Strip)
	}
	switch row.Op {
	case model.Lock, model.RLock, model.TryLock, model.TryRLock, model.Unlock, model.RUnlock:
		cl.locks.lock(s, in, row.Op, first, result)
	case model.RLocker:
		if result != nil {
			cl.values.env[result] = cl.values.each(first, nil, func(n *path.Node) *path.Node { return cl.table.Of(path.Locker, n, "") })
		}
	case model.Add, model.Done, model.Wait, model.Await, model.Signal, model.Parallel:
		cl.synchronise(s, in, row.Op, first)
	case model.Go, model.Start, model.Starts:
		cl.starter(s, in, row, args, first)
	case model.OnceDo:
		cl.once(s, in, args, first)
	case model.Call:
		cl.callArgument(s, in, row.Arg, args)
	case model.Load, model.Store, model.Update, model.Swap, model.Exchange:
		cl.atomic(s, in, row.Op, first, args, result)
	case model.PoolGet:
		if result != nil {
			n := cl.table.Alloc(cl.places.site(in, "pooled"), cl.values.types.class(result.Type()), cl.graph.looping(), -2)
			s.forget(n)
			cl.values.env[result] = aliases{n}
		}
	case model.Test:
		cl.subtest(s, in, row.Arg, args, false)
	case model.Tests:
		cl.subtest(s, in, row.Arg, args, true)
	case model.Workers:
		cl.workers(s, in, row, args)
	case model.Changes:
		for _, n := range first {
			cl.accesses.access(s, in, n, summary.Write)
		}
	case model.Prints:
		return cl.prints(s, in, args[row.Arg])
	case model.Silent:
		for _, a := range args {
			cl.sharing.reveal(s, a)
		}
	case model.Hand:
		cl.syncs.hand(s, args[row.Arg])
	case model.Reflect:
		cl.syncs.reflected(s)
	case model.Exits:
		return false
	}
	return true
}

// synchronise executes a method of a WaitGroup or a Cond, which is one of objects, or t.Parallel.
func (cl *caller) synchronise(s *state, in ssa.Instruction, op model.Op, objects aliases) {
	switch op {
	case model.Add:
		if len(objects) == 1 && len(s.locks.Plus) == 0 {
			s.added = with(s.added, objects[0]) // (SY6)
		}
	case model.Done:
		for _, w := range objects {
			if !s.added[w] {
				cl.syncs.release(s, cl.table.Of(path.Token, w, "wg"), 1)
			}
			s.added = without(s.added, w)
		}
	case model.Wait:
		for _, w := range objects {
			cl.syncs.acquire(s, in, cl.table.Of(path.Token, w, "wg"), 1)
			if len(objects) == 1 {
				cl.joins.waited(s, cl.table.Of(path.Token, w, "wg"), order.Sync{})
			}
		}
	case model.Await: // (SY6)
		s.lower(nil)
		if len(objects) == 1 {
			cl.syncs.acquire(s, in, cl.table.Of(path.Token, objects[0], condition), 1)
		}
	case model.Signal:
		for _, c := range objects {
			cl.syncs.release(s, cl.table.Of(path.Token, c, condition), 1)
		}
	case model.Parallel:
		for _, t := range objects {
			cl.syncs.release(s, cl.table.Of(path.Token, t, parallel), 1)
		}
	}
}

// starter makes a goroutine of an argument.
func (cl *caller) starter(s *state, in ssa.Instruction, row model.Row, args []aliases, first aliases) {
	if row.Arg >= len(args) {
		return
	}
	var done *path.Node
	if row.Op == model.Go && len(first) == 1 {
		done = cl.table.Of(path.Token, first[0], "wg")
	}
	var targets []target
	for _, n := range args[row.Arg] {
		if t, ok := cl.resolve(n, ""); ok {
			targets = append(targets, t)
		}
	}
	cl.start(s, in, targets, nil, done, row.Op == model.Starts)
	cl.sharing.give(s, args[row.Arg])
}

// workers makes goroutines of an argument and waits for them.
func (cl *caller) workers(s *state, in ssa.Instruction, row model.Row, args []aliases) {
	if row.Arg >= len(args) {
		return
	}
	var targets []target
	for _, n := range args[row.Arg] {
		if t, ok := cl.resolve(n, ""); ok {
			targets = append(targets, t)
		}
	}
	done := cl.table.Of(path.Token, cl.table.Root(path.Token, 0, cl.places.mark(cl.places.place(in)), ""), "wg")
	cl.start(s, in, targets, nil, done, true)
	cl.sharing.give(s, args[row.Arg])
	cl.syncs.acquire(s, in, done, 1)
}

// once executes sync.Once.Do: the function runs under the Once, and every return from Do comes
// after it.
func (cl *caller) once(s *state, in ssa.Instruction, args []aliases, first aliases) {
	if len(first) != 1 {
		cl.callArgument(s, in, 1, args)
		return
	}
	lock, token := cl.table.Of(path.Token, first[0], "doing"), cl.table.Of(path.Token, first[0], "once")
	s.locks = s.locks.Acquire(lock, lockset.Write)
	cl.callArgument(s, in, 1, args)
	cl.syncs.release(s, token, 1)
	s.locks = s.locks.Release(lock)
	cl.syncs.acquire(s, in, token, 1)
}

func (cl *caller) callArgument(s *state, in ssa.Instruction, i int, args []aliases) {
	if i >= len(args) {
		return
	}
	var targets []target
	for _, n := range args[i] {
		if t, ok := cl.resolve(n, ""); ok {
			targets = append(targets, t)
		} else {
			cl.draft.addHole(summary.Hole{Value: n, Locks: s.locks, Sync: s.sync, Pos: cl.places.place(in)})
		}
	}
	cl.apply(s, in, targets, []aliases{cl.unknownParam()}, nil, true)
}

// unknownParam is an argument that a function of package model passes, such as *testing.T.
func (cl *caller) unknownParam() aliases { return aliases{cl.table.Unknown("testing.T")} }

func (cl *caller) builtin(s *state, in ssa.Instruction, b *ssa.Builtin, args []ssa.Value, result *ssa.Call) {
	elems := func(v ssa.Value, kind summary.Kind) {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			for _, n := range cl.values.eval(s, v) {
				cl.accesses.access(s, in, cl.values.all(n), kind)
			}
		}
	}
	switch b.Name() {
	case "append":
		cl.appends(s, in, args[0], result)
		elems(args[0], summary.Read) // it is copied if it must grow
		if len(args) > 1 {
			elems(args[1], summary.Read)
			for _, n := range cl.values.eval(s, args[0]) {
				if sl, ok := args[1].Type().Underlying().(*types.Slice); ok && cl.values.types.refers(sl.Elem()) {
					cl.sharing.publish(s, cl.values.all(n), cl.values.contents(s, args[1]))
					cl.flows.storedOf(cl.values.all(n), cl.values.contents(s, args[1]), sl.Elem())
				}
			}
		}
		if result != nil {
			cl.values.env[result] = slices.DeleteFunc(slices.Clone(cl.values.eval(s, args[0])), clipped)
			if len(cl.values.env[result]) == 0 {
				n := cl.table.Alloc(cl.places.site(in, "slice"), cl.values.types.class(result.Type()), cl.graph.looping(), -2)
				cl.values.env[result] = aliases{n}
			}
			if len(args) > 1 {
				cl.fill(s, cl.values.env[result], args[1])
			}
		}
	case "copy":
		elems(args[0], summary.Write)
		elems(args[1], summary.Read)
		cl.fill(s, cl.values.eval(s, args[0]), args[1])
	case "delete", "clear":
		elems(args[0], summary.Write)
		for _, n := range cl.values.eval(s, args[0]) {
			cl.sharing.unshare(s, aliases{cl.values.all(n)})
		}
	case "len":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			elems(args[0], summary.Read)
		}
	case "close":
		for _, c := range cl.values.channels(s, args[0]) {
			cl.accesses.access(s, in, cl.table.Field(c, "chan.state"), summary.Write)
			cl.syncs.release(s, cl.table.Of(path.Token, c, "chan"), order.Many)
			cl.syncs.release(s, cl.table.Of(path.Token, c, "closed"), 1)
		}
	}
}

// clipped reports whether a slice ends where its memory does.
func clipped(n *path.Node) bool { return n.Kind == path.Sub && n.Name == path.Clip }

// appends records the writes behind the length of a slice to which is appended. It notes the memory
// in which the result is stored: the slice there may have room.
func (cl *caller) appends(s *state, in ssa.Instruction, old ssa.Value, result ssa.Value) {
	var stores aliases
	if result != nil {
		for _, r := range *result.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Val == result {
				stores = append(stores, cl.values.eval(s, st.Addr)...)
			}
		}
	}
	for _, addr := range stores {
		cl.draft.roomy(addr)
	}
	for _, n := range cl.values.eval(s, old) {
		if !clipped(n) {
			from := n
			if n.Kind == path.Sub {
				from = n.Base
			}
			back := from.Kind == path.Load && slices.Contains(stores, from.Base)
			cl.accesses.guarded(s, in, cl.values.all(n), &summary.Access{Kind: summary.Append, Back: back})
		}
	}
}

// fill adds the elements of a slice to those of other slices.
func (cl *caller) fill(s *state, to aliases, from ssa.Value) {
	vals := cl.values.elements(s, from)
	for _, n := range to {
		cl.accesses.fill(s, n, vals)
	}
}

// runDefers executes the deferred calls (SY2).
func (cl *caller) runDefers(s *state) {
	for d := s.defers; d != nil; d = d.next {
		one := s.fork()
		for l, m := range d.held {
			if _, gone := s.locks.Minus[l]; !gone {
				one.locks = one.locks.Acquire(l, m)
			}
		}
		if !cl.invoke(one, d.call, d.call.Common(), nil) {
			continue
		}
		if !d.may {
			*s = *one
			continue
		}
		joined := s.join(one)
		for l, m := range d.gap {
			if _, taken := one.locks.Plus[l]; taken {
				joined.locks = joined.locks.Close(l, m)
			}
		}
		*s = *joined
	}
	s.defers = nil
}

// hole notes a call with an unknown target.
func (cl *caller) hole(s *state, in ssa.Instruction, v *path.Node, c *ssa.CallCommon, args []aliases, starts bool) {
	for _, a := range args {
		cl.syncs.hand(s, a)
		cl.sharing.reveal(s, a)
	}
	if !cl.draft.recording {
		return
	}
	h := summary.Hole{Value: v, Locks: s.locks, Sync: s.sync, Go: starts, Loop: cl.graph.looping(), Pos: cl.places.place(in)}
	if starts {
		h.Token = cl.token(in)
	}
	if c.IsInvoke() {
		h.Method = c.Method.Name()
		h.Iface = cl.values.types.class(c.Value.Type())
	}
	for _, a := range args {
		if len(a) == 1 {
			h.Args = append(h.Args, a[0])
		} else {
			h.Args = append(h.Args, nil)
		}
	}
	cl.draft.addHole(h)
}
