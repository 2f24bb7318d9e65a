package std

import (
	"encoding/binary"
	"math/bits"
)

// Names in traces are short. One of up to 7 bytes is a number, with its length in the
// top byte, and one of up to 15 is two: to find it costs a comparison of registers.
type (
	short uint64
	word  struct{ lo, hi uint64 }
)

const (
	maxShort = 7
	maxWord  = 15
)

// loadShort returns the name of n ≤ 7 bytes at b. At least 8 bytes must be there.
func loadShort(b []byte, n int) short {
	return short(binary.LittleEndian.Uint64(b)&(1<<(8*n)-1) | uint64(n)<<56)
}

// loadWord returns the name of n bytes, 8 to 15, at b. At least 16 bytes must be there.
func loadWord(b []byte, n int) word {
	return word{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])&(1<<(8*(n-8))-1) | uint64(n)<<56}
}

func (w short) hash() uint64 { return uint64(w) * 0xd6e8feb86659fd93 }

func (w word) hash() uint64 {
	return (w.lo ^ bits.RotateLeft64(w.hi, 29)*0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93
}

type key interface {
	comparable
	hash() uint64
}

// hashed is an open-addressing table of names of one kind.
type hashed[K key] struct {
	slots []slot[K]
	shift uint
	n     int
}

type slot[K key] struct {
	key K
	id  int32 // 0: free
}

// find returns the number of a name, or a place to put it.
func (t *hashed[K]) find(k K) *int32 {
	m := uint64(len(t.slots) - 1)
	for h := k.hash() >> t.shift; ; h++ {
		s := &t.slots[h&m]
		if s.key == k && s.id != 0 {
			return &s.id
		}
		if s.id == 0 {
			return t.add(s, k)
		}
	}
}

func (t *hashed[K]) add(s *slot[K], k K) *int32 {
	if 2*t.n >= len(t.slots) {
		t.grow()
		return t.find(k)
	}
	t.n++
	s.key = k
	return &s.id
}

func (t *hashed[K]) grow() {
	old := t.slots
	t.slots = make([]slot[K], 2*len(old))
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

func newHashed[K key]() hashed[K] {
	const bits = 6
	return hashed[K]{slots: make([]slot[K], 1<<bits), shift: 64 - bits}
}

// table numbers names.
type table struct {
	short hashed[short]
	word  hashed[word]
	long  map[string]int32
}

func newTable() table { return table{newHashed[short](), newHashed[word](), make(map[string]int32)} }

// intern returns the number of a name. next is the number that a new one gets; the
// caller keeps its text. Behind the name, there must be pad more bytes in its array.
func (t *table) intern(name []byte, next int32) (id int32, fresh bool) {
	var p *int32
	switch n := len(name); {
	case n <= maxShort:
		p = t.short.find(loadShort(name[:8], n))
	case n <= maxWord:
		p = t.word.find(loadWord(name[:16], n))
	default:
		if id, ok := t.long[string(name)]; ok {
			return id, false
		}
		t.long[string(name)] = next
		return next, true
	}
	if *p == 0 {
		*p = next
		return next, true
	}
	return *p, false
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
