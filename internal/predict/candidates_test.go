package predict

import (
	"context"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/trace/raw"
)

// TestManyOrdered: of two sites with more pairs in a window than are kept, nearly all of them in a
// fixed order, the one that is open is found.
func TestManyOrdered(t *testing.T) {
	const many = 10 * maxKept
	text := "main alloc x val=8\nmain write x val=1 @a\nmain go g2\n" + strings.Repeat("g2 read x val=1 @b\n", many) +
		"g2 lock m\ng2 unlock m\nmain lock m\nmain unlock m\nmain write x val=2 @a\nmain go g3\n" + strings.Repeat("g3 read x val=2 @b\n", many)
	events, meta, err := raw.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{}, meta)
	r.ctx = context.Background()
	res := stepAll(t, r, events)
	if len(res.Races) != 1 {
		t.Fatalf("%d races, want 1", len(res.Races))
	}
	if c := res.Counts; c.Untried != [rungs]int64{} || c.Promising != 1 || c.Settled != 1 {
		t.Errorf("untried %v; promising %d, settled %d, want 1 and 1", c.Untried, c.Promising, c.Settled)
	}
}

// TestManyOpen: where more pairs are open than are kept, the result says so.
func TestManyOpen(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("main alloc x val=8\nmain alloc flag val=8\nmain go g2\n")
	for range 2 * maxKept { // the reads of the flag keep the accesses of x in order
		text.WriteString("main write x val=1 @a\n")
	}
	text.WriteString("main lock m\nmain write flag val=1\nmain unlock m\ng2 lock m\ng2 read flag val=1\ng2 unlock m\n")
	for range 2 * maxKept {
		text.WriteString("g2 read x val=1 @b\n")
	}
	events, meta, err := raw.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{}, meta)
	r.ctx = context.Background()
	res := stepAll(t, r, events)
	c := res.Counts
	if c.Untried[0] == 0 || c.Promising != 1 || c.Settled != 0 {
		t.Errorf("untried %v; promising %d, settled %d, want 1 and 0", c.Untried, c.Promising, c.Settled)
	}
}
