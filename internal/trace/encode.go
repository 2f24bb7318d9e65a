package trace

import (
	"encoding/binary"
	"math/bits"
)

// MaxBlockEvents is the largest number of events in a block.
const MaxBlockEvents = 1 << 15

// maxBlockBytes bounds the payload of a block of events before compression: the
// writer closes a block early when its columns are larger than a quarter of this.
const maxBlockBytes = 4 << 20

// Operands of a shape that are stored.
const (
	hasObj = 1 << iota
	hasVal
	hasAux
	hasAll = hasObj | hasVal | hasAux
)

// shape is what the events of one instruction have in common, with the operands
// that the last of them had.
type shape struct {
	key           uint64 // kind<<56 | flags<<48 | size<<32 | site
	mask          uint8
	obj, val, aux uint64
}

func shapeKey(e *Event) uint64 {
	return uint64(e.Kind)<<56 | uint64(e.Flags)<<48 | uint64(e.Size)<<32 | uint64(e.Site)
}

func operands(e *Event) (mask uint8) {
	if e.Obj != 0 {
		mask |= hasObj
	}
	if e.Val != 0 {
		mask |= hasVal
	}
	if e.Aux != 0 {
		mask |= hasAux
	}
	return mask
}

// encoder gathers one block of events.
type encoder struct {
	shapes []shape
	table  []int32 // open addressing over shapes: index+1, 0 is free
	shift  uint

	limit     int // events in a full block; 0 is MaxBlockEvents
	n         int // events
	g         GoID
	runG      GoID // goroutine of the run before
	run       uint64
	runs      []byte
	idx       []byte
	obj, val  []byte
	aux       []byte
	assembled []byte
}

const firstTableBits = 10

func (c *encoder) reset() {
	c.shapes = c.shapes[:0]
	if c.table == nil {
		c.table = make([]int32, 1<<firstTableBits)
		c.shift = 64 - firstTableBits
	}
	clear(c.table)
	c.n, c.g, c.runG, c.run = 0, 0, 0, 0
	c.runs, c.idx, c.obj, c.val, c.aux = c.runs[:0], c.idx[:0], c.obj[:0], c.val[:0], c.aux[:0]
}

func (c *encoder) full() bool {
	return c.n >= MaxBlockEvents || c.n == c.limit || len(c.obj)+len(c.val)+len(c.aux) > maxBlockBytes/4
}

// add appends e to the block.
func (c *encoder) add(e *Event) {
	if e.G != c.g || c.run == 0 {
		c.endRun()
		c.g = e.G
	}
	c.run++
	c.n++
	i := c.shape(shapeKey(e), operands(e))
	c.idx = binary.AppendUvarint(c.idx, uint64(i))
	s := &c.shapes[i]
	if s.mask&hasObj != 0 {
		c.obj = binary.AppendVarint(c.obj, int64(uint64(e.Obj)-s.obj))
		s.obj = uint64(e.Obj)
	}
	if s.mask&hasVal != 0 {
		c.val = binary.AppendVarint(c.val, int64(e.Val-s.val))
		s.val = e.Val
	}
	if s.mask&hasAux != 0 {
		c.aux = binary.AppendVarint(c.aux, int64(e.Aux-s.aux))
		s.aux = e.Aux
	}
}

func (c *encoder) endRun() {
	if c.run == 0 {
		return
	}
	c.runs = binary.AppendUvarint(c.runs, c.run)
	c.runs = binary.AppendVarint(c.runs, int64(c.g)-int64(c.runG))
	c.runG, c.run = c.g, 0
}

// shape returns the index of the shape with the given key and operands.
func (c *encoder) shape(key uint64, mask uint8) int {
	m := len(c.table) - 1
	for h := shapeHash(key, mask) >> c.shift; ; h++ {
		i := c.table[int(h)&m]
		if i == 0 {
			c.shapes = append(c.shapes, shape{key: key, mask: mask})
			c.table[int(h)&m] = int32(len(c.shapes))
			if 2*len(c.shapes) > len(c.table) {
				c.grow()
			}
			return len(c.shapes) - 1
		}
		if s := &c.shapes[i-1]; s.key == key && s.mask == mask {
			return int(i - 1)
		}
	}
}

func shapeHash(key uint64, mask uint8) uint64 {
	return bits.RotateLeft64(key^uint64(mask)<<29, 23) * 0x9e3779b97f4a7c15
}

func (c *encoder) grow() {
	c.table = make([]int32, 2*len(c.table))
	c.shift--
	m := len(c.table) - 1
	for i := range c.shapes {
		h := shapeHash(c.shapes[i].key, c.shapes[i].mask) >> c.shift
		for c.table[int(h)&m] != 0 {
			h++
		}
		c.table[int(h)&m] = int32(i + 1)
	}
}

// bytes returns the payload. It is valid until the next call of add or reset.
func (c *encoder) bytes() []byte {
	c.endRun()
	b := binary.AppendUvarint(c.assembled[:0], uint64(len(c.shapes)))
	site := int64(0)
	for i := range c.shapes {
		s := &c.shapes[i]
		b = append(b, byte(s.key>>56), byte(s.key>>48), s.mask)
		b = binary.AppendUvarint(b, s.key>>32&0xffff)
		b = binary.AppendVarint(b, int64(uint32(s.key))-site)
		site = int64(uint32(s.key))
	}
	for _, col := range [][]byte{c.runs, c.idx, c.obj, c.val} {
		b = binary.AppendUvarint(b, uint64(len(col)))
	}
	for _, col := range [][]byte{c.runs, c.idx, c.obj, c.val, c.aux} {
		b = append(b, col...)
	}
	c.assembled = b
	return b
}

// valid reports whether e can be stored.
func valid(e *Event) bool { return e.Kind.Valid() && e.G >= 0 }
