package excluded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestThreadsInD: by the letter of line 12 no access of Figure 4.7 is in a D, so nothing keeps its
// four false alarms away (those of "ignore" in testdata/rdit/figures.txtar of package predict). The
// figure has two constraints (Goroutines in D).
func TestThreadsInD(t *testing.T) {
	events := parsed(t, `
t0 go t1
t0 go t2
t1 write x
t1 end @11
t2 write x
t2 end @17
t0 methodbegin isAlive @18
t0 reachgo t1
t0 methodend isAlive
t0 methodbegin isAlive @20
t0 reachgo t2
t0 methodend isAlive
t0 read x`)
	for _, c := range []struct {
		letter bool
		want   string
	}{{true, ""}, {false, "11<18 17<20 "}} {
		got := ""
		for _, o := range ordersOf(t, events, c.letter) {
			got += fmt.Sprintf("%d<%d ", events[o.From].Site, events[o.To].Site)
		}
		if got != c.want {
			t.Errorf("letter %v: %q, want %q", c.letter, got, c.want)
		}
	}
}

// TestBetween: what waits for another goroutine's operation has no place of its own in the order
// (Between); an open call has no end; a lock in D is no access.
func TestBetween(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"g1 methodbegin m @1\ng1 reach x\ng1 recv c aux=1 @2\ng2 write x @3\ng1 methodend m @4", "2<3 3<4 "},
		{"g1 methodbegin m @1\ng1 reach x\ng1 recv c @2\ng2 write x @3\ng1 methodend m @4", "1<3 3<4 "},
		{"g1 methodbegin m @1\ng1 reach x\ng1 case d\ng1 recv c aux=1 @2\ng2 write x @3\ng1 methodend m @4", "1<3 3<4 "},
		{"g1 methodbegin m @1\ng1 reach x\ng2 write x @3", "1<3 "},
		{"g1 methodbegin m @1\ng1 reach l\ng2 lock l @3\ng1 methodend m @4", ""},
		{"g1 methodbegin m @1\ng1 reach x\ng2 write y @3\ng1 methodend m @4", ""},
	} {
		events, got := parsed(t, c.text), ""
		for _, o := range ordersOf(t, events, false) {
			got += fmt.Sprintf("%d<%d ", events[o.From].Site, events[o.To].Site)
		}
		if got != c.want {
			t.Errorf("%s\n%q, want %q", c.text, got, c.want)
		}
	}
	if _, err := AsWritten(parsed(t, "g1 methodend m")); err == nil {
		t.Error("a methodend without its methodbegin is no error")
	}
}

// TestLiterally: AsWritten has the same orders as Algorithms 5 and 6 executed line by line, with
// those that follow.
func TestLiterally(t *testing.T) {
	orders, more := 0, 0
	for n := range 3000 {
		events := randomCalls(rand.New(rand.NewPCG(1, uint64(n))))
		got := ordersOf(t, events, false)
		base := alwaysOrdered(events)
		literal := algorithm5(t, events)
		if x, y := closure(events, base, got), closure(events, base, literal); !slices.EqualFunc(x, y, slices.Equal[[]bool]) {
			t.Fatalf("program %d: other orders than by the letter: %v, want %v\n%s", n, got, literal, raw.Text(events, nil))
		}
		orders, more = orders+len(got), more+len(literal)
	}
	if orders < 3000 || more < 2*orders {
		t.Errorf("%d orders, %d by the letter: too few to say anything", orders, more)
	}
}

func parsed(t *testing.T, text string) []trace.Event {
	t.Helper()
	events, _, err := raw.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func ordersOf(t *testing.T, events []trace.Event, letter bool) []Edge {
	t.Helper()
	orders, err := asWritten(events, letter)
	if err != nil {
		t.Fatal(err)
	}
	return orders
}

// randomCalls is a trace of a few goroutines with calls that nest and overlap.
func randomCalls(r *rand.Rand) []trace.Event {
	events := []trace.Event{{Kind: format.Go, G: 1, Obj: 2}, {Kind: format.Go, G: 1, Obj: 3}, {Kind: format.Go, G: 1, Obj: 4}}
	open := map[trace.GoID]int{}
	for range 4 + r.IntN(30) {
		g := trace.GoID(2 + r.IntN(3))
		switch k := r.IntN(8); {
		case k == 0 && open[g] < 3:
			open[g]++
			events = append(events, trace.Event{Kind: format.MethodBegin, G: g, Obj: 9, Flags: format.FlagAll * format.Flags(r.IntN(9)/8)})
			for range r.IntN(3) {
				events = append(events, trace.Event{Kind: format.Reach, G: g, Obj: trace.Addr(64 * (1 + r.IntN(4)))})
			}
			if r.IntN(6) == 0 {
				events = append(events, trace.Event{Kind: format.ReachGo, G: g, Obj: trace.Addr(2 + r.IntN(3))})
			}
		case k == 1 && open[g] > 0:
			open[g]--
			events = append(events, trace.Event{Kind: format.MethodEnd, G: g, Obj: 9})
		case k == 2:
			events = append(events, trace.Event{Kind: format.Lock, G: g, Obj: 64})
		default:
			events = append(events, trace.Event{Kind: []format.Kind{format.Read, format.Write}[r.IntN(2)], G: g, Obj: trace.Addr(64 * (1 + r.IntN(4))), Size: 8})
		}
	}
	return events
}

// algorithm5 is Algorithm 5 by the line, with goroutines in D as accesses.
func algorithm5(t *testing.T, events []trace.Event) (orders []Edge) {
	t.Helper()
	var pairs Pairs
	var list []*Pair
	for i := range events {
		p, err := pairs.Step(int64(i), &events[i])
		if err != nil {
			t.Fatal(err)
		}
		if p != nil && p.Begin == int64(i) {
			list = append(list, p)
		}
	}
	union := func(p *Pair) (s []int64) { // UnionEvents
		for i := range events {
			n, e := int64(i), &events[i]
			if e.G == p.G && n >= p.Begin && (p.End < 0 || n <= p.End) && !strings.HasPrefix(e.Kind.String(), "reach") {
				s = append(s, n)
			}
		}
		return s
	}
	linear := func(z []int64) { // Algorithm 6
		slices.Sort(z)
		z = slices.Compact(z)
		for k := range z[1:] {
			orders = append(orders, Edge{z[k], z[k+1]})
		}
	}
	w := &written{}
	for _, p := range list {
		for _, q := range list {
			if p.D.Meets(&q.D) {
				linear(append(union(p), union(q)...))
			}
		}
		for i := range events {
			if x := w.touch(&events[i]); p.D.Hits(x) {
				linear(append(union(p), int64(i)))
			}
		}
	}
	return orders
}

// alwaysOrdered is program order and go statements.
func alwaysOrdered(events []trace.Event) (orders []Edge) {
	for i := range events {
		for j := range i {
			e, f := &events[j], &events[i]
			if e.G == f.G || e.Kind == format.Go && trace.GoID(e.Obj) == f.G {
				orders = append(orders, Edge{int64(j), int64(i)})
			}
		}
	}
	return orders
}

// closure says for each two events whether the first comes before the second.
func closure(events []trace.Event, lists ...[]Edge) [][]bool {
	before := make([][]bool, len(events))
	for i := range before {
		before[i] = make([]bool, len(events))
	}
	for _, o := range slices.Concat(lists...) {
		before[o.From][o.To] = true
	}
	for k := range events {
		for i := range k {
			if before[i][k] {
				for j := k + 1; j < len(events); j++ {
					before[i][j] = before[i][j] || before[k][j]
				}
			}
		}
	}
	return before
}
