package symbolic

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// target is one function that a call may reach.
type target struct {
	key  string
	free []*path.Node // what a closure captured
	recv *path.Node   // of a method that was found by the dynamic type
	with *path.Node   // receiver of a method value
}

// call executes a call; it reports whether control comes back.
func (f *function) call(s *state, v *ssa.Call) bool {
	f.env[v] = nil
	c := v.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(s, v, b, c.Args, v)
		return true
	}
	f.defaults(v)
	return f.invoke(s, v, c, v)
}

// defaults are the results of a call of which nothing is known.
func (f *function) defaults(v *ssa.Call) {
	root := func(i int, t types.Type) aliases {
		if !f.refers(t) {
			return nil
		}
		return aliases{f.Table.Result(i, f.site(v, "result"), f.class(t), f.loop[v.Block().Index] > 0)}
	}
	if tup, ok := v.Type().(*types.Tuple); ok {
		var all []aliases
		for i := range tup.Len() {
			all = append(all, root(i, tup.At(i).Type()))
		}
		f.results[v] = all
		return
	}
	f.env[v] = root(0, v.Type())
}

// invoke executes a call, a deferred call or the call of a go statement's function in the caller's
// goroutine. result is nil if nothing uses the results.
func (f *function) invoke(s *state, in ssa.Instruction, c *ssa.CallCommon, result *ssa.Call) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(s, in, b, c.Args, nil)
		return true
	}
	args := f.arguments(s, c)
	if c.IsInvoke() {
		if op := f.locker(c); op != model.None {
			return f.modelled(s, in, model.Row{Op: op}, args, result)
		}
		if model.Changing(f.class(c.Value.Type()), c.Method.Name()) { // (M5)
			return f.modelled(s, in, model.Row{Op: model.Changes}, args, result)
		}
	}
	targets, holes := f.targets(s, c)
	for _, t := range targets {
		if row := model.Lookup(t.key, PackageOf(t.key)); row.Op != model.None {
			return f.modelled(s, in, row, withRecv(args, t), result)
		}
	}
	for _, h := range holes {
		f.hole(s, in, h, c, args, false)
	}
	return f.apply(s, in, targets, args, result, len(holes) > 0)
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

// apply executes calls of known functions, one of which is made.
func (f *function) apply(s *state, in ssa.Instruction, targets []target, args []aliases, result *ssa.Call, other bool) bool {
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
		comes, vals := f.instantiate(one, in, t, withRecv(args, t), result)
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
			f.env[result] = values[0]
		} else {
			f.results[result] = values
		}
	}
	return true
}

// arguments evaluates the receiver and the arguments.
func (f *function) arguments(s *state, c *ssa.CallCommon) []aliases {
	var args []aliases
	if c.IsInvoke() {
		args = append(args, f.eval(s, c.Value))
	}
	for _, a := range c.Args {
		v := f.eval(s, a)
		if len(v) == 0 {
			v = f.number(a)
		}
		if _, ok := a.Type().Underlying().(*types.Struct); ok {
			v = f.each(v, a.Type(), copied)
		}
		args = append(args, v)
	}
	return args
}

// targets finds what a call may reach; holes are the values of which that is not known.
func (f *function) targets(s *state, c *ssa.CallCommon) (known []target, holes aliases) {
	if fn := c.StaticCallee(); fn != nil {
		t := target{key: Key(fn)}
		if m, ok := c.Value.(*ssa.MakeClosure); ok {
			for _, b := range m.Bindings {
				t.free = append(t.free, f.single(s, b))
			}
		}
		return []target{t}, nil
	}
	for _, n := range f.eval(s, c.Value) {
		method := ""
		if c.IsInvoke() {
			method = c.Method.Name()
		}
		if t, ok := f.resolve(n, method); ok {
			known = append(known, t)
		} else {
			holes = append(holes, n)
		}
	}
	return known, holes
}

// resolve finds the function behind a value.
func (f *function) resolve(n *path.Node, method string) (target, bool) {
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
		if f.Lookup(key) != nil || model.Lookup(key, PackageOf(key)).Op != model.None {
			return target{key: key, recv: n.Base}, true
		}
		if len(n.Name) > 0 && n.Name[0] == '*' { // a method of the value, by its pointer
			if key := "(" + n.Name[1:] + ")." + method; f.Lookup(key) != nil {
				return target{key: key, recv: n.Base}, true
			}
		}
	}
	return target{}, false
}

// locker recognises the methods of an interface that is a lock.
func (f *function) locker(c *ssa.CallCommon) model.Op {
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
func (f *function) modelled(s *state, in ssa.Instruction, row model.Row, args []aliases, result *ssa.Call) bool {
	var first aliases
	if len(args) > 0 {
		first = f.each(args[0], nil, (*path.Node).Strip)
	}
	switch row.Op {
	case model.Lock, model.RLock, model.TryLock, model.TryRLock, model.Unlock, model.RUnlock:
		f.lock(s, in, row.Op, first, result)
	case model.RLocker:
		if result != nil {
			f.env[result] = f.each(first, nil, func(n *path.Node) *path.Node { return f.Table.Of(path.Locker, n, "") })
		}
	case model.Add:
		if len(first) == 1 && len(s.locks.Plus) == 0 {
			s.added = with(s.added, first[0]) // (X30)
		}
	case model.Done:
		for _, w := range first {
			if !s.added[w] {
				f.release(s, f.Table.Of(path.Token, w, "wg"), 1)
			}
			s.added = without(s.added, w)
		}
	case model.Wait:
		for _, w := range first {
			f.acquire(s, in, f.Table.Of(path.Token, w, "wg"), 1)
			if len(first) == 1 {
				f.waited(s, f.Table.Of(path.Token, w, "wg"), order.Sync{})
			}
		}
	case model.Await: // (X35)
		s.lower(nil)
		if len(first) == 1 {
			f.acquire(s, in, f.Table.Of(path.Token, first[0], condition), 1)
		}
	case model.Signal:
		for _, c := range first {
			f.release(s, f.Table.Of(path.Token, c, condition), 1)
		}
	case model.Go, model.Start, model.Starts:
		f.starter(s, in, row, args, first)
	case model.OnceDo:
		f.once(s, in, args, first)
	case model.Call:
		f.callArgument(s, in, row.Arg, args)
	case model.Load, model.Store, model.Update, model.Swap, model.Exchange:
		f.atomic(s, in, row.Op, first, args, result)
	case model.PoolGet:
		if result != nil {
			n := f.Table.Alloc(f.site(in, "pooled"), f.class(result.Type()), f.loop[f.block.Index] > 0, -2)
			s.forget(n)
			f.env[result] = aliases{n}
		}
	case model.Test:
		f.subtest(s, in, row.Arg, args, false)
	case model.Tests:
		f.subtest(s, in, row.Arg, args, true)
	case model.Parallel:
		for _, t := range first {
			f.release(s, f.Table.Of(path.Token, t, parallel), 1)
		}
	case model.Workers:
		f.workers(s, in, row, args)
	case model.Changes:
		for _, n := range first {
			f.access(s, in, n, summary.Write)
		}
	case model.Prints:
		return f.prints(s, in, args[row.Arg])
	case model.Silent:
		for _, a := range args {
			f.reveal(s, a)
		}
	case model.Hand:
		f.hand(s, args[row.Arg])
	case model.Reflect:
		f.reflected(s)
	case model.Exits:
		return false
	}
	return true
}

// starter makes a goroutine of an argument.
func (f *function) starter(s *state, in ssa.Instruction, row model.Row, args []aliases, first aliases) {
	if row.Arg >= len(args) {
		return
	}
	var done *path.Node
	if row.Op == model.Go && len(first) == 1 {
		done = f.Table.Of(path.Token, first[0], "wg")
	}
	var targets []target
	for _, n := range args[row.Arg] {
		if t, ok := f.resolve(n, ""); ok {
			targets = append(targets, t)
		}
	}
	f.start(s, in, targets, nil, done, row.Op == model.Starts)
	f.give(s, args[row.Arg])
}

// workers makes goroutines of an argument and waits for them.
func (f *function) workers(s *state, in ssa.Instruction, row model.Row, args []aliases) {
	if row.Arg >= len(args) {
		return
	}
	var targets []target
	for _, n := range args[row.Arg] {
		if t, ok := f.resolve(n, ""); ok {
			targets = append(targets, t)
		}
	}
	done := f.Table.Of(path.Token, f.Table.Root(path.Token, 0, f.mark(f.place(in)), ""), "wg")
	f.start(s, in, targets, nil, done, true)
	f.give(s, args[row.Arg])
	f.acquire(s, in, done, 1)
}

// once executes sync.Once.Do: the function runs under the Once, and whoever returns from Do comes
// after it.
func (f *function) once(s *state, in ssa.Instruction, args []aliases, first aliases) {
	if len(first) != 1 {
		f.callArgument(s, in, 1, args)
		return
	}
	lock, token := f.Table.Of(path.Token, first[0], "doing"), f.Table.Of(path.Token, first[0], "once")
	s.locks = s.locks.Acquire(lock, lockset.Write)
	f.callArgument(s, in, 1, args)
	f.release(s, token, 1)
	s.locks = s.locks.Release(lock)
	f.acquire(s, in, token, 1)
}

func (f *function) callArgument(s *state, in ssa.Instruction, i int, args []aliases) {
	if i >= len(args) {
		return
	}
	var targets []target
	for _, n := range args[i] {
		if t, ok := f.resolve(n, ""); ok {
			targets = append(targets, t)
		} else {
			f.addHole(summary.Hole{Value: n, Locks: s.locks, Sync: s.sync, Pos: f.place(in)})
		}
	}
	f.apply(s, in, targets, []aliases{f.unknownParam()}, nil, true)
}

// unknownParam stands for an argument that the callee of a model is given, such as *testing.T.
func (f *function) unknownParam() aliases { return aliases{f.Table.Unknown("testing.T")} }

func (f *function) builtin(s *state, in ssa.Instruction, b *ssa.Builtin, args []ssa.Value, result *ssa.Call) {
	elems := func(v ssa.Value, kind summary.Kind) {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			for _, n := range f.eval(s, v) {
				f.access(s, in, f.all(n), kind)
			}
		}
	}
	switch b.Name() {
	case "append":
		elems(args[0], summary.Append)
		elems(args[0], summary.Read) // it is copied if it must grow
		if len(args) > 1 {
			elems(args[1], summary.Read)
			for _, n := range f.eval(s, args[0]) {
				if sl, ok := args[1].Type().Underlying().(*types.Slice); ok && f.refers(sl.Elem()) {
					f.publish(s, f.all(n), f.contents(s, args[1]))
					f.flowType(f.all(n), f.contents(s, args[1]), sl.Elem())
				}
			}
		}
		if result != nil {
			f.env[result] = f.eval(s, args[0])
			if len(f.env[result]) == 0 {
				n := f.Table.Alloc(f.site(in, "slice"), f.class(result.Type()), f.loop[f.block.Index] > 0, -2)
				f.env[result] = aliases{n}
			}
		}
	case "copy":
		elems(args[0], summary.Write)
		elems(args[1], summary.Read)
	case "delete", "clear":
		elems(args[0], summary.Write)
		for _, n := range f.eval(s, args[0]) {
			f.unshare(s, aliases{f.all(n)})
		}
	case "len":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			elems(args[0], summary.Read)
		}
	case "close":
		for _, c := range f.channels(s, args[0]) {
			f.access(s, in, f.Table.Field(c, "chan.state"), summary.Write)
			f.release(s, f.Table.Of(path.Token, c, "chan"), order.Many)
			f.release(s, f.Table.Of(path.Token, c, "closed"), 1)
		}
	}
}

// runDefers executes the deferred calls (X8).
func (f *function) runDefers(s *state) {
	for d := s.defers; d != nil; d = d.next {
		one := s.fork()
		for l, m := range d.held {
			if _, gone := s.locks.Minus[l]; !gone {
				one.locks = one.locks.Acquire(l, m)
			}
		}
		if !f.invoke(one, d.call, d.call.Common(), nil) {
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

// hole notes a call whose target is not known.
func (f *function) hole(s *state, in ssa.Instruction, v *path.Node, c *ssa.CallCommon, args []aliases, starts bool) {
	for _, a := range args {
		f.hand(s, a)
		f.reveal(s, a)
	}
	if !f.recording {
		return
	}
	h := summary.Hole{Value: v, Locks: s.locks, Sync: s.sync, Go: starts, Loop: f.loop[f.block.Index] > 0, Pos: f.place(in)}
	if c.IsInvoke() {
		h.Method = c.Method.Name()
		h.Iface = f.class(c.Value.Type())
	}
	for _, a := range args {
		if len(a) == 1 {
			h.Args = append(h.Args, a[0])
		} else {
			h.Args = append(h.Args, nil)
		}
	}
	f.addHole(h)
}

const maxHoles = 100

func (f *function) addHole(h summary.Hole) {
	if !f.recording {
		return
	}
	if len(f.sum.Holes) >= maxHoles {
		f.sum.Cuts[summary.BoundHoles]++
		return
	}
	f.sum.Holes = append(f.sum.Holes, h)
}
