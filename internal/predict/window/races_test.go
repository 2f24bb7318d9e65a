package window

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

type listed struct {
	events []trace.Event
	next   int
}

func (l *listed) Meta() *trace.Meta { return nil }

func (l *listed) Next(e *trace.Event) error {
	if l.next == len(l.events) {
		return io.EOF
	}
	*e = l.events[l.next]
	l.next++
	return nil
}

// TestFindRaces: words on which there is a race and that outside code accesses, and where late
// reads of them may have been.
func TestFindRaces(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		words, unsure int
	}{
		{"between inside accesses", "main go g2\nmain write x val=1 @a\ng2 read x val=1 @b\n", 0, 0},
		{"of an outside write", "main go g2\nmain write x size=1 novalue opaque @a\ng2 read x val=1 @b\n", 1, 0},
		{"of a late read", "main go g2\nmain lock m\nmain unlock m\nmain write x val=1 @a\ng2 read x size=1 late novalue opaque @b\n", 1, 1},
		{"in order", "main go g2\nmain lock m\nmain write x val=1 @a\nmain unlock m\ng2 lock m\ng2 read x size=1 novalue opaque @b\ng2 unlock m\n", 0, 0},
	} {
		events, _, err := raw.Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var pairs []int64
		r, err := FindRaces(context.Background(), func() (trace.Source, io.Closer, error) {
			return &listed{events: events}, io.NopCloser(nil), nil
		}, func(_, b int64) { pairs = append(pairs, b) })
		if !slices.IsSorted(pairs) || r != nil && (r.HB == nil || r.Events != int64(len(events)) || r.End != io.EOF) {
			t.Errorf("%s: pairs %v, %v after %d events", c.name, pairs, r.End, r.Events)
		}
		if err != nil || len(r.words) != c.words || len(r.unsure) != c.unsure || r.all {
			t.Errorf("%s: %d words, %v, %v", c.name, len(r.words), r.unsure, err)
		}
	}
}
