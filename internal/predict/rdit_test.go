package predict

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/wcp"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestRDIT compares traces with excluded calls with what RDIT's thesis derives. A file of
// testdata/rdit has pairs of a trace and what is wanted of it:
//
//	edge e f     package excluded: e comes before f, other than by program order and what other edges say
//	order e f    the same by Algorithm 5 as the thesis writes it (thesis.go of package excluded)
//	rdit e f     a race by maximal causality with the orders of excluded calls
//	barrier e f  with a barrier for every excluded call, whatever it reaches (Caveat 0)
//	recorded e f the recorded run is the witness (Confirm)
//	written e f  by maximal causality that keeps the orders of Algorithm 5 as written: no race, where there is no rdit e f and a comment says so
//	ignore e f   by maximal causality that does not mind them
//	hb e f       unordered by happens-before that does not
//	cp e f       unordered by causally-precedes, which does not either; wcp by weak-causally-precedes
//
// Behind an event, a comment may say that it was walked (#walked), with needs= and from=: names of
// reads, with commas. e and f are names of sites. With -update, want is what the analysis says.
func TestRDIT(t *testing.T) {
	golden(t, "testdata/rdit/*.txtar", rditText)
}

func rditText(t *testing.T, name, text string) string {
	t.Helper()
	events, meta, err := raw.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var out strings.Builder
	edges, err := excluded.Edges(events, excluded.Reachable)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, e := range edges {
		fmt.Fprintf(&out, "edge %s %s\n", siteName(meta, events[e.From].Site), siteName(meta, events[e.To].Site))
	}
	for _, m := range []struct {
		name string
		mode excluded.Mode
	}{{"rdit", excluded.Reachable}, {"barrier", excluded.Everything}, {"ignore", excluded.Ignore}} {
		res := runEvents(t, events, meta, Options{Excluded: m.mode, Walker: walkOf(t, text, events)})
		for _, x := range res.Races {
			fmt.Fprintf(&out, "%s %s %s\n", m.name, siteName(meta, x.A.Site), siteName(meta, x.B.Site))
		}
		if m.mode == excluded.Reachable {
			confirmed(t, &out, events, meta, res)
		}
	}
	asWritten(t, &out, events, meta, walkOf(t, text, events))
	for _, p := range unordered(events) {
		fmt.Fprintf(&out, "hb %s %s\n", siteName(meta, p[0]), siteName(meta, p[1]))
	}
	for _, p := range tracetest.CausallyPrecedes(events) {
		fmt.Fprintf(&out, "cp %s %s\n", siteName(meta, p[0]), siteName(meta, p[1]))
	}
	weak := wcp.New()
	for i := range events {
		weak.Step(&events[i])
	}
	for _, p := range weak.Pairs() {
		fmt.Fprintf(&out, "wcp %s %s\n", siteName(meta, p.A), siteName(meta, p.B))
	}
	return out.String()
}

// asWritten writes what Algorithm 5 of the thesis orders, and what maximal causality finds then.
func asWritten(t *testing.T, out *strings.Builder, events []trace.Event, meta *trace.Meta, walk flow.Walker) {
	t.Helper()
	orders, err := excluded.AsWritten(events)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		fmt.Fprintf(out, "order %s %s\n", siteName(meta, events[o.From].Site), siteName(meta, events[o.To].Site))
	}
	var flows []flow.Flow
	opt := Options{}
	if f, ok := walk.(tracetest.Walker); ok {
		flows = f
	}
	enforced, flows := tracetest.Enforced(events, flows, orders)
	if flows != nil {
		opt.Walker = tracetest.Walker(flows)
	}
	for _, x := range runEvents(t, enforced, meta, opt).Races {
		fmt.Fprintf(out, "written %s %s\n", siteName(meta, x.A.Site), siteName(meta, x.B.Site))
	}
}

// walkOf is what the comments of a trace say that a walk has found (#walked), nil if they say
// nothing.
func walkOf(t *testing.T, text string, events []trace.Event) flow.Walker {
	t.Helper()
	flows, some, n, at := make(tracetest.Walker, len(events)), false, 0, map[string]int64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") || strings.HasPrefix(words[0], "%") {
			continue
		}
		for _, w := range words {
			to, list := &flows[n].Needs, w
			switch {
			case w == "#walked":
				flows[n].Walked, some = true, true
				continue
			case strings.HasPrefix(w, "@"):
				at[w] = int64(n)
				continue
			case strings.HasPrefix(w, "needs="):
				list = w[len("needs="):]
			case strings.HasPrefix(w, "from="):
				to, list = &flows[n].From, w[len("from="):]
			default:
				continue
			}
			for _, name := range strings.Split(list, ",") {
				i, ok := at[name]
				if !ok || events[i].G != events[n].G {
					t.Fatalf("%q: no event %s of its goroutine before", line, name)
				}
				*to = append(*to, i)
			}
		}
		n++
	}
	if n != len(events) {
		t.Fatalf("%d lines, %d events", n, len(events))
	}
	if !some {
		return nil
	}
	return flows
}

// opener opens a trace, as often as it is called.
func opener(events []trace.Event, meta *trace.Meta) func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		return &tracetest.Source{Events: events, Tables: meta}, io.NopCloser(nil), nil
	}
}

// confirmed has the recorded run looked at for what has no other witness, as of a trace that
// presage recorded.
func confirmed(t *testing.T, out *strings.Builder, events []trace.Event, meta *trace.Meta, res *Result) {
	own := *meta
	own.Source = "presage"
	if err := Confirm(opener(events, &own), &own, res); err != nil {
		t.Fatal(err)
	}
	for _, x := range res.Races {
		if x.Recorded {
			fmt.Fprintf(out, "recorded %s %s\n", siteName(meta, x.A.Site), siteName(meta, x.B.Site))
		}
	}
}

// unordered returns the sites of all pairs of accesses that happens-before does not order. The
// detector remembers the last accesses of a place only, so it is asked about each pair, with all
// other accesses left out.
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
	res, err := Run(context.Background(), &tracetest.Source{Events: events, Tables: meta}, meta, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range res.Rejected {
		t.Errorf("a witness was rejected: %v\n%s", err, raw.Text(events, meta))
	}
	return res
}
