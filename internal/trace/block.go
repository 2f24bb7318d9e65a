package trace

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

const (
	magic        = "presage\x00"
	trailerMagic = "PRESAGE\x00"
	version      = 5

	headerSize  = 16
	blockSize   = 32 // of a block's header
	trailerSize = 32

	// maxMetaBytes and maxIndexBytes bound what a reader allocates because a block says so.
	maxMetaBytes = 1 << 30
)

// Types of block.
const (
	metaBlock  = 'M'
	eventBlock = 'E'
	indexBlock = 'X'
)

// block is the header of a block.
type block struct {
	typ    byte
	stored uint32
	plain  uint32
	count  uint32
	first  uint64 // number of events before
	sum    uint32 // of the stored payload
}

func checksum(b []byte) uint32 { return uint32(xxhash.Sum64(b)) }

func (h *block) append(b []byte) []byte {
	n := len(b)
	b = append(b, h.typ, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, h.stored)
	b = binary.LittleEndian.AppendUint32(b, h.plain)
	b = binary.LittleEndian.AppendUint32(b, h.count)
	b = binary.LittleEndian.AppendUint64(b, h.first)
	b = binary.LittleEndian.AppendUint32(b, h.sum)
	return binary.LittleEndian.AppendUint32(b, checksum(b[n:]))
}

// parse reads a header from its bytes. It returns what is wrong, or "".
func (h *block) parse(b []byte) string {
	le := binary.LittleEndian
	if le.Uint32(b[28:]) != checksum(b[:28]) {
		return "checksum of a block's header"
	}
	*h = block{b[0], le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint64(b[16:]), le.Uint32(b[24:])}
	limit := uint32(maxMetaBytes)
	switch h.typ {
	case eventBlock:
		limit = maxBlockBytes
		if h.count == 0 || h.count > MaxBlockEvents {
			return "number of events in a block"
		}
	case metaBlock, indexBlock:
	default:
		return "unknown type of block"
	}
	if h.plain > limit || h.stored > limit || h.first > 1<<62 {
		return "size of a block"
	}
	return ""
}

// trailer is the end of a finished file.
type trailer struct{ index, meta, events uint64 }

func (t *trailer) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, t.index)
	b = binary.LittleEndian.AppendUint64(b, t.meta)
	b = binary.LittleEndian.AppendUint64(b, t.events)
	return append(b, trailerMagic...)
}

func (t *trailer) parse(b []byte) bool {
	le := binary.LittleEndian
	*t = trailer{le.Uint64(b), le.Uint64(b[8:]), le.Uint64(b[16:])}
	return string(b[24:32]) == trailerMagic
}
