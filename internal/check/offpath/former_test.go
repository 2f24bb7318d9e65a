package offpath

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A number of the recorded run may be a pointer to what was in memory before an allocation; one
// that depends on reads, or that was found after the allocation, is not.
func TestFormer(t *testing.T) {
	m := span{0x10000, 64}
	word := func(w uint64) flow.Datum { return flow.Datum{Words: []flow.DatumWord{{Bits: w, Known: true}}} }
	for _, c := range []struct {
		name  string
		note  func(o *former)
		meets bool
	}{
		{"a frame has it", func(o *former) {
			o.atFork(&flow.Snapshot{Frames: []flow.Frame{{Defers: []flow.Deferred{{Args: []flow.Datum{word(0x10010)}}}}}}, nil)
		}, true},
		{"memory has it", func(o *former) {
			o.atFork(&flow.Snapshot{}, []flow.Assumption{{Addr: 0x20000, Size: 8, Bits: 0x1003f}})
		}, true},
		{"memory has a read", func(o *former) {
			o.atFork(&flow.Snapshot{}, []flow.Assumption{{Addr: 0x20000, Size: 8, Bits: 0x10010, Term: expr.NewRead(3, 8, 0x10010)}})
		}, false},
		{"another address", func(o *former) { o.datum(word(0x10040)) }, false},
		{"a number", func(o *former) { o.datum(word(16)) }, false},
		{"an unknown word", func(o *former) { o.datum(flow.Datum{Words: []flow.DatumWord{{Bits: 0x10010}}}) }, false},
	} {
		o := &former{}
		c.note(o)
		if got := o.meets(m, 100); got != c.meets {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// What a sync.Map has had is unknown if its memory was allocated anew since.
func TestLasting(t *testing.T) {
	o := newFormer(&built.Window{Records: []*built.Record{
		{Event: trace.Event{Kind: format.Alloc, Obj: 0x10000, Val: 64}, Index: 100},
		{Event: trace.Event{Kind: format.Write, Obj: 0x20000, Size: 8}, Index: 120},
	}})
	for _, c := range []struct {
		word  uint64
		at    int64
		known bool
	}{{0x10010, 99, false}, {0x10010, 101, true}, {0x10040, 99, true}, {0x20000, 99, true}, {7, 99, true}} {
		s := o.watch(&flow.Snapshot{Stored: func(uint64, int64) (flow.Datum, int64, bool) {
			return flow.Datum{Words: []flow.DatumWord{{Bits: 3, Known: true}, {Bits: c.word, Known: true}}}, c.at, true
		}})
		d, _, _ := s.Stored(1, 200)
		if d.Words[1].Known != c.known || !d.Words[0].Known {
			t.Errorf("%#x at %d: %v", c.word, c.at, d.Words)
		}
	}
}
