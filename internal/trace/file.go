package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

// Trace is a trace file that can be read from any event on. Not for concurrent use.
type Trace struct {
	Reader
	name  string
	f     *os.File
	size  int64
	index []entry
	cut   error // why the file has no usable index; nil for a finished one
}

// Open opens a trace file. A file that is cut short opens: it has the events of
// its whole blocks, Cut tells what is wrong, and Next returns it after them.
func Open(name string) (*Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	t, err := open(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	t.name = name
	return t, nil
}

func open(f *os.File) (*Trace, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, err
	}
	t := &Trace{Reader: *r, f: f, size: st.Size()}
	if !t.readIndex() {
		if err := t.scan(); err != nil {
			return nil, err
		}
	}
	return t, t.SeekTo(0)
}

// Close closes the file.
func (t *Trace) Close() error { return t.f.Close() }

// Events returns the number of events that can be read.
func (t *Trace) Events() int64 {
	if len(t.index) == 0 {
		return 0
	}
	x := t.index[len(t.index)-1]
	return int64(x.first) + int64(x.count)
}

// Size returns the number of bytes of the file.
func (t *Trace) Size() int64 { return t.size }

// Cut returns nil if the writer finished the file, else an *Error that says where
// what can be read ends.
func (t *Trace) Cut() error { return t.cut }

// SeekTo makes event n the next one. Seeking to Events is the end of the trace.
func (t *Trace) SeekTo(n int64) error {
	if n < 0 || n > t.Events() {
		return fmt.Errorf("trace %s has events 0 to %d, not %d", t.name, t.Events()-1, n)
	}
	t.dec.left, t.next = 0, n
	if n == t.Events() {
		t.err = io.EOF
		if t.cut != nil {
			t.err = t.cut
		}
		return nil
	}
	i := sort.Search(len(t.index), func(i int) bool { return int64(t.index[i].first) > n }) - 1
	x := t.index[i]
	t.err, t.next = nil, int64(x.first)
	if err := t.seekOffset(int64(x.off)); err != nil {
		return err
	}
	var e Event
	for t.next < n {
		if err := t.Next(&e); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trace) seekOffset(off int64) error {
	if _, err := t.f.Seek(off, io.SeekStart); err != nil {
		return err
	}
	t.in.(*bufio.Reader).Reset(t.f)
	t.off = off
	return nil
}

// readIndex reads trailer, index and the last meta. It reports whether all three are good.
func (t *Trace) readIndex() bool {
	var b [trailerSize]byte
	var tr trailer
	if _, err := t.f.ReadAt(b[:], t.size-trailerSize); err != nil || !tr.parse(b[:]) {
		return false
	}
	end := uint64(t.size - trailerSize)
	if tr.index >= end || tr.meta >= tr.index || t.seekOffset(int64(tr.index)) != nil {
		return false
	}
	h, err := t.readBlock()
	if err != nil || h.typ != indexBlock || uint64(t.off) != end || !t.parseIndex(h, tr) {
		return false
	}
	if t.seekOffset(int64(tr.meta)) != nil {
		return false
	}
	h, err = t.readBlock()
	return err == nil && h.typ == metaBlock && t.parseMeta() == nil
}

func (t *Trace) parseIndex(h block, tr trailer) bool {
	c := column{b: t.plain}
	off, events := uint64(0), uint64(0)
	t.index = nil
	for range h.count {
		off += c.uvarint()
		n := c.uvarint()
		if c.bad || n == 0 || n > MaxBlockEvents || off < headerSize || off >= tr.meta {
			return false
		}
		t.index = append(t.index, entry{off, events, uint32(n)})
		events += n
	}
	return events == tr.events
}

// scan builds the index of a file without one from the headers of its blocks, and
// sets cut to what ends the scan.
func (t *Trace) scan() error {
	t.index, t.next = nil, 0
	off := int64(headerSize)
	for {
		var b [blockSize]byte
		var h block
		t.base = off
		if _, err := t.f.ReadAt(b[:], off); err != nil {
			return t.endScan(t.short(err, "it has no index"))
		}
		if why := h.parse(b[:]); why != "" {
			return t.endScan(t.corrupt(why))
		}
		after := off + blockSize + int64(h.stored)
		if after > t.size {
			return t.endScan(t.short(io.EOF, "in a block"))
		}
		switch h.typ {
		case indexBlock:
			return t.endScan(t.short(io.EOF, "in the trailer"))
		case metaBlock:
			if t.seekOffset(off) == nil {
				if _, err := t.readBlock(); err == nil {
					t.parseMeta() // if it does not parse, the one before stands
				}
			}
		case eventBlock:
			if int64(h.first) != t.next {
				return t.endScan(t.corrupt(fmt.Sprintf("the block begins with event %d", h.first)))
			}
			t.index = append(t.index, entry{uint64(off), h.first, h.count})
			t.next += int64(h.count)
		}
		off = after
	}
}

// endScan keeps why as the reason of the cut, unless it is an error of the file itself.
func (t *Trace) endScan(why error) error {
	if errors.Is(why, ErrCut) || errors.Is(why, ErrCorrupt) {
		t.cut = why
		return nil
	}
	return why
}
