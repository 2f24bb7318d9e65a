package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
)

// A goroutine has the operations of those that it starts.
func TestInteresting(t *testing.T) {
	x := executionOf(t, locks)
	main := steer.Child(steer.Runtime, 1)
	second, third := steer.Child(main, 1), steer.Child(main, 2)
	weights := func(object trace.Addr) map[uint64]uint64 {
		m := map[uint64]uint64{}
		for _, w := range x.weigh(object) {
			m[w.Goroutine] = w.Events
		}
		return m
	}
	for object, want := range map[trace.Addr]map[uint64]uint64{
		0x10: {main: 4, second: 2, third: 2},
		0x50: {main: 4, second: 1, third: 1},
		0:    {main: 8, second: 3, third: 3},
	} {
		got := weights(object)
		delete(got, steer.Runtime)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%#x (-want +got):\n%s", object, diff)
		}
	}
	drawn := map[uint64]bool{}
	for seed := range uint64(20) {
		object, _ := x.interesting(rand.New(rand.NewPCG(seed, 0)))
		drawn[object] = true
	}
	if diff := cmp.Diff(map[uint64]bool{0x10: true, 0x50: true}, drawn); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}
