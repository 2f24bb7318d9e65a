package leftout

import (
	"testing"

	"github.com/presage-race/presage/bench/internal/seeded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Who uses an object together: what go statements have in order is not, and another object at the
// same address is another.
func TestUsed(t *testing.T) {
	const main, a, b = 1, 2, 3
	lock := func(g trace.GoID, at trace.Addr) trace.Event {
		return trace.Event{Kind: format.Lock, G: g, Obj: at, Site: 1}
	}
	starts := func(g, child trace.GoID) trace.Event {
		return trace.Event{Kind: format.Go, G: g, Obj: trace.Addr(child)}
	}
	alloc := trace.Event{Kind: format.Alloc, G: main, Obj: 64, Val: 32}
	meta := &trace.Meta{Files: []trace.File{{Name: "/m/m.go"}}, Sites: []trace.SiteInfo{{}, {File: 0, Line: 5}}}
	for name, c := range map[string]struct {
		events []trace.Event
		want   bool
	}{
		"one":                 {[]trace.Event{alloc, lock(main, 64), lock(main, 64)}, false},
		"two":                 {[]trace.Event{alloc, starts(main, a), lock(main, 64), lock(a, 64)}, true},
		"before it starts":    {[]trace.Event{alloc, lock(main, 64), starts(main, a), lock(a, 64)}, false},
		"and after":           {[]trace.Event{alloc, lock(main, 64), starts(main, a), lock(a, 64), lock(main, 64)}, true},
		"by way of another":   {[]trace.Event{alloc, lock(main, 64), starts(main, a), starts(a, b), lock(b, 64)}, false},
		"brothers":            {[]trace.Event{alloc, starts(main, a), starts(main, b), lock(a, 64), lock(b, 64)}, true},
		"parent of another":   {[]trace.Event{alloc, starts(main, a), starts(a, b), lock(main, 64), lock(b, 64)}, true},
		"two objects":         {[]trace.Event{alloc, starts(main, a), lock(main, 64), lock(a, 72)}, false},
		"allocated meanwhile": {[]trace.Event{alloc, starts(main, a), lock(main, 64), alloc, lock(a, 64)}, false},
	} {
		u := newUsed()
		for i := range c.events {
			u.note(meta, &c.events[i])
		}
		if got := u.together(&seeded.Seed{}, "/m"); got {
			t.Errorf("%s: a sort without operations is used", name)
		}
		if got := u.any(func(file string, n int) bool { return file == "m.go" && n == 5 }, "/m"); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
