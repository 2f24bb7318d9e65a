package merge

import (
	"encoding/binary"

	"presage/internal/trace/format"
)

// shorts are the last RawShort records of a stream, by site: what the next ones leave out. A stream is read
// twice, each time with its own.
type shorts struct {
	last map[uint32]*shortAccess
	now  shortAccess // the one being read
}

type shortAccess struct {
	addr uint64
	w    [3]uint64
}

// short makes r the next word of the RawShort at c, which has n bytes.
func (c *cursor) short(b []byte, h uint64, n int64, r *record) {
	size, words := format.ShortSize(h)
	if c.sub == 0 {
		c.shorts.expand(b[c.at:c.at+n], h, words)
	}
	*r = record{kind: format.Read, size: min(size, 8), site: uint32(h)}
	if format.Flags(h>>48)&format.ShortWrite != 0 {
		r.kind = format.Write
	}
	now := &c.shorts.now
	binary.LittleEndian.PutUint64(r.one[:8], now.addr+uint64(8*c.sub))
	binary.LittleEndian.PutUint64(r.one[8:], now.w[c.sub])
	r.w = r.one[:]
	if c.sub++; c.sub < int64(words) {
		r.flags = format.FlagMore
		return
	}
	c.sub = 0
	c.at += n
}

// expand completes the record b from the last one of its site. Without one, which only damage
// explains, it has no address and is no access.
func (k *shorts) expand(b []byte, h uint64, words int) {
	last := k.last[uint32(h)]
	f := format.Flags(h >> 48)
	if last == nil {
		k.now = shortAccess{}
		if f&format.ShortAddr == 0 {
			return
		}
		last = new(shortAccess)
		if k.last == nil {
			k.last = make(map[uint32]*shortAccess)
		}
		k.last[uint32(h)] = last
	}
	i := int64(8)
	next := func() uint64 { i += 8; return word(b, i-8) }
	if f&format.ShortAddr != 0 {
		last.addr = next()
	} else {
		last.addr += format.ShortStep(h)
	}
	if f&format.ShortFirst != 0 {
		last.w[0] = next()
	}
	if f&format.ShortRest != 0 {
		for j := 1; j < words; j++ {
			last.w[j] = next()
		}
	}
	k.now = *last
}
