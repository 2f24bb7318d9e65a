package predict

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An atomic access is compared with no other atomic access, however many there are of a location.
func TestAgainst(t *testing.T) {
	w := &model.Window{Threads: []trace.GoID{1, 2}, Init: make([]model.ObjState, 2)}
	for range 1000 {
		w.Events = append(w.Events, model.Event{Kind: format.AtomicRead, Obj: 0})
	}
	w.Events = append(w.Events,
		model.Event{Kind: format.Write, Obj: 0},
		model.Event{Kind: format.Read, Obj: 1, Flags: format.FlagStack},
		model.Event{Kind: format.Read, Obj: 1},
	)
	at := accesses(w)
	for _, c := range []struct {
		kind format.Kind
		obj  model.Obj
		n    int
		last int32
	}{
		{format.AtomicRMW, 0, 1, 1000},
		{format.Read, 0, 1001, 1000},
		{format.AtomicWrite, 1, 1, 1002},
	} {
		got := at.against(&model.Event{Kind: c.kind, Obj: c.obj})
		if len(got) != c.n || !slices.Contains(got, c.last) {
			t.Errorf("%v of location %d: compared with %d accesses, not %d", c.kind, c.obj, len(got), c.n)
		}
	}
}
