package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A reopener reads a trace from its beginning each time, also while it is open already.
func TestReopener(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.trace")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := trace.NewWriter(f, &trace.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Write(&trace.Event{Kind: format.Lock, G: 1, Obj: trace.Addr(8 * (i + 1))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(&trace.Meta{}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	o := &reopener{name: name}
	defer o.close()
	count := func(most int) (n int, c io.Closer) {
		src, c, err := o.open()
		if err != nil {
			t.Fatal(err)
		}
		for e := (trace.Event{}); n < most && src.Next(&e) == nil; {
			if n++; e.Obj != trace.Addr(8*n) {
				t.Errorf("event %d is of %d", n, e.Obj)
			}
		}
		return n, c
	}
	_, first := count(1)
	n, second := count(9)
	if n != 3 {
		t.Errorf("%d events beside another reader", n)
	}
	first.Close()
	second.Close()
	kept := o.free
	for _, most := range []int{2, 9, 9} {
		n, c := count(most)
		if n != min(most, 3) || c.Close() != nil || o.free != kept {
			t.Errorf("%d events when opened again", n)
		}
	}
}
