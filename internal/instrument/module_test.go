package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"presage/internal/plan"
)

// TestModules instruments the modules of testdata/module, runs their tests, which must
// pass, and compares the functions left as written with the archive's.
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
	cmd := exec.Command("go", "test", "-vet=off", "-overlay="+overlay(t, r, out), "./...")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("tests of the instrumented module: %v\n%s", err, text)
	}
}
