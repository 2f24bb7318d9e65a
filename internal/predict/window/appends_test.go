package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestTrusts: two goroutines append under a lock to each of some slices, and then a call of code
// without records ends. It reads one location, which each append has written before its first write
// (WI6, WI7).
func TestTrusts(t *testing.T) {
	for _, slices := range []int{1, 2, 5} {
		var text strings.Builder
		var flows []flow.Flow
		put := func(f flow.Flow, format string, args ...any) {
			f.Walked = true
			fmt.Fprintf(&text, format+"\n", args...)
			flows = append(flows, f)
		}
		array := func(k int) int { return 0x10000 + k*0x1000 }
		word := func(k, i int) int { return 0x1000 + k*0x100 + 8*i }
		for k := range slices {
			put(flow.Flow{}, "main alloc 0x%x val=64", array(k))
		}
		put(flow.Flow{}, "main go g2")
		put(flow.Flow{}, "main go g3")
		for n, g := range []string{"g2", "g3"} {
			put(flow.Flow{}, "%s lock m", g)
			for k := range slices {
				var reads []int64
				for i, v := range []int{array(k), n, 8} { // pointer, length, capacity
					reads = append(reads, int64(len(flows)))
					put(flow.Flow{}, "%s read 0x%x val=%d", g, word(k, i), v)
				}
				a := &flow.Appended{Array: uint64(array(k)), Bytes: 64, Elem: 8}
				put(flow.Flow{Where: reads, Appended: a}, "%s write 0x%x val=7", g, array(k)+8*n)
				put(flow.Flow{From: reads}, "%s write 0x%x val=%d", g, word(k, 1), n+1)
			}
			put(flow.Flow{}, "%s unlock m", g)
		}
		put(flow.Flow{}, "g3 opaque")
		put(flow.Flow{}, "g3 opaqueend")
		events, meta, err := raw.Parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		var w *model.Window
		b := window.NewBuilder(window.BuildOptions{Walked: true, Meta: meta, All: true}, func(x *built.Window) error { w = x.Window; return nil })
		for i := range events {
			if err := b.Add(int64(i), &events[i], flows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(nil); err != nil {
			t.Fatal(err)
		}
		writes := map[model.Obj]int{}
		reads := map[int64][]model.Obj{} // by the record that they stand before
		for i := range w.Events {
			switch e := &w.Events[i]; {
			case e.Kind == format.AtomicRMW:
				if writes[e.Obj]++; len(e.ValDeps) != 1 { // the length, which alone is written
					t.Errorf("%d slices: event %d rests on %v, want the read of its slice", slices, i, e.ValDeps)
				}
			case e.Kind == format.AtomicRead && e.Strict:
				reads[e.Index] = append(reads[e.Index], e.Obj)
			}
		}
		locations := slices // the trust of each, and of all
		if slices > 1 {
			locations++
		}
		if len(writes) != locations {
			t.Errorf("%d slices: %d locations are written, want %d", slices, len(writes), locations)
		}
		for _, i := range []int{len(events) - 2, len(events) - 1} {
			if r := reads[int64(i)]; len(r) != 1 || writes[r[0]] != 2*slices {
				t.Errorf("%d slices: the call's record %d reads %v, want the location that all %d appends write; written: %v", slices, i, r, 2*slices, writes)
			}
		}
	}
}
