package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestReplace compares the files that select copies with those of testdata/replace. The modules are
// example.com/a v1.2.0 and example.com/b v0.0.0, and the original is in the directory /main.
func TestReplace(t *testing.T) {
	names, err := filepath.Glob("testdata/replace/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	modules := []module{
		{path: "example.com/a", version: "v1.2.0", copied: "/copy/a"},
		{path: "example.com/b", version: "v0.0.0", copied: "/copy/b"},
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			from, want := ar.Files[0], ar.Files[1]
			dir, replace := t.TempDir(), replaceInMod
			if from.Name == "go.work" {
				replace = replaceInWork
			}
			f := modFile{name: "/main/" + from.Name, data: from.Data, sum: []byte("sum\n")}
			if err := replace(&f, modules, dir); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, from.Name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want.Data), string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			sum := strings.TrimSuffix(from.Name, ".mod") + ".sum"
			if got, err := os.ReadFile(filepath.Join(dir, sum)); err != nil || string(got) != "sum\n" {
				t.Errorf("%s: %q, %v", sum, got, err)
			}
		})
	}
}
