package leftout

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A call of a function with synchronisation loses what its own code does, and keeps what it calls;
// its D has what was dropped.
func TestHide(t *testing.T) {
	h := &hidden{left: map[trace.Site]bool{}, beyond: map[trace.Site]bool{}, frames: map[trace.GoID][]frame{}}
	h.add(trace.Event{Kind: format.Enter, G: 1, Aux: 1}, flow.Flow{}, false)
	x := &call{begin: trace.Event{Kind: format.MethodBegin, G: 1, Obj: 7}, from: 1}
	x.recorded = &excluded.Set{}
	x.recorded.AddMemory(0x100, 8)
	h.frames[1][0].call = x
	h.items = append(h.items, item{at: -1, call: x, begin: true})
	for _, e := range []trace.Event{
		{Kind: format.Write, Site: 3, Obj: 0x100, Size: 8},
		{Kind: format.Lock, Site: 4, Obj: 0x200},
		{Kind: format.Alloc, Obj: 0x300, Val: 24},
		{Kind: format.Write, Site: 5, Obj: 0x308, Size: 8},
		{Kind: format.Write, Site: 5, Obj: 0x310, Size: 8},
		{Kind: format.Enter, Aux: 2, Val: 9},
		{Kind: format.Read, Site: 6, Obj: 0x400, Size: 8},
		{Kind: format.Exit, Aux: 2},
		{Kind: format.Exit, Site: 8, Aux: 1},
	} {
		e.G = 1
		h.add(e, flow.Flow{Walked: true}, true)
	}
	h.items = append(h.items, item{at: -1, call: x, end: true})
	h.add(trace.Event{Kind: format.Read, G: 2, Site: 7, Obj: 0x308, Size: 8}, flow.Flow{}, false)
	h.finish()
	var kinds []format.Kind
	var d excluded.Set
	for i := range h.rest.events {
		switch e := &h.rest.events[i]; e.Kind {
		case format.Reach:
			d.AddReach(e)
		default:
			kinds = append(kinds, e.Kind)
		}
	}
	want := []format.Kind{format.Enter, format.MethodBegin, format.Alloc, format.Enter, format.Read, format.Exit, format.Exit, format.MethodEnd, format.Read}
	if len(kinds) != len(want) {
		t.Fatalf("left: %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("left: %v, want %v", kinds, want)
		}
	}
	if slices.ContainsFunc(h.rest.events, func(e trace.Event) bool { return e.Site == 8 }) {
		t.Error("the Exit of the method stands for its deferred calls")
	}
	for _, addr := range []uint64{0x100, 0x200, 0x308} {
		if !d.Hits(excluded.Memory(addr, 1)) {
			t.Errorf("%#x is not in the D", addr)
		}
	}
	if d.Hits(excluded.Memory(0x310, 8)) || d.Hits(excluded.Memory(0x400, 8)) || h.left[3] || !h.left[6] || h.gone != 5 {
		t.Errorf("D or what is left is wrong: %d gone", h.gone)
	}
	if h.beyond[6] || !h.beyond[7] {
		t.Errorf("beyond excluded calls: %v; 6 is called back, 7 is not", h.beyond)
	}
	if h.escaped != 1 {
		t.Errorf("%d escaped, want 1: the lock", h.escaped)
	}
}

// What an excluded call touches is in its D, unless a go statement or a Wait has it in order with
// all that conflicts, whatever happens.
func TestCover(t *testing.T) {
	wg := func(n int) trace.Event { return trace.Event{Kind: format.WGAdd, Obj: 0x900, Val: uint64(n)} }
	wait := trace.Event{Kind: format.WGWait, Obj: 0x900}
	started := trace.Event{Kind: format.Go, Obj: 2}
	write := trace.Event{Kind: format.Write, Obj: 0x100, Size: 8}
	read := trace.Event{Kind: format.Read, Obj: 0x100, Size: 8}
	at := func(g trace.GoID, e trace.Event) trace.Event { e.G = g; return e }
	for _, c := range []struct {
		name   string
		events []trace.Event // accesses of goroutine 1 are those of the excluded call
		seen   seen
		bare   bool
	}{
		{"before the go statement", []trace.Event{at(1, write), at(1, started), at(2, write)}, nothing, false},
		{"after it", []trace.Event{at(1, started), at(1, write), at(2, read)}, synchronisation, true},
		{"both", []trace.Event{at(1, write), at(1, started), at(2, write), at(1, read)}, synchronisation, true},
		{"only reads", []trace.Event{at(1, started), at(1, read), at(2, read)}, synchronisation, false},
		{"after a Wait", []trace.Event{at(1, wg(1)), at(1, started), at(2, write), at(2, wg(-1)), at(1, wait), at(1, read)}, synchronisation, false},
		{"after a Wait that is not seen", []trace.Event{at(1, wg(1)), at(1, started), at(2, write), at(2, wg(-1)), at(1, wait), at(1, read)}, accesses, true},
		{"a write after Done", []trace.Event{at(1, wg(1)), at(1, started), at(2, wg(-1)), at(1, wait), at(2, write), at(1, read)}, synchronisation, true},
		{"another adds", []trace.Event{at(1, started), at(2, wg(1)), at(2, write), at(2, wg(-1)), at(1, wait), at(1, read)}, synchronisation, true},
		{"a Done more than the Wait needs", []trace.Event{
			at(1, wg(1)), at(1, started), at(2, write), at(2, wg(-1)), at(1, wait), at(1, wg(1)), at(1, read), at(2, wg(-1)), at(1, wait),
		}, synchronisation, true},
		{"other memory", []trace.Event{at(1, started), at(1, write), at(2, trace.Event{Kind: format.Read, Obj: 0x108, Size: 8})}, synchronisation, false},
	} {
		h := &hidden{seen: c.seen}
		x := &call{}
		for _, e := range c.events {
			h.all.events = append(h.all.events, e)
			if h.of = append(h.of, nil); e.G == 1 && e.Kind.IsAccess() {
				h.of[len(h.of)-1] = x
			}
		}
		h.cover()
		if got := !x.d.Empty(); got != c.bare {
			t.Errorf("%s: in D: %t, want %t", c.name, got, c.bare)
		}
	}
}

// What a method has allocated is its own, also a large array; what was there before is not.
func TestMade(t *testing.T) {
	var m made
	m.note(0x100, 24, 3)
	m.note(0x10000, 1<<20, 5)
	m.note(0x20000, 16, 7)
	m.note(0x30000, 1<<17, 9)
	for _, x := range []struct {
		addr uint64
		want int
	}{{0xf8, 0}, {0x100, 4}, {0x117, 4}, {0x118, 0}, {0x10000, 6}, {0x10ffff, 6}, {0x110000, 0}, {0x20004, 8}, {0x20010, 6}, {0x30000, 10}, {0x4ffff, 10}, {0x50000, 6}} {
		if got := m.by(x.addr); got != x.want {
			t.Errorf("%#x was allocated by %d, want %d", x.addr, got, x.want)
		}
	}
}

// What an append rests on is numbered anew, as all that an event rests on.
func TestAppendMoves(t *testing.T) {
	h := &hidden{left: map[trace.Site]bool{}, beyond: map[trace.Site]bool{}, frames: map[trace.GoID][]frame{}, exits: []int{0}}
	h.add(trace.Event{Kind: format.Enter, G: 1, Aux: 1}, flow.Flow{}, false)
	x := &call{begin: trace.Event{Kind: format.MethodBegin, G: 1, Obj: 7}, recorded: &excluded.Set{}}
	h.frames[1][0].call = x
	h.items = append(h.items, item{at: -1, call: x, begin: true})
	h.add(trace.Event{Kind: format.Read, G: 1, Obj: 0x100, Size: 8}, flow.Flow{Walked: true}, true)
	h.add(trace.Event{Kind: format.Exit, G: 1, Aux: 1}, flow.Flow{Walked: true}, true)
	h.items = append(h.items, item{at: -1, call: x, end: true})
	h.add(trace.Event{Kind: format.Read, G: 1, Obj: 0x200, Size: 8}, flow.Flow{Walked: true}, false)
	full := flow.Flow{Walked: true, Where: []int64{1, 3}, Appended: &flow.Appended{Array: 0x300, Bytes: 8, Elem: 8, Moved: []int64{3}}}
	h.add(trace.Event{Kind: format.Write, G: 1, Obj: 0x300, Size: 8}, full, false)
	h.finish()
	n := len(h.rest.events) - 1
	f := h.rest.flows[n]
	want := []int64{int64(n - 1)}
	if !slices.Equal(f.Where, want) || !slices.Equal(f.Appended.Moved, want) || f.Appended.Array != 0x300 {
		t.Errorf("where %v, moved %v, want %v", f.Where, f.Appended.Moved, want)
	}
	if !slices.Equal(full.Appended.Moved, []int64{3}) {
		t.Error("the flow of the whole trace has changed")
	}
}
