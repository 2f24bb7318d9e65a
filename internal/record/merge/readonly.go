package merge

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// readOnlyData is the read-only data of the program, and the strings in it that the trace refers
// to.
type readOnlyData struct {
	base uint64
	data []byte
	used map[uint64]uint64 // by address: the length of the longest string
}

// maxText is the length of the longest string whose content is kept.
const maxText = 4096

// add appends a piece of the data, at x. It reports whether the piece follows the last one.
func (c *readOnlyData) add(x uint64, piece []byte) bool {
	switch {
	case len(c.data) == 0:
		c.base, c.used = x, map[uint64]uint64{}
	case x != c.end():
		return false
	}
	c.data = append(c.data, piece...)
	return true
}

func (c *readOnlyData) end() uint64 { return c.base + uint64(len(c.data)) }

// note notes the strings in the value of a record of s. The words of a wide access are records of
// their own.
func (c *readOnlyData) note(s *stream, r *record) {
	switch {
	case len(c.data) == 0 || r.flags&format.FlagNoValue != 0:
		s.wide = false
		return
	case r.kind == format.Value:
		c.scan(r.w)
		return
	case s.wide:
		c.use(s.before, r.word(1))
	}
	s.wide, s.before = r.flags&format.FlagMore != 0, r.word(1)
}

// scan notes the strings in consecutive words: an address, followed by a length.
func (c *readOnlyData) scan(data []byte) {
	for i := int64(0); i+16 <= int64(len(data)); i += 8 {
		c.use(word(data, i), word(data, i+8))
	}
}

// use notes a string of n bytes at x, if that lies in the read-only data.
func (c *readOnlyData) use(x, n uint64) {
	size := uint64(len(c.data))
	if x-c.base < size && n > 0 && n <= maxText && n <= size-(x-c.base) && n > c.used[x] {
		c.used[x] = n
	}
}

// texts returns the strings. Those that overlap or adjoin are one.
func (c *readOnlyData) texts() []trace.Memory {
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
