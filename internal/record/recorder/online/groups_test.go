package online

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestParts: of accesses of all parts of few words, the first race of each is that of package
// fasttrack, whatever cells the locations share (ON2).
func TestParts(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	ftInitSlots()
	ftInitShadow()
	ftSlots.alive = 1 << 20
	races := 0
	for k := range n {
		ftSlots.head, ftSlots.tail, ftSlots.n = 0, 0, 1
		events := parts(rand.New(rand.NewPCG(8, uint64(k))))
		want := specified(events)
		got := detected(events, true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d: first races -fasttrack +online:\n%s\n%v", k, diff, events)
		}
		for f := range detected(events, false) {
			if !happensBefore(events)[f.event] {
				t.Fatalf("%d: event %d races online only", k, f.event)
			}
		}
		races += len(got)
	}
	if races < n {
		t.Errorf("%d first races tell little", races)
	}
}

// parts makes events of three goroutines on the parts of three words, most of them under one lock.
func parts(r *rand.Rand) []trace.Event {
	var list []trace.Event
	at := make(map[trace.GoID]int64)
	add := func(e trace.Event) {
		at[e.G]++
		e.Site = trace.Site(r.IntN(3))
		list = append(list, e)
	}
	const base, l = 0x40, 0x100
	locked := r.IntN(8) // of 8
	for range 10 + r.IntN(30) {
		g := trace.GoID(1 + r.IntN(3))
		under := r.IntN(8) < locked+1
		if under {
			add(trace.Event{Kind: format.Lock, G: g, Obj: l})
		}
		for range 1 + r.IntN(4) {
			e := trace.Event{Kind: format.Read, G: g}
			if r.IntN(2) == 0 {
				e.Kind = format.Write
			}
			from := r.IntN(8)
			e.Obj, e.Size = trace.Addr(base+8*r.IntN(3)+from), uint16(1+r.IntN(8-from))
			if r.IntN(12) == 0 {
				e.Kind, e.Obj, e.Val, e.Size = format.Alloc, e.Obj&^7, 8, 0
			}
			add(e)
		}
		if under {
			add(trace.Event{Kind: format.Unlock, G: g, Obj: l})
		}
	}
	return list
}
