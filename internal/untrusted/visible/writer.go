package visible

import (
	"bytes"
	"io"
)

// Writer escapes the lines that are written to it, as Text does. Close writes the last line, if it
// has no end.
type Writer struct {
	w    io.Writer
	rest []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes the lines that are complete.
func (w *Writer) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	n := bytes.LastIndexByte(w.rest, '\n') + 1
	if n == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(w.w, Text(string(w.rest[:n])))
	w.rest = append(w.rest[:0], w.rest[n:]...)
	return len(p), err
}

// Close writes what is left.
func (w *Writer) Close() error {
	_, err := io.WriteString(w.w, Text(string(w.rest)))
	w.rest = nil
	return err
}
