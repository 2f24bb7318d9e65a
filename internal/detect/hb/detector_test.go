package hb

import (
	"runtime"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestEnd checks that after End only the races use memory.
func TestEnd(t *testing.T) {
	const locks = 50_000
	d := New()
	access := func(g trace.GoID, l trace.Addr) {
		d.Step(0, &trace.Event{Kind: format.Lock, G: g, Obj: l})
		d.Step(0, &trace.Event{Kind: format.Write, G: g, Obj: 1<<30 + l, Size: 8, Site: 1})
		d.Step(0, &trace.Event{Kind: format.Unlock, G: g, Obj: l})
	}
	for l := range trace.Addr(locks) {
		access(1, 8+8*l)
		access(2, 8+8*l)
	}
	for g := range trace.GoID(2) {
		d.Step(1, &trace.Event{Kind: format.Write, G: g, Obj: 1 << 40, Size: 8, Site: trace.Site(2 + g)})
	}
	before := live()
	d.End()
	if freed := before - live(); freed < 100*locks {
		t.Errorf("%d bytes are freed, of %d locks", freed, locks)
	}
	if r := d.Races(); len(r) != 1 {
		t.Errorf("%d races", len(r))
	}
}

// live is the size of what can be reached.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
