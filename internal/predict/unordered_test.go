package predict

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
)

// TestUnordered: an access off the recorded path is behind the events of the window, and in no pair
// that hb has found.
func TestUnordered(t *testing.T) {
	b := &built.Window{Window: &model.Window{}}
	b.Events = make([]model.Event, 2)
	b.Events[0].Index, b.Events[1].Index = 10, 20
	x := hbPairs{current: map[[2]int64]bool{{10, 20}: true}}
	for p, want := range map[model.Pair]bool{{A: 0, B: 1}: true, {A: 0, B: 2}: false, {A: 2, B: 1}: false} {
		if got := x.unordered(b, p); got != want {
			t.Errorf("pair %v: %v", p, got)
		}
	}
}
