package walk

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeps compares sets of reads with plain sets over random unions and pins. A set may only be
// smaller than the plain one by what is pinned, and every pinned read is needed once.
func TestDeps(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 9))
		d := &deps{}
		sets, plain := []*reads{nil}, []map[int64]bool{{}}
		needed := map[int64]bool{}
		for i := range int64(4000) {
			a, b := rng.IntN(len(sets)), rng.IntN(len(sets))
			switch op := rng.IntN(20); {
			case op < 5:
				sets, plain = append(sets, d.read(i)), append(plain, map[int64]bool{i: true})
			case op < 18:
				sets = append(sets, d.union(sets[a], sets[b]))
				plain = append(plain, union(plain[a], plain[b]))
				if rng.IntN(3) == 0 { // a set that grows
					sets[0], plain[0] = d.union(sets[0], sets[b]), union(plain[0], plain[b])
				}
			case op == 18 && rng.IntN(100) == 0:
				d.pin(sets[a])
				for r := range plain[a] {
					checkPinned(t, d, sets[a], r)
				}
			}
			for _, r := range d.take(nil) {
				if needed[r] {
					t.Fatalf("seed %d: read %d is needed twice", seed, r)
				}
				needed[r] = true
			}
			checkSet(t, d, sets[a], plain[a], needed)
			if len(sets) > 40 {
				k := 1 + rng.IntN(len(sets)-1)
				sets, plain = slices.Delete(sets, k, k+1), slices.Delete(plain, k, k+1)
			}
		}
		if d.tooLarge == 0 && seed == 0 {
			t.Error("no set was ever too large")
		}
	}
}

func union(a, b map[int64]bool) map[int64]bool {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

func checkPinned(t *testing.T, d *deps, s *reads, r int64) {
	t.Helper()
	for _, m := range d.members(s) {
		if m.index == r {
			t.Fatalf("read %d is in a set that was pinned", r)
		}
	}
}

func checkSet(t *testing.T, d *deps, s *reads, want, needed map[int64]bool) {
	t.Helper()
	got := map[int64]bool{}
	for _, m := range d.members(s) {
		if got[m.index] {
			t.Fatalf("read %d is in a set twice", m.index)
		}
		got[m.index] = true
		if !want[m.index] {
			t.Fatalf("read %d should not be in the set", m.index)
		}
	}
	for r := range want {
		if !got[r] && !needed[r] {
			t.Fatalf("read %d is lost: neither in the set nor needed", r)
		}
	}
}
