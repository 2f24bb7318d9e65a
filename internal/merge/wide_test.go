package merge

import (
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// TestWide merges a read of three words that is one record.
func TestWide(t *testing.T) {
	h := format.RawHeader(format.Read, 0, 24, 5)
	s := &testStream{goid: 7, words: []uint64{
		format.RawHeader(format.Start, 0, 0, 0), 0, 10,
		h, 0x1000, 1, 2, 3,
		format.RawHeader(format.End, 0, 0, 0), 20,
	}}
	events, _, _ := mergeDir(t, save(t, []*testStream{s}, format.NotStopped, 0))
	var got []trace.Event
	for _, e := range events {
		if e.Kind == format.Read {
			e.Flags &^= format.FlagUnexplained
			got = append(got, e)
		}
	}
	for i, e := range got {
		flags := format.FlagMore
		if i == 2 {
			flags = 0
		}
		want := trace.Event{Kind: format.Read, Flags: flags, Size: 8, G: e.G, Site: 5, Obj: trace.Addr(0x1000 + 8*i), Val: uint64(i + 1)}
		if e != want {
			t.Errorf("event %d = %+v, want %+v", i, e, want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d reads, want 3", len(got))
	}
}
