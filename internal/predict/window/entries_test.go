package window

import (
	"fmt"
	"go/types"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// noFacts knows nothing of maps. It notes what it was asked for.
type noFacts struct{ at []int64 }

func (f *noFacts) MapValueAt(_ uint64, _ flow.MapKey, _ types.Type, at, _ int64) (v flow.MapValue, ok bool) {
	f.at = append(f.at, at)
	return v, false
}

// TestEntries: the events of accesses to maps. u is an update of a key, l a lookup, p a lookup that
// only asks whether the key is there, d delete, c clear, n len, x a write with a key that is not
// known, and a an allocation of the map. A letter of the second goroutine is large.
func TestEntries(t *testing.T) {
	const at = trace.Addr(0xc000)
	for _, c := range []struct {
		ops  string // an operation and the key
		want string // the objects of the events, 0 being the map, with r or w
		at   []int64
	}{
		{"u1 L1", "w0 w1 r0 r1", []int64{0}},
		{"u1 L2", "w0 w1 r0 r2", []int64{0, 0}},
		{"u1 D1 l1", "w0 w1 w0 w1 r0 r1", []int64{0}},
		{"u1 U2 C0 l2", "w0 w1 w0 w2 w0 w1 w2 r0 r2", []int64{0, 0}},
		{"u1 P1", "w0 w1 w2 r0 r2", []int64{0, 0}},
		{"u1 N0 l1", "w0 w1 w2 r0 r1 r0 r2", []int64{0}},
		{"u1 X0 l1", "w0 w1 w0 w1 r0 r1", nil},
		{"u9 L9", "w0 w1 r0 r1", nil}, // the key is an address that is allocated in the window
		{"u1 L1 a0 u1 L1", "w0 w1 r0 r1 w2 w3 r2 r3", []int64{0, 4}},
	} {
		facts := &noFacts{}
		var events []trace.Event
		var flows []flow.Flow
		add := func(e trace.Event, x *flow.Entry) {
			events, flows = append(events, e), append(flows, flow.Flow{Walked: true, Entry: x})
		}
		add(trace.Event{Kind: format.Go, G: 1, Obj: 2}, nil)
		if c.ops == "u9 L9" {
			add(trace.Event{Kind: format.Alloc, G: 1, Obj: 9 << 12, Val: 64}, nil)
		}
		for k := 0; k < len(c.ops); k += 3 {
			op, key := c.ops[k]|0x20, uint64(c.ops[k+1]-'0')
			e := trace.Event{Kind: format.Write, G: 1, Obj: at, Size: 8, Flags: format.FlagNoValue}
			if op != c.ops[k] {
				e.G = 2
			}
			x := &flow.Entry{Key: flow.MapKey{Bits: key}, Facts: facts}
			switch op {
			case 'u':
				x.Left = flow.MapValue{Present: true}
			case 'c':
				x.All = true
			case 'p':
				x.Only = true
			case 'n', 'x', 'a':
				x = nil
			}
			switch op {
			case 'l', 'p', 'n':
				e.Kind = format.Read
			case 'a':
				e = trace.Event{Kind: format.Alloc, G: 1, Obj: at, Val: 64}
			}
			if key == 9 {
				x.Key.Bits, x.Address = 9<<12, true
			}
			add(e, x)
		}
		got := ""
		b := NewBuilder(BuildOptions{Walked: true, Symbolic: true}, func(w *built.Window) error {
			number := map[model.Obj]int{}
			for i := range w.Events {
				e := &w.Events[i]
				if !e.Kind.IsAccess() {
					continue
				}
				if _, ok := number[e.Obj]; !ok {
					number[e.Obj] = len(number)
				}
				kind := "r"
				if e.Kind.IsWrite() {
					kind = "w"
				}
				got += fmt.Sprintf(" %s%d", kind, number[e.Obj])
			}
			return nil
		})
		for i := range events {
			if err := b.Add(int64(i)+1, &events[i], flows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(nil); err != nil {
			t.Fatal(err)
		}
		if got != " "+c.want || !slices.Equal(facts.at, c.at) {
			t.Errorf("%s: events%s, facts of %v; want %s, %v", c.ops, got, facts.at, c.want, c.at)
		}
	}
}
