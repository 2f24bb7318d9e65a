package symbolic

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/model"
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
		t := target{key: cl.specialised(s, Key(fn), c.Args)}
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
