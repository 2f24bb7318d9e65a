package main

import (
	"testing"

	"presage/internal/barrier"
	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
)

// A call of a function with synchronisation loses what its own code does, and keeps what it calls; its D has what was dropped.
func TestHide(t *testing.T) {
	h := &hidden{left: map[trace.Site]bool{}, frames: map[trace.GoID][]frame{}, fresh: map[uint64]int{}}
	h.add(trace.Event{Kind: format.Enter, G: 1, Aux: 1}, window.Flow{}, false)
	x := &call{begin: trace.Event{Kind: format.MethodBegin, G: 1, Obj: 7}, from: 1}
	x.recorded.AddMemory(0x100, 8)
	h.frames[1][0].call = x
	h.items = append(h.items, item{at: -1, call: x, begin: true})
	for _, e := range []trace.Event{
		{Kind: format.Write, Site: 3, Obj: 0x100, Size: 8},
		{Kind: format.Lock, Site: 4, Obj: 0x200},
		{Kind: format.Alloc, Obj: 0x300, Val: 16},
		{Kind: format.Write, Site: 5, Obj: 0x308, Size: 8},
		{Kind: format.Enter, Aux: 2, Val: 9},
		{Kind: format.Read, Site: 6, Obj: 0x400, Size: 8},
		{Kind: format.Exit, Aux: 2},
		{Kind: format.Exit, Aux: 1},
	} {
		e.G = 1
		h.add(e, window.Flow{Walked: true}, true)
	}
	h.items = append(h.items, item{at: -1, call: x, end: true})
	h.finish()
	var kinds []format.Kind
	var d barrier.Set
	for i := range h.rest.events {
		switch e := &h.rest.events[i]; e.Kind {
		case format.Reach:
			d.AddMemory(uint64(e.Obj), e.Val)
		default:
			kinds = append(kinds, e.Kind)
		}
	}
	want := []format.Kind{format.Enter, format.MethodBegin, format.Alloc, format.Enter, format.Read, format.Exit, format.MethodEnd}
	if len(kinds) != len(want) {
		t.Fatalf("left: %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("left: %v, want %v", kinds, want)
		}
	}
	for _, addr := range []uint64{0x100, 0x200, 0x308} {
		if !d.Hits(barrier.Memory(addr, 1)) {
			t.Errorf("%#x is not in the D", addr)
		}
	}
	if d.Hits(barrier.Memory(0x400, 8)) || h.left[3] || !h.left[6] || h.gone != 4 {
		t.Errorf("D or what is left is wrong: %d gone", h.gone)
	}
	if h.escaped != 1 {
		t.Errorf("%d escaped, want 1: the lock", h.escaped)
	}
}
