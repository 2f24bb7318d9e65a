package merge

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// constants is the read-only data of the program, and what of it the trace may name.
type constants struct {
	base uint64
	data []byte
	used map[uint64]uint64 // by address: the length of the longest string
}

// maxText is the length of the longest string of which the content is kept.
const maxText = 4096

// constant takes a piece of read-only data.
func (m *merger) constant(r *record) {
	c := &m.consts
	x, n := r.word(0), min(uint64(r.size), uint64(len(r.w)-8))
	switch {
	case x == 0 && n == 8:
		m.meta.Warn("constants-large", int(r.word(1)), "bytes of the program's read-only data were not recorded: what strings there say is not known")
		return
	case len(c.data) == 0:
		c.base, c.used = x, map[uint64]uint64{}
	case x != c.base+uint64(len(c.data)):
		m.damaged("read-only data at %#x, behind that up to %#x", x, c.base+uint64(len(c.data)))
		return
	}
	c.data = append(c.data, r.w[8:8+n]...)
}

// texts notes the strings in the value of a record. A wide access comes a word at a time.
func (m *merger) texts(s *stream, r *record) {
	switch {
	case len(m.consts.data) == 0 || r.flags&format.FlagNoValue != 0:
		s.wide = false
		return
	case r.kind == format.Value:
		m.consts.scan(r.w)
		return
	case s.wide:
		m.consts.use(s.before, r.word(1))
	}
	s.wide, s.before = r.flags&format.FlagMore != 0, r.word(1)
}

// scan notes the strings in some words.
func (c *constants) scan(data []byte) {
	for i := int64(0); i+16 <= int64(len(data)); i += 8 {
		c.use(word(data, i), word(data, i+8))
	}
}

// use notes a string of n bytes at x, if there is read-only data.
func (c *constants) use(x, n uint64) {
	size := uint64(len(c.data))
	if x-c.base < size && n > 0 && n <= maxText && n <= size-(x-c.base) && n > c.used[x] {
		c.used[x] = n
	}
}

// texts returns the strings, what overlaps as one.
func (c *constants) texts() []trace.Memory {
	var list []trace.Memory
	for _, x := range slices.Sorted(maps.Keys(c.used)) {
		from, to := x-c.base, x-c.base+c.used[x]
		if k := len(list) - 1; k >= 0 {
			last := &list[k]
			if end := uint64(last.Addr) - c.base + uint64(len(last.Data)); from <= end {
				last.Data = append(last.Data, c.data[min(end, to):to]...)
				continue
			}
		}
		list = append(list, trace.Memory{Addr: trace.Addr(x), Data: slices.Clone(c.data[from:to])})
	}
	return list
}
