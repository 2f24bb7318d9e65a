package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Records of package sync and of hidden synchronisation. An operation whose order
// with others on the same object is not fixed by a lock it holds takes effect and is stamped in
// one step, under the object's stripe.

// pgEnter locks the stripe of obj for an operation that s records (RC1). Until pgLeave, the
// goroutine is not preempted, since on a single processor the others would spin without end, and it
// does not wait for the disk.
func pgEnter(s *PresageG, obj uintptr) *pgStripe {
	acquirem()
	if s != nil {
		s.reserve()
	}
	st := pgStripeOf(obj)
	for {
		if c := st.free(); st.clock.CompareAndSwap(c, c|pgHeld) {
			return st
		}
	}
}

// pgLeave unlocks the stripe. A goroutine that locks it next sees the operation and its stamp.
func pgLeave(st *pgStripe) {
	pgStoreRel(uintptr(unsafe.Pointer(&st.clock)), st.clock.Load()&^pgHeld)
	releasem(getg().m)
}

// pgRecord records an operation on obj that has just taken effect, or is about to, while
// the goroutine excludes others.
func pgRecord(kind, flags uint64, obj unsafe.Pointer) {
	if s := pgAt(uintptr(obj)); s != nil {
		s.put1(nil, s.take(kind, flags, 0), uintptr(obj))
		switch kind {
		case pgLock, pgOncePass, pgOnceEnd, pgCondWake, pgAcquire:
			s.woken()
		}
	}
}

//go:linkname sync_presageRecord sync.presageRecord
func sync_presageRecord(kind, flags uint64, obj unsafe.Pointer) { pgRecord(kind, flags, obj) }

// sync_presageMute turns records of synchronisation off (1) and on again (-1).
//
//go:linkname sync_presageMute sync.presageMute
func sync_presageMute(d int32) {
	if !presage.on {
		return // only ever cleared: then the count does not matter
	}
	if s := pgState(getg()); s != nil {
		s.mute += d
	}
}

//go:linkname sync_presageTake sync.presageTake
func sync_presageTake() uint32 { return pgTake() }

// pgTake uses the remembered site up.
func pgTake() uint32 {
	s := getg().presage
	if s == nil {
		return 0
	}
	site := s.site
	s.site = 0
	return site
}

// sync_presageSite remembers a site, for an operation made of several.
//
//go:linkname sync_presageSite sync.presageSite
func sync_presageSite(site uint32) {
	if s := getg().presage; s != nil {
		s.site = site
	}
}

// sync_presageStarts says what the goroutine that is started next really runs.
//
//go:linkname sync_presageStarts sync.presageStarts
func sync_presageStarts(f func()) {
	if s := getg().presage; s != nil && f != nil {
		s.starts = **(**uintptr)(unsafe.Pointer(&f))
	}
}

// RWMutex. readers is its count of readers, negative when there is a writer.

//go:linkname sync_presageRLock sync.presageRLock
func sync_presageRLock(rw unsafe.Pointer, readers *int32) int32 {
	s := pgAt(uintptr(rw))
	if s == nil {
		return atomic.Xaddint32(readers, 1)
	}
	_ = *readers
	st := pgEnter(s, uintptr(rw))
	n := atomic.Xaddint32(readers, 1)
	if n >= 0 {
		s.put1(st, s.take(pgLock, pgFlagRead, 0), uintptr(rw))
	}
	pgLeave(st)
	if n >= 0 {
		s.woken()
	}
	return n
}

// sync_presageTryRLock tries once; tried is false if it was disturbed.
//
//go:linkname sync_presageTryRLock sync.presageTryRLock
func sync_presageTryRLock(rw unsafe.Pointer, readers *int32) (ok, tried bool) {
	s := pgAt(uintptr(rw))
	if s == nil {
		n := atomic.Loadint32(readers)
		return n >= 0 && atomic.Casint32(readers, n, n+1), n < 0
	}
	_ = *readers
	st := pgEnter(s, uintptr(rw))
	n := atomic.Loadint32(readers)
	if n < 0 {
		s.put1(st, s.take(pgTryFail, pgFlagRead, 0), uintptr(rw))
		tried = true
	} else if atomic.Casint32(readers, n, n+1) {
		s.put1(st, s.take(pgLock, pgFlagRead|pgFlagTry, 0), uintptr(rw))
		ok = true
	}
	pgLeave(st)
	if ok {
		s.woken()
	}
	return ok, tried
}

//go:linkname sync_presageRUnlock sync.presageRUnlock
func sync_presageRUnlock(rw unsafe.Pointer, readers *int32) int32 {
	s := pgAt(uintptr(rw))
	if s == nil {
		return atomic.Xaddint32(readers, -1)
	}
	_ = *readers
	st := pgEnter(s, uintptr(rw))
	if n := *readers; n != 0 && n != -1<<30 {
		s.put1(st, s.take(pgUnlock, pgFlagRead, 0), uintptr(rw))
	}
	n := atomic.Xaddint32(readers, -1)
	pgLeave(st)
	return n
}

//go:linkname sync_presageTryRW sync.presageTryRW
func sync_presageTryRW(rw unsafe.Pointer, readers *int32) bool {
	s := pgAt(uintptr(rw))
	if s == nil {
		return atomic.Casint32(readers, 0, -1<<30)
	}
	st := pgEnter(s, uintptr(rw))
	ok := atomic.Casint32(readers, 0, -1<<30)
	if ok {
		s.put1(st, s.take(pgLock, pgFlagTry, 0), uintptr(rw))
	} else {
		s.put1(st, s.take(pgTryFail, 0, 0), uintptr(rw))
	}
	pgLeave(st)
	if ok {
		s.woken()
	}
	return ok
}

//go:linkname sync_presageAdd sync.presageAdd
func sync_presageAdd(wg unsafe.Pointer, state *uint64, delta int) uint64 {
	s := pgAt(uintptr(wg))
	if s == nil {
		return atomic.Xadd64(state, int64(delta)<<32)
	}
	_ = *state
	st := pgEnter(s, uintptr(wg))
	new := atomic.Xadd64(state, int64(delta)<<32)
	h := s.keep(pgRead, pgFlagNoValue, 0)
	s.put3(st, s.take(pgWGAdd, 0, 0), uintptr(wg), uint64(delta), uint64(int64(int32(new>>32))))
	pgLeave(st)
	if delta > 0 && int32(new>>32) == int32(delta) {
		s.touch(h, uintptr(wg)+pgSemaOffset, 4)
	}
	return new
}

// pgSemaOffset is where the semaphore of a WaitGroup is; sync checks it. As the race detector has
// it, an Add that finds the counter at 0 reads the semaphore, and the first Wait that has to wait
// writes it.
const pgSemaOffset = 8

//go:linkname sync_presageWaits sync.presageWaits
func sync_presageWaits(wg unsafe.Pointer) {
	if s := pgHere(); s != nil {
		s.touch(s.keep(pgWrite, pgFlagNoValue, 0), uintptr(wg)+pgSemaOffset, 4)
	}
}

// sync_presageWait records that Wait returns if the counter is 0. It reports whether state is as it
// was.
//
//go:linkname sync_presageWait sync.presageWait
func sync_presageWait(wg unsafe.Pointer, state *uint64) bool {
	s := pgAt(uintptr(wg))
	if s == nil {
		return true
	}
	st := pgEnter(s, uintptr(wg))
	zero := int32(atomic.Load64(state)>>32) == 0
	if zero {
		s.put1(st, s.take(pgWGWait, 0, 0), uintptr(wg))
	}
	pgLeave(st)
	if zero {
		s.woken()
	}
	return zero
}

// Cond. The notification list stands pgCondOffset bytes into the Cond; sync checks it.

const pgCondOffset = 16

func presageNotifyAdd(l *notifyList) uint32 {
	cond := uintptr(unsafe.Pointer(l)) - pgCondOffset
	s := pgAt(cond)
	if s == nil {
		return l.wait.Add(1) - 1
	}
	st := pgEnter(s, cond)
	t := l.wait.Add(1) - 1
	s.put1(st, s.take(pgCondWait, 0, 0), cond)
	pgLeave(st)
	return t
}

// presageNotify moves l.notify on, by one or to the end, and says where it was and
// whether anybody waits. l.lock is held.
func presageNotify(l *notifyList, all bool) (t uint32, any bool) {
	s := pgHere()
	cond := uintptr(unsafe.Pointer(l)) - pgCondOffset
	st := pgEnter(s, cond)
	t = l.notify
	wait := l.wait.Load()
	any = t != wait
	kind := uint64(pgCondSignal)
	if all {
		kind = pgCondBroadcast
		atomic.Store(&l.notify, wait)
	} else if any {
		atomic.Store(&l.notify, t+1)
	}
	if s != nil {
		s.put1(st, s.take(kind, 0, 0), cond)
	}
	pgLeave(st)
	return t, any
}

// Hidden edges.

//go:linkname race_presageAcquire internal/race.presageAcquire
func race_presageAcquire(p unsafe.Pointer) { pgRecord(pgAcquire, 0, p) }

//go:linkname race_presageRelease internal/race.presageRelease
func race_presageRelease(p unsafe.Pointer) { pgRecord(pgRelease, 0, p) }

//go:linkname race_presageReleaseMerge internal/race.presageReleaseMerge
func race_presageReleaseMerge(p unsafe.Pointer) { pgRecord(pgReleaseMerge, 0, p) }

//go:linkname race_presageReadRange internal/race.presageReadRange
func race_presageReadRange(p unsafe.Pointer, n int) { pgRange(pgRead, p, n, sys.GetCallerPC()) }

//go:linkname race_presageWriteRange internal/race.presageWriteRange
func race_presageWriteRange(p unsafe.Pointer, n int) { pgRange(pgWrite, p, n, sys.GetCallerPC()) }

// pgRange records what the kernel does to a buffer. Of a large one it records the beginning: an
// access that races with the buffer races there as well. Behind that it records what the kernel
// reads of dirty bytes (SC7), and takes what the kernel writes as an access of outside code. A
// buffer on the goroutine's own stack is left out: no other goroutine can access it, and a stack
// that is freed is another goroutine's without an Alloc. The place is that of the call of package
// internal/race, which is inlined at callerpc.
func pgRange(kind uint64, p unsafe.Pointer, n int, callerpc uintptr) {
	if gp := getg(); uintptr(p)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if s := pgHere(); s != nil && n > 0 {
		h, first := pgHead(kind, pgFlagOpaque|pgFlagNoValue, 0, s.outsideSite(callerpc)), min(n, pgBuffer())
		s.touchKernel(h, uintptr(p), uint64(first))
		if kind == pgRead && n > first {
			s.readsRest(h, uintptr(p)+uintptr(first), uintptr(n-first))
		}
		if kind == pgWrite && n > first {
			pgWritesRest(uintptr(p)+uintptr(first), uintptr(n-first), pgCallOf(callerpc))
		}
	}
}

// presageReads and presageWrites record that the runtime, which has no hooks, reads or writes n
// bytes of the memory of the goroutine that called it, as pgRange does for the kernel, but all of
// them. The place is the function of the runtime.

func presageReads(p unsafe.Pointer, n uintptr)  { pgArgument(pgRead, p, n, sys.GetCallerPC()) }
func presageWrites(p unsafe.Pointer, n uintptr) { pgArgument(pgWrite, p, n, sys.GetCallerPC()) }

func pgArgument(kind uint64, p unsafe.Pointer, n, callerpc uintptr) {
	if gp := getg(); uintptr(p)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if s := pgHere(); s != nil && n > 0 {
		s.touchKernel(pgHead(kind, pgFlagOpaque|pgFlagNoValue, 0, s.outsideSite(callerpc)), uintptr(p), uint64(n))
	}
}

// presageHidden records a hidden edge of gp; the remembered site stays.
func presageHidden(gp *g, kind uint64, p unsafe.Pointer) {
	if !presage.on {
		return
	}
	if s := pgState(gp); s != nil {
		s.put1(nil, pgHead(kind, pgFlagOpaque, 0, 0), uintptr(p))
	}
}
