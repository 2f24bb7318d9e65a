package std

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// maxLine bounds the length of a line.
const maxLine = 1 << 20

// mark is a byte-order mark.
var mark = []byte("\ufeff")

var errMark = errors.New("a byte-order mark inside the trace: are these several files in one?")

// pad is the number of bytes that may be loaded behind a name in the buffer.
const pad = 16

// lines yields the lines of a text. The bytes of a line can be followed by pad more.
type lines struct {
	in     io.Reader
	buf    []byte // what was read is buf[pos:end]
	pos    int
	end    int
	eof    error // what ended the input
	line   int64 // number of the line that next returned last
	offset int64 // of its first byte
	after  int64 // offset of the byte behind it
}

func newLines(in io.Reader) (*lines, error) {
	b := bufio.NewReaderSize(in, 1<<16)
	l := &lines{in: b, buf: make([]byte, 1<<18)}
	if m, err := b.Peek(2); err == nil && m[0] == 0x1f && m[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		l.in = z
	}
	l.skipMark()
	return l, nil
}

// skipMark skips a byte-order mark. Offsets count it.
func (l *lines) skipMark() {
	for l.end < len(mark) && l.eof == nil {
		l.fill()
	}
	if bytes.HasPrefix(l.buf[:l.end], mark) {
		l.pos, l.after = len(mark), int64(len(mark))
	}
}

// next returns the next line, without its end.
func (l *lines) next() ([]byte, error) {
	for from := 0; ; {
		if n := bytes.IndexByte(l.buf[l.pos+from:l.end], '\n'); n >= 0 {
			return l.take(from+n, 1), nil
		}
		from = l.end - l.pos
		switch {
		case l.eof != nil && (from == 0 || l.eof != io.EOF):
			l.line++
			l.offset = l.after + int64(from)
			return nil, l.eof
		case l.eof != nil:
			return l.take(from, 0), nil
		case from > maxLine:
			l.line++
			l.offset = l.after
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		l.fill()
	}
}

// take returns the next n bytes as a line and skips its end.
func (l *lines) take(n, newline int) []byte {
	b := l.buf[l.pos : l.pos+n]
	l.line++
	l.offset = l.after
	l.after += int64(n + newline)
	l.pos += n + newline
	if n > 0 && b[n-1] == '\r' {
		b = b[:n-1]
	}
	return b
}

// fill reads more behind what is in the buffer.
func (l *lines) fill() {
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.end -= l.pos
		l.pos = 0
	}
	if l.end+pad >= len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.in.Read(l.buf[l.end : len(l.buf)-pad])
	l.end += n
	switch {
	case n == 0 && err == nil:
		err = io.ErrNoProgress
	case err == gzip.ErrHeader || err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("the file is cut, or goes on behind the compressed trace with what is not gzip: %w", err)
	}
	l.eof = err
}

// fields are the parts of a line.
type fields struct{ thread, op, operand, location []byte }

var errSyntax = errors.New("not thread|op(operand)|location")

// split takes a line apart. The operand ends at the first ")|", so that it may hold parentheses.
func (f *fields) split(b []byte) error {
	i := bytes.IndexByte(b, '|')
	if i <= 0 {
		return errSyntax
	}
	f.thread = b[:i]
	b = b[i+1:]
	for i = 0; i < len(b) && b[i] != '(' && b[i] != '|'; {
		i++
	}
	f.op = b[:i]
	f.operand, f.location = nil, nil
	if i == len(b) { // T0|end
		return nil
	}
	if b[i] == '|' { // T0|end|7
		f.location = b[i+1:]
		return nil
	}
	b = b[i+1:]
	i = bytes.IndexByte(b, ')')
	if i >= 0 && i+1 < len(b) && b[i+1] != '|' {
		i = bytes.Index(b, []byte(")|"))
	}
	if i < 0 && len(b) > 0 && b[len(b)-1] == ')' {
		i = len(b) - 1
	}
	if i < 0 {
		return errSyntax
	}
	f.operand = b[:i]
	if i+2 <= len(b) {
		f.location = b[i+2:]
	}
	return nil
}
