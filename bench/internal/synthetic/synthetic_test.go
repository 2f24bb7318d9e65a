package synthetic

import (
	"bytes"
	"io"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/std"
)

// The reader checks that the trace is one of locks that exclude; here: it has the
// size asked for, every location has one role, and the seeded races are all there.
func TestWrite(t *testing.T) {
	c := Config{Events: 50_000, Threads: 6, Locks: 8, Vars: 4, Own: 5, Shared: 10, Races: 7, Section: 10, Seed: 3}
	var a, b bytes.Buffer
	if err := Write(&a, c); err != nil {
		t.Fatal(err)
	}
	Write(&b, c)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same seed gives two traces")
	}
	r, err := std.NewReader(&a)
	if err != nil {
		t.Fatal(err)
	}
	count := map[format.Kind]int{}
	writers := map[trace.Addr]map[trace.GoID]int{}
	n := 0
	for {
		var e trace.Event
		err := r.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
		count[e.Kind]++
		if e.Kind == format.Write {
			if writers[e.Obj] == nil {
				writers[e.Obj] = map[trace.GoID]int{}
			}
			writers[e.Obj][e.G]++
		}
	}
	if n < c.Events-100 || n > c.Events+100 {
		t.Errorf("%d events", n)
	}
	if count[format.Go] != 5 || count[format.Join] != 5 || count[format.Lock] != count[format.Unlock] || count[format.Lock] < 1000 {
		t.Errorf("counts: %v", count)
	}
	races := 0
	for _, o := range r.Meta().Objects {
		if o.Name[0] == 'R' && len(writers[o.Addr]) == 2 {
			races++
		}
	}
	if races != c.Races || len(r.Meta().Warnings) > 0 {
		t.Errorf("%d races, warnings %v", races, r.Meta().Warnings)
	}
}
