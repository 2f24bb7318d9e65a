package recorder

// This file holds everything that depends on the version of Go or the platform.

// supported lists what the patches below were made and tested for.
var supported = []string{"go1.25", "go1.26"}

const (
	platformOS   = "linux"
	platformArch = "amd64"
)

// syscallPackage is where the runtime keeps its system calls.
var syscallPackage = map[string]string{
	"go1.25": "internal/runtime/syscall",
	"go1.26": "internal/runtime/syscall/linux",
}

// A patch replaces every occurrence of an anchor in a file of GOROOT/src. The anchor must occur
// exactly n times (0 stands for 1).
type patch struct {
	file   string
	anchor string
	text   string
	n      int
}

// before and after keep the anchor and add text in front of it or behind it.
func before(file, anchor, text string) patch { return patch{file, anchor, text + anchor, 1} }
func after(file, anchor, text string) patch  { return patch{file, anchor, anchor + text, 1} }

// bothPatches are in an overlay of the recorder and in one of gates: random numbers that a replay
// can have again.
var bothPatches = []patch{
	{"runtime/rand.go", "func rand() uint64 {\n\t// Note: We avoid", "func rand() uint64 {\n\tif x := presageRand(); x != 0 {\n\t\treturn x\n\t}\n\treturn presageTrueRand()\n}\n\n//go:nosplit\nfunc presageTrueRand() uint64 {\n\t// Note: We avoid", 1},
	{"runtime/rand.go", "uint64(uint32(rand()))", "uint64(uint32(presageTrueRand()))", 1},
	before("runtime/proc.go", "\tfn := main_main // make an indirect call", "\tpresageMain()\n"),
}

// patches are the changes to the standard library, by file. raceenabled and race.Enabled stay
// false: what the race detector changes in a program's behaviour (scheduling, pools, allocation)
// does not come with it.
var patches = []patch{
	// The recorder's state of a goroutine.
	after("runtime/runtime2.go", "\tgoid         uint64\n", "\tpresage      *PresageG\n\tpresageRands uint64\n"),
	after("runtime/proc.go", "\tgoenvs()\n\tsecure()\n\tcheckfds()\n", "\tpresageInit()\n"),

	// Goroutines.
	before("runtime/proc.go", "\treleasem(mp)\n\n\treturn newg\n}\n", "\tpresageGo(callergp, newg)\n"),
	after("runtime/proc.go", "func goexit1() {\n", "\tif gp := getg(); gp.bubble != nil {\n\t\tpresageHidden(gp, pgReleaseMerge, gp.bubble.raceaddr())\n\t}\n\tpresageEnd()\n"),
	after("runtime/coro.go", "func coroexit(c *coro) {\n", "\tpresageEnd()\n"),

	// A panic: the call whose site is remembered does not happen.
	{"runtime/panic.go", "func Goexit() {\n", "func Goexit() { presagePanics(nil)\n", 1},
	// the lines stay: every trace shows them
	{"runtime/panic.go", "func gopanic(e any) {\n", "func gopanic(e any) { presagePanics(e)\n", 1},

	// The end of the process. A panic with which it ends; the lines stay.
	{"runtime/proc.go", "\texithook.Run(code)\n}", "\texithook.Run(code)\n\tpresageEnds()\n}", 1},
	{"runtime/panic.go", "\tpreprintpanics(&p)\n", "\tpreprintpanics(&p); presageEnds()\n", 1},

	// A fault where the recorder reads what a string says.
	{"runtime/signal_unix.go", "\tflags := int32(_SigThrow)\n\tif sig < uint32(len(sigtable)) {\n\t\tflags = sigtable[sig].flags\n\t}\n\tif !c.sigFromUser() && flags&_SigPanic != 0 && (gp.throwsplit || gp != mp.curg) {\n", "\tif presageFault(sig, c) {\n\t\treturn\n\t}\n\tflags := int32(_SigThrow)\n\tif sig < uint32(len(sigtable)) {\n\t\tflags = sigtable[sig].flags\n\t}\n\tif !c.sigFromUser() && flags&_SigPanic != 0 && (gp.throwsplit || gp != mp.curg) {\n", 1},

	// Memory.
	{"runtime/malloc.go", "\nfunc mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {\n", `
func mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	x := presageMallocgc(size, typ, needzero)
	if presage.on {
		presageAlloc(x, size, 0, 0)
	}
	return x
}

// presageZeroed is mallocgc for memory that stays zero until the program writes to it. pc is where it
// is asked for.
func presageZeroed(size uintptr, typ *_type, pc uintptr) unsafe.Pointer {
	x := presageMallocgc(size, typ, true)
	if presage.on {
		presageAlloc(x, size, pgFlagZero, pc)
	}
	return x
}

func presageMallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
`, 1},
	{"runtime/malloc.go", "func newobject(typ *_type) unsafe.Pointer {\n\treturn mallocgc(typ.Size_, typ, true)\n", "func newobject(typ *_type) unsafe.Pointer {\n\treturn presageZeroed(typ.Size_, typ, sys.GetCallerPC())\n", 1},
	{"runtime/slice.go", "\t\tpanicmakeslicecap()\n\t}\n\n\treturn mallocgc(mem, et, true)\n", "\t\tpanicmakeslicecap()\n\t}\n\n\treturn presageZeroed(mem, et, sys.GetCallerPC())\n", 1},
	after("runtime/mgc.go", "func gcMarkTermination(stw worldStop) {\n", "\tpresageGC()\n"),

	// Channels. The checks without the lock go: their results must have a place in the order.
	after("runtime/chan.go", "\tif raceenabled {\n\t\tracereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))\n\t}\n", "\tpresageChanBegin(c, true, block)\n"),
	{"runtime/chan.go", "\tif !block && c.closed == 0 && full(c) {\n", "\tif !block && !presage.on && c.closed == 0 && full(c) {\n", 1},
	{"runtime/chan.go", "\tif !block && empty(c) {\n", "\tif !block && !presage.on && empty(c) {\n", 1},
	{"runtime/chan.go", "\tif c == nil {\n\t\tif !block {\n\t\t\treturn false\n", "\tif c == nil {\n\t\tif !block {\n\t\t\tpresageNilDefault()\n\t\t\treturn false\n", 1},
	{"runtime/chan.go", "\tif c == nil {\n\t\tif !block {\n\t\t\treturn\n", "\tif c == nil {\n\t\tif !block {\n\t\t\tpresageNilDefault()\n\t\t\treturn\n", 1},
	before("runtime/chan.go", "\t\tunlock(&c.lock)\n\t\tpanic(plainError(\"send on closed channel\"))\n", "\t\tpresageChanPanics(c)\n"),
	after("runtime/chan.go", "\t\t// Space is available in the channel buffer. Enqueue the element to send.\n", "\t\tpresageChanOp(pgChanSend, c, ep)\n"),
	{"runtime/chan.go", "\tif !block {\n\t\tunlock(&c.lock)\n\t\treturn false\n", "\tif !block {\n\t\tpresageChanDefault(c, true)\n\t\tunlock(&c.lock)\n\t\treturn false\n", 1},
	{"runtime/chan.go", "\tif raceenabled {\n\t\tif c.dataqsiz == 0 {\n\t\t\tracesync(c, sg)\n", "\tpresageChanSend(c, sg, ep)\n\tif raceenabled {\n\t\tif c.dataqsiz == 0 {\n\t\t\tracesync(c, sg)\n", 1},
	before("runtime/chan.go", "\tc.closed = 1\n", "\tpresageChanClose(c)\n"),
	after("runtime/chan.go", "func closechan(c *hchan) {\n", "\tif c == nil {\n\t\tpgTake()\n\t}\n"),
	before("runtime/chan.go", "\t\tunlock(&c.lock)\n\t\tpanic(plainError(\"close of closed channel\"))\n", "\t\tpresageChanPanics(c)\n"),
	before("runtime/chan.go", "\t// release all readers\n", "\tsenders := false\n"),
	before("runtime/chan.go", "\t// release all writers (they will panic)\n", "\tsenders = true\n"),
	{"runtime/chan.go", "\t\tif raceenabled {\n\t\t\traceacquireg(gp, c.raceaddr())\n\t\t}\n", "\t\tpresageChanWoken(c, sg, senders)\n", 2},
	before("runtime/chan.go", "\tif c.timer != nil {\n\t\tc.timer.maybeRunChan(c)\n\t}\n\n\t// Fast path: check for failed", "\tpresageChanBegin(c, false, block)\n"),
	before("runtime/chan.go", "\t\tif c.qcount == 0 {\n\t\t\tif raceenabled {\n\t\t\t\traceacquire(c.raceaddr())\n", "\t\tif c.qcount == 0 {\n\t\t\tpresageChanClosed(c)\n\t\t}\n"),
	after("runtime/chan.go", "\t\t// Receive directly from queue\n\t\tqp := chanbuf(c, c.recvx)\n", "\t\tpresageChanOp(pgChanRecv, c, qp)\n"),
	{"runtime/chan.go", "\tif !block {\n\t\tunlock(&c.lock)\n\t\treturn false, false\n", "\tif !block {\n\t\tpresageChanDefault(c, false)\n\t\tunlock(&c.lock)\n\t\treturn false, false\n", 1},
	{"runtime/chan.go", "\tif c.dataqsiz == 0 {\n\t\tif raceenabled {\n\t\t\tracesync(c, sg)\n", "\tpresageChanRecv(c, sg, presageSudogElem(sg), chanbuf(c, c.recvx))\n\tif c.dataqsiz == 0 {\n\t\tif raceenabled {\n\t\t\tracesync(c, sg)\n", 1},
	{"runtime/chan.go", "\treturn int(c.qcount)\n}\n\nfunc chancap", "\tif n, ok := presageChanLen(c); ok {\n\t\treturn n\n\t}\n\treturn int(c.qcount)\n}\n\nfunc chancap", 1},
	{"runtime/chan.go", "\tchanrecv(c, elem, true)\n}\n", "\tchanrecv(c, elem, true)\n\tpresageReceived(c, elem)\n}\n", 1},
	after("runtime/chan.go", "\t_, received = chanrecv(c, elem, true)\n", "\tpresageReceived(c, elem)\n"),
	{"runtime/chan.go", "\treturn chanrecv(c, elem, false)\n", "\tselected, received = chanrecv(c, elem, false)\n\tif selected {\n\t\tpresageReceived(c, elem)\n\t}\n\treturn\n", 1},
	{"runtime/chan.go", "\treturn chanrecv(c, elem, !nb)\n", "\tselected, received = chanrecv(c, elem, !nb)\n\tif selected {\n\t\tpresageReceived(c, elem)\n\t}\n\treturn\n", 1},

	// Select.
	after("runtime/select.go", "\t// lock all the channels involved in the select\n\tsellock(scases, lockorder)\n", "\tpresageSelect(scases, lockorder, nsends, block)\n"),
	{"runtime/select.go", "\tif !block {\n\t\tselunlock(scases, lockorder)\n", "\tif !block {\n\t\tpresageSelectDefault(scases, lockorder, nsends)\n\t\tselunlock(scases, lockorder)\n", 1},
	after("runtime/select.go", "\trecvOK = true\n\tqp = chanbuf(c, c.recvx)\n", "\tpresageCases(scases, lockorder, nsends, casi)\n\tpresageChanOp(pgChanRecv, c, qp)\n"),
	after("runtime/select.go", "bufsend:\n\t// can send to buffer\n", "\tpresageCases(scases, lockorder, nsends, casi)\n\tpresageChanOp(pgChanSend, c, cas.elem)\n"),
	after("runtime/select.go", "recv:\n\t// can receive from sleeping sender (sg)\n", "\tpresageCases(scases, lockorder, nsends, casi)\n"),
	after("runtime/select.go", "send:\n\t// can send to a sleeping receiver (sg)\n", "\tpresageCases(scases, lockorder, nsends, casi)\n"),
	before("runtime/select.go", "\t// wait for someone to wake us up\n\tgp.param = nil\n", "\tpresageSelectPark(scases, lockorder, nsends)\n"),
	after("runtime/select.go", "rclose:\n\t// read at end of closed channel\n", "\tpresageCases(scases, lockorder, nsends, casi)\n\tpresageChanClosed(c)\n"),
	before("runtime/select.go", "\tif caseReleaseTime > 0 {\n\t\tblockevent(caseReleaseTime-t0, 1)\n\t}\n\treturn casi, recvOK\n", "\tif casi >= nsends {\n\t\tpresageReceived(cas.c, cas.elem)\n\t}\n"),
	after("runtime/select.go", "sclose:\n\t// send on closed channel\n", "\tpresageChanPanics(c)\n"),

	// Cond.
	{"runtime/sema.go", "\treturn l.wait.Add(1) - 1\n", "\treturn presageNotifyAdd(l)\n", 1},
	{"runtime/sema.go", "\tif l.wait.Load() == atomic.Load(&l.notify) {\n", "\tif !presage.on && l.wait.Load() == atomic.Load(&l.notify) {\n", 2},
	{"runtime/sema.go", "\tatomic.Store(&l.notify, l.wait.Load())\n\tunlock(&l.lock)\n", "\tpresageNotify(l, true)\n\tunlock(&l.lock)\n", 1},
	{"runtime/sema.go", "\tt := l.notify\n\tif t == l.wait.Load() {\n", "\tt, waiting := presageNotify(l, false)\n\tif !waiting {\n", 1},
	{"runtime/sema.go", "\t// Update the next notify ticket number.\n\tatomic.Store(&l.notify, t+1)\n", "", 1},

	// Timers: arming, stopping and firing are operations on one hidden object.
	after("runtime/time.go", "\tt.lock()\n\tt.trace(\"stop\")\n", "\tpresageTimer(t)\n"),
	after("runtime/time.go", "\tt.trace(\"modify\")\n", "\tpresageTimer(t)\n"),
	after("runtime/time.go", "\tt.trace(\"unlockAndRun\")\n", "\tpresageWas, presageFires := presageTimerFires(t, bubble)\n"),
	before("runtime/time.go", "\tif ts != nil {\n\t\tts.lock()\n\t}\n\n\tif raceenabled {\n\t\tgp := getg()\n\t\tgp.racectx = 0\n", "\tpresageTimerFired(presageWas, presageFires)\n"),

	// Finalizers and cleanups: an Acquire of object 0 is one of everything before.
	after("runtime/mfinal.go", "\t\t\t\tfingStatus.Or(fingRunningFinalizer)\n", "\t\t\t\tpresageFinalizes(f.fn, f.arg)\n"),
	after("runtime/mfinal.go", "\t\t\t\tfingStatus.And(^fingRunningFinalizer)\n", "\t\t\t\tpresageRan()\n"),
	after("runtime/mcleanup.go", "\t\tb := gcCleanups.dequeue()\n", "\t\tpresageHidden(getg(), pgAcquire, nil)\n"),
	{"runtime/mfinal.go", "\t\tif raceenabled {\n\t\t\tracefingo()\n\t\t}\n", "\t\tpresageHidden(getg(), pgAcquire, nil)\n", 1},

	// Traces and metrics of the runtime: semaphores hand over what is read and written next. The
	// reader of a trace runs on the system's stack.
	{"runtime/trace.go", "\tif raceenabled {\n\t\traceacquire(unsafe.Pointer(&trace.doneSema[gen%2]))\n\t}\n", "\tpresageHidden(getg(), pgAcquire, unsafe.Pointer(&trace.doneSema[gen%2]))\n", 1},
	after("runtime/trace.go", "\t\t\t\t\tracerelease(unsafe.Pointer(&trace.doneSema[gen%2]))\n\t\t\t\t}\n", "\t\t\t\tpresageHidden(getg().m.curg, pgRelease, unsafe.Pointer(&trace.doneSema[gen%2]))\n"),
	after("runtime/trace.go", "\t\t\t\t// See comment above in the shutdown case.\n\t\t\t\tracerelease(unsafe.Pointer(&trace.doneSema[gen%2]))\n\t\t\t}\n", "\t\t\tpresageHidden(getg().m.curg, pgRelease, unsafe.Pointer(&trace.doneSema[gen%2]))\n"),

	// Bubbles of testing/synctest.
	{"runtime/synctest.go", "\t\t\tif raceenabled && newval != _Gdead", "\t\t\tif presage.on && gp.presage != nil && newval != _Gdead", 1},
	{"runtime/synctest.go", "\t\t\t\tracereleasemergeg(gp, bubble.raceaddr())\n", "\t\t\t\tpresageHidden(gp, pgReleaseMerge, bubble.raceaddr())\n", 1},
	{"runtime/synctest.go", "\tif raceenabled {\n", "\tif true {\n", 2},
	{"runtime/synctest.go", "\t\traceacquireg(gp, gp.bubble.raceaddr())\n", "\t\tpresageHidden(gp, pgAcquire, gp.bubble.raceaddr())\n", 2},
	{"runtime/time.go", "\t\tif raceenabled {\n\t\t\t// Establish a happens-before between this timer event and\n\t\t\t// the next synctest.Wait call.\n\t\t\tracereleasemergeg(gp, bubble.raceaddr())\n\t\t}\n", "\t\tpresageHidden(gp, pgReleaseMerge, bubble.raceaddr())\n", 1},

	// What other packages declare to the race detector. Edges: iter.Pull, reads and writes of
	// files. Accesses: the buffers of these.
	{"internal/race/norace.go", "func Acquire(addr unsafe.Pointer) {\n}\n\nfunc Release(addr unsafe.Pointer) {\n}\n\nfunc ReleaseMerge(addr unsafe.Pointer) {\n}\n", `func Acquire(addr unsafe.Pointer) { presageAcquire(addr) }

func Release(addr unsafe.Pointer) { presageRelease(addr) }

func ReleaseMerge(addr unsafe.Pointer) { presageReleaseMerge(addr) }

//go:linkname presageAcquire
//go:noescape
func presageAcquire(addr unsafe.Pointer)

//go:linkname presageRelease
//go:noescape
func presageRelease(addr unsafe.Pointer)

//go:linkname presageReleaseMerge
//go:noescape
func presageReleaseMerge(addr unsafe.Pointer)
`, 1},
	{"internal/race/norace.go", "func ReadRange(addr unsafe.Pointer, len int) {\n}\n\nfunc WriteRange(addr unsafe.Pointer, len int) {\n}\n", `func ReadRange(addr unsafe.Pointer, len int) { presageReadRange(addr, len) }

func WriteRange(addr unsafe.Pointer, len int) { presageWriteRange(addr, len) }

//go:linkname presageReadRange
//go:noescape
func presageReadRange(addr unsafe.Pointer, len int)

//go:linkname presageWriteRange
//go:noescape
func presageWriteRange(addr unsafe.Pointer, len int)
`, 1},
	{"syscall/syscall_unix.go", "race.Enabled", "true", 7},

	// sync/atomic's functions have bodies now (atomic.go): the runtime's own use of them goes.
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_StoreUintptr sync/atomic.StoreUintptr\nfunc sync_atomic_StoreUintptr(ptr *uintptr, new uintptr)\n", "func sync_atomic_StoreUintptr(ptr *uintptr, new uintptr) { atomic.Storeuintptr(ptr, new) }\n", 1},
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_SwapUintptr sync/atomic.SwapUintptr\nfunc sync_atomic_SwapUintptr(ptr *uintptr, new uintptr) uintptr\n", "func sync_atomic_SwapUintptr(ptr *uintptr, new uintptr) uintptr { return atomic.Xchguintptr(ptr, new) }\n", 1},
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_CompareAndSwapUintptr sync/atomic.CompareAndSwapUintptr\nfunc sync_atomic_CompareAndSwapUintptr(ptr *uintptr, old, new uintptr) bool\n", "func sync_atomic_CompareAndSwapUintptr(ptr *uintptr, old, new uintptr) bool {\n\treturn atomic.Casuintptr(ptr, old, new)\n}\n", 1},
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_StorePointer sync/atomic.StorePointer\n", "", 1},
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_SwapPointer sync/atomic.SwapPointer\n", "", 1},
	{"runtime/atomic_pointer.go", "//go:linkname sync_atomic_CompareAndSwapPointer sync/atomic.CompareAndSwapPointer\n", "", 1},

	// Mutex.
	{"internal/sync/mutex.go", "\t\"sync/atomic\"\n", "\t\"internal/runtime/atomic\"\n", 1},
	{"internal/sync/mutex.go", "\tif atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked) {\n", "\tif presageLock(&m.state, 0, mutexLocked, 0) {\n", 1},
	{"internal/sync/mutex.go", "\told := m.state\n\tif old&(mutexLocked|mutexStarving) != 0 {\n\t\treturn false\n\t}\n", `retry:
	old := m.state
	if old&(mutexLocked|mutexStarving) != 0 {
		if presageTryFail(&m.state, mutexLocked, mutexStarving) {
			return false
		}
		goto retry
	}
`, 1},
	{"internal/sync/mutex.go", "\tif !atomic.CompareAndSwapInt32(&m.state, old, old|mutexLocked) {\n\t\treturn false\n\t}\n", "\tif !presageLock(&m.state, old, old|mutexLocked, presageFlagTry) {\n\t\tgoto retry\n\t}\n", 1},
	{"internal/sync/mutex.go", "\t\t\t\tatomic.CompareAndSwapInt32(&m.state, old, old|mutexWoken) {\n", "\t\t\t\tatomic.Casint32(&m.state, old, old|mutexWoken) {\n", 1},
	{"internal/sync/mutex.go", "\t\tif atomic.CompareAndSwapInt32(&m.state, old, new) {\n\t\t\tif old&", "\t\tif presageSlowCAS(&m.state, old, new, old&(mutexLocked|mutexStarving) == 0) {\n\t\t\tif old&", 1},
	{"internal/sync/mutex.go", "\t\t\t\tatomic.AddInt32(&m.state, delta)\n", "\t\t\t\tpresageLockAdd(&m.state, delta)\n", 1},
	{"internal/sync/mutex.go", "\tnew := atomic.AddInt32(&m.state, -mutexLocked)\n", "\tnew := presageUnlock(&m.state)\n", 1},
	{"internal/sync/mutex.go", "\t\t\tif atomic.CompareAndSwapInt32(&m.state, old, new) {\n\t\t\t\truntime_Semrelease", "\t\t\tif atomic.Casint32(&m.state, old, new) {\n\t\t\t\truntime_Semrelease", 1},

	// RWMutex: readerCount says who holds it.
	{"sync/rwmutex.go", "\tif rw.readerCount.Add(1) < 0 {\n\t\t// A writer is pending, wait for it.\n\t\truntime_SemacquireRWMutexR(&rw.readerSem, false, 0)\n", "\tif presageRLock(unsafe.Pointer(rw), presageInt32(&rw.readerCount)) < 0 {\n\t\t// A writer is pending, wait for it.\n\t\truntime_SemacquireRWMutexR(&rw.readerSem, false, 0)\n\t\tpresageRecord(presageKindLock, presageFlagRead, unsafe.Pointer(rw))\n", 1},
	{"sync/rwmutex.go", "\t\tc := rw.readerCount.Load()\n\t\tif c < 0 {\n", "\t\tok, tried := presageTryRLock(unsafe.Pointer(rw), presageInt32(&rw.readerCount))\n\t\tif tried {\n", 1},
	{"sync/rwmutex.go", "\t\tif rw.readerCount.CompareAndSwap(c, c+1) {\n", "\t\tif ok {\n", 1},
	{"sync/rwmutex.go", "\tif r := rw.readerCount.Add(-1); r < 0 {\n", "\tif r := presageRUnlock(unsafe.Pointer(rw), presageInt32(&rw.readerCount)); r < 0 {\n", 1},
	{"sync/rwmutex.go", "\tif rw.readerWait.Add(-1) == 0 {\n", "\tif ratomic.Xaddint32(presageInt32(&rw.readerWait), -1) == 0 {\n", 1},
	{"sync/rwmutex.go", "\trw.w.Lock()\n\t// Announce to readers there is a pending writer.\n\tr := rw.readerCount.Add(-rwmutexMaxReaders) + rwmutexMaxReaders\n", "\tif rw == nil {\n\t\trw.w.Lock() // panics, and must not do so below: nobody would take presageMute back\n\t}\n\tpresageMute(1)\n\trw.w.Lock()\n\tpresageMute(-1)\n\t// Announce to readers there is a pending writer.\n\tr := ratomic.Xaddint32(presageInt32(&rw.readerCount), -rwmutexMaxReaders) + rwmutexMaxReaders\n", 1},
	{"sync/rwmutex.go", "\tif r != 0 && rw.readerWait.Add(r) != 0 {\n\t\truntime_SemacquireRWMutex(&rw.writerSem, false, 0)\n\t}\n", "\tif r != 0 && ratomic.Xaddint32(presageInt32(&rw.readerWait), r) != 0 {\n\t\truntime_SemacquireRWMutex(&rw.writerSem, false, 0)\n\t}\n\tpresageRecord(presageKindLock, 0, unsafe.Pointer(rw))\n", 1},
	{"sync/rwmutex.go", "\tif !rw.w.TryLock() {\n", "\tif rw == nil {\n\t\trw.w.TryLock() // panics, as in Lock\n\t}\n\tpresageMute(1)\n\tlocked := rw.w.TryLock()\n\tpresageMute(-1)\n\tif !locked {\n\t\tpresageRecord(presageKindTryFail, 0, unsafe.Pointer(rw))\n", 1},
	{"sync/rwmutex.go", "\tif !rw.readerCount.CompareAndSwap(0, -rwmutexMaxReaders) {\n\t\trw.w.Unlock()\n", "\tif !presageTryRW(unsafe.Pointer(rw), presageInt32(&rw.readerCount)) {\n\t\tpresageMute(1)\n\t\trw.w.Unlock()\n\t\tpresageMute(-1)\n", 1},
	{"sync/rwmutex.go", "\tr := rw.readerCount.Add(rwmutexMaxReaders)\n", "\tpresageRecord(presageKindUnlock, 0, unsafe.Pointer(rw))\n\tr := ratomic.Xaddint32(presageInt32(&rw.readerCount), rwmutexMaxReaders)\n", 1},
	{"sync/rwmutex.go", "\t// Allow other writers to proceed.\n\trw.w.Unlock()\n", "\t// Allow other writers to proceed.\n\tpresageMute(1)\n\trw.w.Unlock()\n\tpresageMute(-1)\n", 1},
	{"sync/rwmutex.go", "\tr := rw.readerCount.Load()\n\treturn r < 0 &&", "\tr := ratomic.Loadint32(presageInt32(&rw.readerCount))\n\treturn r < 0 &&", 1},
	{"sync/rwmutex.go", "\t\"internal/race\"\n", "\t\"internal/race\"\n\tratomic \"internal/runtime/atomic\"\n", 1},

	// WaitGroup: the high half of state is the counter.
	{"sync/waitgroup.go", "\t\"internal/race\"\n", "\t\"internal/race\"\n\tratomic \"internal/runtime/atomic\"\n", 1},
	{"sync/waitgroup.go", "\tstate := wg.state.Add(uint64(delta) << 32)\n", "\tstate := presageAdd(unsafe.Pointer(wg), presageUint64(&wg.state), delta)\n", 1},
	{"sync/waitgroup.go", "\t\t\tif race.Enabled && w == 0 {\n", "\t\t\tif w == 0 {\n\t\t\t\tpresageWaits(unsafe.Pointer(wg))\n\t\t\t}\n\t\t\tif race.Enabled && w == 0 {\n", 1},
	{"sync/waitgroup.go", "wg.state.Load()", "ratomic.Load64(presageUint64(&wg.state))", 3},
	{"sync/waitgroup.go", "wg.state.Store(0)", "ratomic.Store64(presageUint64(&wg.state), 0)", 1},
	{"sync/waitgroup.go", "wg.state.Or(waitGroupBubbleFlag)", "ratomic.Or64(presageUint64(&wg.state), waitGroupBubbleFlag)", 1},
	{"sync/waitgroup.go", "wg.state.CompareAndSwap(state, ", "ratomic.Cas64(presageUint64(&wg.state), state, ", 2},
	{"sync/waitgroup.go", "\t\tif v == 0 {\n\t\t\t// Counter is 0, no need to wait.\n", "\t\tif v == 0 {\n\t\t\t// Counter is 0, no need to wait.\n\t\t\tif !presageWait(unsafe.Pointer(wg), presageUint64(&wg.state)) {\n\t\t\t\tcontinue\n\t\t\t}\n", 1},

	{"sync/waitgroup.go", "\twg.Add(1)\n\tgo func() {\n", "\tsite := presageTake()\n\tpresageSite(site)\n\twg.Add(1)\n\tpresageSite(site)\n\tpresageStarts(f)\n\tgo func() {\n", 1},

	// Once.
	{"sync/once.go", "\tif !o.done.Load() {\n\t\t// Outlined", "\tif !presageDone(o) {\n\t\t// Outlined", 1},
	{"sync/once.go", "\t\to.doSlow(f)\n\t}\n}\n", "\t\to.doSlow(f)\n\t} else {\n\t\tpresageRecord(presageKindOncePass, 0, unsafe.Pointer(o))\n\t}\n}\n", 1},
	{"sync/once.go", "\to.m.Lock()\n\tdefer o.m.Unlock()\n\tif !o.done.Load() {\n\t\tdefer o.done.Store(true)\n\t\tf()\n\t}\n", `	site := presageTake()
	presageMute(1)
	o.m.Lock()
	presageMute(-1)
	defer presageOnceUnlock(o)
	presageSite(site)
	if !presageDone(o) {
		presageRecord(presageKindOnceBegin, 0, unsafe.Pointer(o))
		defer presageOnceEnd(o, site)
		f()
	} else {
		presageRecord(presageKindOncePass, 0, unsafe.Pointer(o))
	}
`, 1},
	{"sync/once.go", "import (\n\t\"sync/atomic\"\n)\n", "import (\n\t\"sync/atomic\"\n\t\"unsafe\"\n)\n", 1},

	// Cond.
	{"sync/cond.go", "!atomic.CompareAndSwapUintptr(", "!ratomic.Casuintptr(", 1},
	{"sync/cond.go", "\t\"sync/atomic\"\n", "\tratomic \"internal/runtime/atomic\"\n", 1},
	{"sync/cond.go", "\tt := runtime_notifyListAdd(&c.notify)\n\tc.L.Unlock()\n\truntime_notifyListWait(&c.notify, t)\n\tc.L.Lock()\n", `	site := presageTake()
	std := presageLocker(c.L)
	presageSite(site)
	t := runtime_notifyListAdd(&c.notify)
	if std {
		presageSite(site)
	}
	c.L.Unlock()
	runtime_notifyListWait(&c.notify, t)
	presageSite(site)
	presageRecord(presageKindCondWake, 0, unsafe.Pointer(c))
	if std {
		presageSite(site)
	}
	c.L.Lock()
`, 1},

	// Pool: what was put happens before what is got, by the address of the object.
	{"sync/pool.go", "\tl, _ := p.pin()\n", "\tif p == nil {\n\t\tpanic(\"nil Pool\")\n\t}\n\tpresageRecord(presageKindReleaseMerge, presageFlagPool, presageData(x))\n\tpresageMute(1)\n\tl, _ := p.pin()\n", 1},
	{"sync/pool.go", "\tl, pid := p.pin()\n", "\tif p == nil {\n\t\tpanic(\"nil Pool\")\n\t}\n\tsite := presageTake()\n\tpresageMute(1)\n\tl, pid := p.pin()\n", 1},
	{"sync/pool.go", "\truntime_procUnpin()\n\tif race.Enabled {\n\t\trace.Enable()\n\t}\n}\n", "\truntime_procUnpin()\n\tpresageMute(-1)\n}\n", 1},
	{"sync/pool.go", "\truntime_procUnpin()\n\tif race.Enabled {\n\t\trace.Enable()\n\t\tif x != nil {\n\t\t\trace.Acquire(poolRaceAddr(x))\n\t\t}\n\t}\n", "\truntime_procUnpin()\n\tpresageMute(-1)\n\tif x != nil {\n\t\tpresageSite(site)\n\t\tpresageRecord(presageKindAcquire, presageFlagPool, presageData(x))\n\t}\n", 1},
}

// argumentPatches record what code without hooks (assembly, the kernel, the runtime) reads or
// writes of its arguments, for entries of testdata/hookless.txt: the race detector does not see it.
// A search reads up to what it finds. They are in every overlay, so that a replay sees the same
// accesses.
var argumentPatches = []patch{
	// the lines stay here too
	{"bytes/bytes.go", "\t\"internal/bytealg\"\n", "\t\"internal/bytealg\"; \"internal/race\"\n", 1},
	{"bytes/bytes.go", "\treturn bytealg.IndexByte(b, c)\n", "\ti := bytealg.IndexByte(b, c); race.ReadFound(b, i, 1); return i\n", 1},
	{"bytes/bytes.go", "\t\treturn bytealg.Count(s, sep[0])\n", "\t\trace.ReadBytes(s); return bytealg.Count(s, sep[0])\n", 1},
	{"bytes/bytes.go", "\treturn bytealg.Compare(a, b)\n", "\tn := presageSame(a, b); race.ReadBytes(a[:min(n+1, len(a))]); race.ReadBytes(b[:min(n+1, len(b))]); return bytealg.Compare(a, b)\n", 1},
	{"bytes/bytes.go", "\nfunc Compare(a, b []byte) int {\n", "\nfunc presageSame(a, b []byte) int { n := 0; for n < min(len(a), len(b)) && a[n] == b[n] { n++ }; return n }; func Compare(a, b []byte) int {\n", 1},
	{"hash/maphash/maphash.go", "\t\"internal/abi\"\n", "\t\"internal/abi\"; \"internal/race\"\n", 1},
	{"hash/maphash/maphash.go", "func Bytes(seed Seed, b []byte) uint64 {\n", "func Bytes(seed Seed, b []byte) uint64 { race.ReadBytes(b)\n", 1},
	{"hash/maphash/maphash.go", "func (h *Hash) Write(b []byte) (int, error) {\n", "func (h *Hash) Write(b []byte) (int, error) { race.ReadBytes(b)\n", 1},
	{"bytes/bytes.go", "func Index(s, sep []byte) int {\n", "func Index(s, sep []byte) int { i := presageIndex(s, sep); race.ReadBytes(sep); race.ReadFound(s, i, len(sep)); return i }; func presageIndex(s, sep []byte) int {\n", 1},
	{"crypto/md5/md5.go", "\t\"internal/byteorder\"\n", "\t\"internal/byteorder\"; \"internal/race\"\n", 1},
	{"crypto/md5/md5.go", "func (d *digest) Write(p []byte) (nn int, err error) {\n", "func (d *digest) Write(p []byte) (nn int, err error) { race.ReadBytes(p)\n", 1},
	{"crypto/sha1/sha1.go", "\t\"internal/byteorder\"\n", "\t\"internal/byteorder\"; \"internal/race\"\n", 1},
	{"crypto/sha1/sha1.go", "func (d *digest) Write(p []byte) (nn int, err error) {\n", "func (d *digest) Write(p []byte) (nn int, err error) { race.ReadBytes(p)\n", 1},
	{"hash/crc32/crc32.go", "\t\"internal/byteorder\"\n", "\t\"internal/byteorder\"; \"internal/race\"\n", 1},
	{"hash/crc32/crc32.go", "checkInitIEEE bool) uint32 {\n", "checkInitIEEE bool) uint32 { race.ReadBytes(p)\n", 1},
	{"hash/crc32/crc32.go", "func ChecksumIEEE(data []byte) uint32 {\n", "func ChecksumIEEE(data []byte) uint32 { race.ReadBytes(data)\n", 1},

	// Packages below crypto/internal/fips140 may not import internal/race.
	{"crypto/internal/fips140/sha256/sha256.go", "func (d *Digest) Write(p []byte) (nn int, err error) {\n", "func (d *Digest) Write(p []byte) (nn int, err error) { presageReadBytes(p)\n", 1},
	{"crypto/internal/fips140/sha512/sha512.go", "func (d *Digest) Write(p []byte) (nn int, err error) {\n", "func (d *Digest) Write(p []byte) (nn int, err error) { presageReadBytes(p)\n", 1},
	{"crypto/internal/fips140/sha256/sha256block_amd64.go", "\t\"crypto/internal/impl\"\n)\n", readBytesOf, 1},
	{"crypto/internal/fips140/sha512/sha512block_amd64.go", "\t\"crypto/internal/impl\"\n)\n", readBytesOf, 1},

	{"crypto/internal/fips140/aes/aes_asm.go", "\t\"crypto/internal/impl\"\n)\n", readBytesOf + writeBytesOf, 1},
	{"crypto/internal/fips140/aes/aes_asm.go", "func newBlock(c *Block, key []byte) *Block {\n", "func newBlock(c *Block, key []byte) *Block { presageReadBytes(key)\n", 1},
	{"crypto/internal/fips140/aes/aes_asm.go", "func encryptBlock(c *Block, dst, src []byte) {\n", "func encryptBlock(c *Block, dst, src []byte) { presageReadBytes(src[:16]); presageWriteBytes(dst[:16])\n", 1},
	{"crypto/internal/fips140/aes/aes_asm.go", "func decryptBlock(c *Block, dst, src []byte) {\n", "func decryptBlock(c *Block, dst, src []byte) { presageReadBytes(src[:16]); presageWriteBytes(dst[:16])\n", 1},
	{"crypto/internal/fips140/aes/ctr_asm.go", "ivlo, ivhi uint64) {\n", "ivlo, ivhi uint64) { presageReadBytes(src[:]); presageWriteBytes(dst[:])\n", 4},
	{"crypto/internal/fips140/subtle/xor.go", "import \"crypto/internal/fips140/alias\"\n", "import (\n\t\"crypto/internal/fips140/alias\"\n\t_ \"unsafe\"\n)\n\n//go:linkname presageReadBytes internal/race.ReadBytes\n//go:noescape\nfunc presageReadBytes(p []byte)\n" + writeBytesOf, 1},
	{"crypto/internal/fips140/subtle/xor.go", "\txorBytes(&dst[0], &x[0], &y[0], n) // arch-specific\n", "\tpresageReadBytes(x[:n]); presageReadBytes(y[:n]); xorBytes(&dst[0], &x[0], &y[0], n); presageWriteBytes(dst[:n])\n", 1},
	{"crypto/internal/fips140/aes/gcm/gcm_asm.go", "\t\"crypto/internal/impl\"\n)\n", readBytesOf + writeBytesOf, 1},
	{"crypto/internal/fips140/aes/gcm/gcm_asm.go", "func seal(out []byte, g *GCM, nonce, plaintext, data []byte) {\n", "func seal(out []byte, g *GCM, nonce, plaintext, data []byte) { presageReadBytes(plaintext); presageSeal(out, g, nonce, plaintext, data); presageWriteBytes(out) }; func presageSeal(out []byte, g *GCM, nonce, plaintext, data []byte) {\n", 1},
	{"crypto/internal/fips140/aes/gcm/gcm_asm.go", "func open(out []byte, g *GCM, nonce, ciphertext, data []byte) error {\n", "func open(out []byte, g *GCM, nonce, ciphertext, data []byte) error { presageReadBytes(ciphertext); err := presageOpen(out, g, nonce, ciphertext, data); presageWriteBytes(out); return err }; func presageOpen(out []byte, g *GCM, nonce, ciphertext, data []byte) error {\n", 1},

	// The state of a ChaCha8: its first word stands for all of it.
	{"math/rand/v2/chacha8.go", "\t\"internal/byteorder\"\n", "\t\"internal/byteorder\"; \"internal/race\"; \"unsafe\"\n", 1},
	{"math/rand/v2/chacha8.go", "\tc.state.Init(seed)\n\tc.readLen = 0\n", "\trace.WriteRange(unsafe.Pointer(&c.state), 8); c.state.Init(seed)\n\tc.readLen = 0\n", 1},
	{"math/rand/v2/chacha8.go", "func (c *ChaCha8) Uint64() uint64 {\n", "func (c *ChaCha8) Uint64() uint64 { race.WriteRange(unsafe.Pointer(&c.state), 8)\n", 1},
	{"math/rand/v2/chacha8.go", "\treturn chacha8rand.Unmarshal(&c.state, data)\n", "\trace.WriteRange(unsafe.Pointer(&c.state), 8); return chacha8rand.Unmarshal(&c.state, data)\n", 1},
	{"math/rand/v2/chacha8.go", "\treturn append(b, chacha8rand.Marshal(&c.state)...), nil\n", "\trace.ReadRange(unsafe.Pointer(&c.state), 8); return append(b, chacha8rand.Marshal(&c.state)...), nil\n", 1},

	// What the kernel writes.
	{"crypto/internal/sysrand/rand.go", "\t\"os\"\n", "\t\"internal/race\"; \"os\"\n", 1},
	{"crypto/internal/sysrand/rand.go", "func Read(b []byte) {\n", "func Read(b []byte) { presageRead(b); race.WriteBytes(b) }; func presageRead(b []byte) {\n", 1},
	{"syscall/syscall_linux.go", "\treturn readlinkat(_AT_FDCWD, path, buf)\n", "\tn, err = readlinkat(_AT_FDCWD, path, buf); presageWrote(unsafe.Pointer(unsafe.SliceData(buf)), n); return n, err\n", 1},
	{"syscall/syscall_linux.go", "\treturn Getdents(fd, buf)\n", "\tn, err = Getdents(fd, buf); presageWrote(unsafe.Pointer(unsafe.SliceData(buf)), n); return n, err\n", 1},
	{"syscall/zsyscall_linux_amd64.go", "(SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(stat)), 0)\n", "(SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(stat)), 0); if e1 == 0 { presageWrote(unsafe.Pointer(stat), int(unsafe.Sizeof(*stat))) }\n", 1},
	{"syscall/zsyscall_linux_amd64.go", "uintptr(unsafe.Pointer(stat)), uintptr(flags), 0, 0)\n", "uintptr(unsafe.Pointer(stat)), uintptr(flags), 0, 0); if e1 == 0 { presageWrote(unsafe.Pointer(stat), int(unsafe.Sizeof(*stat))) }\n", 1},

	{"syscall/zsyscall_linux_amd64.go", "uintptr(unsafe.Pointer(newlimit)), uintptr(unsafe.Pointer(old)), 0, 0)\n", "uintptr(unsafe.Pointer(newlimit)), uintptr(unsafe.Pointer(old)), 0, 0); if e1 == 0 && old != nil { presageWrote(unsafe.Pointer(old), int(unsafe.Sizeof(*old))) }\n", 1},
	{"syscall/syscall_unix.go", "\nfunc Write(fd int, p []byte) (n int, err error) {\n", "\nfunc presageWrote(p unsafe.Pointer, n int) {\n\tif n > 0 {\n\t\trace.WriteRange(p, n)\n\t}\n}\n\nfunc Write(fd int, p []byte) (n int, err error) {\n", 1},
	after("runtime/mbarrier.go", "func reflect_typedmemclr(typ *_type, ptr unsafe.Pointer) {\n", "\tif raceenabled {\n\t\traceWriteObjectPC(typ, ptr, sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_typedmemclr))\n\t}\n"),
	after("runtime/mbarrier.go", "func reflect_typedmemclrpartial(typ *_type, ptr unsafe.Pointer, off, size uintptr) {\n", "\tif raceenabled {\n\t\tracewriterangepc(ptr, size, sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_typedmemclrpartial))\n\t}\n"),
	after("runtime/mbarrier.go", "func reflect_typedarrayclear(typ *_type, ptr unsafe.Pointer, len int) {\n", "\tif raceenabled && len > 0 {\n\t\tracewriterangepc(ptr, uintptr(len)*typ.Size_, sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_typedarrayclear))\n\t}\n"),

	// The time of the vdso. golang.org/x/sys/unix jumps to the function of this name.
	{"syscall/asm_linux_amd64.s", "TEXT ·gettimeofday(SB)", "TEXT ·presageGettimeofday(SB)", 1},
	{"syscall/syscall_linux_amd64.go", "//go:noescape\nfunc gettimeofday(tv *Timeval) (err Errno)\n", "//go:linkname gettimeofday\nfunc gettimeofday(tv *Timeval) (err Errno) { if err = presageGettimeofday(tv); err == 0 { race.WriteRange(unsafe.Pointer(tv), int(unsafe.Sizeof(*tv))) }; return err }\n\n//go:noescape\nfunc presageGettimeofday(tv *Timeval) (err Errno)\n", 1},
	{"syscall/syscall_linux_amd64.go", "package syscall\n", "package syscall; import (\"internal/race\"; \"unsafe\")\n", 1},

	// What the runtime reads and writes for its callers.
	{"runtime/mprof.go", "\t\t\tg0.writebuf = nil\n\t\t})\n", "\t\t\tg0.writebuf = nil\n\t\t}); presageWrites(unsafe.Pointer(&buf[0]), uintptr(n))\n", 1},
	{"runtime/extern.go", "\treturn callers(skip, pc)\n", "\tn := callers(skip, pc); presageWrites(unsafe.Pointer(&pc[0]), uintptr(n)*goarch.PtrSize); return n\n", 1},
	{"runtime/extern.go", "\t\"internal/goos\"\n", "\t\"internal/goos\"; \"unsafe\"\n", 1},
	opens("runtime/symtab.go", "func (ci *Frames) Next() (frame Frame, more bool) {", "presageWrites(unsafe.Pointer(ci), goarch.PtrSize); presageReads(unsafe.Pointer(unsafe.SliceData(ci.callers)), uintptr(len(ci.callers))*goarch.PtrSize)"),
	{"runtime/mprof.go", "func (r *StackRecord) Stack() []uintptr {\n", "func (r *StackRecord) Stack() []uintptr { presageReads(unsafe.Pointer(r), unsafe.Sizeof(*r))\n", 1},
	{"runtime/mprof.go", "func (r *MemProfileRecord) Stack() []uintptr {\n", "func (r *MemProfileRecord) Stack() []uintptr { presageReads(unsafe.Pointer(&r.Stack0), unsafe.Sizeof(r.Stack0))\n", 1},
	{"runtime/mprof.go", "func (r *MemProfileRecord) InUseBytes() int64 {", "func (r *MemProfileRecord) InUseBytes() int64 { presageReads(unsafe.Pointer(&r.AllocBytes), 16);", 1},
	{"runtime/mprof.go", "\treturn r.AllocObjects - r.FreeObjects\n", "\tpresageReads(unsafe.Pointer(&r.AllocObjects), 16); return r.AllocObjects - r.FreeObjects\n", 1},
	opens("runtime/mprof.go", "func MemProfile(p []MemProfileRecord, inuseZero bool) (n int, ok bool) {", presageProfiled),
	opens("runtime/mprof.go", "func BlockProfile(p []BlockProfileRecord) (n int, ok bool) {", presageProfiled),
	opens("runtime/mprof.go", "func MutexProfile(p []BlockProfileRecord) (n int, ok bool) {", presageProfiled),
	opens("runtime/mprof.go", "func ThreadCreateProfile(p []StackRecord) (n int, ok bool) {", presageProfiled),
	opens("runtime/mprof.go", "func GoroutineProfile(p []StackRecord) (n int, ok bool) {", presageProfiled),
	{"runtime/mstats.go", "\t\treadmemstats_m(m)\n\t})\n\n\tstartTheWorld(stw)\n", "\t\treadmemstats_m(m)\n\t})\n\n\tstartTheWorld(stw); presageWrites(unsafe.Pointer(m), unsafe.Sizeof(*m))\n", 1},
	{"runtime/mstats.go", "\t\treadGCStats_m(pauses)\n\t})\n", "\t\treadGCStats_m(pauses)\n\t}); presageWrites(unsafe.Pointer(unsafe.SliceData(*pauses)), uintptr(len(*pauses))*8); presageWrites(unsafe.Pointer(pauses), unsafe.Sizeof(*pauses))\n", 1},
	{"runtime/metrics.go", "\treadMetricsLocked(samplesp, len, cap)\n\tmetricsUnlock()\n", "\treadMetricsLocked(samplesp, len, cap)\n\tmetricsUnlock(); presageWrites(samplesp, uintptr(len)*unsafe.Sizeof(metricSample{}))\n", 1},

	// The functions for it, without and with the race detector.
	after("internal/race/norace.go", "func Enable() {\n}\n", "\n// ReadBytes is in package runtime.\n//\n//go:linkname ReadBytes\n//go:noescape\nfunc ReadBytes(b []byte)\n\n// ReadFound is ReadBytes for the n bytes at i, and those before; all, if i is -1. It is in package runtime.\n//\n//go:linkname ReadFound\n//go:noescape\nfunc ReadFound(b []byte, i, n int)\n\n// WriteBytes is in package runtime.\n//\n//go:linkname WriteBytes\n//go:noescape\nfunc WriteBytes(b []byte)\n"),
	after("internal/race/race.go", "const Enabled = true\n", "\n//go:linkname ReadBytes\nfunc ReadBytes(b []byte) {\n\tif len(b) > 0 {\n\t\tReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))\n\t}\n}\n\nfunc ReadFound(b []byte, i, n int) {\n\tif i >= 0 {\n\t\tb = b[:i+n]\n\t}\n\tReadBytes(b)\n}\n\n//go:linkname WriteBytes\nfunc WriteBytes(b []byte) {\n\tif len(b) > 0 {\n\t\tWriteRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))\n\t}\n}\n"),
}

// argumentVersionPatches come after those, for one version only.
var argumentVersionPatches = map[string][]patch{
	"go1.25": {
		before("runtime/map_swiss.go", "\tmap_ = map_.Clone(typ)\n", mapCloned),
		{"crypto/rand/rand.go", "\t\"crypto/internal/sysrand\"\n", "\t\"crypto/internal/sysrand\"; \"internal/race\"\n", 1},
		{"crypto/rand/rand.go", "\t\tsysrand.Read(b)\n\t}\n\treturn len(b), nil\n", "\t\tsysrand.Read(b)\n\t}\n\trace.WriteBytes(b); return len(b), nil\n", 1},
	},
	"go1.26": {
		before("runtime/map.go", "\tmap_ = map_.Clone(typ)\n", mapCloned),
		{"crypto/internal/rand/rand.go", "\t\"internal/godebug\"\n", "\t\"internal/godebug\"; \"internal/race\"\n", 1},
		{"crypto/internal/rand/rand.go", "\tdrbg.Read(b)\n\treturn len(b), nil\n", "\tdrbg.Read(b)\n\trace.WriteBytes(b); return len(b), nil\n", 1},
		{"strconv/number.go", "\t\"internal/strconv\"\n", "\t\"internal/race\"; \"internal/strconv\"\n", 1},
		{"strconv/number.go", "\treturn strconv.AppendBool(dst, b)\n", "\tx := strconv.AppendBool(dst, b); race.WriteBytes(x[len(dst):]); return x\n", 1},
		{"strconv/number.go", "\treturn strconv.AppendFloat(dst, f, fmt, prec, bitSize)\n", "\tx := strconv.AppendFloat(dst, f, fmt, prec, bitSize); race.WriteBytes(x[len(dst):]); return x\n", 1},
		{"strconv/number.go", "\treturn strconv.AppendInt(dst, i, base)\n", "\tx := strconv.AppendInt(dst, i, base); race.WriteBytes(x[len(dst):]); return x\n", 1},
		{"strconv/number.go", "\treturn strconv.AppendUint(dst, i, base)\n", "\tx := strconv.AppendUint(dst, i, base); race.WriteBytes(x[len(dst):]); return x\n", 1},
	},
}

const readBytesOf = "\t\"crypto/internal/impl\"\n\t_ \"unsafe\"\n)\n\n//go:linkname presageReadBytes internal/race.ReadBytes\n//go:noescape\nfunc presageReadBytes(p []byte)\n"

const writeBytesOf = "\n//go:linkname presageWriteBytes internal/race.WriteBytes\n//go:noescape\nfunc presageWriteBytes(p []byte)\n"

// presageProfiled is a function of the runtime that writes n records of a profile to p.
const presageProfiled = "p, presageP := p, p; defer func() { if ok { presageWrites(unsafe.Pointer(unsafe.SliceData(presageP)), uintptr(n)*unsafe.Sizeof(presageP[0])) } }()"

const mapCloned = "\tif raceenabled {\n\t\tracereadpc(e.data, sys.GetCallerPC(), abi.FuncPCABIInternal(mapclone))\n\t}\n"

// versionPatches come after patches, for one version only.
var versionPatches = map[string][]patch{
	"go1.25": {
		{"runtime/mcleanup.go", "\t\t\tcleanup()\n", "\t\t\town := presageCleanup()\n\t\t\tcleanup()\n\t\t\tpresageCleaned(own)\n", 1},
		{"sync/waitgroup.go", "\t\tdefer wg.Done()\n\t\tf()\n", "\t\tdefer func() {\n\t\t\tpresageSite(site)\n\t\t\twg.Done()\n\t\t}()\n\t\tf()\n", 1},
		{"sync/waitgroup.go", "\t\t\tif ratomic.Load64(presageUint64(&wg.state)) != 0 {\n", "\t\t\tif ratomic.Load64(presageUint64(&wg.state)) != 0 || !presageWait(unsafe.Pointer(wg), presageUint64(&wg.state)) {\n", 1},
	},
	"go1.26": {
		{"runtime/mcleanup.go", "\t\t\tc.call(c.fn, c.arg)\n", "\t\t\town := presageCleanup()\n\t\t\tpresageFinalizes(c.fn, c.arg)\n\t\t\tc.call(c.fn, c.arg)\n\t\t\tpresageCleaned(own)\n", 1},
		{"sync/waitgroup.go", "\t\t\twg.Done()\n\t\t}()\n\t\tf()\n", "\t\t\tpresageSite(site)\n\t\t\twg.Done()\n\t\t}()\n\t\tf()\n", 1},
		{"sync/waitgroup.go", "\t\t\tisReset := ratomic.Load64(presageUint64(&wg.state)) != 0\n", "\t\t\tisReset := ratomic.Load64(presageUint64(&wg.state)) != 0 || !presageWait(unsafe.Pointer(wg), presageUint64(&wg.state))\n", 1},
	},
}

// oncePatches come after these, but not for a program with the detector inside: OnceFunc and the
// like. Their results are known by the names of their code, so they are not inlined.
var oncePatches = map[string][]patch{
	"go1.26": {
		{"sync/oncefunc.go", "package sync\n", "package sync; import \"unsafe\"\n", 1},
		{"sync/oncefunc.go", "// If f panics, the returned function will panic with the same value on every call.\nfunc ", "//go:noinline\nfunc ", 3},
		{"sync/oncefunc.go", "\t\t\td.f()\n", "\t\t\trun := presageRuns(unsafe.Pointer(&d.f)); d.f(); presageRan(run)\n", 1},
		{"sync/oncefunc.go", "\t\t\td.result = d.f()\n", "\t\t\trun := presageRuns(unsafe.Pointer(&d.f)); d.result = d.f(); presageRan(run)\n", 1},
		{"sync/oncefunc.go", "\t\t\td.r1, d.r2 = d.f()\n", "\t\t\trun := presageRuns(unsafe.Pointer(&d.f)); d.r1, d.r2 = d.f(); presageRan(run)\n", 1},
		{"sync/once.go", "\t\tdefer presageOnceEnd(o, site)\n\t\tf()\n", "\t\tdefer presageOnceEnd(o, site)\n\t\tpresageRunner(site)\n\t\tf()\n", 1},
	},
}

// versionSource is a file of package runtime with what differs between versions.
var versionSource = map[string]string{
	"go1.25": "const pgOnceFuncs = false\n\nfunc pgGoroutineCount() int32 { return gcount() }\n\nfunc presageSudogElem(sg *sudog) unsafe.Pointer { return sg.elem }\n\nfunc pgDirectIface(t *_type) bool { return t.Kind_&abi.KindDirectIface != 0 }\n\ntype pgMapType = abi.SwissMapType\n",
	"go1.26": "const pgOnceFuncs = true\n\nfunc pgGoroutineCount() int32 { return gcount(false) }\n\nfunc presageSudogElem(sg *sudog) unsafe.Pointer { return sg.elem.get() }\n\nfunc pgDirectIface(t *_type) bool { return t.IsDirectIface() }\n\ntype pgMapType = abi.MapType\n",
}

// versionHooks is a file of package presagert with what differs between versions.
var versionHooks = map[string]string{
	"go1.25": "type mapType = abi.SwissMapType\n",
	"go1.26": "type mapType = abi.MapType\n",
}
