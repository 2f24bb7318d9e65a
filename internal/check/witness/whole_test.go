package witness_test

import (
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestWhole checks that only its own goroutine reads a part of an access of the race before the
// race.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		reader model.Thread
		index  int64 // of the second write
		ok     bool
	}{
		{"another goroutine reads a part", 1, 7, false},
		{"another goroutine reads an earlier access", 1, 8, true},
	} {
		w := &model.Window{Threads: []trace.GoID{1, 2}, Init: make([]model.ObjState, 2), Semantics: model.NeededReads, Events: []model.Event{
			{Index: 7, Kind: format.Write, Thread: 0, Obj: 0, Val: 1, Partner: -1},
			{Index: c.index, Kind: format.Write, Thread: 0, Obj: 1, Val: 1, Partner: -1},
			{Index: 9, Kind: format.Read, Thread: c.reader, Obj: 0, Val: 1, Partner: -1},
			{Index: 10, Kind: format.Read, Thread: c.reader, Obj: 1, Val: 1, Partner: -1},
		}}
		err := witness.Check(w, model.Pair{A: 1, B: 3}, []int32{0, 2})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
