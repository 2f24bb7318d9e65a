package instrument

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/source/plan"
)

// TestBehaviour runs the program of testdata/prog plain and instrumented. Its output must be the
// same, all of its functions must be emitted, and the recorder for tests must not run out of room.
func TestBehaviour(t *testing.T) { behaviour(t, "testdata/prog") }

// TestChecks does the same for what the language checks where nothing uses the value.
func TestChecks(t *testing.T) { behaviour(t, "testdata/checks") }

func behaviour(t *testing.T, prog string) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(prog)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module prog\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := execute(t, dir, "")
	for _, gates := range []bool{false, true} {
		out := t.TempDir()
		r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: out, Gates: gates})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Opaque {
			t.Errorf("gates %v: %s:%d: %s is not emitted: %s", gates, filepath.Base(o.File), o.Line, o.Func, o.Reason)
		}
		got := execute(t, dir, overlay(t, r, out))
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("gates %v: output differs (-plain +instrumented):\n%s", gates, diff)
		}
	}
}

// TestMarkOpaque checks that a function named in a compiler error is left as written, and
// that its callers take it for opaque.
func TestMarkOpaque(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module m\n\ngo 1.26\n")
	write(t, dir, "a.go", "package m\n\nfunc f() int { return 1 }\n\nfunc g() int { return f() }\n")
	r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.MarkOpaque("# m\n./a.go:3:5: internal compiler error: x\n"); n != 1 || err != nil {
		t.Fatalf("MarkOpaque = %d, %v; want 1", n, err)
	}
	if len(r.Opaque) != 1 || r.Opaque[0].Key != "m.f" || r.Emitted != 1 {
		t.Fatalf("opaque = %v, emitted %d; want m.f and 1", r.Opaque, r.Emitted)
	}
	text, err := os.ReadFile(r.Overlay[filepath.Join(dir, "a.go")])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "func f() int { return 1 }") || !strings.Contains(string(text), "g_.Opaque(") {
		t.Errorf("emitted file does not leave f and bracket its call:\n%s", text)
	}
	if n, err := r.MarkOpaque("something else\n"); n != 0 || err != nil {
		t.Errorf("MarkOpaque of other output = %d, %v; want 0", n, err)
	}
}

// TestBuildError checks that a package that does not compile is reported as the compiler does.
func TestBuildError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module m\n\ngo 1.26\n")
	write(t, dir, "a.go", "package m\n\nfunc f() int { return \"\" }\n")
	_, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: t.TempDir()})
	if _, ok := err.(*plan.BuildError); !ok || !strings.Contains(err.Error(), "a.go:3:23") {
		t.Errorf("error = %v; want a BuildError at a.go:3:23", err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// execute builds and runs the program, and returns its output and how it ended.
func execute(t *testing.T, dir, overlay string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "prog")
	args := []string{"build", "-o", bin}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	build := exec.Command("go", append(args, ".")...)
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, text)
	}
	text, err := exec.Command(bin).CombinedOutput()
	if err != nil {
		return string(text) + err.Error()
	}
	return string(text)
}

// overlay writes an overlay with the emitted files and the recorder for tests.
func overlay(t *testing.T, r *Result, dir string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, file := range []string{"testdata/presagert/presagert.go", "../../record/recorder/_both/presagert/loops.go"} {
		abs, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(strings.TrimSpace(string(root)), "src", "presagert", filepath.Base(file))] = abs
	}
	for k, v := range r.Overlay {
		replace[k] = v
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "overlay.json", string(text))
	return filepath.Join(dir, "overlay.json")
}
