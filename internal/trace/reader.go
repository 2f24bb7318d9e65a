package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Reader reads a trace file from its start to its end, without seeking. Its memory
// is that of one block of events, and the Meta.
type Reader struct {
	in    io.Reader
	off   int64 // offset of in
	meta  *Meta
	dec   decoder
	next  int64 // number of the next event
	base  int64 // offset of the block being decoded
	first int64 // number of its first event
	zstd  *zstd.Decoder
	raw   []byte
	plain []byte
	err   error // what Next returns once the block is used up
}

// NewReader begins to read a trace file.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<15), meta: &Meta{}}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(2*maxMetaBytes))
	if err != nil {
		return nil, err
	}
	r.zstd = z
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	if err := r.readFirstMeta(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) readHeader() error {
	var h [headerSize]byte
	n, err := io.ReadFull(r.in, h[:])
	r.off = int64(n)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return &Error{0, 0, err, ""}
	}
	if k := min(n, len(magic)); k == 0 || string(h[:k]) != magic[:k] {
		return &Error{0, 0, ErrNotTrace, ""}
	}
	if n < headerSize {
		return &Error{int64(n), 0, ErrCut, "in the header"}
	}
	if v := binary.LittleEndian.Uint16(h[8:]); v != version && v != 0 {
		return &Error{8, 0, ErrVersion, fmt.Sprintf("the trace has version %d, this presage reads version %d; record the run again", v, version)}
	} else if v == 0 || !bytes.Equal(h[10:], make([]byte, 6)) {
		return &Error{8, 0, ErrCorrupt, "header"}
	}
	return nil
}

// readFirstMeta reads the M block every trace begins with. A file that is cut
// before its end has no event either, and the first Next says so.
func (r *Reader) readFirstMeta() error {
	h, err := r.readBlock()
	switch {
	case errors.Is(err, ErrCut):
		r.err = err
		return nil
	case err != nil:
		return err
	case h.typ != metaBlock:
		return r.corrupt("the first block is not meta")
	}
	return r.parseMeta()
}

// Meta returns the tables of the trace: until Next has returned io.EOF, as far as
// they were known when the writer began. Never nil.
func (r *Reader) Meta() *Meta { return r.meta }

// Index returns the number of the event that Next returns next.
func (r *Reader) Index() int64 { return r.next }

// Next reads the next event into e. It returns io.EOF after the last event of a
// finished trace, and an *Error where the file ends too early or is damaged.
func (r *Reader) Next(e *Event) error {
	for r.dec.left == 0 {
		if r.err != nil {
			return r.err
		}
		r.err = r.nextBlock()
	}
	if why := r.dec.next(e); why != "" {
		r.dec.left = 0
		r.err = &Error{r.base, r.next, ErrCorrupt, why}
		return r.err
	}
	r.next++
	return nil
}

// nextBlock reads blocks up to and with the next one that has events.
func (r *Reader) nextBlock() error {
	h, err := r.readBlock()
	if err != nil {
		return err
	}
	switch h.typ {
	case eventBlock:
		return r.openBlock(h)
	case metaBlock:
		return r.parseMeta()
	case indexBlock:
		return r.readTrailer()
	}
	panic("trace: block.parse let an unknown type pass")
}

func (r *Reader) openBlock(h block) error {
	if int64(h.first) != r.next {
		return r.corrupt(fmt.Sprintf("the block begins with event %d", h.first))
	}
	r.first = r.next
	if why := r.dec.open(r.plain, int(h.count)); why != "" {
		return r.corrupt(why)
	}
	return nil
}

func (r *Reader) parseMeta() error {
	m := new(Meta)
	if err := json.Unmarshal(r.plain, m); err != nil {
		return r.corrupt("meta: " + err.Error())
	}
	r.meta = m
	r.plain = nil
	return nil
}

func (r *Reader) readTrailer() error {
	var b [trailerSize]byte
	n, err := io.ReadFull(r.in, b[:])
	r.base = r.off
	r.off += int64(n)
	var t trailer
	switch {
	case err != nil:
		return r.short(err, "in the trailer")
	case !t.parse(b[:]) || t.events != uint64(r.next):
		return r.corrupt("trailer")
	}
	return io.EOF
}

// readBlock reads a block's header and payload; the payload is left decompressed in r.plain.
func (r *Reader) readBlock() (h block, err error) {
	r.base = r.off
	var b [blockSize]byte
	n, err := io.ReadFull(r.in, b[:])
	r.off += int64(n)
	if err != nil {
		return h, r.short(err, "it has no index")
	}
	if why := h.parse(b[:]); why != "" {
		return h, r.corrupt(why)
	}
	if err := r.readPayload(int(h.stored)); err != nil {
		return h, r.short(err, "in a block")
	}
	if checksum(r.raw) != h.sum {
		return h, r.corrupt("checksum of a block")
	}
	if cap(r.plain) < int(h.plain) {
		r.plain = make([]byte, 0, h.plain)
	}
	r.plain, err = r.zstd.DecodeAll(r.raw, r.plain[:0:h.plain])
	if err != nil {
		return h, r.corrupt(err.Error())
	}
	if len(r.plain) != int(h.plain) {
		return h, r.corrupt("size of a block")
	}
	return h, nil
}

// readPayload reads n bytes into r.raw. It grows with what arrives and not with
// what the header promises.
func (r *Reader) readPayload(n int) error {
	r.raw = r.raw[:0]
	for len(r.raw) < n {
		if len(r.raw) == cap(r.raw) {
			more := min(n-len(r.raw), max(1<<16, len(r.raw)))
			r.raw = append(make([]byte, 0, len(r.raw)+more), r.raw...)
		}
		k, err := io.ReadFull(r.in, r.raw[len(r.raw):min(n, cap(r.raw))])
		r.raw = r.raw[:len(r.raw)+k]
		r.off += int64(k)
		if err != nil {
			return err
		}
	}
	return nil
}

// short makes an Error of an error of the underlying reader.
func (r *Reader) short(err error, where string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &Error{r.base, r.next, ErrCut, where}
	}
	return &Error{r.base, r.next, err, ""}
}

func (r *Reader) corrupt(why string) error { return &Error{r.base, r.next, ErrCorrupt, why} }
