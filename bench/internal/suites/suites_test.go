package suites

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The list has twelve suites of different names, and what is no entry is an error.
func TestParse(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, u := range all {
		names[u.Name] = true
	}
	if len(all) != 12 || len(names) != 12 {
		t.Errorf("%d suites, %d names", len(all), len(names))
	}
	got, err := parse("# comment\n\na b v1\n\tsuite -x -run=T ./p ./q\n\tedit p/f.go \"a \\\"b\\\"\" \"c\\n\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (edit{"p/f.go", `a "b"`, "c\n"}); len(got[0].edits) != 1 || got[0].edits[0] != want {
		t.Errorf("edits %q, want %q", got[0].edits, want)
	}
	if got, want := got[0].Arguments("-y"), []string{"-x", "-run=T", "-y", "./p", "./q"}; !slices.Equal(got, want) {
		t.Errorf("arguments %q, want %q", got, want)
	}
	for _, bad := range []string{"a b\n", "\tsuite -x\n", "a b v1\n\twhat x\n", "a b v1\n\tedit f \"x\" y\n", "a b v1\n\tedit f \"\" \"y\"\n", "a b v1\n\tedit f \"x\" \"y\" z\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// An edit replaces all, and what is not there is an error.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f.go")
	if err := os.WriteFile(name, []byte("mu mu x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (edit{"f.go", "mu", "no"}).apply(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "no no x" {
		t.Errorf("%q, %v", got, err)
	}
	if err := (edit{"f.go", "mu", "no"}).apply(dir); err == nil {
		t.Error("no error for a text that is not there")
	}
}
