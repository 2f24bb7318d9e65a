package offpath

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
)

// A number of the recorded run may be a pointer to what was in memory before an allocation; one
// that depends on reads, or that was found after the allocation, is not.
func TestFormer(t *testing.T) {
	m := span{0x10000, 64}
	word := func(w uint64) flow.Datum { return flow.Datum{Words: []flow.DatumWord{{Bits: w, Known: true}}} }
	stored := func(at int64) *flow.Snapshot {
		return &flow.Snapshot{Stored: func(uint64, int64) (flow.Datum, int64, bool) { return word(0x10010), at, true }}
	}
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
		{"a sync.Map has had it", func(o *former) { o.watch(stored(99)).Stored(1, 200) }, true},
		{"a sync.Map has it now", func(o *former) { o.watch(stored(101)).Stored(1, 200) }, false},
		{"nobody has asked the sync.Map", func(o *former) { o.watch(stored(99)) }, false},
	} {
		o := &former{}
		c.note(o)
		if got := o.meets(m, 100); got != c.meets {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
