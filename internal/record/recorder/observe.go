package recorder

import "strings"

// observePatches are in an overlay of the recorder alone, behind patches: operations on what is
// neither memory nor synchronisation, the states of package format. testdata/states.txt says what
// becomes of each function that is exported where such operations are.
var observePatches = []patch{
	// The number of goroutines.
	opens("runtime/debug.go", "func NumGoroutine() int {", "if presage.on { return presageNumGoroutine() }"),
	{"runtime/proc.go", "\tnewg := gfget(pp)\n", "\tpresageCounts(); newg := gfget(pp)\n", 1},
	{"runtime/proc.go", "\tpresageEnd()\n", "\tpresageCounts(); presageEnd()\n", 1},
	{"runtime/coro.go", "\tpresageEnd()\n", "\tpresageCounts(); presageEnd()\n", 1},
	{"runtime/proc.go", "\tgfput(pp, gp)\n\tif locked {\n", "\tgfput(pp, gp); presageCounted()\n\tif locked {\n", 1},
	// The collector has the goroutines that have ended off their list for a moment.
	opens("runtime/mgcmark.go", "func markrootFreeGStacks() {", "presageCounts()"),
	{"runtime/mgcmark.go", "\tif list.empty() {\n\t\treturn\n\t}\n\n\t// Free stacks.\n", "\tif list.empty() {\n\t\tpresageCounted(); return\n\t}\n\n\t// Free stacks.\n", 1},
	{"runtime/mgcmark.go", "\tsched.gFree.noStack.pushAll(q)\n\tunlock(&sched.gFree.lock)\n", "\tsched.gFree.noStack.pushAll(q)\n\tunlock(&sched.gFree.lock); presageCounted()\n", 1},

	// The program: the collector, profiles, statistics.
	alters("runtime/mgc.go", "func GC() {"),
	alters("runtime/mheap.go", "func runtime_debug_freeOSMemory() {"),
	alters("runtime/mgcpacer.go", "func setGCPercent(in int32) (out int32) {"),
	alters("runtime/mgcpacer.go", "func setMemoryLimit(in int64) (out int64) {"),
	alters("runtime/proc.go", "func setMaxThreads(in int) (out int) {"),
	alters("runtime/rdebug.go", "func setMaxStack(in int) (out int) {"),
	alters("runtime/rdebug.go", "func setPanicOnFault(new bool) (old bool) {"),
	alters("runtime/runtime1.go", "func setTraceback(level string) {"),
	alters("runtime/debug.go", "func SetDefaultGOMAXPROCS() {"),
	// a look needs no record: what changes it is a cut
	opens("runtime/debug.go", "func GOMAXPROCS(n int) int {", "if n > 0 { "+altersProgram+" }"),
	alters("runtime/mprof.go", "func SetBlockProfileRate(rate int) {"),
	alters("runtime/mprof.go", "func SetMutexProfileFraction(rate int) int {"),
	alters("runtime/cpuprof.go", "func SetCPUProfileRate(hz int) {"),
	alters("runtime/trace.go", "func StartTrace() error {"),
	alters("runtime/trace.go", "func StopTrace() {"),
	alters("runtime/heapdump.go", "func runtime_debug_WriteHeapDump(fd uintptr) {"),
	looks("runtime/mstats.go", "func ReadMemStats(m *MemStats) {"),
	looks("runtime/mstats.go", "func readGCStats(pauses *[]uint64) {"),
	looks("runtime/metrics.go", "func readMetrics(samplesp unsafe.Pointer, len int, cap int) {"),
	looks("runtime/mprof.go", "func memProfileInternal(size int, inuseZero bool, copyFn func(profilerecord.MemProfileRecord)) (n int, ok bool) {"),
	looks("runtime/mprof.go", "func blockProfileInternal(size int, copyFn func(profilerecord.BlockProfileRecord)) (n int, ok bool) {"),
	looks("runtime/mprof.go", "func mutexProfileInternal(size int, copyFn func(profilerecord.BlockProfileRecord)) (n int, ok bool) {"),
	looks("runtime/mprof.go", "func threadCreateProfileInternal(size int, copyFn func(profilerecord.StackRecord)) (n int, ok bool) {"),
	looks("runtime/mprof.go", "func goroutineProfileWithLabels(p []profilerecord.StackRecord, labels []unsafe.Pointer) (n int, ok bool) {"),
	looks("runtime/mprof.go", "func goroutineProfileInternal(p []profilerecord.StackRecord) (n int, ok bool) {"),
	looks("runtime/cpuprof.go", "func runtime_pprof_readProfile() ([]uint64, []unsafe.Pointer, bool) {"),
	opens("runtime/mprof.go", "func Stack(buf []byte, all bool) int {", "if all { defer presageLooked(pgStateProgram) }"),
	{"runtime/mheap.go", "func internal_weak_runtime_makeStrongFromWeak(u unsafe.Pointer) unsafe.Pointer {\n",
		"func internal_weak_runtime_makeStrongFromWeak(u unsafe.Pointer) unsafe.Pointer { p := presageStrong(u); if p == nil { presageLooked(pgStateProgram) }; return p }; func presageStrong(u unsafe.Pointer) unsafe.Pointer {\n", 1},

	// The kernel: system calls, prints, signals.
	{"syscall/syscall_linux.go", "\tvar errno uintptr\n\tr1, r2, errno = ", "\tclass := presageCalls(trap, a1, a2, a3, a4, a5, a6); trap &^= presageRecorded; var errno uintptr\n\tr1, r2, errno = ", 1},
	{"syscall/syscall_linux.go", "\terr = Errno(errno)\n\treturn\n", "\terr = Errno(errno); presageCalled(class, trap, presageResult(r1, err), a1, a2, a3, a4, a5, a6)\n\treturn\n", 1},
	{"syscall/syscall_linux.go", "func Syscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {\n", "func Syscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) { class := presageCalls(trap, a1, a2, a3, 0, 0, 0); trap &^= presageRecorded\n", 1},
	{"syscall/syscall_linux.go", "func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {\n", "func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) { class := presageCalls(trap, a1, a2, a3, a4, a5, a6); trap &^= presageRecorded\n", 1},
	{"syscall/syscall_linux.go", "\tr1, r2, err = RawSyscall6(trap, a1, a2, a3, 0, 0, 0)\n\truntime_exitsyscall()\n", "\tr1, r2, err = presageRaw(trap, a1, a2, a3, 0, 0, 0)\n\truntime_exitsyscall(); presageCalled(class, trap, presageResult(r1, err), a1, a2, a3, 0, 0, 0)\n", 1},
	{"syscall/syscall_linux.go", "\tr1, r2, err = RawSyscall6(trap, a1, a2, a3, a4, a5, a6)\n\truntime_exitsyscall()\n", "\tr1, r2, err = presageRaw(trap, a1, a2, a3, a4, a5, a6)\n\truntime_exitsyscall(); presageCalled(class, trap, presageResult(r1, err), a1, a2, a3, a4, a5, a6)\n", 1},
	{"syscall/syscall_linux.go", "\tr1, r2, errno := runtime_doAllThreadsSyscall(", "\tclass := presageCalls(trap, a1, a2, a3, 0, 0, 0); r1, r2, errno := runtime_doAllThreadsSyscall(", 2},
	{"syscall/syscall_linux.go", "\treturn r1, r2, Errno(errno)\n", "\tpresageCalled(class, trap, presageResult(r1, Errno(errno)), a1, a2, a3, 0, 0, 0); return r1, r2, Errno(errno)\n", 2},
	{"internal/syscall/unix/fcntl_unix.go", "\tval, errno := fcntl(int32(fd), int32(cmd), int32(arg))\n", "\tclass := presageCalls(syscall.SYS_FCNTL, 0, uintptr(cmd), 0, 0, 0, 0); val, errno := fcntl(int32(fd), int32(cmd), int32(arg)); presageCalled(class, syscall.SYS_FCNTL, uintptr(val), 0, 0, 0, 0, 0, 0)\n", 1},
	{"syscall/zsyscall_linux_amd64.go", "\tr0, _ := rawSyscallNoError(SYS_UMASK, uintptr(mask), 0, 0)\n", "\tclass := presageCalls(SYS_UMASK, 0, 0, 0, 0, 0, 0); r0, _ := rawSyscallNoError(SYS_UMASK, uintptr(mask), 0, 0); presageCalled(class, SYS_UMASK, r0, 0, 0, 0, 0, 0, 0)\n", 1},

	// What package syscall records of these it does for every overlay (patches, argumentPatches),
	// with a place of its own.
	{"syscall/zsyscall_linux_amd64.go", "Syscall(SYS_READ, uintptr(fd), uintptr(_p0),", "Syscall(SYS_READ|presageRecorded, uintptr(fd), uintptr(_p0),", 1},
	{"syscall/zsyscall_linux_amd64.go", "Syscall(SYS_WRITE, ", "Syscall(SYS_WRITE|presageRecorded, ", 1},
	{"syscall/zsyscall_linux_amd64.go", "Syscall6(SYS_PREAD64, ", "Syscall6(SYS_PREAD64|presageRecorded, ", 1},
	{"syscall/zsyscall_linux_amd64.go", "Syscall6(SYS_PWRITE64, ", "Syscall6(SYS_PWRITE64|presageRecorded, ", 1},
	opens("runtime/proc.go", "func syscall_runtime_BeforeFork() {", "presageForks()"),
	{"runtime/proc.go", "\tmsigrestore(gp.m.sigmask)\n\n\tgp.m.locks--\n}\n\n// inForkedChild", "\tmsigrestore(gp.m.sigmask)\n\n\tgp.m.locks--; presageForked()\n}\n\n// inForkedChild", 1},
	opens("runtime/print.go", "func printlock() {", "presagePrints()"),
	{"runtime/sigqueue.go", "func signal_recv() uint32 {\n", "func signal_recv() uint32 { s := presageReceive(); presageLooked(pgStateFiles); return s }; func presageReceive() uint32 {\n", 1},
	opens("runtime/sigqueue.go", "func signal_enable(s uint32) {", "presageAlters(pgStateFiles)"),
	opens("runtime/sigqueue.go", "func signal_disable(s uint32) {", "presageAlters(pgStateFiles)"),
	opens("runtime/sigqueue.go", "func signal_ignore(s uint32) {", "presageAlters(pgStateFiles)"),
	opens("runtime/sigqueue.go", "func signal_ignored(s uint32) bool {", "defer presageLooked(pgStateFiles)"),
	opens("runtime/runtime.go", "func setCrashFD(fd uintptr) uintptr {", "presageAlters(pgStateFiles)"),

	// C.
	opens("runtime/debug.go", "func NumCgoCall() int64 {", "defer presageLooked(pgStateC)"),
	{"runtime/cgocall.go", "\tmp := getg().m\n\tmp.ncgocall++\n", "\tpresageAlters(pgStateC); mp := getg().m\n\tmp.ncgocall++\n", 1},
	{"runtime/cgocall.go", "\tKeepAlive(mp)\n\n\treturn errno\n", "\tKeepAlive(mp); presageLooked(pgStateC)\n\n\treturn errno\n", 1},
	{"runtime/cgocall.go", "\tcgocallbackg1(fn, frame, ctxt)\n", "\tpresageLooked(pgStateC); cgocallbackg1(fn, frame, ctxt); presageAlters(pgStateC)\n", 1},
}

// observeVersionPatches come after those, for one version only.
var observeVersionPatches = map[string][]patch{
	"go1.25": {looks("runtime/trace.go", "func ReadTrace() []byte {")},
	"go1.26": {
		looks("runtime/trace.go", "func ReadTrace() (buf []byte) {"),
		looks("runtime/mprof.go", "func goroutineLeakProfileWithLabels(p []profilerecord.StackRecord, labels []unsafe.Pointer) (n int, ok bool) {"),
		alters("runtime/mgc.go", "func goroutineLeakGC() {"),
		looks("runtime/proc.go", "func goroutineleakcount() int {"),
	},
}

const altersProgram = "presageAlters(pgStateProgram); defer presageLooked(pgStateProgram)"

// opens puts a statement into the first line of a function.
func opens(file, head, text string) patch {
	return patch{file, head + "\n", head + " " + strings.TrimSpace(text) + "\n", 1}
}

// alters makes a function one that may change the program as a whole, and looks one that looks at
// it.
func alters(file, head string) patch { return opens(file, head, altersProgram) }
func looks(file, head string) patch  { return opens(file, head, "defer presageLooked(pgStateProgram)") }
