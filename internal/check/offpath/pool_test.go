package offpath

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestTakenTwice: the word of an object says when it is in a sync.Pool, unless a Get takes the
// object when the word is 0.
func TestTakenTwice(t *testing.T) {
	const word, other = format.PoolWords + 8, format.PoolWords + 16
	for _, c := range []struct {
		name    string
		initial uint64
		ops     string // p: Put, g: Get; P and G: of another object
		twice   bool
	}{
		{"nothing", 0, "", false},
		{"put", 0, "p", false},
		{"taken", 0, "pg", false},
		{"taken again", 0, "pgpg", false},
		{"put twice", 0, "pp", false},
		{"put twice and taken", 0, "ppg", false},
		{"put twice and taken twice", 0, "ppgg", true},
		{"and put again", 0, "ppggp", true},
		{"put before the window", 1, "g", false},
		{"put twice before the window", 1, "gg", true},
		{"put twice and taken before the window", 0, "g", true},
		{"another object", 0, "PPGGpg", false},
	} {
		w := &built.Window{Window: &model.Window{Init: []model.ObjState{{Val: 7}, {Val: c.initial}}}}
		w.Places = []built.Place{{Addr: 0x9000, Mask: 0xff}, {Addr: uint64(word), Mask: 0xff}}
		for i, op := range c.ops {
			r := &built.Record{Index: int64(i)}
			r.Kind, r.Obj, r.Val = format.AtomicRMW, word, 1
			if op == 'P' || op == 'G' {
				r.Obj = other
			}
			if op == 'p' || op == 'P' {
				r.Kind = format.AtomicWrite
			}
			w.Records = append(w.Records, r)
		}
		if got := (&subject{window: w}).takenTwice(uint64(word)); got != c.twice {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
