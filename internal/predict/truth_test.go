package predict

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/std"
)

// shared is where traces recorded by others lie, beside the repository.
const shared = "../../../shared/traces"

// TestTruth holds the analysis against the races that others found by exhaustive
// search: exactly those pairs of events, and every injected race.
func TestTruth(t *testing.T) {
	rows := truth(t)
	for _, row := range rows {
		t.Run(row.file, func(t *testing.T) {
			if row.file == "recorded/TestRace12.std" && testing.Short() {
				t.Skip("48442 pairs")
			}
			res := runSTD(t, filepath.Join(shared, row.file), Options{EveryPair: true})
			c := &res.Counts
			t.Logf("events %d, candidates %d, races %d, refuted %d, unknown %d, layers %v, conflicts %d", c.Events, c.Candidates, c.Raced, c.Refuted, c.Unknown, c.Layers, c.Conflicts)
			if row.injected != "" {
				if !hasRace(res, row.injected) {
					t.Errorf("the injected race %s was not found", row.injected)
				}
				return
			}
			second, sites := map[int64]bool{}, map[sitePair]bool{}
			for _, r := range res.Races {
				second[r.B.Index] = true
				sites[pairOf(r.A.Site, r.B.Site)] = true
			}
			if got := fmt.Sprintf("%d %d %d", len(res.Races), len(second), len(sites)); got != row.want {
				t.Errorf("event pairs, second events, line pairs = %s, want %s", got, row.want)
			}
		})
	}
}

// TestTruthSites runs the same traces as a user would: one race for a pair of sites.
func TestTruthSites(t *testing.T) {
	for _, row := range truth(t) {
		res := runSTD(t, filepath.Join(shared, row.file), Options{})
		if row.injected != "" {
			if !hasRace(res, row.injected) {
				t.Errorf("%s: the injected race %s was not found", row.file, row.injected)
			}
			continue
		}
		f := strings.Fields(row.want)
		if got := fmt.Sprint(len(res.Races)); got != f[2] {
			t.Errorf("%s: %s pairs of sites, want %s", row.file, got, f[2])
		}
	}
}

func hasRace(res named, names string) bool {
	for _, r := range res.Races {
		a, b := res.meta.Sites[r.A.Site].Name, res.meta.Sites[r.B.Site].Name
		if a+"/"+b == names || b+"/"+a == names {
			return true
		}
	}
	return false
}

type truthRow struct {
	file     string
	want     string // counts
	injected string // the two locations of an injected race
}

func truth(t *testing.T) []truthRow {
	data, err := os.ReadFile(filepath.Join(shared, "truth.tsv"))
	if err != nil {
		t.Skipf("0 traces checked, none beside the repository: %v", err)
	}
	var rows []truthRow
	for _, line := range strings.Split(string(data), "\n")[1:] {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue
		}
		r := truthRow{file: f[0], want: strings.Join(f[1:], " ")}
		if strings.HasPrefix(f[1], ">") {
			r.injected = f[3]
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatal("truth.tsv has no rows")
	}
	return rows
}

// named is a result with the names of its sites.
type named struct {
	*Result
	meta *trace.Meta
}

func runSTD(t *testing.T, name string, opt Options) named {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := std.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), in, in.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range res.Rejected {
		t.Errorf("witness rejected: %v", e)
	}
	return named{res, in.Meta()}
}
