package raw

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Writer writes the text form. It is a trace.Sink.
type Writer struct {
	w    *bufio.Writer
	buf  []byte
	meta *trace.Meta
	objs map[trace.Addr]string
	gos  []string
	done bool // the tables were written
}

// NewWriter begins to write. With meta, the tables come first, and events use the
// names in it and have their positions as comments. Without, events have numbers
// only, and the tables come at the end: see Close.
func NewWriter(out io.Writer, meta *trace.Meta) (*Writer, error) {
	w := &Writer{w: bufio.NewWriterSize(out, 1<<16)}
	if meta == nil {
		return w, nil
	}
	w.meta, w.done = meta, true
	w.nameObjects()
	w.nameGoroutines()
	return w, w.tables(meta)
}

// Close writes the tables of meta, if NewWriter did not and meta is not nil, and
// what is buffered. It does not close the underlying writer.
func (w *Writer) Close(meta *trace.Meta) error {
	if meta != nil && !w.done {
		w.done = true
		if err := w.tables(meta); err != nil {
			return err
		}
	}
	return w.w.Flush()
}

// Text returns events as text.
func Text(events []trace.Event, meta *trace.Meta) string {
	var b strings.Builder
	w, err := NewWriter(&b, meta)
	for i := range events {
		if err == nil {
			err = w.Write(&events[i])
		}
	}
	if err == nil {
		err = w.Close(nil)
	}
	if err != nil {
		panic("raw: writing to memory: " + err.Error())
	}
	return b.String()
}

// nameObjects chooses the names that read back as the same address: a name that
// stands for two addresses stands for the first.
func (w *Writer) nameObjects() {
	w.objs = make(map[trace.Addr]string)
	used := make(map[string]bool)
	for _, o := range w.meta.Objects {
		if !used[o.Name] && isName(o.Name) {
			if _, ok := w.objs[o.Addr]; !ok {
				w.objs[o.Addr] = o.Name
			}
		}
		used[o.Name] = true
	}
}

func (w *Writer) nameGoroutines() {
	w.gos = make([]string, len(w.meta.Goroutines))
	used := make(map[string]bool)
	for g, info := range w.meta.Goroutines {
		if !used[info.Name] && isGoName(info.Name) {
			w.gos[g] = info.Name
		}
		used[info.Name] = true
	}
}

func (w *Writer) tables(m *trace.Meta) error {
	scalars := *m
	scalars.Files, scalars.Funcs, scalars.Sites = nil, nil, nil
	scalars.Goroutines, scalars.Objects, scalars.Warnings = nil, nil, nil
	t := tableWriter{w: w.w}
	t.line("meta", -1, scalars)
	for i := range m.Files {
		t.line("file", i, m.Files[i])
	}
	for i := range m.Funcs {
		t.line("func", i, m.Funcs[i])
	}
	for i := range m.Sites {
		t.line("site", i, m.Sites[i])
	}
	for i := range m.Goroutines {
		t.line("go", i, m.Goroutines[i])
	}
	for i := range m.Objects {
		t.line("object", -1, m.Objects[i])
	}
	for i := range m.Warnings {
		t.line("warning", -1, m.Warnings[i])
	}
	return t.err
}

type tableWriter struct {
	w   *bufio.Writer
	err error
}

func (t *tableWriter) line(name string, i int, entry any) {
	if t.err != nil {
		return
	}
	b, err := json.Marshal(entry)
	if err != nil {
		t.err = err
		return
	}
	line := "%" + name + " "
	if i >= 0 {
		line += strconv.Itoa(i) + " "
	}
	_, t.err = t.w.WriteString(line + string(b) + "\n")
}

// Write writes the line of e.
func (w *Writer) Write(e *trace.Event) error {
	b := w.appendGo(w.buf[:0], e.G)
	b = append(b, ' ')
	b = append(b, e.Kind.String()...)
	b = w.appendObj(b, e)
	b = appendOperands(b, e)
	for i := range 8 {
		if e.Flags>>i&1 != 0 {
			b = append(b, ' ')
			b = append(b, flagName(e.Kind, i)...)
		}
	}
	if e.Site != 0 {
		b = append(b, " @"...)
		b = strconv.AppendUint(b, uint64(e.Site), 10)
		b = w.appendPosition(b, e.Site)
	}
	b = append(b, '\n')
	w.buf = b
	_, err := w.w.Write(b)
	return err
}

func (w *Writer) appendGo(b []byte, g trace.GoID) []byte {
	if g >= 0 && int(g) < len(w.gos) && w.gos[g] != "" {
		return append(b, w.gos[g]...)
	}
	return strconv.AppendInt(append(b, 'g'), int64(g), 10)
}

func (w *Writer) appendObj(b []byte, e *trace.Event) []byte {
	switch {
	case !hasObj(e.Kind):
		if e.Obj != 0 {
			b = appendValue(append(b, " obj="...), uint64(e.Obj))
		}
		return b
	case isGo(e.Kind) && e.Obj < 1<<31:
		return w.appendGo(append(b, ' '), trace.GoID(e.Obj))
	}
	b = append(b, ' ')
	if name := format.StateName(e.Obj); name != "" && e.Kind == format.Observe {
		return append(b, name...)
	}
	if name, ok := w.objs[e.Obj]; ok && !isGo(e.Kind) {
		return append(b, name...)
	}
	return appendHex(b, uint64(e.Obj))
}

func appendOperands(b []byte, e *trace.Event) []byte {
	usual := uint16(0)
	if e.Kind.IsAccess() {
		usual = 8
	}
	if e.Size != usual {
		b = strconv.AppendUint(append(b, " size="...), uint64(e.Size), 10)
	}
	if e.Val != 0 || e.Kind.IsAccess() && e.Flags&format.FlagNoValue == 0 {
		b = append(b, " val="...)
		if e.Kind == format.WGAdd {
			b = strconv.AppendInt(b, int64(e.Val), 10)
		} else {
			b = appendValue(b, e.Val)
		}
	}
	if e.Aux != 0 {
		b = appendValue(append(b, " aux="...), e.Aux)
	}
	return b
}

func (w *Writer) appendPosition(b []byte, s trace.Site) []byte {
	if w.meta == nil {
		return b
	}
	p := w.meta.Position(s)
	if p == "" {
		return b
	}
	b = append(b, " # "...)
	for _, r := range p { // a newline in a name must not end the line
		if r < ' ' {
			r = '?'
		}
		b = append(b, string(r)...)
	}
	if x := w.meta.SiteInfo(s).Expr; x != "" {
		b = append(b, ' ')
		b = strconv.AppendQuote(b, x)
	}
	return b
}

func appendHex(b []byte, v uint64) []byte { return strconv.AppendUint(append(b, "0x"...), v, 16) }

// appendValue writes small numbers in decimal, addresses and bit patterns in hexadecimal.
func appendValue(b []byte, v uint64) []byte {
	if v < 1<<20 {
		return strconv.AppendUint(b, v, 10)
	}
	return appendHex(b, v)
}
