package lockset

import (
	"testing"

	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

func ev(k format.Kind, g format.GoID, obj format.Addr, flags ...format.Flags) *format.Event {
	e := &format.Event{Kind: k, G: g, Obj: obj, Size: 8, Site: format.Site(g)}
	for _, f := range flags {
		e.Flags |= f
	}
	return e
}

// TestSets: modes, re-entrance, order of acquires.
func TestSets(t *testing.T) {
	var l Locks
	const m, n = 0x100, 0x104 // two mutexes in one word's neighbourhood
	step := func(es ...*format.Event) {
		for _, e := range es {
			l.Step(e)
		}
	}
	step(ev(format.Lock, 1, m, format.FlagRead), ev(format.Lock, 2, m, format.FlagRead))
	if a, b := l.Of(1), l.Of(2); a != b || a == 0 || l.Common(a, b) || l.Writes(a) != 0 || !l.Common(l.Any(a), b) {
		t.Error("two readers do not protect each other; a writer would (LS2)")
	}
	step(ev(format.Lock, 1, m, format.FlagRead), ev(format.Unlock, 1, m, format.FlagRead))
	if l.Of(1) != l.Of(2) {
		t.Error("(LS1)")
	}
	step(ev(format.Unlock, 1, m, format.FlagRead), ev(format.Unlock, 2, m, format.FlagRead))
	step(ev(format.Lock, 1, m), ev(format.Lock, 1, n))
	a := l.Of(1)
	step(ev(format.Unlock, 1, m), ev(format.Unlock, 1, n), ev(format.Lock, 1, n), ev(format.Lock, 1, m))
	if l.Of(1) != a || l.Meet(a, a) != a || l.Meet(a, 0) != 0 {
		t.Error("a set has one number")
	}
	if e := ev(format.AtomicRead, 3, 8); l.Of(3) != 0 || !l.Common(l.At(e), l.At(ev(format.AtomicWrite, 4, 8))) || l.Common(l.At(e), a) {
		t.Error("(LS4)")
	}
}

// TestLent: a lock that another goroutine releases protects nothing, unless it was held at the
// start of the trace.
func TestLent(t *testing.T) {
	var l Locks
	l.Step(ev(format.Unlock, 1, 0x200))
	l.Step(ev(format.Lock, 1, 0x100))
	l.Step(ev(format.Unlock, 2, 0x100))
	if l.Of(1) != 0 || l.Lent() != 1 {
		t.Errorf("set %d, %d locks lent", l.Of(1), l.Lent())
	}
	l.Step(ev(format.Lock, 3, 0x100))
	if l.Of(3) != 0 {
		t.Error("(LS3)")
	}
	l.Step(&format.Event{Kind: format.Alloc, G: 1, Obj: 0x100, Val: 8})
	l.Step(ev(format.Lock, 3, 0x100))
	if l.Of(3) == 0 {
		t.Error("a lock in memory that is allocated anew is the same lock")
	}
}

// TestEraser walks the states of the paper's Figure 4.
func TestEraser(t *testing.T) {
	const x, m = 0x40, 0x100
	read, write := format.Read, format.Write
	lock, unlock := format.Lock, format.Unlock
	for _, c := range []struct {
		name   string
		events []*format.Event
		state  State
		a, b   format.Site // reported; 0: nothing is
	}{
		{"one goroutine", []*format.Event{ev(write, 1, x), ev(read, 1, x)}, Exclusive, 0, 0},
		{"read after initialisation", []*format.Event{ev(write, 1, x), ev(read, 2, x), ev(read, 3, x)}, Shared, 0, 0},
		{"write after initialisation, under a lock", []*format.Event{ev(write, 1, x), ev(lock, 2, m), ev(write, 2, x), ev(unlock, 2, m)}, SharedModified, 0, 0},
		{"no lock", []*format.Event{ev(write, 1, x), ev(write, 2, x)}, SharedModified, 1, 2},
		{"write while shared", []*format.Event{ev(write, 1, x), ev(read, 2, x), ev(write, 3, x)}, SharedModified, 2, 3},
		{"write under a read lock", []*format.Event{ev(write, 1, x), ev(lock, 2, m, format.FlagRead), ev(write, 2, x)}, SharedModified, 1, 2},
		{"atomic and plain", []*format.Event{ev(format.AtomicWrite, 1, x), ev(format.AtomicWrite, 2, x), ev(read, 3, x)}, SharedModified, 2, 3},
		{"atomic only", []*format.Event{ev(format.AtomicWrite, 1, x), ev(format.AtomicWrite, 2, x), ev(format.AtomicRead, 3, x)}, SharedModified, 0, 0},
	} {
		var got [2]format.Site
		d := NewEraser(func(a, b shadow.Access, _ format.Addr) { got = [2]format.Site{a.Site, b.Site} })
		for i, e := range c.events {
			d.Step(int64(i), e)
		}
		if s := d.mem.At(x, 0xff).state; s != c.state || got != [2]format.Site{c.a, c.b} {
			t.Errorf("%s: state %d, reported %v; want %d, %v", c.name, s, got, c.state, [2]format.Site{c.a, c.b})
		}
	}
}
