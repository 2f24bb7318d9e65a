package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/lockset"
	"presage/internal/relay/model"
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// atomic executes a function of sync/atomic.
func (f *function) atomic(s *state, in ssa.Instruction, op model.Op, first aliases, args []aliases, result *ssa.Call) {
	for _, a := range first {
		token := f.Table.Of(path.Token, a, "atomic")
		switch op {
		case model.Load:
			f.access(s, in, a, summary.AtomicRead)
		default:
			f.access(s, in, a, summary.AtomicWrite)
			f.release(s, token, 1)
			for _, v := range args[1:] {
				f.publish(s, a, v)
			}
		}
	}
	if op != model.Load && len(first) == 1 {
		f.turn(s, f.Table.Of(path.Token, first[0], "turn"), result)
	}
	if op == model.Load && result != nil && f.refers(result.Type()) {
		f.env[result] = f.deref(s, first, result.Type())
	}
}

// turn treats an atomic flag as a mutex (X13): who changes it from zero to something else has it, until it is changed otherwise.
func (f *function) turn(s *state, l *path.Node, call *ssa.Call) {
	s.dropGuesses(l)
	if call == nil || call.Common().StaticCallee() == nil {
		s.locks = s.locks.Release(l)
		return
	}
	args := call.Common().Args
	last, known := args[len(args)-1].(*ssa.Const)
	switch key := Key(call.Common().StaticCallee()); model.AtomicOf(key) {
	case model.Swap:
		old, is := args[len(args)-2].(*ssa.Const)
		if is && known && zero(old) && !zero(last) {
			s.guesses = append(s.guesses[:len(s.guesses):len(s.guesses)], guess{call, summary.True, l, lockset.Write})
			return
		}
	case model.Exchange:
		if known && !zero(last) {
			s.guesses = append(s.guesses[:len(s.guesses):len(s.guesses)], guess{call, summary.False, l, lockset.Write})
			return
		}
	case model.Store:
		if known && !zero(last) {
			return // it stays taken
		}
	}
	s.locks = s.locks.Release(l)
}
