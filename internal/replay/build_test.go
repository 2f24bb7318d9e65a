//go:build unix

package replay

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
)

// fakeGo is a program whose go command is a script. It writes its arguments into a file.
func fakeGo(t *testing.T, script string) (p *Program, calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	command, log := filepath.Join(dir, "go"), filepath.Join(dir, "calls")
	if err := os.WriteFile(command, []byte("#!/bin/sh\necho \"$@\" >>"+log+"\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	p = &Program{dir: filepath.Join(dir, "p"), bins: map[string]built{}, std: recorder.Overlay{Go: command}}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.cfg = Config{Meta: &trace.Meta{Dir: dir}, Test: true, Progress: func(string) {}, Heals: func(error) {}, Spent: func(time.Duration) {}}
	return p, func() []string {
		data, _ := os.ReadFile(log)
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
}

// TestUnfused: a replay rounds products as the recorded program did, and no flag of the user
// changes that.
func TestUnfused(t *testing.T) {
	for _, race := range []bool{false, true} {
		meta := &trace.Meta{BuildFlags: []string{"-C=dir", "-gcflags=-N"}}
		p := &Program{race: race, std: recorder.Overlay{GOARCH: "arm64"}, cfg: Config{Meta: meta}}
		flags := p.flags()
		if flags[0] != "-C=dir" || slices.Contains(flags, "-race") != race {
			t.Errorf("%q", flags)
		}
		for _, f := range flags {
			if recorder.IsGCFlags(f) && !strings.HasSuffix(f, "-d=fmahash=qn") {
				t.Errorf("race %v: %s", race, f)
			}
		}
		if p.std.GOARCH = "amd64"; !race && !slices.Equal(p.flags(), meta.BuildFlags) {
			t.Errorf("%q", p.flags())
		}
	}
}

// output has the script make what -o names: of a directory, the test binaries of the packages.
const output = `
while [ "$1" != -o ]; do shift; done
out=$2
shift 2
case $out in
*/) for p in "$@"; do echo binary >$out$(basename $p).test; done ;;
*) echo binary >$out ;;
esac
`

// Packages are built by one call, but for those that have a name in common; each once, whoever
// asks.
func TestBuiltOnce(t *testing.T) {
	p, calls := fakeGo(t, output)
	packages := []string{"m/a", "m/b", "m/other/a"}
	p.Build(t.Context(), packages)
	p.Build(t.Context(), append(packages, "m/a"))
	var wg sync.WaitGroup
	for range 4 {
		for _, pkg := range packages {
			wg.Go(func() {
				if bin, err := p.binary(t.Context(), pkg); err != nil || !isFile(bin) {
					t.Errorf("%s: %q, %v", pkg, bin, err)
				}
			})
		}
	}
	wg.Wait()
	got := calls()
	if len(got) != 2 || !strings.HasSuffix(got[0], " m/a m/b") || !strings.HasSuffix(got[1], " m/other/a") {
		t.Errorf("calls of the go command:\n%s", strings.Join(got, "\n"))
	}
}

// What fails is not tried again, and all callers get the same error. An interrupt is no failure.
func TestBuiltFailed(t *testing.T) {
	p, calls := fakeGo(t, "echo no compiler\nexit 1\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Build(ctx, []string{"m/a"})
	if len(p.bins) != 0 {
		t.Errorf("after an interrupt: %v", p.bins)
	}
	p.Build(t.Context(), []string{"m/a"})
	_, first := p.binary(t.Context(), "m/a")
	_, second := p.binary(t.Context(), "m/a")
	if first == nil || first != second || !strings.Contains(first.Error(), "no compiler") {
		t.Errorf("%v, then %v", first, second)
	}
	if got := calls(); len(got) != 1 {
		t.Errorf("%d calls of the go command: %q", len(got), got)
	}
}

// What the go command has started ends with it.
func TestBuildInterrupted(t *testing.T) {
	p, _ := fakeGo(t, "sh -c 'echo $$ >compiler; exec sleep 100'\nexit 1\n")
	ctx, cancel := context.WithCancel(t.Context())
	built := make(chan struct{})
	go func() {
		defer close(built)
		p.Build(ctx, []string{"m/a"})
	}()
	pid := 0
	for pid == 0 {
		data, _ := os.ReadFile(filepath.Join(p.cfg.Meta.Dir, "compiler"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	select {
	case <-built:
	case <-time.After(time.Minute):
		t.Fatal("the build goes on")
	}
	for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); strings.Contains(string(stat), ") Z ") {
			break // no caller waits for it
		}
		if time.Now().After(end) {
			t.Fatal("what the go command has started goes on")
		}
	}
}

// The standard library with gates is the same for every module: the go command builds it once,
// wherever the overlay's files are.
func TestStdBuiltOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library: not with -short")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler, and so no race detector")
	}
	var ids []string
	for _, name := range []string{"one", "two"} {
		dir := t.TempDir()
		std, err := recorder.New(t.Context(), recorder.Config{Dir: dir, OutDir: filepath.Join(dir, "cache", name, "std"), Gates: true})
		if err != nil {
			t.Fatal(err)
		}
		overlay, err := std.JSON(map[string]string{filepath.Join(dir, "main.go"): filepath.Join(dir, "cache", "main.go")})
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"overlay.json": string(overlay), "go.mod": "module " + name + "\n\ngo 1.25\n",
			"main.go": "package main\n", filepath.Join("cache", "main.go"): "package main\n\nimport (\n\t_ \"net\"\n\t_ \"" + std.Package + "\"\n)\n\nfunc main() {}\n"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := &Program{race: true, overlay: filepath.Join(dir, "overlay.json"), dir: dir, std: std, cfg: Config{Meta: &trace.Meta{Dir: dir}}}
		args := append([]string{"list", "-deps", "-export", "-f={{if .Standard}}{{.ImportPath}} {{.BuildID}}{{end}}"}, p.buildArgs("x")[1:]...)
		cmd := p.goCommand(t.Context(), append(args[:len(args)-2], "."))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
		}
		ids = append(ids, string(out))
	}
	if !strings.Contains(ids[0], "\nruntime ") || !strings.Contains(ids[0], "\nruntime/cgo ") {
		t.Errorf("too few packages:\n%s", ids[0])
	}
	one, two := strings.Split(ids[0], "\n"), strings.Split(ids[1], "\n")
	if len(one) != len(two) {
		t.Fatalf("%d packages, then %d", len(one), len(two))
	}
	for i := range one {
		if one[i] != two[i] {
			t.Errorf("%s\n%s", one[i], two[i])
		}
	}
}
