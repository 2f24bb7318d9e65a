package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A copy has the tests of the package, and passes them; nothing that is not internal or named is
// copied.
func TestCopyStd(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := copyStd(strings.TrimSpace(string(goroot)), dir, []string{"container/ring", "sort"}, nil); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-short", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range []string{"container/ring", "sort"} {
		if want := "ok  \t" + stdPath + "/" + p; !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "slices")); err == nil {
		t.Error("slices, which sort imports, was copied")
	}
}

// Imports alone are rewritten, and only those of copied packages.
func TestRewrite(t *testing.T) {
	c := &copier{together: []string{"sort"}}
	got, err := c.rewrite([]byte("package p\n\nimport (\n\t\"sort\"\n\tx \"internal/race\"\n\t\"slices\"\n)\n\nvar s = \"sort\"\n"))
	want := "package p\n\nimport (\n\t\"example.org/std/sort\"\n\tx \"example.org/std/internal/race\"\n\t\"slices\"\n)\n\nvar s = \"sort\"\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
