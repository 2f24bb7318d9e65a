package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The states of goroutines: how they begin, what becomes of them, and how they end.

// pgState returns the state of gp and creates it if need be.
func pgState(gp *g) *PresageG {
	if s := gp.presage; s != nil {
		return s
	}
	if gp.m != nil && gp == gp.m.gsignal {
		return nil
	}
	return pgNew(gp, 0, 0, gp.startpc)
}

// pgNew creates the state of gp, and its Start. Stamps go on from last.
func pgNew(gp *g, parent, last uint64, pc uintptr) *PresageG {
	return pgNewAs(gp, gp.goid, parent, last, pc)
}

// pgNewAs is pgNew for what is to be a goroutine of its own number.
func pgNewAs(gp *g, goid, parent, last uint64, pc uintptr) *PresageG {
	s := pgAlloc()
	s.goid = goid
	s.last = last
	s.newChunk(0)
	if s.goid != 0 && !s.off {
		s.start(parent, pc)
	}
	gp.presage = s
	return s
}

// pgFirings is the number of timers' firings so far that are recorded. They are goroutines from
// pgFirstFiring on.
var pgFirings atomic.Uint64

// pgFiring makes gp the firing of a timer, which the goroutine that it was starts.
func pgFiring(gp *g, pc uintptr) {
	if s := pgState(gp); !s.off {
		n := pgFirings.Add(1)
		s.becomes(gp, pgFirstFiring+n-1, pc)
		gp.presage.path = steerNumber(steerFirings, n)
		gp.presage.steerAs(gp.presage)
	}
}

func pgAlloc() *PresageG {
	lock(&presage.mu)
	presage.streams++
	stream := presage.streams
	s := presage.free
	if s != nil {
		presage.free = s.free
	}
	unlock(&presage.mu)
	if s == nil {
		s = (*PresageG)(persistentalloc(unsafe.Sizeof(PresageG{}), 64, &memstats.other_sys))
	}
	shorts := s.shorts
	*s = PresageG{stream: stream, shorts: shorts}
	if shorts != nil {
		memclrNoHeapPointers(unsafe.Pointer(shorts), unsafe.Sizeof(*shorts))
	}
	return s
}

// start writes the Start of a goroutine, with the name of the function it runs.
func (s *PresageG) start(parent uint64, pc uintptr) {
	name := ""
	if f := findfunc(pc); f.valid() {
		name = funcname(f)
	}
	if len(name) > 1000 {
		name = name[:1000]
	}
	n := (len(name) + 7) / 8
	p := s.room(3 + n)
	pgStore(p+8, parent)
	pgStore(p+16, s.tick())
	memmove(unsafe.Pointer(p+24), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
	pgStore(p, pgHead(pgStart, 0, uint64(len(name)), 0))
	s.pos = p + uintptr(3+n)*8
}

// presageNumber is the number of a goroutine by which its random numbers are made.
//
//go:nosplit
func presageNumber(gp *g) uint64 { return gp.goid }

// presageGo records that callergp starts newg. Called by newproc1, before newg can run.
func presageGo(callergp, newg *g) {
	newg.presage = nil
	newg.presageRands = 0
	if presage.on {
		presageGoes(callergp, newg)
	}
	presageCounted()
}

func presageGoes(callergp, newg *g) {
	s := pgState(callergp)
	if isSystemGoroutine(newg, false) {
		s.site = 0
		return
	}
	s.synchronises(pgGo)
	p := s.room(3)
	t := s.stampCount()
	pgStore(p+8, newg.goid)
	pgStore(p+16, t)
	pgStore(p, s.take(pgGo, 0, 0))
	s.pos = p + 24
	pc := newg.startpc
	if s.starts != 0 {
		pc, s.starts = s.starts, 0
	}
	pgNew(newg, s.goid, t, pc).steerBegins(s)
	if presageOutside.last != nil {
		s.goes(newg, pc)
	}
}

// presageCleanup makes what follows the work of a goroutine of its own, up to presageCleaned:
// cleanups may run concurrently, even if they run one after the other in one goroutine.
func presageCleanup() *PresageG {
	gp := getg()
	if !presage.on {
		return nil
	}
	s := pgState(gp)
	if s == nil || s.off {
		return nil
	}
	s.becomes(gp, sched.goidgen.Add(1), gp.startpc)
	return s
}

// becomes gives gp, which is s, the state of a goroutine that s starts.
func (s *PresageG) becomes(gp *g, goid uint64, pc uintptr) {
	s.synchronises(pgGo)
	p := s.room(3)
	t := s.tick()
	pgStore(p+8, goid)
	pgStore(p+16, t)
	pgStore(p, pgHead(pgGo, pgFlagOpaque, 0, 0))
	s.pos = p + 24
	pgNewAs(gp, goid, s.goid, t, pc).steerBegins(s)
}

func presageCleaned(s *PresageG) {
	if s == nil {
		return
	}
	presageEnd()
	getg().presage = s
}

// presageRan notes when a finalizer has run.
func presageRan() {
	if s := getg().presage; s != nil && presage.on && !s.off {
		s.finalized()
		s.room(2)
		s.stampAlone()
	}
}

// presagePanic forgets the site of a call that panics before it takes its site (an atomic
// operation on nil, a nil function): the deferred functions that run now are not called from there.
func presagePanic() {
	if s := getg().presage; s != nil {
		s.site = 0
		if s.away != 0 && presage.on && !s.off { // through missing code, perhaps
			s.room(2)
			s.stampAlone()
		}
	}
}

// presagePanics is presagePanic for a panic with a value, or for Goexit.
func presagePanics(e any) {
	presagePanic()
	if s := getg().presage; s != nil && s.open != nil {
		s.unwound(noescape(unsafe.Pointer(&e)))
	}
}

// presageEnd records the end of the running goroutine and gives back its state.
func presageEnd() {
	gp := getg()
	s := gp.presage
	if s == nil {
		return
	}
	if presage.on && !s.off {
		s.synchronises(pgEnd)
		p := s.room(2)
		pgStore(p+8, s.stampCount())
		pgStore(p, pgHead(pgEnd, 0, 0, 0))
		s.pos = p + 16
	}
	gp.presage = nil
	s.steerAs(nil)
	s.over(0)
	lock(&presage.mu)
	if b := s.box; b != nil {
		b.pos, b.clean = s.pos, s.clean
		b.next = presageLog.rests
		presageLog.rests = b
	} else if !s.off && s.hard-s.pos >= 40*8 && presage.spares < len(presage.spare) {
		presage.spare[presage.spares] = pgSpan{s.pos, s.hard, s.hard, nil}
		presage.spares++
	}
	s.free = presage.free
	presage.free = s
	unlock(&presage.mu)
}
