package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestBackground: the allocation of the memory of a race, and the guard that its other accesses
// have. The sites 1 to 6 are source lines 1 to 6. The last two accesses race.
func TestBackground(t *testing.T) {
	const mem, mu, other = 0x100, 0x200, 0x300
	meta := &trace.Meta{Source: "presage", Files: []trace.File{{Name: "a.go"}}, Funcs: []trace.Func{{Name: "main.f"}}, Sites: []trace.SiteInfo{{}}}
	for line := range int32(6) {
		meta.Sites = append(meta.Sites, trace.SiteInfo{Line: line + 1, Col: 2, Expr: "x"})
	}
	meta.Sites = append(meta.Sites, trace.SiteInfo{Line: 7, Expr: "mu.Lock()"}, trace.SiteInfo{Line: 8, Expr: "other.Lock()"})
	access := func(k format.Kind) func(g trace.GoID, line trace.Site) []trace.Event {
		return func(g trace.GoID, line trace.Site) []trace.Event {
			return []trace.Event{{Kind: k, G: g, Site: line, Obj: mem + 8, Size: 8}}
		}
	}
	read, write, store := access(format.Read), access(format.Write), access(format.AtomicWrite)
	under := func(lock trace.Addr, flags format.Flags, inner []trace.Event) []trace.Event {
		site := map[trace.Addr]trace.Site{mu: 7, other: 8}[lock]
		g := inner[0].G
		inner = append([]trace.Event{{Kind: format.Lock, G: g, Site: site, Obj: lock, Flags: flags}}, inner...)
		return append(inner, trace.Event{Kind: format.Unlock, G: g, Obj: lock, Flags: flags})
	}
	alloc := func(g trace.GoID, at trace.Addr, line trace.Site) []trace.Event {
		return []trace.Event{{Kind: format.Alloc, G: g, Obj: at, Val: 64}, {Kind: format.Value, G: g, Site: line, Size: 8, Val: uint64(at)}}
	}
	at := func(lines ...int) (list []Position) {
		for _, line := range lines {
			list = append(list, Position{"a.go", line, 2})
		}
		return list
	}
	shared := append(write(1, 6), read(2, 6)...) // line 6 has no guard
	for _, test := range []struct {
		name  string
		parts [][]trace.Event // the last two race
		made  int             // line; 0: not known
		fix   *Fix
	}{
		{"one holds a lock", [][]trace.Event{under(mu, 0, write(1, 1)), read(2, 2)}, 0, &Fix{"mu", 1, 2, at(2)}},
		{"no locks", [][]trace.Event{write(1, 1), read(2, 2)}, 0, nil},
		{"two locks", [][]trace.Event{under(mu, 0, write(1, 1)), under(other, 0, read(2, 2))}, 0, nil},
		{"two locks, of which a third line has one", [][]trace.Event{under(mu, 0, write(1, 3)), under(mu, 0, write(2, 3)), under(mu, 0, write(1, 1)), under(other, 0, read(2, 2))}, 0, &Fix{"mu", 2, 3, at(2)}},
		{"a lock that neither holds", [][]trace.Event{under(mu, 0, write(1, 3)), under(mu, 0, write(2, 3)), under(mu, 0, read(2, 4)), write(1, 1), read(2, 2)}, 0, &Fix{"mu", 2, 4, at(1, 2)}},
		{"most lines without it", [][]trace.Event{shared, read(2, 5), under(mu, 0, write(1, 1)), read(2, 2)}, 0, nil},
		{"a line that has it once only", [][]trace.Event{write(1, 6), read(2, 5), under(mu, 0, read(2, 5)), under(mu, 0, write(1, 1)), read(2, 2)}, 0, nil},
		{"a write under a lock for reading", [][]trace.Event{under(mu, format.FlagRead, read(1, 3)), under(mu, format.FlagRead, read(2, 3)), under(mu, format.FlagRead, read(1, 1)), under(mu, format.FlagRead, write(2, 2))}, 0, &Fix{"mu", 2, 3, at(2)}},
		{"atomic and plain", [][]trace.Event{store(1, 1), read(2, 2)}, 0, &Fix{"sync/atomic", 1, 2, at(2)}},
		{"what makes the object does not count", [][]trace.Event{alloc(1, mem, 5), write(1, 3), write(1, 4), under(mu, 0, write(1, 6)), under(mu, 0, write(1, 1)), read(2, 2)}, 5, &Fix{"mu", 2, 3, at(2)}},
		{"allocated anew", [][]trace.Event{alloc(1, mem, 5), alloc(1, mem, 4), write(1, 1), read(2, 2)}, 4, nil},
		{"allocated by the runtime", [][]trace.Event{alloc(1, mem, 5), alloc(1, mem, 0)[:1], write(1, 1), read(2, 2)}, 0, nil},
		{"something else allocated", [][]trace.Event{alloc(1, 0x400, 5), write(1, 1), read(2, 2)}, 0, nil},
		{"another goroutine's value", [][]trace.Event{alloc(1, mem, 0)[:1], alloc(2, mem, 5)[1:], write(1, 1), read(2, 2)}, 0, nil},
	} {
		var events []trace.Event
		var racing []int64
		for _, part := range test.parts {
			for _, e := range part {
				if e.Kind.IsAccess() {
					racing = append(racing, int64(len(events)))
				}
				events = append(events, e)
			}
		}
		// an allocation behind the race is of other memory
		events = append(events, alloc(1, mem, 6)...)
		n := len(racing)
		l := NewLocator(meta, []Spec{{A: racing[n-2], B: racing[n-1], Tier: Observed}}, nil, Types{})
		for i := range events {
			l.Step(int64(i), &events[i])
		}
		b := l.Background()
		for i := range events {
			b.Step(int64(i), &events[i])
		}
		races, err := l.Races()
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		if races[0].Allocated != nil {
			made = races[0].Allocated.Line
		}
		if diff := cmp.Diff(test.fix, races[0].Fix); diff != "" || made != test.made {
			t.Errorf("%s: allocated at line %d, want %d; fix (-want +got):\n%s", test.name, made, test.made, diff)
		}
	}
}

// TestRank: of races that are as sure, those with the worst effect come first.
func TestRank(t *testing.T) {
	var races []*Race
	for i, c := range []Content{"", "later", ContentNumber, ContentCounter, ContentMap, ContentString} {
		races = append(races, &Race{Tier: Observed, Object: string(c), Holds: c, A: Access{Position: Position{"a.go", i + 1, 1}}})
	}
	races = append(races, &Race{Tier: Predicted, Object: "p", Holds: ContentMap, A: Access{Position: Position{"a.go", 20, 1}}})
	got := ""
	for _, g := range Group(races) {
		got += g[0].Object + " "
	}
	if want := "map string counter number  later p "; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}
