package expect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"presage/internal/report"
)

func TestReadAndCompare(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one/a.go":   "package one\nx = 1 // race(x)\ny = 1 // race(y)\nz = 1\nx = 2 // race(x)\n",
		"quiet/q.go": "package quiet\n",
	} {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]Pair{"one": {"a.go:2 a.go:5", "a.go:3 a.go:3"}, "quiet": {}}, want); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	race := func(file string, a, b int) *report.Race {
		return &report.Race{A: report.Access{Position: report.Position{File: file, Line: a}}, B: report.Access{Position: report.Position{File: file, Line: b}}}
	}
	got := Races([]*report.Race{race("/x/one/a.go", 5, 2), race("/x/one/a.go", 2, 5), race("/x/quiet/q.go", 1, 1)})
	missing, extra := Compare(want, got)
	if diff := cmp.Diff([][]string{{"one: a.go:3 a.go:3"}, {"quiet: q.go:1 q.go:1"}}, [][]string{missing, extra}); diff != "" {
		t.Errorf("compare (-want +got):\n%s", diff)
	}
}

// TestExamplesAreMarked: the marks of the examples are read as they are meant.
func TestExamplesAreMarked(t *testing.T) {
	want, err := Read(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	racy := 0
	for _, pairs := range want {
		if len(pairs) > 0 {
			racy++
		}
	}
	if racy < 13 || len(want)-racy < 8 {
		t.Errorf("%d examples with a race and %d without: marks are lost", racy, len(want)-racy)
	}
}
