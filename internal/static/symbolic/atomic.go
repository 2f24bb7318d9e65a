package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// atomic executes a function of sync/atomic.
func (cl *caller) atomic(s *state, in ssa.Instruction, op model.Op, first aliases, args []aliases, result *ssa.Call) {
	for _, a := range first {
		token := cl.table.Of(path.Token, a, "atomic")
		switch op {
		case model.Load:
			cl.accesses.access(s, in, a, summary.AtomicRead)
		default:
			cl.accesses.guarded(s, in, a, &summary.Access{Kind: summary.AtomicWrite, Sets: takes(result)})
			cl.syncs.release(s, token, 1)
			for _, v := range args[1:] {
				cl.sharing.publish(s, a, v)
			}
		}
	}
	if op != model.Load && len(first) == 1 {
		cl.turn(s, cl.table.Of(path.Token, first[0], "turn"), result)
	}
	if op == model.Load && result != nil && cl.values.types.refers(result.Type()) {
		cl.values.env[result] = cl.values.deref(s, first, result.Type())
	}
}

// turn treats an atomic flag as a mutex (SY4): a goroutine that changes it from zero holds it,
// until it is changed otherwise.
func (cl *caller) turn(s *state, l *path.Node, call *ssa.Call) {
	s.dropGuesses(l)
	if !takes(call) {
		s.locks = s.locks.Release(l)
		return
	}
	won := summary.True
	switch args := call.Common().Args; model.AtomicOf(Key(call.Common().StaticCallee())) {
	case model.Swap:
		if old, is := args[len(args)-2].(*ssa.Const); !is || !zero(old) {
			s.locks = s.locks.Release(l)
			return
		}
	case model.Exchange:
		won = summary.False
	default:
		return // it stays taken
	}
	s.guesses = append(s.guesses[:len(s.guesses):len(s.guesses)], guess{call, won, l, lockset.Write})
}

// takes reports whether a call of sync/atomic leaves a flag that is certainly not zero, if it
// changes it.
func takes(call *ssa.Call) bool {
	if call == nil || call.Common().StaticCallee() == nil {
		return false
	}
	switch model.AtomicOf(Key(call.Common().StaticCallee())) {
	case model.Swap, model.Exchange, model.Store:
		args := call.Common().Args
		last, known := args[len(args)-1].(*ssa.Const)
		return known && !zero(last)
	}
	return false
}
