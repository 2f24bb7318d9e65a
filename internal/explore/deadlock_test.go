package explore

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/trace/format"
)

// Two goroutines take two locks, the second one in the other order; between is what comes before
// the second one starts.
func crossed(between string) string {
	return `
g0 go g1
g1 start g0
g1 wgadd 0x50 val=1 aux=1
g1 go g2
g2 start g1
g2 lock 0x10
g2 lock 0x20
g2 unlock 0x20
g2 unlock 0x10
g2 wgadd 0x50 val=-1
` + between + `
g1 go g3
g3 start g1
g3 lock 0x20
g3 lock 0x10
g3 unlock 0x10
g3 unlock 0x20
`
}

func TestCycles(t *testing.T) {
	tried := map[string]bool{}
	// in order by a WaitGroup: this execution cannot close the cycle, and another one may
	if list := executionOf(t, crossed("g1 wgwait 0x50")).cycles(tried); len(list) != 0 || len(tried) != 0 {
		t.Errorf("one after the other: %v, tried %v", list, tried)
	}
	x := executionOf(t, crossed(""))
	list := x.cycles(tried)
	if len(list) != 1 {
		t.Fatalf("%d cycles", len(list))
	}
	var held []uint64 // without the unlocks
	for _, i := range list[0] {
		switch o := &x.ops[i]; o.kind {
		case format.Lock:
			held = append(held, uint64(o.obj))
		case format.Unlock:
			t.Errorf("operation %d is an unlock", i)
		}
	}
	if !slices.Equal(held, []uint64{0x10, 0x20}) {
		t.Errorf("locks %#x", held)
	}
	if list := x.cycles(tried); len(list) != 0 {
		t.Errorf("once more: %v", list)
	}
	// a lock that both hold
	gated := executionOf(t, `
g0 go g1
g1 start g0
g1 go g2
g2 start g1
g1 go g3
g3 start g1
g2 lock 0x30
g2 lock 0x10
g2 lock 0x20
g2 unlock 0x20
g2 unlock 0x10
g2 unlock 0x30
g3 lock 0x30
g3 lock 0x20
g3 lock 0x10
g3 unlock 0x10
g3 unlock 0x20
g3 unlock 0x30
`)
	if list := gated.cycles(map[string]bool{}); len(list) != 0 {
		t.Errorf("with a gate: %v", list)
	}
}
