package fasttrack_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/detect/fasttrack"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestRules has each rule of the paper once or twice, by its name.
func TestRules(t *testing.T) {
	var b tracetest.Builder
	at := func(k format.Kind, g trace.GoID, site trace.Site) {
		b.Add(trace.Event{Kind: k, G: g, Obj: 0x40, Size: 8, Site: site})
	}
	b.Go(1, 2)
	at(format.Write, 1, 1) // WriteExclusive
	at(format.Write, 1, 1) // WriteSameEpoch
	at(format.Read, 1, 2)  // ReadExclusive
	at(format.Read, 1, 2)  // ReadSameEpoch
	b.Go(1, 3)
	at(format.Read, 3, 2) // ReadExclusive: 3 knows of the read of 1
	at(format.Read, 1, 2) // ReadShare
	at(format.Read, 3, 2) // ReadShared
	b.Send(1, 0x80, 1, 0).Recv(3, 0x80, 1, 0)
	at(format.Write, 3, 3) // WriteShared
	got := steps(b.Events)
	want := fasttrack.Stats{ReadSameEpoch: 1, ReadShared: 1, ReadExclusive: 2, ReadShare: 1, WriteSameEpoch: 1, WriteExclusive: 1, WriteShared: 1}
	if diff := cmp.Diff(want, got.Stats); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	at(format.Write, 2, 4) // a race with the write of 3
	at(format.Write, 2, 4)
	got = steps(b.Events)
	want.WriteExclusive, want.WriteSameEpoch, want.Races, want.Locations = 2, 2, 1, 1
	if diff := cmp.Diff(want, got.Stats); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func steps(events []trace.Event) *fasttrack.Detector {
	d := fasttrack.New(true, func(shadow.Access, shadow.Access, format.Addr) {})
	for i := range events {
		d.Step(int64(i), &events[i])
	}
	return d
}

// TestSizes checks that an 8-byte write conflicts with a read of each of its bytes, and of no
// other.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		a, b  trace.Addr
		sa    uint16
		sb    uint16
		races bool
	}{
		{0x40, 0x47, 8, 1, true}, {0x40, 0x44, 4, 4, false}, {0x42, 0x43, 2, 1, true}, {0x42, 0x44, 2, 1, false}, {0x41, 0x40, 1, 8, true}, {0x40, 0x48, 8, 8, false},
	} {
		events := []trace.Event{{Kind: format.Write, G: 1, Obj: c.a, Size: c.sa, Site: 1}, {Kind: format.Read, G: 2, Obj: c.b, Size: c.sb, Site: 2}}
		if got := steps(events).Stats.Races > 0; got != c.races {
			t.Errorf("write of %d bytes at %#x, read of %d at %#x: race %v, want %v", c.sa, c.a, c.sb, c.b, got, c.races)
		}
	}
}

// TestSlots: goroutine 2 has made an access, and 3 has its slot and makes none. Goroutine 4 must
// not get the slot after 3, because it is not after the access of 2.
func TestSlots(t *testing.T) {
	var b tracetest.Builder
	b.Go(1, 2).Go(1, 9).Write(2, 0x40, 0).Send(2, 0x80, 1, 0).End(2).Recv(1, 0x80, 1, 0).Go(1, 3).End(3).Go(9, 4).Write(4, 0x40, 0)
	for _, joins := range []bool{false, true} {
		d := fasttrack.New(joins, func(shadow.Access, shadow.Access, format.Addr) {})
		for i := range b.Events {
			d.Step(int64(i), &b.Events[i])
		}
		if d.Stats.Races != 1 || d.Slots() != 4 {
			t.Errorf("%d races, %d slots", d.Stats.Races, d.Slots())
		}
	}
}

// TestMany: 200,000 goroutines over a run, ten alive at a time, take the clocks of ten.
func TestMany(t *testing.T) {
	n := trace.GoID(200_000)
	if testing.Short() {
		n = 20_000
	}
	d := fasttrack.New(false, func(shadow.Access, shadow.Access, format.Addr) {})
	step := func(e trace.Event) { d.Step(0, &e) }
	const alive = 10
	for g := trace.GoID(2); g < n; g++ {
		step(trace.Event{Kind: format.Go, G: 1, Obj: trace.Addr(g)})
		step(trace.Event{Kind: format.Write, G: g, Obj: 0x1000 + trace.Addr(g%alive)*8, Size: 8, Site: 1})
		if old := g - alive + 1; old >= 2 {
			step(trace.Event{Kind: format.WGAdd, G: old, Obj: 0x80, Val: ^uint64(0)})
			step(trace.Event{Kind: format.End, G: old})
			step(trace.Event{Kind: format.WGWait, G: 1, Obj: 0x80})
		}
	}
	if d.Slots() > alive+2 || d.Stats.Races > 0 {
		t.Errorf("%d components in a clock, %d races", d.Slots(), d.Stats.Races)
	}
}

// TestCrowd: of each of 200 unordered goroutines, the last access is kept, and those of a location
// that is written are gone.
func TestCrowd(t *testing.T) {
	const crowd, at = 200, 0x1000
	for _, kind := range []format.Kind{format.Read, format.AtomicRead, format.AtomicWrite} {
		for round := range 2 {
			last := map[trace.GoID]int64{}
			d := fasttrack.New(false, func(a, b shadow.Access, _ format.Addr) {
				if a.Kind != kind || a.Index != last[a.G] {
					t.Errorf("kind %v: access %d of g%d, the last one is %d", kind, a.Index, a.G, last[a.G])
				}
				delete(last, a.G)
			})
			n := int64(0)
			step := func(e trace.Event) { d.Step(n, &e); n++ }
			for r := 0; r <= round; r++ { // the second time behind a write
				for g := trace.GoID(2); g < crowd+2; g++ {
					step(trace.Event{Kind: format.Go, G: 1, Obj: trace.Addr(g) + trace.Addr(r*crowd)})
				}
				for range 3 {
					for g := trace.GoID(2 + r*crowd); g < trace.GoID(crowd+2+r*crowd); g++ {
						step(trace.Event{Kind: format.Lock, G: g, Obj: trace.Addr(0x80 + g*8)})
						last[g] = n
						step(trace.Event{Kind: kind, G: g, Obj: at, Size: 8, Site: 1})
						step(trace.Event{Kind: format.Unlock, G: g, Obj: trace.Addr(0x80 + g*8)})
					}
				}
				step(trace.Event{Kind: format.Write, G: 1, Obj: at, Size: 8, Site: 2})
				if len(last) > 0 {
					t.Errorf("kind %v, round %d: %d accesses do not race with the write", kind, r, len(last))
				}
			}
		}
	}
}
