package runtime

import (
	"internal/bytealg"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// The detector's place in the program: the state of each goroutine, and the operations of
// synchronisation, which are those that the recorder writes down (_std/runtime/presage_sync.go is
// here as it is there; presage_atomic.go has its own counterpart).

// A PresageG is the state of one goroutine. ft comes first: raceread reads its epoch.
type PresageG struct {
	ft     ftG
	site   uint32
	mute   int32   // > 0: synchronisation is part of a larger operation
	starts uintptr // what the next goroutine runs, if not the function that newproc gets
	pc, sp uintptr // of the access at hand, for its stack
	at     ftAccess
	left   uintptr    // bytes of at
	regs   [9]uintptr // of the hook at hand: presage_race_amd64.s
	free   *PresageG
	all    *PresageG // of all states, also those in use no more
}

var presage struct {
	on     bool
	all    *PresageG // by PresageG.all
	mu     mutex
	free   *PresageG
	dir    [4096]byte
	dirLen int
	fd     int32
	halt   bool
	races  atomic.Uint32
	inside *[ftInsides]uint64 // bit: the code there is of ftInner
	outer  uintptr            // the end of the last
}

// A pgStripe orders the operations on the objects that hash to it, and has their clocks. With
// pgHeld in clock it is locked.
type pgStripe struct {
	clock   atomic.Uint64
	objects ftTable
	_       [64 - 8 - unsafe.Sizeof(ftTable{})]byte
}

// Code begins at ftCode; so many bytes from there on are code and constants. Assembly reads them.
var ftCode, ftConstants uintptr

const (
	pgHeld    = 1 << 63
	pgStripes = 1024
)

var pgStripeTable *[pgStripes]pgStripe

func pgStripeOf(obj uintptr) *pgStripe {
	h := uint64(obj>>3) * 0x9E3779B97F4A7C15
	return &pgStripeTable[h>>54]
}

//go:nosplit
func pgStore(p uintptr, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

// pgStoreRel is a store after all that the goroutine has done, as each is on amd64.
//
//go:nosplit
func pgStoreRel(p uintptr, v uint64) { pgStore(p, v) }

func (st *pgStripe) free() uint64 {
	for i := 0; ; i++ {
		c := st.clock.Load()
		if c&pgHeld == 0 {
			return c
		}
		ftYield(i)
	}
}

// pgLockStripe locks the stripe of obj for a goroutine that is not preempted.
func pgLockStripe(obj uintptr) *pgStripe {
	st := pgStripeOf(obj)
	for {
		if c := st.free(); st.clock.CompareAndSwap(c, c|pgHeld) {
			return st
		}
	}
}

func pgUnlockStripe(st *pgStripe) { pgStore(uintptr(unsafe.Pointer(&st.clock)), 0) }

// pgHere returns the state of the running goroutine, nil if nothing is to be noted.
func pgHere() *PresageG {
	if s := getg().presage; s != nil && s.mute <= 0 {
		return s
	}
	return pgFirst()
}

// pgAt is pgHere before an operation on obj, which only steered runs ask for.
func pgAt(obj uintptr) *PresageG { return pgHere() }

// pgFirst is pgHere for a goroutine that has no state, or is muted.
func pgFirst() *PresageG {
	if gp := getg(); presage.on && gp.presage == nil {
		return pgState(gp)
	}
	return nil
}

func pgState(gp *g) *PresageG {
	if s := gp.presage; s != nil {
		return s
	}
	if gp.m != nil && gp == gp.m.gsignal {
		return nil
	}
	return pgNew(gp, nil, ftWho{goid: gp.goid, start: gp.startpc})
}

// pgNew creates the state of gp, which by starts.
func pgNew(gp *g, by *PresageG, who ftWho) *PresageG {
	mp := acquirem()
	lock(&presage.mu)
	s := presage.free
	if s != nil {
		presage.free = s.free
	}
	unlock(&presage.mu)
	if s == nil {
		s = (*PresageG)(persistentalloc(unsafe.Sizeof(PresageG{}), 64, &memstats.other_sys))
		lock(&presage.mu)
		s.all = presage.all
		presage.all = s
		unlock(&presage.mu)
	}
	s.site, s.mute, s.starts, s.free, s.pc = 0, 0, 0, nil, 0
	var parent *ftThread
	if by != nil {
		parent = &by.ft.ftThread
		who.ctor = by.ft.goid
	}
	s.ft.start(parent, who)
	gp.presage = s
	releasem(mp)
	return s
}

func (s *PresageG) reserve() {}

func pgHead(kind, flags, size, site uint64) uint64 { return kind<<56 | flags<<48 | size<<32 | site }

func (s *PresageG) keep(kind, flags, size uint64) uint64 { return kind<<56 | flags<<48 }
func (s *PresageG) take(kind, flags, size uint64) uint64 { return kind<<56 | flags<<48 }

// stripe locks the stripe of obj, if it is not held.
func (s *PresageG) stripe(held *pgStripe, obj uintptr) *pgStripe {
	getg().m.locks++
	if held != nil {
		return held
	}
	return pgLockStripe(obj)
}

// object is an object's clocks, under its stripe.
func (s *PresageG) object(held *pgStripe, class int, obj uintptr) (*pgStripe, *ftObject) {
	st := s.stripe(held, obj)
	return st, st.objects.at(class, obj)
}

func (s *PresageG) done(st, held *pgStripe) {
	if held == nil {
		pgUnlockStripe(st)
	}
	getg().m.locks--
}

// put1 takes an operation on obj.
func (s *PresageG) put1(held *pgStripe, h uint64, obj uintptr) uint64 {
	kind, flags := h>>56, h>>48&0xff
	class := ftMergeClass
	switch kind {
	case pgLock, pgUnlock:
		switch read := flags&pgFlagRead != 0; {
		case held != nil || read:
			s.locks(held, obj, kind == pgLock, read)
		case kind == pgLock:
			s.takes(obj)
		default:
			s.gives(obj)
		}
		return 0
	case pgAcquire, pgRelease, pgReleaseMerge:
		class = ftHiddenClass
	case pgTryFail, pgOnceBegin, pgCondWait:
		return 0
	}
	if kind == pgAcquire && obj == 0 {
		getg().m.locks++
		s.ft.acquireAll()
		lock(&presage.mu)
		all := presage.all
		unlock(&presage.mu)
		for ; ftFilter && all != nil; all = all.all {
			all.ft.cut()
		}
		getg().m.locks--
		return 0
	}
	var st *pgStripe
	var o *ftObject
	switch kind {
	case pgWGWait, pgOncePass, pgCondWake, pgAcquire:
		st = s.stripe(held, obj)
		if o = st.objects.there(class, obj); o == nil {
			s.done(st, held)
			return 0
		}
	default:
		st, o = s.object(held, class, obj)
	}
	switch kind {
	case pgOnceEnd, pgCondSignal, pgCondBroadcast, pgReleaseMerge: // CL3, CL8
		o.w.merge(&s.ft.ftThread)
	case pgRelease:
		o.w.release(&s.ft.ftThread)
	case pgWGWait, pgOncePass, pgCondWake, pgAcquire:
		o.w.acquire(&s.ft.ftThread)
	default:
		throw("presage: unknown operation")
	}
	s.done(st, held)
	s.report(getg())
	return 0
}

// put3 takes a WGAdd of delta: CL3.
func (s *PresageG) put3(held *pgStripe, h uint64, obj uintptr, delta, _ uint64) {
	if int64(delta) < 0 {
		st, o := s.object(held, ftMergeClass, obj)
		o.w.merge(&s.ft.ftThread)
		s.done(st, held)
	}
}

// outsideSite is none: the place of an access is found in the stack.
func (s *PresageG) outsideSite(uintptr) uint64 { return 0 }

func (s *PresageG) touchKernel(h uint64, p uintptr, n uint64) { s.touch(h, p, n) }

// touch takes an access of n bytes that the runtime makes for the goroutine.
func (s *PresageG) touch(h uint64, p uintptr, n uint64) {
	a := ftAccess{addr: p, kind: ftReads}
	if h>>56 == pgWrite {
		a.kind = ftWrites
	}
	getg().m.locks++
	s.caller(&a)
	if n == 1 {
		s.ft.access(&a)
	} else {
		s.ft.span(a, uintptr(n))
	}
	getg().m.locks--
	s.report(getg())
}

// caller fills in where the program is: the innermost frame that is not of the runtime or of
// synchronisation.
func (s *PresageG) caller(a *ftAccess) { s.callerFrom(a, getcallerfp()) }

// callerFrom is caller, from a frame on.
func (s *PresageG) callerFrom(a *ftAccess, fp uintptr) {
	for i := 0; i < 16 && fp != 0; i++ {
		pc := *(*uintptr)(unsafe.Pointer(fp + 8))
		if !ftInside(pc) {
			a.pc = pc
			s.pc, s.sp = pc, fp+16
			break
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	a.site = ftSite(a.pc)
}

// ftInside reports whether pc is in one of ftInner.
func ftInside(pc uintptr) bool {
	d := (pc - ftCode) / ftGrain
	return d < presage.outer && presage.inside[d/64%ftInsides]>>(d%64)&1 != 0
}

// ftInner are the packages whose callers are meant: a race in what they do is one of their
// callers.
var ftInner = [...]string{"runtime.", "sync.", "sync/atomic.", "internal/sync.", "internal/race.", "internal/runtime/"}

const (
	ftGrain   = 32 // functions begin at such
	ftInsides = 64 << 20 / ftGrain / 64
)

// ftFindInside finds where the code of these packages is. What the compiler makes anew in each
// package that uses it, generic functions and method values, is of those.
func ftFindInside() {
	md := &firstmoduledata
	ftCode = md.text &^ (ftGrain - 1)
	if md.noptrdata > ftCode {
		ftConstants = md.noptrdata - ftCode
	}
	presage.inside = (*[ftInsides]uint64)(ftMap(unsafe.Sizeof([ftInsides]uint64{})))
	for i := 0; i < len(md.ftab)-1; i++ {
		f := findfunc(md.textAddr(md.ftab[i].entryoff))
		if !f.valid() {
			continue
		}
		name := funcname(f)
		for _, want := range ftInner {
			if !stringslite.HasPrefix(name, want) || bytealg.IndexByteString(name, '[') >= 0 || stringslite.HasSuffix(name, "-fm") {
				continue
			}
			end := (md.textAddr(md.ftab[i+1].entryoff) - ftCode) / ftGrain
			for d := (f.entry() - ftCode) / ftGrain; d < end && d < 64*ftInsides; d++ {
				presage.inside[d/64] |= 1 << (d % 64)
			}
			presage.outer = max(presage.outer, end)
			break
		}
	}
	presage.outer = min(presage.outer, 64*ftInsides)
}

// ftSite packs a return address.
//
//go:nosplit
func ftSite(pc uintptr) uint64 { return uint64((pc-firstmoduledata.text)>>2) & ftSiteMask }

// ftPC is an address inside the call that a site's address returns from.
func ftPC(site uint64) uintptr { return firstmoduledata.text + uintptr(site&ftSiteMask)<<2 - 1 }

func pgBump(obj uintptr, t uint64) {}

//go:nosplit
func presageNumber(gp *g) uint64 { return gp.goid }

func presageMain() {}

// presageInit starts the detector. Called by schedinit.
func presageInit() {
	pgStripeTable = (*[pgStripes]pgStripe)(ftMap(unsafe.Sizeof([pgStripes]pgStripe{})))
	ftInitSlots()
	ftInitShadow()
	ftFindInside()
	presage.fd = -1
	presage.halt = gogetenv("PRESAGE_HALT") != ""
	ftFilter = gogetenv("PRESAGE_FILTER") != "none"
	ftOpen(gogetenv("PRESAGE_DIR"))
	presage.on = true
}

func presageGC() {}

// presageGo is CL1.
func presageGo(callergp, newg *g) {
	newg.presage = nil
	newg.presageRands = 0
	if !presage.on {
		return
	}
	s := pgState(callergp)
	if isSystemGoroutine(newg, false) {
		return
	}
	pc := newg.startpc
	if s.starts != 0 {
		pc, s.starts = s.starts, 0
	}
	who := ftWho{goid: newg.goid, start: pc, by: newg.gopc}
	if id := callergp.goid; id == uint64(uint32(id)) {
		who.from = uint32(id)
	}
	pgNew(newg, s, who)
}

// pgBuffer is the number of bytes of a buffer of the kernel that count as accessed.
func pgBuffer() int { return 4096 }

// pgWritesRest is what the kernel writes to a buffer behind that: nothing counts.
func pgWritesRest(p, n, pc uintptr) {}

// pgCallOf is the place of a call: it is found in the stack.
func pgCallOf(callerpc uintptr) uintptr { return callerpc }

// pgFiring gives gp the state of a timer's firing.
func pgFiring(gp *g, pc uintptr) { pgNew(gp, nil, ftWho{start: pc}) }

// presageCleanup makes what follows the work of a goroutine of its own, up to presageCleaned.
func presageCleanup() *PresageG {
	gp := getg()
	s := pgState(gp)
	if s == nil {
		return nil
	}
	pgNew(gp, s, ftWho{goid: sched.goidgen.Add(1), start: gp.startpc})
	return s
}

func presageCleaned(s *PresageG) {
	if s == nil {
		return
	}
	presageEnd()
	getg().presage = s
}

func presageFinalizes(fn *funcval, arg unsafe.Pointer) {}

func presageRan()         {}
func presagePanic()       {}
func presagePanics(e any) {}

// presageEnd gives back the state of the running goroutine.
func presageEnd() {
	gp := getg()
	s := gp.presage
	if s == nil {
		return
	}
	mp := acquirem()
	s.ft.end()
	gp.presage = nil
	lock(&presage.mu)
	s.free = presage.free
	presage.free = s
	unlock(&presage.mu)
	releasem(mp)
}

// presageAlloc begins new locations (ON2), whichever code allocates.
func presageAlloc(x unsafe.Pointer, n uintptr, flags uint64, _ uintptr) {
	if n == 0 {
		return
	}
	mp := acquirem()
	ftReset(uintptr(x), n)
	releasem(mp)
}

// presageFault is for the recorder, which reads what strings say.
func presageFault(uint32, *sigctxt) bool { return false }
