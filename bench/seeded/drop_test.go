package seeded

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Each archive of testdata is a module in which a mutex is looked for: kept.txt lists what stays and why, and the files below dropped/NAME/ are those that are other when the
// operations on the mutex of this name are gone. Any other mutex is an error.
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
			check(t, a)
		})
	}
}

func check(t *testing.T, a *txtar.Archive) {
	source, want, kept := map[string]string{}, map[string]map[string]string{}, ""
	for _, f := range a.Files {
		switch dir, rest, _ := strings.Cut(f.Name, "/"); {
		case f.Name == "kept.txt":
			kept = string(f.Data)
		case dir == "dropped":
			name, file, _ := strings.Cut(rest, "/")
			if want[name] == nil {
				want[name] = map[string]string{}
			}
			want[name][file] = string(f.Data)
		default:
			source[f.Name] = string(f.Data)
		}
	}
	dir := write(t, source)
	list, err := Find(t.Context(), dir, nil, "./sub")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, m := range list {
		if m.Kept != "" {
			got += m.Name + ": " + m.Kept + "\n"
			continue
		}
		files, ok := want[m.Name]
		if !ok {
			t.Errorf("%s is dropped, and nobody wants it", m.Name)
			continue
		}
		delete(want, m.Name)
		copied := write(t, source)
		if err := m.Drop(copied); err != nil {
			t.Error(err)
			continue
		}
		for file, before := range source {
			if after, ok := files[file]; ok {
				before = after
			}
			text, err := os.ReadFile(filepath.Join(copied, file))
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, string(text)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", m.Name, file, diff)
			}
		}
		vet := exec.Command("go", "test", "-vet=off", "-run=^$", "./...")
		vet.Dir = copied
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("%s: it does not build: %v\n%s", m.Name, err, out)
		}
	}
	for name := range want {
		t.Errorf("%s is not dropped", name)
	}
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
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
