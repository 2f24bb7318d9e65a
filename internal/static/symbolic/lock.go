package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// locking executes the methods of locks.
type locking struct {
	table   *path.Table
	choices *choices
	joins   *joins
	syncs   *syncs
	gives   nodes // locks that were given up and not held (SY6)
}

// lock executes a method of one of the locks.
func (lk *locking) lock(s *state, in ssa.Instruction, op model.Op, locks aliases, result *ssa.Call) {
	choice := lk.several(s, in, locks)
	_, held := s.locks.Plus[choice]
	if choice != nil {
		lk.lockOne(s, op, choice, result)
	}
	for _, l := range locks {
		if choice == nil || op == model.Unlock && !held {
			lk.handOver(s, in, op, l)
		}
		if len(locks) == 1 || op == model.Unlock || op == model.RUnlock {
			lk.lockOne(s, op, l, result)
		}
	}
}

// lockOne changes the lockset.
func (lk *locking) lockOne(s *state, op model.Op, l *path.Node, result *ssa.Call) {
	mode := lockset.Write
	if op == model.RLock || op == model.TryRLock {
		mode = lockset.Read
	}
	if l.Kind == path.Locker {
		l, mode = l.Base, lockset.Read
	}
	switch op {
	case model.Lock, model.RLock:
		s.locks = s.locks.Acquire(l, mode)
	case model.TryLock, model.TryRLock:
		if result != nil {
			s.guesses = append(s.guesses[:len(s.guesses):len(s.guesses)], guess{result, summary.True, l, mode})
		}
	default:
		lk.giveUp(s, l)
		lk.joins.unlend(s, l)
		if op == model.RUnlock || mode == lockset.Read {
			s.locks = s.locks.ReleaseRead(l) // (RL2) of package lockset
		} else {
			s.locks = s.locks.Release(l)
		}
		s.dropGuesses(l)
		s.lower(l)
		lk.choices.unchoose(s, l)
	}
}

// giveUp notes that a lock is released that may be the caller's (SY6).
func (lk *locking) giveUp(s *state, l *path.Node) {
	if s.locks.Plus[l] == 0 && (l.Formal() || l.Root().Kind == path.Global) {
		lk.gives[l] = true
	}
}

// several names the lock of a call that has several paths (SY5).
func (lk *locking) several(s *state, in ssa.Instruction, locks aliases) *path.Node {
	c, ok := in.(ssa.CallInstruction)
	if !ok || len(locks) < 2 || slices.ContainsFunc(locks, func(l *path.Node) bool { return l.Kind == path.Locker }) {
		return nil
	}
	switch call := c.Common(); {
	case call.IsInvoke():
		return lk.choices.choice(s, call.Value)
	case call.StaticCallee() != nil && len(call.Args) > 0:
		return lk.choices.choice(s, call.Args[0])
	}
	return nil
}

// handOver treats a mutex as a semaphore (SY4): an unlock by a goroutine that does not hold it
// releases it to a goroutine that locks it a second time without an unlock of its own.
func (lk *locking) handOver(s *state, in ssa.Instruction, op model.Op, l *path.Node) {
	_, held := s.locks.Plus[l]
	switch {
	case op == model.Unlock && !held:
		lk.syncs.release(s, lk.table.Of(path.Token, l, "semaphore"), 1)
	case op == model.Lock && (held || s.handed[l]):
		lk.syncs.acquire(s, in, lk.table.Of(path.Token, l, "semaphore"), 1)
	}
}
