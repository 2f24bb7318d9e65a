package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

func (m *machine) stepLock(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	read := e.Flags&format.FlagRead != 0
	switch {
	case st.failed:
	case st.writers > 0 || !read && st.readers > 0:
		m.failOn(st, ruleLock, x, -1)
	case read:
		st.readers++
	default:
		st.writers++
	}
}

func (m *machine) stepUnlock(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	n := &st.writers
	if e.Flags&format.FlagRead != 0 {
		n = &st.readers
	}
	switch {
	case st.failed:
	case *n <= 0:
		m.failOn(st, ruleUnlock, x, -1)
	default:
		*n--
	}
}

func (m *machine) stepTryFail(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	read := e.Flags&format.FlagRead != 0
	if !st.failed && st.writers == 0 && (read || st.readers == 0) {
		m.failOn(st, ruleTryFail, x, -1)
	}
}

func (m *machine) stepAdd(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	if st.failed {
		return
	}
	if st.counter += int64(e.Val); st.counter < 0 {
		m.failOn(st, ruleAdd, x, -1)
	}
}

func (m *machine) stepWait(x int32, e *model.Event) { // (MO13)
	if st := m.state(e.Obj); !st.failed && st.counter != 0 {
		m.failOn(st, ruleWait, x, -1)
	}
}

func (m *machine) stepOnce(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	switch {
	case st.failed:
	case e.Kind == format.OnceBegin:
		if st.once != model.OnceFresh {
			m.failOn(st, ruleBegin, x, -1)
		}
		st.once = model.OnceRunning
	case e.Kind == format.OnceEnd:
		if st.once != model.OnceRunning {
			m.failOn(st, ruleEnd, x, -1)
		}
		st.once = model.OnceDone
	case st.once != model.OnceDone:
		m.failOn(st, rulePass, x, -1)
	}
}

func (m *machine) stepCond(x int32, e *model.Event) { // (MO13)
	st := m.state(e.Obj)
	switch {
	case st.failed:
	case e.Kind == format.CondWait:
		st.waiters = append(st.waiters, waiter{e.Thread, x, false})
	case e.Kind == format.CondWake:
		if !st.wake(e.Thread) {
			m.failOn(st, ruleWake, x, m.objects.waited[x])
		}
	default:
		st.notify(e.Kind == format.CondBroadcast)
	}
}

func (st *state) notify(all bool) {
	for i := range st.waiters {
		if !st.waiters[i].notified {
			st.waiters[i].notified = true
			if !all {
				return
			}
		}
	}
}

// wake takes the notified entry of t out of the queue.
func (st *state) wake(t model.Thread) bool {
	for i, w := range st.waiters {
		if w.thread == t && w.notified {
			st.waiters = append(st.waiters[:i], st.waiters[i+1:]...)
			return true
		}
	}
	return false
}
