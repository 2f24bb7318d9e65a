package trace

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a trace file. Whole blocks go to the underlying writer as they
// fill, so that what a killed writer leaves can be read.
type Writer struct {
	w      io.Writer
	off    uint64
	events uint64 // in blocks written
	index  []entry
	meta   *Meta
	enc    encoder
	zstd   *zstd.Encoder
	buf    []byte
	err    error // first error; all later calls return it
}

// entry is the place of one block of events.
type entry struct {
	off   uint64
	first uint64 // number of its first event
	count uint32
}

// NewWriter begins a trace file with the header and with meta as far as it is
// known; nil is an empty one.
func NewWriter(w io.Writer, meta *Meta) (*Writer, error) {
	if meta == nil {
		meta = &Meta{}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	tw := &Writer{w: w, meta: meta, zstd: z}
	tw.enc.reset()
	h := append(make([]byte, 0, headerSize), magic...)
	h = append(binary.LittleEndian.AppendUint16(h, version), 0, 0, 0, 0, 0, 0)
	tw.write(h)
	tw.writeMeta(meta)
	return tw, tw.err
}

// Write appends e.
func (w *Writer) Write(e *Event) error {
	if w.err != nil {
		return w.err
	}
	if !valid(e) {
		return fmt.Errorf("event %d cannot be stored: kind %d, goroutine %d", w.Events(), e.Kind, e.G)
	}
	w.enc.add(e)
	if w.enc.full() {
		w.flush()
	}
	return w.err
}

// Events returns the number of events written.
func (w *Writer) Events() int64 { return int64(w.events) + int64(w.enc.n) }

// Bytes returns the number of bytes written to the underlying writer. Up to one
// block of events is not yet among them.
func (w *Writer) Bytes() int64 { return int64(w.off) }

// Close writes what remains: events, meta (nil: the one given to NewWriter), index
// and trailer. It does not close the underlying writer.
func (w *Writer) Close(meta *Meta) error {
	if meta == nil {
		meta = w.meta
	}
	w.flush()
	t := trailer{meta: w.off, events: w.events}
	w.writeMeta(meta)
	t.index = w.off
	w.writeIndex()
	w.write(t.append(nil))
	w.zstd.Close()
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("trace writer is closed")
	return nil
}

func (w *Writer) flush() {
	if w.enc.n == 0 || w.err != nil {
		return
	}
	w.index = append(w.index, entry{w.off, w.events, uint32(w.enc.n)})
	w.block(eventBlock, uint32(w.enc.n), w.enc.bytes())
	w.events += uint64(w.enc.n)
	w.enc.reset()
}

func (w *Writer) writeMeta(meta *Meta) {
	if w.err != nil {
		return
	}
	b, err := json.Marshal(meta)
	if err == nil && len(b) > maxMetaBytes/2 {
		err = fmt.Errorf("the tables are too large for a trace file (size %d)", len(b))
	}
	if err != nil {
		w.err = err
		return
	}
	w.block(metaBlock, 0, b)
}

func (w *Writer) writeIndex() {
	var b []byte
	before := uint64(0)
	for _, x := range w.index {
		b = binary.AppendUvarint(b, x.off-before)
		b = binary.AppendUvarint(b, uint64(x.count))
		before = x.off
	}
	w.block(indexBlock, uint32(len(w.index)), b)
}

// block writes one block, with a single call of the underlying writer.
func (w *Writer) block(typ byte, count uint32, plain []byte) {
	if cap(w.buf) < blockSize {
		w.buf = make([]byte, blockSize, 1<<16)
	}
	b := w.zstd.EncodeAll(plain, w.buf[:blockSize])
	h := block{typ, uint32(len(b) - blockSize), uint32(len(plain)), count, w.events, checksum(b[blockSize:])}
	h.append(b[:0])
	w.buf = b
	w.write(b)
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.off += uint64(n)
	w.err = err
}
