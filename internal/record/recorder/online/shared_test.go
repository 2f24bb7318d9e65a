package online

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestShared: words that goroutines read one after the other from the same places have one history.
// A goroutine that looks for all readers finds in it those that one reader does not show. When
// nothing refers to the history any more, its memory is given back (ON6).
func TestShared(t *testing.T) {
	const words, readers = 40, 12
	for _, write := range []bool{true, false} {
		for late := range readers {
			first := newBenchG()
			list := []*ftG{first}
			for i := range readers + 1 {
				g := new(ftG)
				g.start(nil, ftWho{goid: uint64(i + 2)})
				g.arrive()
				list = append(list, g)
			}
			at := uintptr(1)<<32 + uintptr(late)<<12
			seen := make(map[*ftShared]bool)
			for _, g := range list[:readers] {
				for w := range uintptr(words) {
					g.access(&ftAccess{addr: at + 8*w, kind: ftReads, site: 1})
					if d := ftSharedOf(ftCellOf(at + 8*w).r); d != nil {
						seen[d] = true
					}
				}
			}
			last := ftSharedOf(ftCellOf(at + 8*words - 8).r)
			if last == nil || last.n != readers {
				t.Fatal("the last word has no shared history of all")
			}
			of := 0
			for w := range uintptr(words) {
				if ftSharedOf(ftCellOf(at+8*w).r) == last {
					of++
				}
			}
			if of < words-readers-1 {
				t.Errorf("%d of %d words share a history", of, words)
			}
			w := list[readers] // knows of all but one
			for i, g := range list[:readers] {
				if i != late {
					w.vc.set(g.slot, g.clock)
				}
			}
			for i := range uintptr(words) {
				if !write && i%2 == 0 {
					continue
				}
				w.n = 0
				w.access(&ftAccess{addr: at + 8*i, kind: ftWrites, site: 2})
				if w.n != 1 || ftSlotOf(w.found[0].old) != list[late].slot {
					t.Fatalf("word %d: a writer that does not know of the read of goroutine %d finds %d races", i, late, w.n)
				}
			}
			ftReset(at, 8*words)
			for _, g := range list {
				for i := range g.steps {
					if d := ftSharedOf(g.steps[i].from); d != nil && g.steps[i].made() && d.refs <= uint64(g.steps[i].gone) {
						t.Error("a step is from a history that may come to be another")
					}
				}
				g.end()
			}
			for d := range seen {
				if d.refs != 0 {
					t.Fatalf("a history that no word has any more has %d references", d.refs)
				}
			}
		}
	}
}

// TestSharedWrites: a goroutine that knows of all reads in a shared history writes to its words
// without a check of each.
func TestSharedWrites(t *testing.T) {
	const words = 40
	g := newBenchG()
	u := new(ftG)
	u.start(nil, ftWho{goid: 2})
	u.arrive()
	at := uintptr(1) << 32
	for _, r := range []*ftG{g, u} {
		for w := range uintptr(words) {
			r.access(&ftAccess{addr: at + 8*w, kind: ftReads, site: 1})
		}
	}
	g.vc.set(u.slot, u.clock)
	for w := range uintptr(words) {
		g.access(&ftAccess{addr: at + 8*w, kind: ftWrites, site: 2})
		if c := ftCellOf(at + 8*w); c.r != 0 || ftSlotOf(c.w) != g.slot || g.n != 0 {
			t.Fatalf("word %d: R %#x, W %#x, %d races", w, c.r, c.w, g.n)
		}
	}
	if g.stats.writeShared != words {
		t.Errorf("%d writes of what several have read, not %d", g.stats.writeShared, words)
	}
	u.n = 0
	if u.access(&ftAccess{addr: at + 8*words - 8, kind: ftReads, site: 3}); u.n != 1 {
		t.Error("the write was not noted")
	}
}

// TestFirstRacesOfShared: of words that are read one after the other, and written to by
// goroutines that know of some of the readers, the first race of each is that of package fasttrack.
func TestFirstRacesOfShared(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 600
	}
	ftInitSlots()
	ftInitShadow()
	defer func() { ftFilter, spread = false, nil }()
	ftSlots.alive = 1 << 20
	races, before := 0, stepped
	for k := range n {
		if ftSlots.head, ftSlots.tail, ftSlots.n = 0, 0, 1; k%5 == 0 { // several have one place
			spread = rand.New(rand.NewPCG(11, uint64(k)))
		} else {
			spread = nil
		}
		r := rand.New(rand.NewPCG(10, uint64(k)))
		inside := k%3 == 0
		events := sharing(r, inside)
		want := specified(events)
		for _, ftFilter = range []bool{false, true} {
			if diff := cmp.Diff(want, detected(events, inside)); diff != "" {
				t.Fatalf("%d, filter %v: first races -fasttrack +online:\n%s", k, ftFilter, diff)
			}
		}
		races += len(want)
	}
	if t.Logf("%d first races, %d steps", races, stepped-before); races < n/3 || stepped-before < n {
		t.Error("too few to tell anything")
	}
}

// sharing is a trace of words that goroutine 1 writes to, and that others go through one by one in
// turn about.
func sharing(r *rand.Rand, inside bool) (events []trace.Event) {
	const base, l = 0x40, 0x400
	words := 3 + r.IntN(8)
	add := func(k format.Kind, g int, obj, size, site int) {
		events = append(events, trace.Event{Kind: k, G: trace.GoID(g), Obj: trace.Addr(obj), Size: uint16(size), Val: uint64(size), Site: trace.Site(site)})
	}
	through := func(k format.Kind, g int) {
		size := []int{1, 8, 8}[r.IntN(3)]
		site := 1 + r.IntN(9)
		from, to := r.IntN(words), words
		if r.IntN(2) == 0 {
			from = 0
		}
		for w := from; w < to; w++ {
			switch r.IntN(24) {
			case 0:
				continue
			case 1:
				size = 9 - size // the first location, or the whole word
			case 2:
				add(format.Release, g, l+8*g, 0, 1)
			case 3:
				if inside {
					add(k, g, base+8*w+r.IntN(8), 1, site)
					continue
				}
			}
			add(k, g, base+8*w, size, site)
		}
	}
	for g := 2; g <= 6; g++ { // they have slots, far apart if they are spread
		add(format.Read, g, base+0x200, 8, 1)
	}
	through(format.Write, 1)
	add(format.ReleaseMerge, 1, l, 0, 1)
	for g := 2; g <= 6; g++ {
		if r.IntN(30) != 0 {
			add(format.Acquire, g, l, 0, 1)
		}
		add(format.Release, g, l+8*g, 0, 1)
	}
	for range 1 + r.IntN(4) {
		for range 2 + r.IntN(6) {
			g := 2 + r.IntN(5)
			through(format.Read, g)
			if r.IntN(3) == 0 {
				add(format.Release, g, l+8*g, 0, 1)
			}
		}
		g := 1 + r.IntN(6)
		for k := 2; k <= 6; k++ {
			if r.IntN(4) != 0 {
				add(format.Release, k, l+8*k, 0, 1)
			}
		}
		for k, left := 2, 2+r.IntN(15); k <= 6; k++ {
			if k != left {
				add(format.Acquire, g, l+8*k, 0, 1)
			}
		}
		switch at := base + 8*r.IntN(words); r.IntN(12) {
		case 0:
			add(format.Write, g, at, 8, 1)
		case 1:
			add(format.AtomicRead, g, at, 8, 1)
		case 2:
			add(format.AtomicRMW, g, at, 8, 1)
		case 3:
			add(format.Alloc, g, at, 8, 1)
		case 4, 5, 6:
			through(format.Read, g)
		default:
			through(format.Write, g)
		}
		add(format.ReleaseMerge, g, l, 0, 1)
		for k := 1; k <= 6; k++ {
			if r.IntN(6) != 0 {
				add(format.Acquire, k, l, 0, 1)
			}
		}
	}
	return events
}
