package recorder

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/record/goversion"
	"github.com/presage-race/presage/internal/trace/format"
)

//go:embed all:_std
var std embed.FS

//go:embed all:_both
var both embed.FS

// EnvDir names the environment variable that holds the directory for raw records. Without
// it an instrumented program runs and records nothing.
const EnvDir = "PRESAGE_DIR"

// EnvReach names the variable that says how what calls of left-out packages reach is found: "full",
// "check", or kept up to date.
const EnvReach = "PRESAGE_REACH"

// EnvOutside names the variable that has every access of outside code written down, besides those
// that are written down without it, if it is "full": a judge of what is left out (package merge,
// Outside). If it is OutsideAudit, the accesses have their values (bench/recorder/audit).
const EnvOutside = "PRESAGE_OUTSIDE"

// EnvCells names the variable that has cells for a part of the heap alone, if it is "few": an
// emulator of another processor has no room to reserve memory for all.
const EnvCells = "PRESAGE_CELLS"

// OutsideAudit is the value of EnvOutside for an audit, in the environment of the build and of the
// program.
const OutsideAudit = "audit"

// Config says for which Go the overlay is.
type Config struct {
	GoRoot    string // empty: what `go env` says in Dir
	GoVersion string // go1.26.8; empty: what `go env` says
	GOOS      string // empty: what `go env` says
	GOARCH    string
	ModCache  string // empty: what `go env` says
	Dir       string // directory in which the go command is asked; empty: the current one
	GoFlags   string // empty: what `go env` says
	OutDir    string // the overlay's files go here
	Gates     bool   // gates for a replay instead of the recorder
	Online    bool   // the detector instead of the recorder

	// What will be built: the flags depend on which packages call sync/atomic's functions.
	Packages     []string                     // patterns, relative to Dir; none: ./...
	Test         bool                         // with their tests
	BuildFlags   []string                     // -tags and the like
	Instrumented func(importPath string) bool // nil: the packages of the main module
	LeftOut      []string                     // but for these, by import path
	// for an audit (OutsideAudit): hooks say how wide each access is
	Audit bool

	// Compiler returns the file of the compiler of package compiler for this Go, "" if Go's own is
	// to be used. nil: Go's own.
	Compiler func(context.Context, Overlay) (string, error)
}

// Overlay is the recorder, as the go command takes it.
type Overlay struct {
	GoRoot    string
	GoVersion string
	GOOS      string
	GOARCH    string
	// Replace maps files of GOROOT to the files that stand for them, absolute, for `go build
	// -overlay`.
	Replace map[string]string
	// Go is the go command to use and Env what its environment needs besides. They
	// matter where GOROOT lies in the module cache (a toolchain that the go command
	// downloaded): it refuses an overlay there, so Go sees GOROOT through a symbolic link.
	Go  string
	Env []string // also GOFLAGS, with BuildFlags
	// Compiler is the compiler of package compiler that Env selects, "" if it is Go's own.
	Compiler string
	// BuildFlags are the flags that a build needs besides -overlay, where Env is not used.
	BuildFlags []string
	// Package is the import path of the hooks.
	Package string
}

// JSON returns the content of the file for -overlay, with more replacements added.
func (o Overlay) JSON(more map[string]string) ([]byte, error) {
	all := map[string]string{}
	for k, v := range o.Replace {
		all[k] = v
	}
	for k, v := range more {
		all[k] = v
	}
	return json.MarshalIndent(map[string]any{"Replace": all}, "", "\t")
}

// JoinsLineNames is instrument.Config.JoinsLineNames for the compiler of the overlay.
func (o Overlay) JoinsLineNames() bool { return goversion.JoinsLineNames(o.GoVersion) }

// New writes the recorder for cfg's Go into cfg.OutDir. The files depend on the Go
// version alone, so that the go command's build cache can be reused.
func New(ctx context.Context, cfg Config) (Overlay, error) {
	if err := cfg.complete(ctx); err != nil {
		return Overlay{}, err
	}
	o := Overlay{GoVersion: cfg.GoVersion, GOOS: cfg.GOOS, GOARCH: cfg.GOARCH, Go: "go", Package: "presagert"}
	if err := o.root(cfg); err != nil {
		return Overlay{}, err
	}
	if err := goversion.Supported(cfg.GoVersion, cfg.GOOS, cfg.GOARCH); err != nil {
		return Overlay{}, err
	}
	if cfg.Online && cfg.GOARCH != onlineArch {
		return Overlay{}, fmt.Errorf("-online needs %s/%s, and the program is built for %s/%s: without -online it can be recorded", goversion.OS, onlineArch, cfg.GOOS, cfg.GOARCH)
	}
	b := &builder{Files: goversion.NewFiles(cfg.GoVersion, o.GoRoot), version: cfg.GoVersion, root: filepath.Join(o.GoRoot, "src")}
	steps := []func() error{b.added, b.constants, b.patched(goversion.Recorder), b.atomicOverlay, func() error { return o.setFlags(ctx, cfg) }}
	switch {
	case cfg.Gates:
		steps = []func() error{b.addedGates, b.patched(goversion.Gates)}
	case cfg.Online:
		steps = []func() error{b.addedOnline, b.constants, b.patched(goversion.Online), b.atomicOverlay}
		o.BuildFlags = []string{"-gcflags=all=" + OnlineCompilerFlags, "-gcflags=sync/atomic=" + onlineInline}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return Overlay{}, err
		}
	}
	var err error
	if o.Replace, err = b.write(filepath.Join(cfg.OutDir, cfg.GoVersion)); err != nil {
		return Overlay{}, fmt.Errorf("writing the recorder: %w", err)
	}
	return o, nil
}

// root sets the GOROOT that the overlay speaks of.
func (o *Overlay) root(cfg Config) error {
	o.GoRoot = cfg.GoRoot
	if cfg.ModCache == "" || !strings.HasPrefix(cfg.GoRoot, cfg.ModCache+string(filepath.Separator)) {
		return nil
	}
	dir, err := filepath.Abs(cfg.OutDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	link := filepath.Join(dir, "goroot-"+cfg.GoVersion)
	if to, err := os.Readlink(link); err != nil || to != cfg.GoRoot {
		os.Remove(link)
		if err := os.Symlink(cfg.GoRoot, link); err != nil {
			return fmt.Errorf("linking GOROOT, which is in the module cache: %w", err)
		}
	}
	o.GoRoot = link
	o.Go = filepath.Join(link, "bin", "go")
	o.Env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	return nil
}

// complete asks the go command for what cfg leaves open.
func (c *Config) complete(ctx context.Context) error {
	if c.GoRoot != "" && c.GoVersion != "" && c.GOOS != "" && c.GOARCH != "" && c.ModCache != "" {
		return nil // then GoFlags may be empty
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOFLAGS")
	cmd.Dir = c.Dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("asking go env: %w", err)
	}
	var env struct{ GOROOT, GOVERSION, GOOS, GOARCH, GOMODCACHE, GOFLAGS string }
	if err := json.Unmarshal(out, &env); err != nil {
		return fmt.Errorf("asking go env: %w", err)
	}
	for _, f := range []struct {
		field *string
		value string
	}{{&c.GoRoot, env.GOROOT}, {&c.GoVersion, env.GOVERSION}, {&c.GOOS, env.GOOS}, {&c.GOARCH, env.GOARCH}, {&c.ModCache, env.GOMODCACHE}, {&c.GoFlags, env.GOFLAGS}} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	return nil
}

// A builder collects the files of an overlay.
type builder struct {
	*goversion.Files
	version string
	root    string // GOROOT/src
}

// added adds the files of the recorder.
func (b *builder) added() error {
	return errors.Join(b.addedOf(both, "_both"), b.addedOf(std, "_std"))
}

// addedGates adds the files of the gates.
func (b *builder) addedGates() error {
	return errors.Join(b.addedOf(both, "_both"), b.addedOf(gates, "_gates"))
}

func (b *builder) addedOf(files embed.FS, dir string) error {
	return fs.WalkDir(files, dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return b.addedFile(files, dir, path)
	})
}

func (b *builder) addedFile(files embed.FS, dir, path string) error {
	src, err := files.ReadFile(path)
	if err != nil {
		return err
	}
	b.Add(strings.TrimPrefix(path, dir+"/"), goversion.ReplaceWords(src, b.version))
	return nil
}

// constants adds the numbers of the event table.
func (b *builder) constants() error {
	b.Add("runtime/presage_format.go", append(constants("runtime", "pg", "pgFlag", "pgStop", "pg"), kindWords()...))
	b.Add("sync/presage_format.go", constants("sync", "presageKind", "presageFlag", "presageStop", "presage"))
	b.Add("internal/sync/presage_format.go", constants("sync", "presageKind", "presageFlag", "presageStop", "presage"))
	return nil
}

func constants(pkg, kind, flag, stop, other string) []byte {
	var s bytes.Buffer
	fmt.Fprintf(&s, "package %s\n\nconst (\n", pkg)
	for _, k := range []struct {
		name string
		kind format.Kind
	}{
		{"Read", format.Read}, {"Write", format.Write}, {"AtomicRead", format.AtomicRead}, {"AtomicWrite", format.AtomicWrite}, {"AtomicRMW", format.AtomicRMW},
		{"Lock", format.Lock}, {"Unlock", format.Unlock}, {"TryFail", format.TryFail}, {"WGAdd", format.WGAdd}, {"WGWait", format.WGWait},
		{"OnceBegin", format.OnceBegin}, {"OnceEnd", format.OnceEnd}, {"OncePass", format.OncePass},
		{"CondWait", format.CondWait}, {"CondWake", format.CondWake}, {"CondSignal", format.CondSignal}, {"CondBroadcast", format.CondBroadcast},
		{"ChanSend", format.ChanSend}, {"ChanRecv", format.ChanRecv}, {"ChanClose", format.ChanClose}, {"ChanLen", format.ChanLen},
		{"SelectCase", format.SelectCase}, {"SelectDefault", format.SelectDefault},
		{"Go", format.Go}, {"Start", format.Start}, {"End", format.End},
		{"Acquire", format.Acquire}, {"Release", format.Release}, {"ReleaseMerge", format.ReleaseMerge}, {"Observe", format.Observe},
		{"AllocKind", format.Alloc}, {"OpaqueBegin", format.OpaqueBegin}, {"OpaqueEnd", format.OpaqueEnd}, {"RawStamp", format.RawStamp}, {"RawChunk", format.RawChunk}, {"RawVar", format.RawVar},
		{"RawConst", format.RawConst}, {"MethodBegin", format.MethodBegin}, {"MethodEnd", format.MethodEnd}, {"Reach", format.Reach}, {"ReachSet", format.ReachSet}, {"RawSet", format.RawSet},
		{"ValueKind", format.Value}, {"EnterKind", format.Enter}, {"ExitKind", format.Exit}, {"BlockKind", format.Block},
		{"RawShort", format.RawShort}, {"RawContext", format.RawContext}, {"RawLate", format.RawLate}, {"RawPC", format.RawPC}, {"RawGC", format.RawGC}, {"RawMade", format.RawMade}, {"RawTest", format.RawTest},
	} {
		fmt.Fprintf(&s, "\t%s%s = %d\n", kind, k.name, k.kind)
	}
	for _, f := range []struct {
		name string
		flag format.Flags
	}{
		{"Read", format.FlagRead}, {"Try", format.FlagTry}, {"Pool", format.FlagPool}, {"Timer", format.FlagTimer}, {"NonBlocking", format.FlagNonBlocking}, {"Closed", format.FlagClosed},
		{"Write", format.FlagWrite}, {"More", format.FlagMore}, {"NoValue", format.FlagNoValue}, {"Opaque", format.FlagOpaque}, {"Zero", format.FlagZero}, {"First", format.FlagFirst}, {"Shared", format.FlagShared}, {"Direct", format.FlagDirect}, {"All", format.FlagAll}, {"Seen", format.FlagSeen}, {"Full", format.FlagFull}, {"Typed", format.FlagTyped},
	} {
		fmt.Fprintf(&s, "\t%s%s = %d\n", flag, f.name, f.flag)
	}
	for _, x := range []struct {
		name  string
		state format.Addr
	}{{"Goroutines", format.StateGoroutines}, {"Program", format.StateProgram}, {"Files", format.StateFiles}, {"C", format.StateC}} {
		fmt.Fprintf(&s, "\t%sState%s = %d\n", other, x.name, x.state)
	}
	fmt.Fprintf(&s, "\t%sMapWords = %d\n\t%sMapKeys = %d\n\t%sContexts = %d\n\t%sCancels = %d\n\t%sPoolWords = %d\n\t%sPointWords = %d\n\t%sPointWrite = %d\n\t%sPointShift = %d\n\t%sPointSize = %d\n", other, uint64(format.MapWords), other, uint64(format.MapKeys), other, uint64(format.Contexts), other, uint64(format.Cancels), other, uint64(format.PoolWords), other, uint64(format.PointWords), other, uint64(format.PointWrite), other, format.PointShift, other, format.PointSize)
	fmt.Fprintf(&s, "\t%sNoFile = %d\n\t%sNoDisk = %d\n\t%sNoMap = %d\n\t%sLimit = %d\n", stop, format.StopNoFile, stop, format.StopNoDisk, stop, format.StopNoMap, stop, format.StopLimit)
	fmt.Fprintf(&s, "\t%sLimitFile = %q\n\t%sLimitWords = %d\n\t%sLimitMost = %d\n\t%sLimitTaken = %d\n\t%sLimitUnrecorded = %d\n",
		other, format.LimitFile+"\x00", other, format.LimitWords, other, format.LimitMost, other, format.LimitTaken, other, format.LimitUnrecorded)
	fmt.Fprintf(&s, "\t%sRawVersion = %d\n\t%sRawBlockWords = %d\n\t%sRawBoxWords = %d\n\t%sChunkHeaderWords = %d\n\t%sSegMagic = %d\n\t%sMaxVar = %d\n\t%sMaxValue = %d\n\t%sMaxConsts = %d\n\t%sOutsidePC = %d\n\t%sFirstFiring = %d\n)\n",
		other, format.RawVersion, other, format.RawBlockWords, other, format.RawBoxWords, other, format.ChunkHeaderWords, other, uint64(format.SegMagic), other, format.MaxVar,
		other, format.MaxValue, other, format.MaxConsts, other, uint32(format.OutsidePC), other, uint64(format.FirstFiring))
	return s.Bytes()
}

// kindWords makes the table pgKindWords: the words of records by kind; 0 if the recorder looks at
// them, or their length is not the kind's.
func kindWords() []byte {
	s := []byte("\nvar pgKindWords = [256]uint8{\n")
	for k := range format.RawChunk {
		empty, _ := format.RawLen(format.RawHeader(k, 0, 0, 0))
		long, _ := format.RawLen(format.RawHeader(k, 0, 1<<10, 0))
		if empty != 0 && empty == long && k != format.Read && k != format.Write {
			s = fmt.Appendf(s, "\t%d: %d,\n", k, empty)
		}
	}
	return append(s, "}\n"...)
}

// patched returns the step that applies the patches of a set, and makes the checks for the race
// detector true.
func (b *builder) patched(set goversion.Set) func() error {
	return func() error {
		if err := b.Patch(set); err != nil || set == goversion.Gates {
			return err
		}
		return b.Check()
	}
}

// write puts the files below dir, leaving those alone that are there already, and
// returns what each stands for.
func (b *builder) write(dir string) (map[string]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for file, src := range b.All() {
		name := filepath.Join(dir, filepath.FromSlash(file))
		replace[filepath.Join(b.root, filepath.FromSlash(file))] = name
		if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, src) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, src, 0o600); err != nil {
			return nil, err
		}
		// The go command does not index files younger than two seconds, and looks for a package of
		// the standard library that is not indexed without the overlay: "presagert is not in std".
		old := time.Now().Add(-time.Minute)
		if err := os.Chtimes(name, old, old); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
