package online

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestSplit: a history that processors come to in turn is split, a read finds its place in its
// processor's part and is found there by the rules of the same epoch, and a write is checked
// against the last read of each goroutine, wherever it was (ON6).
func TestSplit(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	defer func() { processor = 0 }()
	ftSlots.alive = 1 << 20
	const n = 5 * ftPlaces / 2
	var list [n]*ftG
	for i := range list {
		list[i] = new(ftG)
		list[i].start(nil, ftWho{goid: uint64(i + 1)})
		list[i].arrive()
	}
	for late := range list {
		at := uintptr(1)<<33 + 1<<20 + uintptr(late)*8
		c := ftCellOf(at)
		for round := range 6 {
			for i, g := range list {
				processor = uint32(i + round/3) // they move once
				g.access(&ftAccess{addr: at, kind: ftReads, site: 1 | ftFull})
				if round > 0 && (ftSplitOf(c.r) == nil || !g.wholeRead(c.r)) {
					t.Fatalf("round %d: the read of goroutine %d is not in the part of its processor", round, i)
				}
				g.tick()
			}
		}
		w := new(ftG) // knows of every read but the last one of one slot
		w.start(nil, ftWho{goid: 1000})
		w.arrive()
		for i, g := range list {
			k := g.clock - 1 // that of its last read
			if i == late {
				k--
			}
			w.vc.set(g.slot, k)
		}
		w.access(&ftAccess{addr: at, kind: ftWrites, site: 2 | ftFull})
		if ftSplitOf(c.r) != nil || w.n != 1 || ftSlotOf(w.found[0].old) != list[late].slot {
			t.Errorf("a writer that does not know of the last read of goroutine %d finds %d races", late, w.n)
		}
		if late%2 == 0 {
			continue
		}
		for i, g := range list { // what is split is forgotten with its memory
			processor = uint32(i)
			g.access(&ftAccess{addr: at + 4096, kind: ftReads, site: 1 | ftFull})
		}
		ftReset(at+4096, 8)
		if c := ftCellOf(at + 4096); c.w|c.r != 0 {
			t.Error("the cell is not new")
		}
	}
	if ftSplits.free == nil {
		t.Error("none was given back")
	}
}

// TestFirstRacesOfReads: of few words that are read by all, and now and then written to, in whole
// or in part, the first race of each is that of package fasttrack, whatever processors the
// goroutines run on.
func TestFirstRacesOfReads(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 600
	}
	ftInitSlots()
	ftInitShadow()
	defer func() { ftFilter = false }()
	ftSlots.alive = 1 << 20
	races := 0
	for k := range n {
		ftSlots.head, ftSlots.tail, ftSlots.n = 0, 0, 1
		events := reading(rand.New(rand.NewPCG(9, uint64(k))))
		want := specified(events)
		for _, ftFilter = range []bool{false, true} {
			if diff := cmp.Diff(want, detected(events, k%2 == 0)); diff != "" && k%2 == 0 {
				t.Fatalf("%d, filter %v: first races -fasttrack +online:\n%s", k, ftFilter, diff)
			}
		}
		for f := range detected(events, false) {
			if !happensBefore(events)[f.event] {
				t.Fatalf("%d: event %d races online only", k, f.event)
			}
		}
		races += len(want)
	}
	if t.Logf("%d first races", races); races < n/3 {
		t.Error("too few to tell anything")
	}
}

// reading is a trace of few words that goroutine 1 writes to and 2 to 5 read, which know of that,
// and some later accesses of any goroutine.
func reading(r *rand.Rand) (events []trace.Event) {
	const base, l = 0x40, 0x200
	add := func(k format.Kind, g int, obj, size int) {
		events = append(events, trace.Event{Kind: k, G: trace.GoID(g), Obj: trace.Addr(obj), Size: uint16(size), Val: uint64(size), Site: trace.Site(1 + r.IntN(9))})
	}
	words := 1 + r.IntN(6)
	for w := range words {
		add(format.Write, 1, base+8*w, 8)
	}
	add(format.ReleaseMerge, 1, l, 0)
	for g := 2; g <= 5; g++ {
		add(format.Acquire, g, l, 0)
	}
	add(format.Read, 6, base+0x80, 8) // it has its slot, and knows nothing
	add(format.Release, 6, l+8*6, 0)
	reads := func(n int) {
		for range n {
			if r.IntN(4) == 0 { // all, in one epoch
				g, size := 2+r.IntN(4), []int{1, 8}[r.IntN(2)]
				for w := range words {
					add(format.Read, g, base+8*w, size)
				}
				if r.IntN(2) == 0 {
					add([]format.Kind{format.ReleaseMerge, format.Release}[r.IntN(2)], g, l+8*g, 0)
				}
				continue
			}
			g, at, size := 2+r.IntN(4), base+8*r.IntN(words), 8
			switch r.IntN(12) {
			case 0, 1:
				size = 1
			case 2:
				at, size = at+r.IntN(8), 1
			}
			add(format.Read, g, at, size)
			add([]format.Kind{format.ReleaseMerge, format.Release}[r.IntN(2)], g, l+8*g, 0)
		}
	}
	reads(10 + r.IntN(20))
	for range 1 + r.IntN(4) {
		g := 1 + r.IntN(6)
		for k, told := 2, 2+r.IntN(6); k <= 5; k++ {
			if k != told && told != 7 {
				add(format.Acquire, g, l+8*k, 0)
			}
		}
		at := base + 8*r.IntN(words)
		in := at + r.IntN(8)
		switch r.IntN(9) {
		case 0, 1:
			add(format.Read, g, at, 8)
		case 2:
			add(format.Read, g, in, 1)
		case 3:
			add(format.Write, g, at, 8)
		case 4:
			add(format.Write, g, in, 1)
		case 5:
			add(format.AtomicRead, g, at, 8)
		case 6:
			add(format.AtomicRMW, g, at, 8)
		case 7:
			size := []int{1, 8}[r.IntN(2)]
			for w := range words {
				add(format.Write, g, base+8*w, size)
			}
		default:
			add(format.Alloc, g, at, 8)
		}
		add(format.ReleaseMerge, g, l, 0)
		if r.IntN(2) == 0 {
			for k := 2; k <= 5; k++ {
				add(format.Acquire, k, l, 0)
			}
			reads(r.IntN(20))
		}
	}
	return events
}
