package mutants

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was written is read again, and a second command can add to it.
func TestState(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state.tsv")
	rows := []*row{
		{module: "m@v1.0.0", mutant: original, tool: "plain", run: 1, outcome: "pass", seconds: 0.5},
		{module: "m@v1.0.0", mutant: "unlock m.go:1:2", tool: "plain", run: 1, outcome: "pass", seconds: 0.5},
		{module: "m@v1.0.0", mutant: "unlock m.go:1:2", tool: "race", run: 1, outcome: "race", seconds: 1, races: readTestRuns("1f 2g, 3f ?")[0]},
		{module: "n@v1.0.0", mutant: original, tool: "plain", run: 1, outcome: "pass", seconds: 0.5},
		{module: "n@v1.0.0", mutant: original, tool: "race", run: 1, outcome: "race", seconds: 1, races: readTestRuns("1f 2g")[0]},
	}
	for _, part := range [][]*row{rows[:2], rows[2:]} {
		s, err := openState(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range part {
			if err := s.add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := openState(name)
	if err != nil {
		t.Fatal(err)
	}
	rows[0].races, rows[1].races, rows[3].races = []race{}, []race{}, []race{}
	if diff := cmp.Diff(rows, s.rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	modules, mutants := s.mutants()
	if diff := cmp.Diff([]string{"m@v1.0.0", "n@v1.0.0"}, modules); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"unlock m.go:1:2"}, mutants["m@v1.0.0"]); diff != "" {
		t.Error(diff)
	}
	if s.dropped("m@v1.0.0") != "" || s.dropped("n@v1.0.0") == "" {
		t.Error("n is dropped, m is not")
	}
}

// A mutant is quiet if the usual runs of -race have no race; later ones do not count.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		races string
		want  bool
	}{
		{";", false}, // two runs
		{";;", true},
		{";;;1f 2g", true},
		{";1f 2g;", false},
		{"1f 2g;;;", false},
	} {
		s := &state{}
		for i, races := range readTestRuns(c.races) {
			s.rows = append(s.rows, &row{module: "m", mutant: "x", tool: "race", run: i + 1, races: races})
		}
		if got := s.quiet("m", "x"); got != c.want {
			t.Errorf("%q: quiet %v", c.races, got)
		}
	}
}
