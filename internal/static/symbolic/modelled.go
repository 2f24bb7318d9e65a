package symbolic

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

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
