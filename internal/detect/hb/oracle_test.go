package hb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// graph is the happens-before relation of a small trace as its definition: two nodes for
// each event, where it begins and where it is complete, and edges between them. The memory
// model needs the two: a receive comes before the send that takes its place in the
// buffer is complete, and not after what the receive itself waited for.
type graph struct {
	n     int
	reach [][]bool
}

func begin(i int) int { return 2 * i }
func end(i int) int   { return 2*i + 1 }

func (g *graph) edge(a, b int) { g.reach[a][b] = true }

func (g *graph) close() {
	for k := range g.reach {
		for i := range g.reach {
			if g.reach[i][k] {
				for j := range g.reach {
					g.reach[i][j] = g.reach[i][j] || g.reach[k][j]
				}
			}
		}
	}
}

// happensBefore builds the relation from the rules of the package, pair by pair.
func happensBefore(es []trace.Event) *graph {
	g := &graph{n: len(es), reach: make([][]bool, 2*len(es))}
	for i := range g.reach {
		g.reach[i] = make([]bool, 2*len(es))
	}
	for i := range es {
		g.edge(begin(i), end(i))
		for j := range i {
			if es[j].G == es[i].G {
				g.edge(end(j), begin(i))
			}
			ordered(g, es, j, i)
		}
	}
	g.close()
	return g
}

// ordered adds the edges between j and the later event i.
func ordered(g *graph, es []trace.Event, j, i int) {
	f, e := &es[j], &es[i]
	switch {
	case f.Kind == format.Go && trace.GoID(f.Obj) == e.G, e.Kind == format.Join && trace.GoID(e.Obj) == f.G:
		g.edge(end(j), begin(i))
	case f.Obj != e.Obj:
	case f.Kind == format.Unlock && e.Kind == format.Lock:
		if f.Flags&format.FlagRead != 0 && e.Flags&format.FlagRead == 0 || f.Flags&format.FlagRead == 0 && last(es, j, i) {
			g.edge(begin(j), end(i))
		}
	case f.Kind == format.WGAdd && int64(f.Val) < 0 && e.Kind == format.WGWait,
		f.Kind == format.OnceEnd && e.Kind == format.OncePass,
		(f.Kind == format.CondSignal || f.Kind == format.CondBroadcast) && e.Kind == format.CondWake,
		f.Kind == format.ChanClose && e.Kind == format.ChanRecv && e.Flags&format.FlagClosed != 0:
		g.edge(begin(j), end(i))
	case (f.Kind == format.AtomicWrite || f.Kind == format.AtomicRMW) && (e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW):
		if last(es, j, i) {
			g.edge(end(j), begin(i))
		}
	case f.Kind == format.ChanSend && transfer(e):
		if number(es, j) == number(es, i) {
			g.edge(begin(j), end(i))
			if e.Aux == 0 {
				g.edge(begin(i), end(j))
			}
		}
	case transfer(f) && e.Kind == format.ChanSend:
		if f.Aux > 0 && number(es, j)+int(f.Aux) == number(es, i) {
			g.edge(begin(j), end(i))
		}
	}
}

func transfer(e *trace.Event) bool {
	return e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0
}

// number counts the sends, or the receives, of a channel before event i.
func number(es []trace.Event, i int) (n int) {
	for j := range i {
		if es[j].Obj == es[i].Obj && es[j].Kind == es[i].Kind && es[j].Flags&format.FlagClosed == es[i].Flags&format.FlagClosed {
			n++
		}
	}
	return n
}

// last reports whether no release of the same kind of object, in exclusive mode, is between j and
// i.
func last(es []trace.Event, j, i int) bool {
	for k := j + 1; k < i; k++ {
		e := &es[k]
		if e.Obj != es[i].Obj || e.Flags&format.FlagRead != 0 && e.Kind == format.Unlock {
			continue
		}
		if e.Kind == format.Unlock && es[j].Kind == format.Unlock ||
			(e.Kind == format.AtomicWrite || e.Kind == format.AtomicRMW) && es[j].Kind.IsAtomic() {
			return false
		}
	}
	return true
}

func conflict(a, b *trace.Event) bool {
	return a.Kind.IsAccess() && b.Kind.IsAccess() && a.Obj == b.Obj && a.G != b.G &&
		(a.WriteLike() || b.WriteLike()) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic())
}

// TestDefinition: every pair that the detector reports is unordered by the definition,
// and where a location has such pairs, the first event that completes one is reported.
func TestDefinition(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4000
	}
	reported, silent := 0, 0
	ps := tracetest.Profiles()
	for k := range n {
		p := ps[k%len(ps)]
		p.Before = 0
		w := tracetest.Generate(rand.New(rand.NewPCG(5, uint64(k))), p)
		events, _ := tracetest.Trace(w)
		tracetest.FailSwaps(events)
		order := happensBefore(events)
		unordered := func(a, b int) bool { return conflict(&events[a], &events[b]) && !order.reach[end(a)][end(b)] }
		d := hb.New()
		got := make(map[int64]bool)
		d.Each(func(a, b int64) {
			reported++
			got[b] = true
			if !unordered(int(a), int(b)) {
				t.Fatalf("%s %d: events %d and %d are ordered\n%s", p.Name, k, a, b, tracetest.Format(w))
			}
		})
		raced := make(map[trace.Addr]bool)
		for i := range events {
			d.Step(int64(i), &events[i])
			for j := range i {
				if !raced[events[i].Obj] && unordered(j, i) {
					raced[events[i].Obj] = true
					if !got[int64(i)] {
						t.Fatalf("%s %d: events %d and %d are unordered, and not reported\n%s", p.Name, k, j, i, tracetest.Format(w))
					}
				}
			}
		}
		if len(got) == 0 {
			silent++
		}
	}
	t.Logf("%d pairs reported, %d traces without", reported, silent)
	if reported == 0 || silent == 0 {
		t.Error("too little was seen to tell anything")
	}
}
