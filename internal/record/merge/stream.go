package merge

import (
	"encoding/binary"
	"math"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// stream is the records of one goroutine, or of one thread of the runtime, and the state of their
// merge.
type stream struct {
	id     uint32
	index  int32 // in recording.streams
	goid   uint64
	g      trace.GoID // -1 before its first event
	spans  []span
	broken bool // the records after spans are lost (ME7)

	// The cursor, before the next record to be emitted.
	seg  int32 // -1: at the end
	span int   // index of the next span
	at   int64 // bytes
	end  int64
	sub  int64 // bytes read already of an access to several words

	// The current group.
	number uint32   // of the group in the stream
	from   uint64   // the stamp before it
	stamp  uint64   // the stamp after it; noStamp if there is none
	acc    []access // its accesses
	next   int      // the first of them that is not yet emitted
	busy   bool     // being emitted: it is not pulled

	found, emitted shorts // the RawShort records that load and emitNext have read

	stack struct{ lo, hi uint64 } // of the goroutine, by its last Alloc with FlagStack
	calls []openCall              // excluded calls
	last  uint64                  // stamp
	late  []*lateAccess           // of the open context (ME8)

	wide   bool   // the next word belongs to the same access
	before uint64 // the last word of it
	rec    record // being emitted
}

// isValued reports whether r is a plain access whose value the merged order has to explain.
func isValued(r *record) bool {
	return isPlain(r) && r.site&format.OutsidePC == 0 && r.word(0) != 0 && r.size > 0 && r.size <= 8
}

// isAudited reports whether r is an access of outside code with a value, of an audit. The order
// does not depend on it.
func isAudited(r *record) bool { return isPlain(r) && r.site&format.OutsidePC != 0 }

// noStamp is the stamp after a group at the end of a stream (ME7).
const noStamp = math.MaxUint64

// access is an access of the current group. An access without a value has no cell; it may touch
// many bytes.
type access struct {
	x    uint64 // aligned address; without a value: address
	c    *cell
	val  uint64 // shifted to its place in the word; without a value: number of bytes
	mask uint8  // bytes of the word
	kind format.Kind
}

// within reports whether a touches the n bytes at x.
func (a *access) within(x, n uint64) bool {
	if a.c == nil {
		return a.x < x+n && x < a.x+a.val
	}
	return a.x < x+n && x < a.x+8
}

// record is a raw record.
type record struct {
	kind  format.Kind
	flags format.Flags
	size  uint16
	site  uint32
	w     []byte // the words after the header
	stamp uint64
	has   bool     // it has a stamp
	one   [16]byte // w, when the record is one word of a wide access
}

func (r *record) word(i int) uint64 { return word(r.w, int64(8*i)) }

// cursor is the position of a record in a stream.
type cursor struct {
	seg     int32
	span    int
	at, end int64
	sub     int64
	shorts  *shorts // nil: RawShort records are not expanded
}

func (s *stream) cursor() cursor { return cursor{s.seg, s.span, s.at, s.end, s.sub, nil} }

func (s *stream) setCursor(c cursor) {
	s.seg, s.span, s.at, s.end, s.sub = c.seg, c.span, c.at, c.end, c.sub
}

// read reads the record at c into r and advances c. ok is false at the end.
func (c *cursor) read(m *recording, s *stream, r *record) (ok bool) {
	for c.at >= c.end {
		if c.span >= len(s.spans) {
			return false
		}
		sp := s.spans[c.span]
		c.seg, c.at, c.end = sp.seg, sp.start, sp.end
		c.span++
	}
	b := m.maps[c.seg]
	h := word(b, c.at)
	words, stamp := format.RawLen(h)
	n := int64(words) * 8
	if n == 0 || n > c.end-c.at {
		return false // damage: join has reported it
	}
	if format.Kind(h>>56) == format.RawShort && c.shorts != nil {
		c.short(b, h, n, r)
		return true
	}
	*r = record{
		kind: format.Kind(h >> 56), flags: format.Flags(h >> 48), size: uint16(h >> 32), site: uint32(h),
		w: b[c.at+8 : c.at+n], has: stamp > 0,
	}
	if r.has {
		r.stamp = word(b, c.at+int64(8*stamp))
	}
	if isPlain(r) && (r.size > 8 || r.word(0)&7+uint64(r.size) > 8) {
		if c.part(r, r.word(0), r.w[8:]) {
			return true
		}
	}
	c.at += n
	return true
}

func isPlain(r *record) bool {
	return (r.kind == format.Read || r.kind == format.Write) && r.flags&format.FlagNoValue == 0
}

// part reduces r, an access of the value data at addr, to its part in the next aligned word. An
// access through a pointer converted by unsafe may cross words, whatever its type. It reports
// whether more words follow.
func (c *cursor) part(r *record, addr uint64, data []byte) bool {
	at, size := addr+uint64(c.sub), int64(r.size)
	n := min(8-int64(at&7), size-c.sub)
	var v [8]byte
	copy(v[:n], data[min(c.sub, int64(len(data))):])
	binary.LittleEndian.PutUint64(r.one[:8], at)
	copy(r.one[8:], v[:])
	r.w = r.one[:]
	r.size = uint16(n)
	if c.sub += n; c.sub < size {
		r.flags |= format.FlagMore
		return true
	}
	c.sub = 0
	return false
}
