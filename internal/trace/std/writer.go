package std

import (
	"bufio"
	"io"
	"strconv"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Writer writes a trace in the STD format. It is a trace.Sink. Events that the format cannot
// express are written such that the happens-before order of the trace is kept, or are left out.
// Lossy counts both.
//
// An access becomes r or w. An atomic access is between acq and rel of a lock of its own; an atomic
// read-modify-write is r and w there. The name of a variable is its address, so accesses of
// different size or at different offsets of one word look unrelated. Lock and Unlock become acq and
// rel; an Unlock by a goroutine that is not the holder is written for the holder. Any other
// synchronisation, and the shared mode of an RWMutex, becomes acq and rel at once. Other events are
// left out.
type Writer struct {
	w       *bufio.Writer
	meta    *trace.Meta
	objects map[trace.Addr]string
	known   int // entries of meta.Objects that are in objects
	holder  map[trace.Addr]trace.GoID
	lossy   Lossy
	line    []byte
}

// Lossy counts what a trace lost on its way to STD.
type Lossy struct {
	Values       int // values that were known
	Foreign      int // unlocks by another goroutine than the holder
	Approximated int // synchronisation written as acq and rel
	Dropped      int // events left out
}

// NewWriter begins to write. The names come from meta, which may be nil, and which
// may grow while the trace is written.
func NewWriter(out io.Writer, meta *trace.Meta) *Writer {
	if meta == nil {
		meta = &trace.Meta{}
	}
	w := &Writer{
		w: bufio.NewWriterSize(out, 1<<16), meta: meta,
		objects: make(map[trace.Addr]string), holder: make(map[trace.Addr]trace.GoID),
	}
	return w
}

// Lossy returns what was lost so far.
func (w *Writer) Lossy() Lossy { return w.lossy }

// Close writes what is buffered. It does not close the underlying writer.
func (w *Writer) Close() error { return w.w.Flush() }

// Write writes the lines that stand for e, if any.
func (w *Writer) Write(e *trace.Event) error {
	switch e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		return w.access(e)
	case format.Lock, format.Unlock:
		if e.Flags&format.FlagRead == 0 {
			return w.lock(e)
		}
		return w.pair(e)
	case format.TryFail, format.WGAdd, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast,
		format.ChanSend, format.ChanRecv, format.ChanClose, format.Acquire, format.Release, format.ReleaseMerge:
		return w.pair(e)
	case format.Go:
		return w.op(e, "fork", w.threadName(trace.GoID(e.Obj)))
	case format.Join:
		return w.op(e, "join", w.threadName(trace.GoID(e.Obj)))
	case format.Start:
		return w.op(e, "begin", "")
	case format.End:
		return w.op(e, "end", "")
	case format.ChanLen, format.SelectCase, format.SelectDefault, format.MethodBegin, format.MethodEnd,
		format.Reach, format.ReachGo, format.ReachSet, format.Observe, format.Alloc:
		w.lossy.Dropped++
		return nil
	}
	if e.Kind.IsControl() {
		w.lossy.Dropped++
		return nil
	}
	panic("std: unknown kind of event " + e.Kind.String())
}

func (w *Writer) access(e *trace.Event) error {
	if e.Flags&format.FlagStack != 0 {
		w.lossy.Dropped++
		return nil
	}
	if e.Flags&format.FlagNoValue == 0 {
		w.lossy.Values++
	}
	x := w.objectName(e.Obj, "V")
	if !e.Kind.IsAtomic() {
		if e.Kind == format.Read {
			return w.op(e, "r", x)
		}
		return w.op(e, "w", x)
	}
	w.lossy.Approximated++
	l := "atomic." + x
	w.op(e, "acq", l)
	if e.Kind != format.AtomicWrite {
		w.op(e, "r", x)
	}
	if e.Kind != format.AtomicRead {
		w.op(e, "w", x)
	}
	return w.op(e, "rel", l)
}

func (w *Writer) lock(e *trace.Event) error {
	l := w.objectName(e.Obj, "L")
	if e.Kind == format.Lock {
		w.holder[e.Obj] = e.G
		return w.op(e, "acq", l)
	}
	by := *e
	if h, ok := w.holder[e.Obj]; ok && h != e.G {
		w.lossy.Foreign++
		by.G = h
	}
	delete(w.holder, e.Obj)
	return w.op(&by, "rel", l)
}

func (w *Writer) pair(e *trace.Event) error {
	w.lossy.Approximated++
	name := w.objectName(e.Obj, "L")
	if h, held := w.holder[e.Obj]; held && h != e.G {
		name = "sync." + name // TryLock of a lock that is held
	} else if held {
		return nil
	}
	w.op(e, "acq", name)
	return w.op(e, "rel", name)
}

// op writes one line. Errors stay in the bufio.Writer: the last call of a series returns them.
func (w *Writer) op(e *trace.Event, op, operand string) error {
	b := append(w.line[:0], w.threadName(e.G)...)
	b = append(append(append(b, '|'), op...), '(')
	b = append(append(b, operand...), ")|"...)
	if name := w.meta.Position(e.Site); name != "" {
		b = append(b, name...)
	} else {
		b = strconv.AppendUint(b, uint64(e.Site), 10)
	}
	b = append(b, '\n')
	w.line = b
	_, err := w.w.Write(b)
	return err
}

func (w *Writer) threadName(g trace.GoID) string {
	if int(g) < len(w.meta.Goroutines) && w.meta.Goroutines[g].Name != "" {
		return w.meta.Goroutines[g].Name
	}
	return "T" + strconv.Itoa(int(g))
}

// objectName returns the name of an object, or prefix and its address.
func (w *Writer) objectName(a trace.Addr, prefix string) string {
	for ; w.known < len(w.meta.Objects); w.known++ {
		o := w.meta.Objects[w.known]
		w.objects[o.Addr] = o.Name
	}
	if n, ok := w.objects[a]; ok {
		return n
	}
	return prefix + strconv.FormatUint(uint64(a), 16)
}
