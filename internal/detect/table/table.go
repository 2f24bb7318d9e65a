// Package table maps numbers to dense indexes, by open addressing. It is faster than a Go map,
// which would be used for every event.
package table

// Table is a set of numbers. The index of a number is its place in the order of insertion. The zero
// value is empty.
type Table struct {
	keys []uint64
	vals []int32 // index+1; 0: free
	n    int
	mask uint64
}

func (t *Table) slotOf(key uint64) uint64 { return (key * 0x9e3779b97f4a7c15) >> 20 & t.mask }

// At returns the index of a key. A key that is not in the table is added, with fresh true: its
// index is the number of keys before it.
func (t *Table) At(key uint64) (i int32, fresh bool) {
	if 2*(t.n+1) > len(t.keys) {
		t.rehash()
	}
	h := t.slotOf(key)
	for t.vals[h] != 0 {
		if t.keys[h] == key {
			return t.vals[h] - 1, false
		}
		h = (h + 1) & t.mask
	}
	t.n++
	t.keys[h], t.vals[h] = key, int32(t.n)
	return int32(t.n - 1), true
}

// Find returns the index of a key, or -1.
func (t *Table) Find(key uint64) int32 {
	if t.n == 0 {
		return -1
	}
	for h := t.slotOf(key); t.vals[h] != 0; h = (h + 1) & t.mask {
		if t.keys[h] == key {
			return t.vals[h] - 1
		}
	}
	return -1
}

func (t *Table) rehash() {
	old := *t
	size := max(1024, 2*len(old.keys))
	t.keys, t.vals, t.mask = make([]uint64, size), make([]int32, size), uint64(size-1)
	for i, v := range old.vals {
		if v == 0 {
			continue
		}
		h := t.slotOf(old.keys[i])
		for t.vals[h] != 0 {
			h = (h + 1) & t.mask
		}
		t.keys[h], t.vals[h] = old.keys[i], v
	}
}

// Each calls f with every number and its index, in no order.
func (t *Table) Each(f func(key uint64, i int32)) {
	for h, v := range t.vals {
		if v != 0 {
			f(t.keys[h], v-1)
		}
	}
}
