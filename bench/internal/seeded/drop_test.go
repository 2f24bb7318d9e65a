package seeded

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what is wanted")

// Each archive of testdata is a module whose package sub is asked for: kept.txt lists what stays
// and why, and the files below dropped/OPERATOR NAME/ have the lines that are other, each with its
// number, when the object's operations are gone. What comes of it builds.
func TestDrop(t *testing.T) {
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
			check(t, name, a)
		})
	}
}

func check(t *testing.T, name string, a *txtar.Archive) {
	source, want := map[string]string{}, map[string]string{}
	b := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if f.Name == "kept.txt" || strings.HasPrefix(f.Name, "dropped/") {
			want[f.Name] = string(f.Data)
			continue
		}
		source[f.Name] = string(f.Data)
		b.Files = append(b.Files, f)
	}
	got := dropped(t, source)
	for _, file := range slices.Sorted(maps.Keys(got)) {
		b.Files = append(b.Files, txtar.File{Name: file, Data: []byte(got[file])})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(b), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// dropped is what becomes of a module: what is kept, and what is other without each of the rest.
func dropped(t *testing.T, source map[string]string) map[string]string {
	got := map[string]string{"kept.txt": ""}
	list, err := Find(t.Context(), write(t, source), nil, "./sub")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		name := string(m.Operator) + " " + m.Name
		if m.Kept != "" {
			got["kept.txt"] += name + ": " + m.Kept + "\n"
			continue
		}
		copied := write(t, source)
		if err := m.Drop(copied); err != nil {
			t.Error(err)
			continue
		}
		for file, before := range source {
			text, err := os.ReadFile(filepath.Join(copied, file))
			if err != nil {
				t.Error(err)
			}
			if list := changed(before, string(text)); list != "" {
				got["dropped/"+name+"/"+file] = list
			}
		}
		vet := exec.Command("go", "test", "-vet=off", "-run=^$", "./...")
		vet.Dir = copied
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("%s: it does not build: %v\n%s", name, err, out)
		}
	}
	return got
}

// changed lists the lines of a text that are other in another, as they are there.
func changed(before, after string) (list string) {
	old := strings.Split(before, "\n")
	for i, line := range strings.Split(after, "\n") {
		if i >= len(old) || line != old[i] {
			list += fmt.Sprintf("%d: %s\n", i+1, strings.TrimLeft(line, "\t"))
		}
	}
	return list
}

func write(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
