package walk

import (
	"math"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
)

// TestMapAt: what operations on a map show of key 1, around an event, and before another one.
func TestMapAt(t *testing.T) {
	type want struct {
		at, until int64
		is        string
	}
	const all = math.MaxInt64
	for _, c := range []struct {
		name string
		ops  []mapOp
		want []want
	}{
		{"nothing", nil, []want{{5, all, "? ?"}}},
		{"made", []mapOp{op(5, mapMade, 0, 0)}, []want{{3, all, "absent ?"}, {5, all, "absent ?"}, {9, all, "absent ?"}}},
		{"made with entries", []mapOp{op(5, mapMade, 0, 0), op(5, mapWrites, 1, 7)}, []want{{3, all, "present 7"}, {5, all, "present 7"}}},
		{"written", []mapOp{op(5, mapMade, 0, 0), op(7, mapWrites, 1, 7), op(9, mapWrites, 2, 8)}, []want{{6, all, "absent ?"}, {7, all, "present 7"}, {9, all, "present 7"}}},
		{"deleted", []mapOp{op(5, mapWrites, 1, 7), gone(7, 1)}, []want{{4, all, "? ?"}, {6, all, "present 7"}, {8, all, "absent ?"}}},
		{"cleared", []mapOp{op(5, mapWrites, 1, 7), op(7, mapClears, 0, 0)}, []want{{6, all, "present 7"}, {7, all, "absent ?"}}},
		{"found before and after", []mapOp{op(5, mapFinds, 1, 7), op(5, mapPresence, 1, 1), op(9, mapWrites, 2, 8)}, []want{{3, all, "present 7"}, {7, all, "present 7"}, {9, all, "present 7"}}},
		{"not beyond a write of the key", []mapOp{op(5, mapWrites, 1, 7), op(7, mapFinds, 1, 7)}, []want{{4, all, "? ?"}}},
		{"not beyond an unknown write", []mapOp{op(3, mapWrites, 1, 7), op(5, mapChanges, 0, 0), op(7, mapFinds, 1, 8)}, []want{{4, all, "present 7"}, {5, all, "? 8"}, {2, all, "? ?"}}},
		{"an unknown write comes first", []mapOp{op(5, mapChanges, 0, 0), op(7, mapFinds, 1, 8)}, []want{{4, all, "? ?"}, {6, all, "? 8"}}},
		{"noted too late", []mapOp{{event: 5, noted: 12, kind: mapFinds, key: flow.MapKey{Bits: 1}, value: goval.Known(7)}}, []want{{5, 10, "? ?"}, {5, 13, "? 7"}}},
		{"of another window", []mapOp{op(20, mapFinds, 1, 7)}, []want{{5, 10, "? ?"}}},
	} {
		var k mapFacts
		for i := len(c.ops) - 1; i >= 0; i-- { // the order of the calls does not matter
			if i > 0 && c.ops[i-1].event == c.ops[i].event {
				k.note(0x1000, c.ops[i-1])
				k.note(0x1000, c.ops[i])
				i--
				continue
			}
			k.note(0x1000, c.ops[i])
		}
		for _, w := range c.want {
			if got := says(&k, w.at, w.until); got != w.is {
				t.Errorf("%s: at %d until %d: %s, want %s", c.name, w.at, w.until, got, w.is)
			}
		}
	}
}

func op(event int64, kind mapOpKind, key, value uint64) mapOp {
	return mapOp{event: event, noted: event, kind: kind, key: flow.MapKey{Bits: key}, value: goval.Known(value), present: true}
}

func gone(event int64, key uint64) mapOp {
	x := op(event, mapWrites, key, 0)
	x.present = false
	return x
}

// says prints what is known of key 1.
func says(k *mapFacts, at, until int64) string {
	c := k.MapAt(0x1000, flow.MapKey{Bits: 1}, at, until)
	words := []string{"?", "?"}
	if c.HasPresent {
		words[0] = map[bool]string{true: "present", false: "absent"}[c.Present]
	}
	if c.HasValue {
		bits, _ := c.Value.Bits()
		words[1] = goval.Known(bits).String()[2:]
	}
	return strings.Join(words, " ")
}
