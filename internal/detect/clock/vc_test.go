package clock

import (
	"math/rand/v2"
	"testing"
)

// TestClock compares clocks of many slots, which share blocks, with maps, which share nothing.
func TestClock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 12
	var clocks [n]VC
	var want [n]map[uint32]uint32
	for i := range want {
		want[i] = map[uint32]uint32{}
	}
	slots := []uint32{0, 1, headSlots - 1, headSlots, headSlots + 1, headSlots + blockSlots - 1, headSlots + blockSlots, headSlots + 5*blockSlots + 7}
	for step := range 20_000 {
		i, k := r.IntN(n), r.IntN(n)
		switch r.IntN(4) {
		case 0, 1:
			e := epoch(slots[r.IntN(len(slots))], 1+uint32(r.IntN(50)))
			clocks[i] = clocks[i].with(e)
			want[i][e.Slot()] = max(want[i][e.Slot()], e.clock())
		case 2:
			clocks[i] = clocks[i].join(clocks[k])
			for s, c := range want[k] {
				want[i][s] = max(want[i][s], c)
			}
		case 3:
			if i == k || r.IntN(3) > 0 {
				continue
			}
			from, m := clocks[k], map[uint32]uint32{}
			if r.IntN(2) == 0 {
				from = VC{}
			} else {
				for s, c := range want[k] {
					m[s] = c
				}
			}
			clocks[i], want[i] = clocks[i].set(from), m
		}
		for j := range clocks {
			for _, s := range slots {
				c := want[j][s]
				if c > 0 && !clocks[j].Knows(epoch(s, c)) || clocks[j].Knows(epoch(s, c+1)) {
					t.Fatalf("step %d: clock %d, slot %d: want %d", step, j, s, c)
				}
			}
		}
	}
}

// TestManyGoroutines: clocks of 20,000 goroutines alive together, each of which knows most of the
// others, share what they agree on.
func TestManyGoroutines(t *testing.T) {
	const n = 20_000
	all := VC{}
	for s := range uint32(n) {
		all = all.with(epoch(s, 1))
	}
	words := 0
	for i := range uint32(n) {
		v := VC{}.set(all).with(epoch(i, 2))
		words += v.words()
		if !v.Knows(epoch(i, 2)) || !v.Knows(epoch(n-1-i, 1)) || all.Knows(epoch(i, 2)) {
			t.Fatalf("clock %d", i)
		}
	}
	if each := words / n; each > headSlots/2+n/blockSlots+1 {
		t.Errorf("%d words of its own for each clock", each)
	}
}
