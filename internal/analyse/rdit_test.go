package analyse

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"presage/internal/barrier"
	"presage/internal/hb"
	"presage/internal/trace"
	"presage/internal/trace/raw"
)

// TestRDIT holds traces with missing methods against what RDIT's thesis derives. A file of testdata/rdit has pairs of a
// trace and what is wanted of it:
//
//	edge e f     package barrier: e comes before f, other than by program order and what other edges say
//	rdit e f     a race by maximal causality that minds the missing methods
//	barrier e f  with a barrier for every missing method, whatever it reaches (Caveat 0)
//	recorded e f the recorded run is the witness (Confirm)
//	ignore e f   by maximal causality that does not mind them
//	hb e f       unordered by happens-before that does not
//	cp e f       unordered by causally-precedes, which does not either
//
// e and f are names of sites. With -update, want is what the analysis says.
func TestRDIT(t *testing.T) {
	files, err := filepath.Glob("testdata/rdit/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files)%2 != 0 {
				t.Fatal("not pairs of trace and want")
			}
			for k := 0; k < len(a.Files); k += 2 {
				got := rditText(t, a.Files[k].Name, string(a.Files[k].Data))
				if *update {
					a.Files[k+1].Data = []byte(got)
				} else if d := cmp.Diff(string(a.Files[k+1].Data), got); d != "" {
					t.Errorf("%s, %s: %s\n%s", name, a.Files[k].Name, d, a.Files[k].Data)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func rditText(t *testing.T, name, text string) string {
	t.Helper()
	events, meta, err := raw.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var out strings.Builder
	edges, err := barrier.Edges(events, barrier.Reachable)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, e := range edges {
		fmt.Fprintf(&out, "edge %s %s\n", siteName(meta, events[e.From].Site), siteName(meta, events[e.To].Site))
	}
	for _, m := range []struct {
		name string
		mode barrier.Mode
	}{{"rdit", barrier.Reachable}, {"barrier", barrier.Everything}, {"ignore", barrier.Ignore}} {
		res := runEvents(t, events, meta, Options{Missing: m.mode})
		for _, x := range res.Races {
			fmt.Fprintf(&out, "%s %s %s\n", m.name, siteName(meta, x.A.Site), siteName(meta, x.B.Site))
		}
		if m.mode == barrier.Reachable {
			confirmed(t, &out, events, meta, res)
		}
	}
	for _, p := range unordered(events) {
		fmt.Fprintf(&out, "hb %s %s\n", siteName(meta, p[0]), siteName(meta, p[1]))
	}
	for _, p := range causallyPrecedes(events) {
		fmt.Fprintf(&out, "cp %s %s\n", siteName(meta, p[0]), siteName(meta, p[1]))
	}
	return out.String()
}

// confirmed has the recorded run looked at for what has no other witness, as of a trace that presage recorded.
func confirmed(t *testing.T, out *strings.Builder, events []trace.Event, meta *trace.Meta, res *Result) {
	own := *meta
	own.Source = "presage"
	if err := Confirm(&eventSource{events, &own}, &own, res); err != nil {
		t.Fatal(err)
	}
	for _, x := range res.Races {
		if x.Recorded {
			fmt.Fprintf(out, "recorded %s %s\n", siteName(meta, x.A.Site), siteName(meta, x.B.Site))
		}
	}
}

// unordered returns the sites of all pairs of accesses that happens-before does not order. The detector remembers the last accesses of a
// place only, so it is asked about each pair, with all other accesses left out.
func unordered(events []trace.Event) [][2]trace.Site {
	var out [][2]trace.Site
	for j := range events {
		for i := range j {
			e, f := &events[i], &events[j]
			if !e.Kind.IsAccess() || !f.Kind.IsAccess() || e.Obj != f.Obj || e.G == f.G || !conflict(e.Kind, f.Kind) {
				continue
			}
			d := hb.New()
			for k := range events {
				if k == i || k == j || !events[k].Kind.IsAccess() {
					d.Step(int64(k), &events[k])
				}
			}
			if p := [2]trace.Site{e.Site, f.Site}; len(d.Races()) > 0 && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// runEvents analyses a whole trace, whose witnesses the checkers must all accept.
func runEvents(t testing.TB, events []trace.Event, meta *trace.Meta, opt Options) *Result {
	t.Helper()
	res, err := Run(context.Background(), &eventSource{events, meta}, meta, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range res.Rejected {
		t.Errorf("a witness was rejected: %v\n%s", err, raw.Text(events, meta))
	}
	return res
}

type eventSource struct {
	events []trace.Event
	meta   *trace.Meta
}

func (s *eventSource) Meta() *trace.Meta { return s.meta }

func (s *eventSource) Next(e *trace.Event) error {
	if len(s.events) == 0 {
		return io.EOF
	}
	*e, s.events = s.events[0], s.events[1:]
	return nil
}
