package expect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/report"
)

func TestReadAndCompare(t *testing.T) {
	want := readText(t, map[string]string{
		"one/a.go":        "package one\nx = 1 // race(x)\ny = 1 // race(y)\nz = 1\nx = 2 // race(x)\n",
		"more/rungs/r.go": "package rungs\na // race(v, by-value)\nb // race(v, by-value) // race(p, by-path)\nc // race(p, by-path) // race(q, base)\nd // race(q, base)",
		"quiet/q.go":      "package quiet\n",
	})
	if diff := cmp.Diff(map[string][]Pair{
		"one": {{"a.go:2 a.go:5", Any}, {"a.go:3 a.go:3", Any}}, "quiet": {},
		"rungs": {{"r.go:2 r.go:3", "by-value"}, {"r.go:3 r.go:4", "by-path"}, {"r.go:4 r.go:5", Base}},
	}, want); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	race := func(file string, tier report.Tier, a, b int) *report.Race {
		return &report.Race{Tier: tier, A: report.Access{Position: report.Position{File: file, Line: a}}, B: report.Access{Position: report.Position{File: file, Line: b}}}
	}
	for _, c := range []struct {
		level          string
		races          []*report.Race
		missing, extra []string
	}{
		{level: "causal",
			races:   []*report.Race{race("/x/one/a.go", "predicted", 5, 2), race("/x/one/a.go", "observed", 2, 5), race("/x/quiet/q.go", "observed", 1, 1)},
			missing: []string{"one: a.go:3 a.go:3"}, extra: []string{"quiet: q.go:1 q.go:1 observed"}},
		{level: "value", // what is by value is not predicted, and what is by path is not found yet
			races: []*report.Race{race("/x/one/a.go", "predicted", 5, 2), race("/x/one/a.go", "by-value", 3, 3), race("/x/rungs/r.go", "predicted", 2, 3),
				race("/x/rungs/r.go", "by-path", 3, 4)},
			missing: []string{"one: a.go:3 a.go:3", "rungs: r.go:2 r.go:3 by-value"},
			extra:   []string{"one: a.go:3 a.go:3 by-value", "rungs: r.go:2 r.go:3 predicted", "rungs: r.go:3 r.go:4 by-path"}},
		{level: "path", // of two reports of the same lines, the lowest counts
			races: []*report.Race{race("/x/one/a.go", "predicted", 5, 2), race("/x/one/a.go", "observed", 3, 3), race("/x/rungs/r.go", "by-path", 3, 2),
				race("/x/rungs/r.go", "by-value", 2, 3), race("/x/rungs/r.go", "by-path", 3, 4), race("/x/rungs/r.go", "by-value", 5, 4)}},
	} {
		missing, extra := Compare(want, Races(c.races), c.level)
		if diff := cmp.Diff([][]string{c.missing, c.extra}, [][]string{missing, extra}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.level, diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"x // race(a)\ny // race(a, by-path)":                "is \"by-path\" here",
		"x // race(a)\ny // race(a)\nz // race(a)":           "a third line",
		"x // race(a, by-luck)":                              "no rung is called",
		"x // race(a) // race(b)\ny // race(a) // race(b)\n": "marked twice",
	} {
		if _, err := Read(write(t, map[string]string{"one/a.go": text})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(write(t, map[string]string{"one/a.go": "", "two/one/a.go": ""})); err == nil {
		t.Error("two directories with one name are accepted")
	}
}

func readText(t *testing.T, files map[string]string) map[string][]Pair {
	t.Helper()
	want, err := Read(write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExamplesAreMarked: the marks of the examples are read as they are meant.
func TestExamplesAreMarked(t *testing.T) {
	want, err := Read(filepath.Join("..", "..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	racy, rungs := 0, map[Rung]int{}
	for _, pairs := range want {
		if len(pairs) > 0 {
			racy++
		}
		for _, p := range pairs {
			rungs[p.Rung]++
		}
	}
	if racy < 23 || len(want)-racy < 8 {
		t.Errorf("%d examples with a race and %d without: marks are lost", racy, len(want)-racy)
	}
	if rungs["predicted"] < 20 || rungs["by-value"] < 6 || rungs["by-path"] < 7 || rungs[Base] < 3 {
		t.Errorf("marks are lost: %v", rungs)
	}
}
