package std

import (
	"fmt"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

func (r *Reader) name(g trace.GoID) string { return r.threadNames.name(int(g) - 1) }

func (r *Reader) lockName(l int32) string { return r.objectNames.name(int(r.lock[l].addr/8) - 1) }

// acquire is acq(l).
func (r *Reader) acquire(e *trace.Event, id int32) error {
	l := &r.lock[id]
	if l.holder == e.G { // (TS1)
		l.depth++
		r.count.reentrant++
		return nil
	}
	if l.holder != 0 {
		if err := r.yield(id); err != nil { // (TS2)
			return err
		}
	}
	*l = lock{l.addr, l.cond, e.G, 1, true, r.lines.line}
	e.Kind, e.Obj = format.Lock, l.addr
	return nil
}

// release is rel(l).
func (r *Reader) release(e *trace.Event, id int32) error {
	l := &r.lock[id]
	switch {
	case !l.used: // (TS1)
		r.count.held++
	case l.holder != e.G && l.holder == 0:
		return fmt.Errorf("%s releases %s, which is free", r.name(e.G), r.lockName(id)) // (TS4)
	case l.holder != e.G:
		return fmt.Errorf("%s releases %s, which %s holds since line %d", r.name(e.G), r.lockName(id), r.name(l.holder), l.line)
	case l.depth > 1: // (TS1)
		l.depth--
		return nil
	}
	l.holder, l.depth, l.used = 0, 0, true
	e.Kind, e.Obj = format.Unlock, l.addr
	return nil
}

// yield lets the holder of a lock that another thread acquires wait for it (TS2).
func (r *Reader) yield(id int32) error {
	l := &r.lock[id]
	t := &r.thread[l.holder]
	if t.owes != 0 || t.wait != 0 || t.over != 0 {
		return fmt.Errorf("%s is held by %s since line %d", r.lockName(id), r.name(l.holder), l.line)
	}
	t.owes, t.depth = id, l.depth
	r.push(format.Unlock, l.holder, 0, l.addr)
	return nil
}

// wait is wait(l).
func (r *Reader) wait(g trace.GoID, site trace.Site, id int32) error {
	r.count.wait++
	l, t := &r.lock[id], &r.thread[g]
	r.cond(id)
	if t.owes == id { // the Unlock is already in the trace; the wait is over
		t.owes = 0
		return r.relock(g, site, id)
	}
	if l.holder != g && l.used {
		return fmt.Errorf("%s waits for %s without holding it", r.name(g), r.lockName(id))
	}
	t.wait, t.depth = id, max(1, l.depth)
	if !l.used {
		r.count.held++ // (TS1)
	}
	l.holder, l.depth, l.used = 0, 0, true
	r.push(format.Unlock, g, site, l.addr)
	return nil
}

// relock ends a wait: the order with notify, and the lock again.
func (r *Reader) relock(g trace.GoID, site trace.Site, id int32) error {
	l, t := &r.lock[id], &r.thread[g]
	if l.holder != 0 {
		return fmt.Errorf("%s returns from its wait, but %s is held by %s since line %d", r.name(g), r.lockName(id), r.name(l.holder), l.line)
	}
	r.push(format.Acquire, g, site, l.cond)
	r.push(format.Lock, g, site, l.addr)
	l.holder, l.depth, l.line = g, t.depth, r.lines.line
	t.wait, t.depth = 0, 0
	return nil
}

// cond returns the object that orders waits and notifies of a lock.
func (r *Reader) cond(id int32) trace.Addr {
	l := &r.lock[id]
	if l.cond == 0 {
		l.cond = r.object("wait(" + r.lockName(id) + ")")
	}
	return l.cond
}

func (r *Reader) fork(e *trace.Event, u trace.GoID) error {
	t := &r.thread[u]
	switch {
	case u == e.G:
		return fmt.Errorf("%s forks itself", r.name(u))
	case t.forked:
		return fmt.Errorf("%s is forked twice", r.name(u))
	case t.over != 0:
		return fmt.Errorf("%s is forked after its end in line %d", r.name(u), t.over)
	}
	t.forked = true
	if t.started { // (TS3)
		r.count.late++
		t.late, t.edge = true, r.object("fork("+r.name(u)+")")
		e.Kind, e.Obj = format.ReleaseMerge, t.edge
		return nil
	}
	t.parent, t.forkAt = e.G, e.Site
	e.Kind, e.Obj = format.Go, trace.Addr(u)
	return nil
}

func (r *Reader) join(e *trace.Event, u trace.GoID) error {
	if u == e.G {
		return fmt.Errorf("%s joins itself", r.name(u))
	}
	if t := &r.thread[u]; t.over == 0 {
		t.over = r.lines.line
	}
	e.Kind, e.Obj = format.Join, trace.Addr(u)
	return nil
}

// resume does what stands before the next event of a thread.
func (r *Reader) resume(g trace.GoID, site trace.Site, f *fields) error {
	t := &r.thread[g]
	if t.over != 0 {
		return fmt.Errorf("%s ended, or was joined, in line %d", r.name(g), t.over) // (TS4)
	}
	if t.late { // (TS3)
		t.late = false
		r.push(format.Acquire, g, site, t.edge)
	}
	if t.wait != 0 { // (TS2)
		return r.relock(g, site, t.wait)
	}
	if t.owes != 0 && string(f.op) != "req" && (string(f.op) != "wait" || r.lockID(f.operand) != t.owes) {
		return fmt.Errorf("%s runs on with %s, which another thread has acquired", r.name(g), r.lockName(t.owes))
	}
	return nil
}
