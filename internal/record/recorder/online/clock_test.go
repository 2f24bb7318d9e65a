package online

import (
	"math/rand/v2"
	"testing"
)

// TestClocks holds clocks that share against plain maps, with few slots and with as many as there
// are, and sees that all memory comes back.
func TestClocks(t *testing.T) {
	ftInitSlots()
	ftSlots.n = ftMaxSlots
	after := uint64(0)
	for round := range 24 {
		r := rand.New(rand.NewPCG(7, uint64(round%3)))
		clocks(t, r, []uint32{40, 3000, ftMaxSlots}[round%3])
		if t.Failed() {
			return
		}
		switch {
		case round == 2:
			after = ftMemory
		case ftMemory < after || round > 2 && ftMemory > after:
			t.Fatalf("round %d: %d bytes, first %d", round, ftMemory, after)
		}
	}
}

func clocks(t *testing.T, r *rand.Rand, slots uint32) {
	list := make([]ftVC, 12)
	want := make([]map[uint32]uint32, len(list))
	for i := range want {
		want[i] = make(map[uint32]uint32)
	}
	near := uint32(1) // slots near each other fill leaves
	for range 500 {
		i, j := r.IntN(len(list)), r.IntN(len(list))
		switch r.IntN(8) {
		case 0:
			list[i].share(&list[j])
			want[i] = maximum(nil, want[j])
		case 1, 2:
			list[i].join(&list[j])
			want[i] = maximum(want[i], want[j])
		case 3:
			if r.IntN(8) == 0 {
				list[i].clear()
				clear(want[i])
			}
		default:
			if r.IntN(50) == 0 {
				near = 1 + r.Uint32N(slots-1)
			}
			if s := near + r.Uint32N(20); s%ftLeafSlots != 0 && s < slots {
				c := 1 + r.Uint32N(ftMaxClock)
				list[i].set(s, c)
				want[i][s] = max(want[i][s], c)
			}
		}
		for s, c := range want[i] {
			if got := list[i].get(s); got != c {
				t.Fatalf("slot %d is %d, want %d", s, got, c)
			}
		}
		if s := 1 + r.Uint32N(slots-1); s%ftLeafSlots != 0 && list[i].get(s) != want[i][s] {
			t.Fatalf("slot %d is %d, want %d", s, list[i].get(s), want[i][s])
		}
	}
	for i := range list {
		list[i].clear()
	}
}

func maximum(a, b map[uint32]uint32) map[uint32]uint32 {
	c := make(map[uint32]uint32)
	for _, m := range []map[uint32]uint32{a, b} {
		for s, k := range m {
			c[s] = max(c[s], k)
		}
	}
	return c
}
