// Package source opens traces of every format that presage reads, by what the file
// holds and not by its name, and converts between them.
//
//	trace  the trace file of package trace: begins with its magic
//	std    RAPID's STD format: the first line has a |, or is compressed by gzip
//	text   the text form of package raw: everything else
package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
	"github.com/presage-race/presage/internal/trace/std"
)

// Format is a format of traces.
type Format string

// The formats.
const (
	Trace Format = "trace"
	STD   Format = "std"
	Text  Format = "text"
)

// File is an open trace of any format.
type File struct {
	trace.Source
	Format Format
	Size   int64        // bytes of the file
	Trace  *trace.Trace // for a trace file, else nil
	name   string
	f      *os.File
}

// Open opens the trace with the given name.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s, err := open(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func open(name string, f *os.File) (*File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := &File{Size: st.Size(), name: name, f: f}
	b := bufio.NewReaderSize(f, 1<<16)
	head, err := b.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	if s.Format, err = detect(head); err != nil {
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	switch s.Format {
	case Trace:
		f.Close()
		t, err := trace.Open(name)
		if err != nil {
			return nil, err
		}
		s.Source, s.Trace = t, t
	case STD:
		r, err := std.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("reading trace %s: %w", name, err)
		}
		s.Source = r
	case Text:
		s.Source = raw.NewReader(b)
	}
	return s, nil
}

// detect tells the format from the beginning of a file.
func detect(head []byte) (Format, error) {
	magic := []byte("presage\x00")
	switch {
	case len(head) == 0:
		return "", errors.New("the file is empty")
	case bytes.HasPrefix(magic, head[:min(len(head), len(magic))]):
		return Trace, nil
	case head[0] == 0x1f && len(head) > 1 && head[1] == 0x8b:
		return STD, nil
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\r\n"), []byte("\n"))
	if bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]) && bytes.IndexByte(line, '|') < 0 {
		return "", trace.ErrNotTrace
	}
	if bytes.IndexByte(line, '|') > 0 && line[0] != '%' && line[0] != '#' {
		return STD, nil
	}
	return Text, nil
}

// Next reads the next event, as trace.Source says. Errors name the file.
func (s *File) Next(e *trace.Event) error {
	err := s.Source.Next(e)
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("reading trace %s: %w", s.name, err)
}

// Close closes the file.
func (s *File) Close() error {
	if s.Trace != nil {
		return s.Trace.Close()
	}
	return s.f.Close()
}

// Convert writes the trace src to out in the given format. It returns the number of
// events read and, for STD, what was lost. Where src ends with an error, what comes before is
// written as a whole trace and the error returned.
func Convert(out io.Writer, to Format, src trace.Source) (int64, std.Lossy, error) {
	switch to {
	case Trace:
		n, err := convertTrace(out, src)
		return n, std.Lossy{}, err
	case STD:
		if f, ok := src.(*File); ok && f.Format == STD {
			return 0, std.Lossy{}, errors.New("the trace is in the STD format already")
		}
		w := std.NewWriter(out, src.Meta())
		n, err := trace.Copy(w, src)
		return n, w.Lossy(), errors.Join(err, w.Close())
	case Text:
		n, err := convertText(out, src)
		return n, std.Lossy{}, err
	}
	return 0, std.Lossy{}, fmt.Errorf("unknown format %q: trace, std, text are known", to)
}

func convertTrace(out io.Writer, src trace.Source) (int64, error) {
	w, err := trace.NewWriter(out, src.Meta())
	if err != nil {
		return 0, err
	}
	n, err := trace.Copy(w, src)
	return n, errors.Join(err, w.Close(src.Meta()))
}

// convertText puts the tables first, so that events can be written with names. A
// format whose names are only known at its end is read twice.
func convertText(out io.Writer, src trace.Source) (int64, error) {
	meta := src.Meta()
	if f, ok := src.(*File); ok && f.Format == STD {
		again, err := Open(f.name)
		if err != nil {
			return 0, err
		}
		defer again.Close()
		var e trace.Event
		for again.Next(&e) == nil {
		}
		meta = again.Meta()
	}
	w, err := raw.NewWriter(out, meta)
	if err != nil {
		return 0, err
	}
	n, err := trace.Copy(w, src)
	return n, errors.Join(err, w.Close(nil))
}
