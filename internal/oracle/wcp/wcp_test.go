package wcp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

func run(events []trace.Event) *Detector {
	d := New()
	for i := range events {
		d.Step(&events[i])
	}
	return d
}

// pairs returns the pairs of a detector, those of happens-before alone or all.
func pairs(d *Detector, hb bool) (out [][2]trace.Site) {
	for _, p := range d.Pairs() {
		if p.HB || !hb {
			out = append(out, [2]trace.Site{p.A, p.B})
		}
	}
	return out
}

// TestDefinition holds the clocks against the definition, on random small traces with locks:
// nested, over several goroutines that start and join each other. What causally-precedes leaves
// unordered, this does too, and what happens-before does, both.
func TestDefinition(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 1000
	}
	var all, cp, hb int
	for k := range n {
		events := random(rand.New(rand.NewPCG(5, uint64(k))))
		d := run(events)
		got, want := pairs(d, false), sorted(tracetest.WeaklyCausallyPrecedes(events))
		if !slices.Equal(got, want) {
			t.Fatalf("%d: %v, want %v\n%s", k, got, want, raw.Text(events, nil))
		}
		less := tracetest.CausallyPrecedes(events)
		for _, p := range less {
			if !slices.Contains(got, p) {
				t.Fatalf("%d: causally-precedes does not order %v\n%s", k, p, raw.Text(events, nil))
			}
		}
		for _, p := range pairs(d, true) {
			if !slices.Contains(less, p) {
				t.Fatalf("%d: happens-before does not order %v, causally-precedes does\n%s", k, p, raw.Text(events, nil))
			}
		}
		all, cp, hb = all+len(got), cp+len(less), hb+len(pairs(d, true))
	}
	t.Logf("unordered: %d by wcp, %d by cp, %d by hb", all, cp, hb)
	if all <= cp+10 || cp <= hb || hb == 0 {
		t.Error("too little to tell anything")
	}
}

func sorted(p [][2]trace.Site) [][2]trace.Site {
	slices.SortFunc(p, func(a, b [2]trace.Site) int { return slices.Compare(a[:], b[:]) })
	return p
}

// random is a trace of up to four goroutines and three locks. Every access has a site of its own.
func random(r *rand.Rand) (events []trace.Event) {
	add := func(g int, k format.Kind, obj int) {
		events = append(events, trace.Event{Kind: k, G: trace.GoID(g), Obj: trace.Addr(obj), Site: trace.Site(len(events) + 1), Size: 8})
	}
	live, last := []int{1}, 1
	var held [5][]int // by goroutine: locks, the inner last
	owner := map[int]int{}
	for range 20 + r.IntN(30) {
		k := r.IntN(len(live))
		g, l := live[k], 1+r.IntN(3)
		switch x := r.IntN(12); {
		case x == 0 && last < 4:
			last++
			add(g, format.Go, last)
			add(last, format.Start, 0)
			live = append(live, last)
		case x == 1 && len(live) > 1:
			j := r.IntN(len(live))
			if u := live[j]; u != g && len(held[u]) == 0 {
				add(g, format.Join, u)
				live = slices.Delete(live, j, j+1)
			}
		case x < 5 && owner[l] == 0:
			add(g, format.Lock, 0x100*l)
			owner[l] = g
			held[g] = append(held[g], l)
		case x < 8 && len(held[g]) > 0:
			j := len(held[g]) - 1
			if r.IntN(4) == 0 { // not nested
				j = r.IntN(len(held[g]))
			}
			add(g, format.Unlock, 0x100*held[g][j])
			owner[held[g][j]] = 0
			held[g] = slices.Delete(held[g], j, j+1)
		case len(held[g]) == 0 && r.IntN(3) > 0:
		default:
			add(g, []format.Kind{format.Read, format.Write}[r.IntN(2)], 0x1000+0x10*r.IntN(3))
		}
	}
	return events
}

// TestHard: other synchronisation orders, and carries what precedes; a pair of accesses, @a and @b,
// is ordered or not.
func TestHard(t *testing.T) {
	for _, c := range []struct {
		name, text string
		wcp, hb    bool // unordered
	}{
		{"nothing", "main go g2\nmain write x @a\ng2 write x @b", true, true},
		{"a lock about nothing", "main go g2\nmain write x @a\nmain lock l\nmain unlock l\ng2 lock l\ng2 unlock l\ng2 write x @b", true, false},
		{"a lock about y", "main go g2\nmain write x @a\nmain lock l\nmain write y\nmain unlock l\ng2 lock l\ng2 read y\ng2 unlock l\ng2 write x @b", false, false},
		{"a lock about the same", "main go g2\nmain lock l\nmain write x @a\nmain unlock l\ng2 lock l\ng2 write x @b\ng2 unlock l", false, false},
		{"read locks", "main go g2\nmain write x @a\nmain lock l read\nmain unlock l read\ng2 lock l read\ng2 unlock l read\ng2 write x @b", true, true},
		{"a read lock and a lock", "main go g2\nmain write x @a\nmain lock l read\nmain unlock l read\ng2 lock l\ng2 unlock l\ng2 write x @b", false, false},
		{"a lock that another unlocks", "main go g2\nmain lock l\nmain write x @a\ng2 unlock l\ng2 write x @b", true, true},
		{"a semaphore", "main go g2\nmain lock l\ng2 write x @a\ng2 unlock l\nmain lock l\nmain write x @b", false, false},
		{"a channel", "main go g2\nmain write x @a\nmain send c aux=1\ng2 recv c aux=1\ng2 write x @b", false, false},
		{"back through the buffer", "main go g2\nmain send c aux=1\ng2 write x @a\ng2 recv c aux=1\nmain send c aux=1\nmain write x @b", false, false},
		{"not yet", "main go g2\nmain send c aux=2\ng2 write x @a\ng2 recv c aux=2\nmain send c aux=2\nmain write x @b", true, true},
		{"a meeting", "main go g2\nmain send c\ng2 write x @a\ng2 recv c\nmain write x @b", false, false},
		{"a closed channel", "main go g2\nmain write x @a\nmain close c\ng2 recv c closed\ng2 write x @b", false, false},
		{"a WaitGroup", "main go g2\nmain wgadd w val=1\ng2 write x @a\ng2 wgadd w val=-1\nmain wgwait w\nmain write x @b", false, false},
		{"an atomic flag", "main go g2\nmain write x @a\nmain awrite f\ng2 aread f\ng2 write x @b", false, false},
		{"a join", "main go g2\ng2 write x @a\nmain join g2\nmain write x @b", false, false},
		{"a finalizer", "main go g2\nmain write x @a\ng2 acquire 0\ng2 write x @b", false, false},
		{"memory made anew", "main go g2\nmain write x @a\nmain alloc x val=8\ng2 write x @b", false, false},
		{"other bytes", "main go g2\nmain write x size=1 @a\ng2 write x+1 size=1 @b", false, false},
		{"a lock made anew", "main go g2\nmain write x @a\nmain lock l\nmain unlock l\nmain alloc l val=8\ng2 lock l\ng2 unlock l\ng2 write x @b", true, true},
		{"a lock about y, then a channel", "main go g2\nmain go g3\nmain write x @a\nmain lock l\nmain write y\nmain unlock l\ng2 lock l\ng2 read y\ng2 unlock l\ng2 send c aux=1\ng3 recv c aux=1\ng3 write x @b", false, false},
	} {
		events, meta, err := raw.Parse(c.text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var wcp, hb bool
		for _, p := range run(events).Pairs() {
			if ab := fmt.Sprint(meta.Sites[p.A].Name, meta.Sites[p.B].Name); ab == "ab" {
				wcp, hb = true, p.HB
			}
		}
		if wcp != c.wcp || hb != c.hb {
			t.Errorf("%s: unordered by wcp %v, by hb %v", c.name, wcp, hb)
		}
	}
}
