package std

import (
	"encoding/binary"
	"math/bits"
)

// word is a name of at most 15 bytes, padded with zeros; the last byte is its
// length. Names in traces are short: comparing two registers is the whole cost of
// finding one.
type word struct{ lo, hi uint64 }

// maxWord is the length of the longest name that is a word.
const maxWord = 15

// load returns the word of the n ≤ maxWord bytes at b. At least 16 bytes must follow.
func load(b []byte, n int) word {
	_ = b[15]
	lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if n < 8 {
		lo, hi = lo&(1<<(8*n)-1), 0
	} else {
		hi &= 1<<(8*(n-8)) - 1
	}
	return word{lo, hi | uint64(n)<<56}
}

func (w word) hash() uint64 {
	return (w.lo ^ bits.RotateLeft64(w.hi, 29)*0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93
}

// table numbers names.
type table struct {
	slots []slot // open addressing
	shift uint
	n     int
	long  map[string]int32
}

type slot struct {
	key word
	id  int32 // 0: free
}

func newTable() table {
	const bits = 8
	return table{slots: make([]slot, 1<<bits), shift: 64 - bits}
}

// find returns the number of a short name, or a place to put it.
func (t *table) find(k word) *int32 {
	m := uint64(len(t.slots) - 1)
	for h := k.hash() >> t.shift; ; h++ {
		s := &t.slots[h&m]
		if s.key == k && s.id != 0 {
			return &s.id
		}
		if s.id == 0 {
			if 2*t.n >= len(t.slots) {
				t.grow()
				return t.find(k)
			}
			t.n++
			s.key = k
			return &s.id
		}
	}
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	t.shift--
	m := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		h := s.key.hash() >> t.shift
		for t.slots[h&m].id != 0 {
			h++
		}
		t.slots[h&m] = s
	}
}

// names keeps the text of names, by number.
type names struct {
	text []byte
	end  []int // of name i in text
}

func (n *names) add(name []byte) {
	n.text = append(n.text, name...)
	n.end = append(n.end, len(n.text))
}

func (n *names) name(i int) string {
	start := 0
	if i > 0 {
		start = n.end[i-1]
	}
	return string(n.text[start:n.end[i]])
}

func (n *names) len() int { return len(n.end) }

// intern returns the number of a name, from 1 on, and whether it is new. The caller
// keeps the names; next is the number a new one gets.
func (t *table) intern(name []byte, next int32) (id int32, fresh bool) {
	if len(name) <= maxWord && cap(name) >= 16 {
		p := t.find(load(name[:16], len(name)))
		if *p == 0 {
			*p = next
			return next, true
		}
		return *p, false
	}
	if id, ok := t.long[string(name)]; ok {
		return id, false
	}
	if t.long == nil {
		t.long = make(map[string]int32)
	}
	t.long[string(name)] = next
	return next, true
}
