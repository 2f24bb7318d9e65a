package overhead

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/bench/internal/session"
)

func TestRecordings(t *testing.T) {
	for value, want := range map[string]int{"edited": 1, "plain": 1, "both": 2, "": 0, "gc": 0} {
		if got := recordings(value); len(got) != want {
			t.Errorf("-compiler %q: %d builds, want %d", value, len(got), want)
		}
	}
}

// TestTotal: costs of processes are added, and of their peaks the largest counts.
func TestTotal(t *testing.T) {
	u := total([]session.Process{{CPU: 0.5, Wall: 1, Peak: 2, Raw: 80, Records: 3}, {CPU: 1.5, Wall: 2, Peak: 1, Raw: 8, Records: 1}})
	if want := (usage{cost{2, 3, 2}, 88, 4}); *u != want {
		t.Errorf("%+v; want %+v", u, want)
	}
}

// TestLimits: a mean at the limit is within it, one above is not, and no limit holds for a build
// that is not recorded.
func TestLimits(t *testing.T) {
	b := build{recorded: true, limit: cost{cpu: 1, wall: 1.2}}
	for _, c := range []struct {
		build     build
		cpu, wall []float64
		over      bool
	}{
		{b, []float64{0.5, 2}, []float64{1.2}, false},
		{b, []float64{0.5, 2.1}, []float64{1}, true},
		{b, []float64{1}, []float64{1.3}, true},
		{plain, []float64{3}, []float64{3}, false},
	} {
		s := summary{raceTimes: samples{cpu: c.cpu, wall: c.wall}}
		if over := s.over(c.build); over != c.over {
			t.Errorf("CPU %v, wall %v: over %v, want %v", c.cpu, c.wall, over, c.over)
		}
	}
}

// TestVetUnit: a unit has the files of its package, and compiled imports under the names they are
// imported by.
func TestVetUnit(t *testing.T) {
	file, err := vetUnit(context.Background(), t.TempDir(), "net/http")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var u unit
	if err := json.Unmarshal(data, &u); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(u.Dir) != "http" || len(u.GoFiles) < 10 {
		t.Errorf("files %v", u.GoFiles)
	}
	for _, name := range []string{"fmt", "golang.org/x/net/http/httpguts"} {
		export := u.PackageFile[u.ImportMap[name]]
		if st, err := os.Stat(export); err != nil || st.Size() == 0 {
			t.Errorf("import %s: no compiled package: %v", name, err)
		}
	}
	if _, err := vetUnit(context.Background(), t.TempDir(), "no/such/package"); err == nil {
		t.Error("no error for a package that does not exist")
	}
}
