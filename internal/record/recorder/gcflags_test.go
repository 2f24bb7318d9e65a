package recorder_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/record/recorder"
)

// TestBuildFlags: of the packages that a build needs, those have a flag that call functions of
// sync/atomic, and those that may instantiate generic functions which do, and those that are not
// instrumented are not inlined elsewhere.
func TestBuildFlags(t *testing.T) {
	a := txtar.Parse([]byte(`
-- go.mod --
module m

go 1.18

require dep v1.0.0

replace dep => ./dep
-- main.go --
package main

import (
	"dep"
	"m/calls"
	"m/instance"
	"m/methods"
	"m/renamed"
	"m/value"
)

func main() { calls.F(); instance.F(); methods.F(); renamed.F(); value.F(); dep.F() }
-- calls/f.go --
package calls

import "sync/atomic"

var x int64

func F() { atomic.AddInt64(&x, 1) }
-- generic/f.go --
package generic

import "sync/atomic"

type Count[T any] struct{ n int64 }

func (c *Count[T]) Inc() { atomic.AddInt64(&c.n, 1) }
-- instance/f.go --
package instance

import "m/generic"

func F() { var c generic.Count[int]; c.Inc() }
-- methods/f.go --
package methods

import "sync/atomic"

var x atomic.Value

func F() { x.Store(1) }
-- renamed/f.go --
package renamed

import a "sync/atomic"

var x int64

func F() { a.StoreInt64(&x, 1) }
-- value/f.go --
package value

import . "sync/atomic"

var f = LoadInt64

func F() { var x int64; f(&x) }
-- unused/f.go --
package unused

import "sync/atomic"

func F(x *int64) { atomic.LoadInt64(x) }
-- dep/go.mod --
module dep
-- dep/f.go --
package dep

import "sync/atomic"

var x uint32

func F() { atomic.CompareAndSwapUint32(&x, 0, 1) }
`))
	dir := t.TempDir()
	for _, f := range a.Files {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777)
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	o, err := recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: t.TempDir(), Packages: []string{"."}, LeftOut: []string{"m/renamed"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"-gcflags=all=-race -d=checkptr=0",
		"-gcflags=dep=-race -d=checkptr=0 -l",
		"-gcflags=m/calls=-d=checkptr=0 -d=ssa/intrinsics/off",
		"-gcflags=m/generic=-d=checkptr=0 -d=ssa/intrinsics/off",
		"-gcflags=m/instance=-d=checkptr=0 -d=ssa/intrinsics/off",
		"-gcflags=m/methods=-d=checkptr=0",
		"-gcflags=m/renamed=-d=checkptr=0 -d=ssa/intrinsics/off -l",
		"-gcflags=m/value=-d=checkptr=0 -d=ssa/intrinsics/off",
		"-gcflags=m=-d=checkptr=0 -d=ssa/intrinsics/off",
	}
	if diff := cmp.Diff(want, moduleFlags(o.BuildFlags)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	edited, err := recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: t.TempDir(), Packages: []string{"."}, LeftOut: []string{"m/renamed"},
		Compiler: func(context.Context, recorder.Overlay) (string, error) { return "/a b/compile", nil }})
	if err != nil {
		t.Fatal(err)
	}
	want = []string{
		"-gcflags=all=-race -d=checkptr=0,presage=1",
		"-gcflags=m/calls=-d=checkptr=0,presage=2",
		"-gcflags=m/generic=-d=checkptr=0,presage=2",
		"-gcflags=m/instance=-d=checkptr=0,presage=2",
		"-gcflags=m/methods=-d=checkptr=0,presage=2",
		"-gcflags=m/renamed=-d=checkptr=0 -d=ssa/intrinsics/off -l",
		"-gcflags=m/value=-d=checkptr=0,presage=2",
		"-gcflags=m=-d=checkptr=0,presage=2,presageskip=m/renamed",
		`-toolexec="/a b/compile"`,
	}
	if diff := cmp.Diff(want, moduleFlags(edited.BuildFlags)); diff != "" {
		t.Errorf("flags with the other compiler (-want +got):\n%s", diff)
	}
	audit, err := recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: t.TempDir(), Packages: []string{"."}, LeftOut: []string{"m/renamed"}, Audit: true,
		Compiler: func(context.Context, recorder.Overlay) (string, error) { return "/a b/compile", nil }})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range want {
		for _, mode := range []string{"presage=1", "presage=2"} {
			want[i] = strings.Replace(want[i], mode, mode+",presagewide=1", 1)
		}
		if strings.Contains(f, "presage=") == (want[i] == f) {
			t.Errorf("flag %s", f)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, moduleFlags(audit.BuildFlags)); diff != "" {
		t.Errorf("flags of an audit (-want +got):\n%s", diff)
	}
	// The go command takes them from the environment, quoted as they are.
	cmd := exec.Command(o.Go, "build", "-n", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), o.Env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "-p dep ") && !strings.Contains(line, "-race -d=checkptr=0 -l ") {
			t.Errorf("dep is compiled by %s", line)
		}
	}
}

// moduleFlags are the flags but for those of packages of the standard library, sorted.
func moduleFlags(flags []string) []string {
	var out []string
	for _, f := range flags {
		value, gc := strings.CutPrefix(f, "-gcflags=")
		path, _, _ := strings.Cut(value, "=")
		if !gc || path == "all" || path == "dep" || path == "m" || strings.HasPrefix(path, "m/") {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

// An external test package is compiled with the flags of the package it tests.
func TestFlagsOfExternalTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n",
		"m.go":      "package m\n",
		"m_test.go": "package m_test\n\nimport (\n\t\"sync/atomic\"\n\t\"testing\"\n)\n\nvar x int32\n\nfunc Test(t *testing.T) { atomic.AddInt32(&x, 1) }\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	o, err := recorder.New(context.Background(), recorder.Config{Dir: dir, OutDir: t.TempDir(), Packages: []string{"."}, Test: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(o.BuildFlags, "-gcflags=m=-d=checkptr=0 -d=ssa/intrinsics/off") {
		t.Errorf("flags %q", o.BuildFlags)
	}
}

// TestUnfused: on arm64, every package is compiled without fused multiply-adds.
func TestUnfused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25\n"))
	write(t, filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"sync/atomic\"\n\nvar x int64\n\nfunc main() { atomic.AddInt64(&x, 1) }\n"))
	for arch, want := range map[string]bool{"amd64": false, "arm64": true} {
		o, err := recorder.New(t.Context(), recorder.Config{Dir: dir, OutDir: t.TempDir(), GOARCH: arch, Packages: []string{"."}, GoFlags: "-gcflags=-B"})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range o.BuildFlags {
			if recorder.IsGCFlags(f) {
				if n++; strings.Contains(f, "-d=fmahash=qn") != want {
					t.Errorf("%s: %s", arch, f)
				}
			}
		}
		if n < 4 {
			t.Errorf("%s: only %d flags of the compiler: %q", arch, n, o.BuildFlags)
		}
	}
}
