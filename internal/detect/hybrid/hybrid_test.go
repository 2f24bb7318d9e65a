package hybrid_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/hybrid"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

type pair [2]trace.Site

func pairOf(a, b trace.Site) pair { return pair{min(a, b), max(a, b)} }

// held is a lock that a goroutine holds, by its definition.
type held struct {
	lock trace.Addr
	read bool
}

// every compares each access with all before it: (HY1), byte by byte, without (HY2). It
// returns the pairs of sites, with the number of pairs of events that each has.
func every(events []trace.Event) map[pair]int {
	type past struct {
		e     *trace.Event
		epoch clock.Epoch
		locks []held
	}
	order := clock.New(clock.Options{NoLocks: true, Joins: true})
	locks := map[trace.GoID][]held{}
	var all []past
	out := map[pair]int{}
	for i := range events {
		e := &events[i]
		h := held{e.Obj, e.Flags&format.FlagRead != 0}
		switch {
		case e.Kind == format.Lock:
			locks[e.G] = append(locks[e.G], h)
		case e.Kind == format.Unlock:
			var rest []held
			for _, k := range locks[e.G] {
				if k != h {
					rest = append(rest, k)
				}
			}
			locks[e.G] = rest
		case e.Kind == format.Alloc:
			var rest []past
			for _, p := range all {
				if p.e.Obj&^7 != e.Obj&^7 {
					rest = append(rest, p)
				}
			}
			all = rest
		}
		if !e.Kind.IsAccess() {
			order.Step(e)
			continue
		}
		t := order.Goroutine(e.G)
		if e.Kind.IsAtomic() {
			order.AcquireAtomic(t, e)
		}
		for _, p := range all {
			if p.e.G == e.G || !p.e.Kind.IsWrite() && !e.Kind.IsWrite() || p.e.Kind.IsAtomic() && e.Kind.IsAtomic() ||
				p.e.Obj&^7 != e.Obj&^7 || shadow.Mask(p.e.Obj, p.e.Size)&shadow.Mask(e.Obj, e.Size) == 0 || t.Has(p.epoch) {
				continue
			}
			common := false
			for _, a := range p.locks {
				for _, b := range locks[e.G] {
					common = common || a.lock == b.lock && !(a.read && b.read)
				}
			}
			if !common {
				out[pairOf(p.e.Site, e.Site)]++
			}
		}
		all = append(all, past{e: e, epoch: t.Epoch(), locks: append([]held(nil), locks[e.G]...)})
		if e.Kind.IsAtomic() {
			order.ReleaseAtomic(t, e)
		}
	}
	return out
}

func reported(events []trace.Event) map[pair]bool {
	out := map[pair]bool{}
	d := hybrid.New(hybrid.Options{}, func(a, b shadow.Access, _ format.Addr) { out[pairOf(a.Site, b.Site)] = true })
	for i := range events {
		d.Step(int64(i), &events[i])
	}
	return out
}

// TestEvery: the pairs reported are exactly those of the definition.
func TestEvery(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 500
	}
	pairs := 0
	for k := range n {
		events := tracetest.Loops(7, uint64(k))
		want := map[pair]bool{}
		for p := range every(events) {
			want[p] = true
		}
		pairs += len(want)
		if diff := cmp.Diff(want, reported(events)); diff != "" {
			t.Fatalf("%d: -want +got:\n%s", k, diff)
		}
	}
	if t.Logf("%d pairs of sites", pairs); pairs < n/2 {
		t.Error("too little was found to tell anything")
	}
}

// TestFigure34 counts the races of Figure 3.4 of the thesis, by its definition: goroutines are
// started, locks order nothing, locksets are disjoint. The thesis counts 27 and six pairs of sites.
// Its list of them has 39, and lacks the six of the pair ③④ (testdata/figures/3.4 of package tree).
func TestFigure34(t *testing.T) {
	var b tracetest.Builder
	b.Go(1, 2).Go(1, 3).Go(1, 4)
	on := func(g trace.GoID, k format.Kind, obj trace.Addr, site trace.Site) {
		b.Add(trace.Event{Kind: k, G: g, Obj: obj, Size: 8, Site: site})
	}
	const x, l, sync = 8, 1000, 99
	for i := trace.Addr(1); i <= 3; i++ {
		on(1, format.Lock, l+64*i, sync)
		on(1, format.Write, x, 1)
		on(1, format.Unlock, l+64*i, sync)
		on(1, format.Read, x, 2)
	}
	for i := trace.Addr(1); i <= 3; i++ {
		g := trace.GoID(i + 1)
		on(g, format.Lock, l+64*i, sync)
		on(g, format.Write, x, 3)
		on(g, format.Unlock, l+64*i, sync)
		on(g, format.Write, x, 4)
	}
	want := map[pair]int{{1, 3}: 6, {1, 4}: 9, {2, 3}: 9, {2, 4}: 9, {3, 3}: 3, {4, 4}: 3, {3, 4}: 6}
	if diff := cmp.Diff(want, every(b.Events)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestMost checks that entries that are dropped from a location are counted.
func TestMost(t *testing.T) {
	var b tracetest.Builder
	for i := range 10 {
		b.Add(trace.Event{Kind: format.Write, G: 1, Obj: 8, Size: 8, Site: trace.Site(i + 1)})
	}
	d := hybrid.New(hybrid.Options{Most: 4}, func(shadow.Access, shadow.Access, format.Addr) {})
	for i := range b.Events {
		d.Step(int64(i), &b.Events[i])
	}
	if d.Stats.Cut != 6 {
		t.Errorf("%d entries cut, want 6", d.Stats.Cut)
	}
}
