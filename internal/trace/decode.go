package trace

import (
	"encoding/binary"
	"math"

	"github.com/presage-race/presage/internal/trace/format"
)

// decoder yields the events of one block.
type decoder struct {
	shapes []known
	left   int    // events not yet read
	run    uint64 // events left of the run
	g      GoID
	runs   column
	idx    column
	obj    column
	val    column
	aux    column
}

// known is a shape with the event it stands for: the last one of the shape.
type known struct {
	e    Event
	mask uint8
}

// column is a sequence of varints. After the first varint that is not whole or too
// long, bad is set, and every number is zero.
type column struct {
	b   []byte
	i   int
	bad bool
}

func (c *column) uvarint() uint64 {
	if c.i < len(c.b) {
		if x := c.b[c.i]; x < 0x80 {
			c.i++
			return uint64(x)
		}
	}
	return c.long()
}

func (c *column) long() uint64 {
	x, n := binary.Uvarint(c.b[c.i:])
	if n <= 0 {
		c.bad, c.i = true, len(c.b)
		return 0
	}
	c.i += n
	return x
}

func (c *column) varint() int64 {
	u := c.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (c *column) byte() byte {
	if c.i >= len(c.b) {
		c.bad = true
		return 0
	}
	c.i++
	return c.b[c.i-1]
}

// cut returns the next n bytes as a column of its own.
func (c *column) cut(n uint64) column {
	if n > uint64(len(c.b)-c.i) {
		c.bad = true
		return column{}
	}
	s := c.b[c.i : c.i+int(n)]
	c.i += int(n)
	return column{b: s}
}

// open begins to decode a block of n events. It returns what is wrong, or "".
func (d *decoder) open(payload []byte, n int) string {
	c := column{b: payload}
	if why := d.openShapes(&c); why != "" {
		return why
	}
	var size [4]uint64
	for i := range size {
		size[i] = c.uvarint()
	}
	d.runs, d.idx, d.obj, d.val = c.cut(size[0]), c.cut(size[1]), c.cut(size[2]), c.cut(size[3])
	d.aux = c.cut(uint64(len(c.b) - c.i))
	if c.bad {
		return "columns exceed the block"
	}
	d.left, d.run, d.g = n, 0, 0
	return ""
}

func (d *decoder) openShapes(c *column) string {
	n := c.uvarint()
	if n > uint64(len(c.b))/5 {
		return "more shapes than bytes"
	}
	d.shapes = d.shapes[:0]
	site := int64(0)
	for range n {
		kind, flags, mask := format.Kind(c.byte()), format.Flags(c.byte()), c.byte()
		size := c.uvarint()
		site += c.varint()
		if !kind.Valid() || mask > hasAll || size > math.MaxUint16 || site < 0 || site > math.MaxUint32 {
			return "impossible shape"
		}
		d.shapes = append(d.shapes, known{Event{Kind: kind, Flags: flags, Size: uint16(size), Site: Site(site)}, mask})
	}
	if c.bad {
		return "shapes exceed the block"
	}
	return ""
}

// next decodes one event. It returns what is wrong, or "". There must be events left.
func (d *decoder) next(e *Event) string {
	if d.run == 0 {
		if why := d.nextRun(); why != "" {
			return why
		}
	}
	i := d.idx.uvarint()
	if i >= uint64(len(d.shapes)) || d.idx.bad {
		return "unknown shape"
	}
	s := &d.shapes[i]
	if s.mask&hasObj != 0 {
		s.e.Obj += Addr(d.obj.varint())
	}
	if s.mask&hasVal != 0 {
		s.e.Val += uint64(d.val.varint())
	}
	if s.mask&hasAux != 0 {
		s.e.Aux += uint64(d.aux.varint())
	}
	*e = s.e
	e.G = d.g
	d.run--
	d.left--
	if d.left == 0 {
		return d.end()
	}
	return ""
}

func (d *decoder) nextRun() string {
	d.run = d.runs.uvarint()
	g := int64(d.g) + d.runs.varint()
	if d.runs.bad || d.run == 0 || d.run > uint64(d.left) || g < 0 || g > math.MaxInt32 {
		return "impossible run"
	}
	d.g = GoID(g)
	return ""
}

// end checks that the columns end with the last event. (A column that ended too
// early has given zeros, and the block is refused with its last event: events
// before it may be wrong, but only a writer's fault or a checksum collision gets here.)
func (d *decoder) end() string {
	for _, c := range []*column{&d.runs, &d.idx, &d.obj, &d.val, &d.aux} {
		if c.bad || c.i != len(c.b) {
			return "columns and number of events disagree"
		}
	}
	return ""
}
