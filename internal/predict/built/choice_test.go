package built

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestTakenReads: atomic reads at the end of an alternative are left out of a witness, and with
// them an alternative that has nothing else there. What comes before another event stays, and so
// does an access of the pair.
func TestTakenReads(t *testing.T) {
	events := func(kinds ...format.Kind) *Way {
		w := new(Way)
		for _, k := range kinds {
			w.Events = append(w.Events, model.Event{Kind: k})
		}
		return w
	}
	started := events(format.Go, format.AtomicRead, format.Write)
	started.Events[2].Thread = 7
	// 0 and 1 are recorded events, 2 is the begin of the first alternative, 3 to 5 are its events,
	// 6 is the begin of the second, 7 and 8 are its events, 9 is the begin of the third, whose
	// event 12 is one of a goroutine that it starts
	c := &Choice{
		b:     &Window{Window: &model.Window{Events: make([]model.Event, 2)}},
		ways:  []*Way{events(format.AtomicRead, format.Write, format.AtomicRead), events(format.AtomicRead, format.AtomicRead), started},
		first: []int32{2, 6, 9},
	}
	for _, x := range []struct {
		name  string
		pair  model.Pair
		order []int32
		taken int
		want  []int32
	}{
		{"last read", model.Pair{A: 0, B: 1}, []int32{2, 3, 4, 5}, 1, []int32{2, 3}},
		{"reads alone", model.Pair{A: 0, B: 1}, []int32{6, 7, 8}, 0, nil},
		{"before a write", model.Pair{A: 0, B: 4}, []int32{2, 3}, 1, []int32{2}},
		{"of the pair", model.Pair{A: 0, B: 8}, []int32{6, 7}, 1, []int32{2}},
		{"beside a goroutine", model.Pair{A: 0, B: 12}, []int32{9, 10, 11}, 1, []int32{2}},
		{"one of two", model.Pair{A: 0, B: 4}, []int32{6, 2, 7, 3}, 1, []int32{2}},
	} {
		ways, _, out := c.Taken(x.pair, x.order)
		if len(ways) != x.taken || !slices.Equal(out, x.want) {
			t.Errorf("%s: %d alternatives, order %v, want %d, %v", x.name, len(ways), out, x.taken, x.want)
		}
	}
}
