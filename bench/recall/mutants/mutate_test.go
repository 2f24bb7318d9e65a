package mutants

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected texts")

// Each archive of testdata is a module. Its file mutants.txt lists all mutants, and the lines
// that each changes. They compile, and no line moves.
func TestMutants(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			source := map[string]string{}
			b := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				if f.Name == "mutants.txt" {
					want = string(f.Data)
					continue
				}
				source[f.Name] = string(f.Data)
				b.Files = append(b.Files, f)
			}
			got := listed(t, source)
			if *update {
				b.Files = append(b.Files, txtar.File{Name: "mutants.txt", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(b), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// listed lists the mutants of the package in the root of a module.
func listed(t *testing.T, source map[string]string) string {
	dir := t.TempDir()
	for name, text := range source {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:  dir,
	}, ".")
	if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		t.Fatalf("loading: %v %v", err, loaded)
	}
	all, err := mutants(loaded[0], dir)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range all {
		fmt.Fprintf(&out, "%s: %s in %s\n", m.id(), m.what, m.fn)
		text := string(apply([]byte(source[m.file]), m.edits))
		out.WriteString(changed(source[m.file], text))
		if testing.Short() {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, m.file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		build := exec.Command("go", "build", ".")
		build.Dir = dir
		if msg, err := build.CombinedOutput(); err != nil {
			t.Errorf("%s does not build: %v\n%s", m.id(), err, msg)
		}
		if err := os.WriteFile(filepath.Join(dir, m.file), []byte(source[m.file]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// changed lists the lines of a text that are not as they were.
func changed(before, after string) (list string) {
	was := strings.Split(before, "\n")
	for i, line := range strings.Split(after, "\n") {
		if i >= len(was) || line != was[i] {
			list += strings.TrimRight(fmt.Sprintf("\t%d: %s", i+1, strings.TrimLeft(line, "\t")), " ") + "\n"
		}
	}
	return list
}
