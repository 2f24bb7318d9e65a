package merge

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestPoints: the record of a point is no event of the trace. The access that it stands for is the
// next event of its goroutine.
func TestPoints(t *testing.T) {
	meta := &trace.Meta{GoVersion: "go1.26"}
	w, err := trace.NewWriter(io.Writer(&bytes.Buffer{}), meta)
	if err != nil {
		t.Fatal(err)
	}
	o := &output{w: w}
	word := format.PointWords | format.PointWrite | 24<<format.PointShift | 0xc000001008
	for _, e := range []trace.Event{
		{Kind: format.Lock, G: 1, Obj: 0x10},
		{Kind: format.AtomicRead, G: 2, Site: 7, Size: 8, Obj: word},
		{Kind: format.Write, G: 2, Site: 7, Size: 8, Obj: 0xc000001008, Val: 1},
		{Kind: format.AtomicRead, G: 2, Size: 8, Obj: 0xc000001008, Val: 1},
	} {
		o.write(&e)
	}
	if o.err != nil || o.events != 3 {
		t.Errorf("%d events, %v", o.events, o.err)
	}
	want := []Point{{Event: 1, G: 2, Site: 7, Obj: 0xc000001008, Size: 24, Write: true}}
	if diff := cmp.Diff(want, o.points); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
