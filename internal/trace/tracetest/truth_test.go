package tracetest

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
	"presage/internal/witness"
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
		if len(w.Events) > 100 && testing.Short() {
			continue
		}
		if err := Validate(w); err != nil {
			t.Errorf("%s: %v", r.file, err)
			continue
		}
		races, complete := Explore(w, limit)
		if !complete {
			t.Logf("%s: %d events, not explored within %d states; %d pairs so far", r.file, len(w.Events), limit, len(races))
			continue
		}
		checked++
		second, sites := map[int32]bool{}, map[[2]trace.Site]bool{}
		for p, order := range races {
			second[p.B] = true
			a, b := w.Events[p.A].Site, w.Events[p.B].Site
			sites[[2]trace.Site{min(a, b), max(a, b)}] = true
			if err := witness.Check(w, p, order); err != nil {
				t.Errorf("%s: %v", r.file, err)
			}
		}
		if got := [3]int{len(races), len(second), len(sites)}; got != r.want {
			t.Errorf("%s: event pairs, second events, line pairs = %v, want %v", r.file, got, r.want)
		}
	}
	t.Logf("%d traces of %d agree with truth.tsv", checked, len(rows))
	if checked < 20 {
		t.Errorf("only %d traces were explored", checked)
	}
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
// product: it exists so that the tests of this package depend on nobody's builder.
func readSTD(t *testing.T, name string) *window.Window {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := &window.Window{Semantics: window.StrictReads}
	threads := map[string]window.Thread{}
	thread := func(s string) window.Thread {
		n, ok := threads[s]
		if !ok {
			n = window.Thread(len(w.Threads))
			threads[s] = n
			w.Threads = append(w.Threads, trace.GoID(n+1))
		}
		return n
	}
	objects := map[string]window.Obj{}
	object := func(s string) window.Obj {
		n, ok := objects[s]
		if !ok {
			n = window.Obj(len(w.Init))
			objects[s] = n
			w.Init = append(w.Init, window.ObjState{})
		}
		return n
	}
	last := map[window.Obj]uint64{}
	held := map[string]int{} // re-entrant locks: only the outermost pair counts
	for in := bufio.NewScanner(f); in.Scan(); {
		part := strings.Split(in.Text(), "|")
		if len(part) != 3 {
			continue
		}
		op, arg, _ := strings.Cut(strings.TrimSuffix(part[1], ")"), "(")
		site, _ := strconv.Atoi(part[2])
		e := window.Event{Thread: thread(part[0]), Partner: -1, Site: trace.Site(site), Index: int64(len(w.Events))}
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
			e.Kind, e.Obj = format.Go, window.Obj(thread(arg))
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
