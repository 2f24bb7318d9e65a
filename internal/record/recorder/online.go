package recorder

import (
	"bytes"
	"embed"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed all:_online
var online embed.FS

// The detector itself is an ordinary package, tested against package fasttrack; here it becomes
// part of package runtime.
//
//go:embed online/*.go
var detector embed.FS

// onlineFiles are those of the recorder that a program with the detector inside has as well.
var onlineFiles = map[string]bool{
	"_std/runtime/presage_sync.go": true, "_std/runtime/presage_timer.go": true,
	"_std/sync/presage.go": true, "_std/internal/sync/presage.go": true,
}

// addedOnline adds the files of the detector.
func (b *builder) addedOnline() error {
	if err := b.addedOf(both, "_both"); err != nil {
		return err
	}
	if err := b.addedOf(online, "_online"); err != nil {
		return err
	}
	err := fs.WalkDir(std, "_std", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !onlineFiles[path] {
			return err
		}
		return b.addedFile(std, "_std", path)
	})
	if err != nil {
		return err
	}
	return fs.WalkDir(detector, "online", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "online/sys") || strings.HasSuffix(path, "/doc.go") {
			return err
		}
		src, err := detector.ReadFile(path)
		if err != nil {
			return err
		}
		b.add("runtime/presage_ft_"+strings.TrimPrefix(path, "online/"), bytes.Replace(src, []byte("package online\n"), []byte("package runtime\n"), 1))
		return nil
	})
}

// The checks for the race detector that stand in front of accesses, by file: these are made.
var onlineChecks = []string{
	"runtime/slice.go", "runtime/string.go", "runtime/map.go", "runtime/mbarrier.go", "runtime/iface.go", "runtime/linkname_shim.go",
	"runtime/runtime.go", "runtime/type.go", "runtime/panic.go", "runtime/cgocall.go",
	"runtime/metrics.go", "runtime/mprof.go", "runtime/profbuf.go", "runtime/proflabel.go",
	"internal/runtime/maps/runtime.go", "internal/runtime/maps/runtime_faststr.go", "internal/runtime/maps/runtime_fast32.go",
	"internal/runtime/maps/runtime_fast64.go", "reflect/map.go",
}

// onlineNames is what these files are called in other versions of Go.
var onlineNames = map[string]map[string]string{
	"go1.25": {
		"runtime/map.go": "runtime/map_swiss.go", "runtime/linkname_shim.go": "runtime/linkname_swiss.go", "reflect/map.go": "reflect/map_swiss.go",
		"internal/runtime/maps/runtime.go": "internal/runtime/maps/runtime_swiss.go", "internal/runtime/maps/runtime_faststr.go": "internal/runtime/maps/runtime_faststr_swiss.go",
		"internal/runtime/maps/runtime_fast32.go": "internal/runtime/maps/runtime_fast32_swiss.go", "internal/runtime/maps/runtime_fast64.go": "internal/runtime/maps/runtime_fast64_swiss.go",
	},
}

var (
	runtimeCheck = regexp.MustCompile(`\braceenabled\b`)
	packageCheck = regexp.MustCompile(`\brace\.Enabled\b`)
)

// checked makes the checks true, and the functions behind them those of the detector.
func (b *builder) checked() error {
	for _, file := range onlineChecks {
		if name := onlineNames[b.minor][file]; name != "" {
			file = name
		}
		src, err := b.source(file)
		if err != nil {
			return err
		}
		if !runtimeCheck.Match(src) && !packageCheck.Match(src) {
			return &AnchorError{b.version, file, "raceenabled", 0, 1}
		}
		src = runtimeCheck.ReplaceAll(src, []byte("true"))
		b.add(file, packageCheck.ReplaceAll(src, []byte("true")))
	}
	b.add("runtime/race0.go", []byte("package runtime\n"))
	return nil
}

// announcedPatches come after patches: accesses that the runtime makes on behalf of its callers.
var announcedPatches = []patch{
	{"internal/race/norace.go", "func Write(addr unsafe.Pointer) {\n}\n", "func Write(addr unsafe.Pointer) { presageWriteRange(addr, 1) }\n", 1},
	{"internal/race/norace.go", "func ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {\n}\n\nfunc ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {\n}\n", `func ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) { presageReadPC(addr, callerpc) }

func ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	presageReadObjectPC(t, addr, callerpc)
}

//go:linkname presageReadPC
//go:noescape
func presageReadPC(addr unsafe.Pointer, callerpc uintptr)

//go:linkname presageWritePC
//go:noescape
func presageWritePC(addr unsafe.Pointer, callerpc uintptr)

//go:linkname presageReadObjectPC
//go:noescape
func presageReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc uintptr)

//go:linkname presageWriteObjectPC
//go:noescape
func presageWriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc uintptr)
`, 1},
	{"internal/race/norace.go", "func WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {\n}\n\nfunc WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {\n}\n", `func WritePC(addr unsafe.Pointer, callerpc, pc uintptr) { presageWritePC(addr, callerpc) }

func WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	presageWriteObjectPC(t, addr, callerpc)
}
`, 1},
}

// onlinePatches come after those.
var onlinePatches = []patch{
	{"internal/race/norace.go", "func Read(addr unsafe.Pointer) {\n}\n", "func Read(addr unsafe.Pointer) { presageReadRange(addr, 1) }\n", 1},
	{"runtime/chan.go", "\tlock mutex\n}\n\ntype waitq struct {\n", "\tlock mutex\n\n\tpresage *ftObject // nil: none yet\n}\n\ntype waitq struct {\n", 1},
	{"runtime/chan.go", "\tpresageChanBegin(c, true, block)\n", "", 1},
	{"runtime/chan.go", "\tpresageChanBegin(c, false, block)\n", "", 1},
	{"runtime/chan.go", "\t\tpresageChanPanics(c)\n\t\tunlock(&c.lock)\n\t\tpanic(plainError(\"send on closed channel\"))\n\t}\n",
		"\t\tunlock(&c.lock)\n\t\tpresageChanSentLate(c)\n\t\tpanic(plainError(\"send on closed channel\"))\n\t}\n\tpresageChanSending(c, callerpc)\n", 1},
	after("runtime/proc.go", "func runExitHooks(code int) {\n", "\tpresageExit()\n"),
	after("runtime/proc.go", "func syscall_runtime_AfterFork() {\n", "\tpresageForked()\n"),
}

// onlineVersionPatches come after those, by version: the heap is where it is with -race, and always
// was in go1.25, so that its cells are near (rt/online, ftNear).
var onlineVersionPatches = map[string][]patch{
	"go1.26": {{"runtime/malloc.go", "!isSbrkPlatform && !raceenabled && !msanenabled && !asanenabled\n", "false\n", 1}},
}

// OnlineCompilerFlags is how a program with the detector inside is compiled: the compiler puts the
// hooks, as for the race detector, without the checks of unsafe.Pointer that -race has besides.
const OnlineCompilerFlags = "-race -d=checkptr=0"

// onlineInline is how sync/atomic is compiled, which has no hooks: the compiler inlines none of its
// functions where the race detector's flag is set, and others cannot inline them for that reason.
const onlineInline = "-d=checkptr=0"

// EnvHalt names the environment variable that makes a program with the detector inside end at its
// first race.
const EnvHalt = "PRESAGE_HALT"

// EnvFilter names the environment variable that leaves the filter of package tree out, if it is
// none.
const EnvFilter = "PRESAGE_FILTER"
