package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/source/plan"
)

// TestModules instruments the modules of testdata/module, runs their tests, which must pass and be
// those that run without, and compares the functions left as written with the archive's.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	names, err := filepath.Glob("testdata/module/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) { testModule(t, name) })
	}
}

func testModule(t *testing.T, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, out, want := t.TempDir(), t.TempDir(), ""
	for _, f := range ar.Files {
		if f.Name == "opaque" {
			want = string(f.Data)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, f.Name, string(f.Data))
	}
	r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir, Tests: true, Patterns: []string{"./..."}}, OutDir: out})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, o := range r.Opaque {
		fmt.Fprintf(&got, "%s: %s\n", o.Func, o.Reason)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("opaque functions (-want +got):\n%s", diff)
	}
	plain, err := ended(dir)
	if err != nil {
		t.Fatalf("tests of the module: %v", err)
	}
	instrumented, err := ended(dir, "-overlay="+overlay(t, r, out))
	if err != nil {
		t.Errorf("tests of the instrumented module: %v", err)
	}
	if diff := cmp.Diff(plain, instrumented); diff != "" {
		t.Errorf("tests and examples that ran (-plain +instrumented):\n%s", diff)
	}
}

// ended runs the tests of a module and returns how each ended, in order.
func ended(dir string, flags ...string) (tests []string, err error) {
	cmd := exec.Command("go", slices.Concat([]string{"test", "-v", "-vet=off"}, flags, []string{"./..."})...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	for line := range strings.Lines(string(text)) {
		if test, _, ok := strings.Cut(line, " ("); ok && strings.Contains(test, "--- ") {
			tests = append(tests, test)
		}
	}
	return tests, nil
}
