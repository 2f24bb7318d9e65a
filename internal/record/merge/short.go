package merge

import (
	"github.com/presage-race/presage/internal/trace/format"
)

// shorts holds the last RawShort record of each site of a stream. The next one omits what is equal.
// A stream is read twice, each time with its own shorts.
type shorts struct {
	last map[uint32]*shortAccess
	now  shortAccess // the one being read
}

type shortAccess struct {
	addr uint64
	data [24]byte // its value
}

// short makes r the next word of the RawShort at c, which has n bytes.
func (c *cursor) short(b []byte, h uint64, n int64, r *record) {
	size, words := format.ShortSize(h)
	if c.sub == 0 {
		c.shorts.expand(b[c.at:c.at+n], h, words)
	}
	*r = record{kind: format.Read, size: size, site: uint32(h)}
	if format.Flags(h>>48)&format.ShortWrite != 0 {
		r.kind = format.Write
	}
	if !c.part(r, c.shorts.now.addr, c.shorts.now.data[:]) {
		c.at += n
	}
}

// expand completes the record b from the last one of its site. If there is none, the recording is
// damaged: the record then has no address and is no access.
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
	if f&format.ShortAddr != 0 {
		last.addr = word(b, i)
		i += 8
	} else {
		last.addr += format.ShortStep(h)
	}
	if f&format.ShortFirst != 0 {
		copy(last.data[:8], b[i:])
		i += 8
	}
	if f&format.ShortRest != 0 {
		copy(last.data[8:8*words], b[i:])
	}
	k.now = *last
}
