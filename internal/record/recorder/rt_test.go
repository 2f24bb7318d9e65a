package recorder_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/record/goversion"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/record/recorder/rawfile"
	"github.com/presage-race/presage/internal/trace/format"
)

var update = flag.Bool("update", false, "rewrite the -- want -- of the cases")

var keep = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "presage-rt") })

// overlay makes the overlay of the installed Go for the module in dir.
func overlay(t *testing.T, dir string) (o recorder.Overlay, file string) {
	t.Helper()
	out, err := keep()
	if err != nil {
		t.Fatal(err)
	}
	o, err = recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: out})
	if err != nil {
		t.Fatal(err)
	}
	js, err := o.JSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "overlay.json")
	write(t, file, js)
	return o, file
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if dir, err := keep(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// build builds a program under the overlay.
func build(t *testing.T, src []byte) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), src)
	write(t, filepath.Join(dir, "go.mod"), []byte("module prog\n\ngo 1.25\n"))
	o, file := overlay(t, dir)
	bin := filepath.Join(dir, "prog")
	cmd := exec.Command(o.Go, "build", "-p=2", "-overlay", file, "-o", bin, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), o.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// emulator executes programs that are built for arm64.
const emulator = "qemu-aarch64"

// arm64 has the programs of a test built for arm64, unless nothing here can execute them.
func arm64(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	if _, err := exec.LookPath(emulator); err != nil {
		t.Skip("1 test skipped: no emulator of arm64 (qemu-aarch64, of Debian's qemu-user)")
	}
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv(recorder.EnvCells, "few")
}

// program is the command that runs a program.
func program(bin string, args ...string) *exec.Cmd {
	if os.Getenv("GOARCH") == "arm64" && runtime.GOARCH != "arm64" {
		return exec.Command(emulator, append([]string{bin}, args...)...)
	}
	return exec.Command(bin, args...)
}

// run runs a program and returns what it printed and the directory of its process.
func run(t *testing.T, bin string, env ...string) (out string, dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	cmd := program(bin)
	cmd.Env = append(os.Environ(), append(env, recorder.EnvDir+"="+dir)...)
	b, err := cmd.CombinedOutput()
	return string(b), filepath.Join(dir, fmt.Sprint(cmd.Process.Pid)), err
}

func read(t *testing.T, dir string) *rawfile.Process {
	t.Helper()
	p, err := rawfile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRecords runs the programs of testdata. Each has its hooks written by hand; its records with
// a site, and Go, Start and End, of goroutines of package main must be exactly those of -- want --.
func TestRecords(t *testing.T) {
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testRecords(t, file)
		})
	}
}

// TestOtherGo does the same with the other versions of Go that are supported, if the go command has
// them at hand.
func TestOtherGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	for _, v := range goversion.OtherToolchains(goVersion(t)) {
		t.Run(v, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", v)
			cmd := exec.Command("go", "version")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "GOPROXY=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("%s is not in the module cache (GOTOOLCHAIN=%[1]s go version gets it): %s", v, out)
			}
			for _, file := range cases(t) {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testRecords(t, file) })
			}
		})
	}
}

// TestArm64 does the same on arm64, and has a program under load and one that is killed there.
func TestArm64(t *testing.T) {
	arm64(t)
	t.Run("stress", TestStress)
	t.Run("kill", TestKill)
	t.Run("log", TestLogKill)
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testRecords(t, file) })
	}
}

// goVersion returns the version of the installed Go.
func goVersion(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func cases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	return files
}

func testRecords(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := map[string]*txtar.File{}
	for i := range a.Files {
		section[a.Files[i].Name] = &a.Files[i]
	}
	bin := build(t, section["main.go"].Data)
	plain, err := program(bin).CombinedOutput()
	if err != nil {
		t.Errorf("without recording: %v\n%s", err, plain)
	}
	for _, procs := range []string{"1", "4"} {
		out, dir, err := run(t, bin, "GOMAXPROCS="+procs)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if out != string(plain) {
			t.Errorf("recording changed the output:\n%s\nnot\n%s", out, plain)
		}
		p := read(t, dir)
		if err := validate(p); err != nil {
			t.Errorf("GOMAXPROCS=%s: %v", procs, err)
		}
		got := text(p)
		if *update {
			section["want"].Data = []byte(got)
			write(t, file, txtar.Format(a))
		}
		if diff := cmp.Diff(string(section["want"].Data), got); diff != "" {
			t.Errorf("GOMAXPROCS=%s: records (-want +got):\n%s", procs, diff)
		}
	}
}

// firstAlloc is the first site at which allocations are shown.
const firstAlloc = 1000

// text writes the records of a process, with objects numbered in order of appearance.
func text(p *rawfile.Process) string {
	var b strings.Builder
	names := map[uint64]string{}
	object := func(v uint64) string {
		if names[v] == "" {
			names[v] = fmt.Sprintf("o%d", len(names)+1)
		}
		return names[v]
	}
	gs := map[uint64]string{0: "g0"}
	g := func(id uint64) string {
		if gs[id] == "" {
			gs[id] = fmt.Sprintf("g%d", len(gs))
		}
		return gs[id]
	}
	for _, s := range p.Streams {
		rs := slices.Collect(s.Records())
		if len(rs) == 0 || rs[0].Kind != format.Start || !strings.HasPrefix(rs[0].Name(), "main.") && rs[0].Name() != "runtime.main" {
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", g(s.GoID), rs[0].Name())
		sortCases(rs)
		for _, r := range rs[1:] {
			switch {
			case r.Kind == format.RawVar:
				fmt.Fprintf(&b, "\t%d var%s %s %d\n", r.Site, flagText(r.Kind, r.Flags), object(r.Words[0]), r.Words[1:])
				continue
			case r.Kind >= format.RawContext && r.Kind <= format.RawPC, r.Kind == format.RawTest, r.Site&format.OutsidePC != 0:
				// of outside code
				continue
			case r.Site == 0 && r.Kind != format.Go && r.Kind != format.End, r.Kind == format.Alloc && r.Site < firstAlloc:
				continue
			}
			fmt.Fprintf(&b, "\t%d %s%s", r.Site, r.Kind, flagText(r.Kind, r.Flags))
			words := r.Words
			if r.Stamp != 0 {
				words = words[:len(words)-1]
			}
			if r.Size != 0 {
				fmt.Fprintf(&b, " size=%d", r.Size)
			}
			// the values of a key of a sync.Map are numbers
			mapped := r.Kind.IsAtomic() && format.IsMapWord(format.Addr(words[0]))
			switch r.Kind {
			case format.Go:
				fmt.Fprintf(&b, " %s", g(words[0]))
				words = nil
			case format.Value, format.Block, format.Exit, format.End, format.SelectDefault, format.OpaqueBegin, format.OpaqueEnd:
			case format.Enter:
				fmt.Fprintf(&b, " call=%d depth=%d", uint32(words[0]), words[0]>>32)
				words = nil
			case format.Alloc:
				words = words[1:]
			default:
				fmt.Fprintf(&b, " %s", object(words[0]))
				words = words[1:]
			}
			for _, w := range words {
				if mapped && w != 0 {
					b.WriteString(" v" + object(w)[1:])
					continue
				}
				fmt.Fprintf(&b, " %d", int64(w))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// sortCases sorts the cases of a select: theirs is an order of addresses.
func sortCases(rs []rawfile.Record) {
	for i := 0; i < len(rs); i++ {
		j := i
		for j < len(rs) && rs[j].Kind == format.SelectCase {
			j++
		}
		slices.SortStableFunc(rs[i:j], func(a, b rawfile.Record) int { return int(b.Flags) - int(a.Flags) })
		i = j
	}
}

func flagText(k format.Kind, f format.Flags) string {
	var s string
	for _, n := range []struct {
		flag format.Flags
		name string
		ok   bool
	}{
		{format.FlagRead, "+r", k < format.ChanSend}, {format.FlagZero, "+zero", k == format.Alloc}, {format.FlagFirst, "+first", k == format.Alloc || k == format.RawVar}, {format.FlagTry, "+try", k < format.ChanSend}, {format.FlagNonBlocking, "+nb", k >= format.ChanSend && k != format.Alloc && k != format.RawVar},
		{format.FlagClosed, "+closed", true}, {format.FlagWrite, "+w", true}, {format.FlagMore, "+more", true}, {format.FlagNoValue, "+novalue", true},
		{format.FlagOpaque, "+opaque", true},
	} {
		if f&n.flag != 0 && n.ok {
			s += n.name
		}
	}
	return s
}

// TestAnchor breaks each patched file of a copy of the sources: every patch must be missed.
func TestAnchor(t *testing.T) {
	o, err := recorder.New(context.Background(), recorder.Config{OutDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, file := range slices.Sorted(maps.Keys(o.Replace)) {
		rel, _ := filepath.Rel(o.GoRoot, file)
		src, err := os.ReadFile(file)
		if err != nil {
			continue // a new file
		}
		os.MkdirAll(filepath.Dir(filepath.Join(copied, rel)), 0o777)
		write(t, filepath.Join(copied, rel), src)
	}
	cfg := recorder.Config{GoRoot: copied, GoVersion: o.GoVersion, GOOS: o.GOOS, GOARCH: o.GOARCH, ModCache: "-", OutDir: t.TempDir(), Packages: []string{"."}}
	if _, err := recorder.New(context.Background(), cfg); err != nil {
		t.Fatalf("the copy itself: %v", err)
	}
	chans := filepath.Join(copied, "src/runtime/chan.go")
	src, _ := os.ReadFile(chans)
	write(t, chans, bytes.Replace(src, []byte("\tc.closed = 1\n"), []byte("\tc.closed = 2\n"), 1))
	_, err = recorder.New(context.Background(), cfg)
	var anchor *goversion.PatchError
	if !errors.As(err, &anchor) || anchor.File != "runtime/chan.go" || anchor.Anchor != "\tc.closed = 1\n" || anchor.GoVersion != o.GoVersion {
		t.Errorf("a missing anchor gives %v", err)
	}
	cfg.GoVersion = "go1.24.1"
	if _, err := recorder.New(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "go1.24.1") {
		t.Errorf("go1.24.1 gives %v", err)
	}
}

// TestStable: the overlay of one Go is the same bytes each time, or the build cache would be no
// use.
func TestStable(t *testing.T) {
	content := func() map[string]string {
		o, err := recorder.New(context.Background(), recorder.Config{OutDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for file, by := range o.Replace {
			b, err := os.ReadFile(by)
			if err != nil {
				t.Fatal(err)
			}
			m[file] = string(b)
		}
		return m
	}
	if diff := cmp.Diff(content(), content()); diff != "" {
		t.Error(diff)
	}
}
