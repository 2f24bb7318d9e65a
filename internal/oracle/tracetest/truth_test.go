package tracetest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// shared is where traces recorded by others lie, beside the repository.
const shared = "../../../../shared/traces"

// TestTruth compares the explorer with counts of racing pairs that were found by
// other means: traces of the literature, judged strictly.
func TestTruth(t *testing.T) {
	const limit = 1_000_000
	rows := truth(t)
	checked := 0
	for _, r := range rows {
		w := readSTD(t, filepath.Join(shared, r.file))
		if len(w.Events) > 300 && testing.Short() {
			continue
		}
		if err := tracetest.Validate(w); err != nil {
			t.Errorf("%s: %v", r.file, err)
			continue
		}
		races, complete := tracetest.Explore(w, limit)
		if !complete {
			t.Errorf("%s: %d events, not explored within %d states", r.file, len(w.Events), limit)
			continue
		}
		checked++
		if got := count(t, w, races); got != r.want {
			t.Errorf("%s: event pairs, second events, line pairs = %v, want %v", r.file, got, r.want)
		}
	}
	t.Logf("%d traces of %d agree with truth.tsv", checked, len(rows))
	if checked < 25 {
		t.Errorf("only %d traces were explored", checked)
	}
}

// TestEngineTruth is the same for the engine, and for the traces that are too long
// to explore but are known to have one race.
func TestEngineTruth(t *testing.T) {
	for _, r := range truth(t) {
		w := readSTD(t, filepath.Join(shared, r.file))
		pairs := tracetest.Candidates(w)
		if len(pairs) > 10_000 && testing.Short() {
			continue
		}
		if got := count(t, w, solve(t, w, pairs)); got != r.want {
			t.Errorf("%s: event pairs, second events, line pairs = %v, want %v", r.file, got, r.want)
		}
	}
	injected, err := filepath.Glob(filepath.Join(shared, "raceinjector/*.std"))
	if err != nil || len(injected) == 0 {
		t.Fatal("no injected traces:", err)
	}
	for _, name := range injected {
		w := readSTD(t, name)
		var named []model.Pair
		for _, p := range tracetest.Candidates(w) {
			if sitePair(w, p) == [2]trace.Site{9999, 10000} {
				named = append(named, p)
			}
		}
		if len(solve(t, w, named)) == 0 {
			t.Errorf("%s: none of %d pairs at the injected locations races", filepath.Base(name), len(named))
		}
	}
	t.Logf("%d injected races looked for", len(injected))
}

// solve returns the races that the engine finds.
func solve(t *testing.T, w *model.Window, pairs []model.Pair) tracetest.Races {
	races := tracetest.Races{}
	ask := predict(w)
	for _, p := range pairs {
		switch a := ask(p); a.Verdict {
		case tracetest.Race:
			races[p] = a.Order
		case tracetest.Unknown:
			t.Errorf("pair %v is unknown to the engine", p)
		}
	}
	return races
}

// count returns what truth.tsv counts, after checking the witnesses: all of them, or of
// more than 5,000 one in sixteen.
func count(t *testing.T, w *model.Window, races tracetest.Races) [3]int {
	second, sites := map[int32]bool{}, map[[2]trace.Site]bool{}
	for p, order := range races {
		second[p.B] = true
		sites[sitePair(w, p)] = true
		if len(races) > 5000 && (p.A+p.B)%16 != 0 {
			continue
		}
		if err := witness.Check(w, p, order); err != nil {
			t.Errorf("pair %v: %v", p, err)
		}
	}
	return [3]int{len(races), len(second), len(sites)}
}

func sitePair(w *model.Window, p model.Pair) [2]trace.Site {
	a, b := w.Events[p.A].Site, w.Events[p.B].Site
	return [2]trace.Site{min(a, b), max(a, b)}
}

type truthRow struct {
	file string
	want [3]int
}

// truth reads the rows of truth.tsv that have exact counts.
func truth(t *testing.T) []truthRow {
	data, err := os.ReadFile(filepath.Join(shared, "truth.tsv"))
	if err != nil {
		t.Skipf("no traces beside the repository: %v", err)
	}
	var rows []truthRow
	for _, line := range strings.Split(string(data), "\n")[1:] {
		f := strings.Fields(line)
		if len(f) != 4 || strings.HasPrefix(f[1], ">") {
			continue
		}
		r := truthRow{file: f[0]}
		for k := range r.want {
			if r.want[k], err = strconv.Atoi(f[k+1]); err != nil {
				t.Fatalf("truth.tsv: %q: %v", line, err)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// readSTD makes one strict window of a whole STD trace. It is no reader for the
// product: with it, the tests of this package need no builder of the product.
func readSTD(t *testing.T, name string) *model.Window {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := &model.Window{Semantics: model.StrictReads}
	threads := map[string]model.Thread{}
	thread := func(s string) model.Thread {
		n, ok := threads[s]
		if !ok {
			n = model.Thread(len(w.Threads))
			threads[s] = n
			w.Threads = append(w.Threads, trace.GoID(n+1))
		}
		return n
	}
	objects := map[string]model.Obj{}
	object := func(s string) model.Obj {
		n, ok := objects[s]
		if !ok {
			n = model.Obj(len(w.Init))
			objects[s] = n
			w.Init = append(w.Init, model.ObjState{})
		}
		return n
	}
	last := map[model.Obj]uint64{}
	held := map[string]int{} // re-entrant locks: only the outermost pair counts
	for in := bufio.NewScanner(f); in.Scan(); {
		part := strings.Split(in.Text(), "|")
		if len(part) != 3 {
			continue
		}
		op, arg, _ := strings.Cut(strings.TrimSuffix(part[1], ")"), "(")
		site, _ := strconv.Atoi(part[2])
		e := model.Event{Thread: thread(part[0]), Partner: -1, Site: trace.Site(site), Index: int64(len(w.Events))}
		switch op {
		case "r", "w":
			e.Kind, e.Obj = format.Read, object("x"+arg)
			if op == "w" {
				e.Kind = format.Write
				last[e.Obj] = uint64(len(w.Events)) + 1
			}
			e.Val, e.Strict = last[e.Obj], op == "r"
		case "acq", "rel":
			e.Kind, e.Obj = format.Lock, object("l"+arg)
			n := held[part[0]+arg]
			if op == "rel" {
				e.Kind = format.Unlock
				held[part[0]+arg] = n - 1
				if n != 1 {
					continue
				}
			} else {
				held[part[0]+arg] = n + 1
				if n != 0 {
					continue
				}
			}
		case "fork", "join":
			e.Kind, e.Obj = format.Go, model.Obj(thread(arg))
			if op == "join" {
				e.Kind = format.Join
			}
		case "begin", "end":
			continue
		default:
			t.Fatalf("%s: %q", name, in.Text())
		}
		w.Events = append(w.Events, e)
	}
	return w
}
