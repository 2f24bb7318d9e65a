package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/trace/raw"
	"presage/internal/trace/std"
)

// source is an open trace of any form.
type source struct {
	trace.Source
	close func() error
	size  int64 // events, if the form tells; else 0
	form  string
}

// openTrace opens a trace file and finds out its form: presage's own, or STD or
// presage's text form, either of them perhaps compressed with gzip.
func openTrace(name string) (*source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading trace %s: %w", name, underlying(err))
	}
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head)
	if head = head[:n]; string(head) == "presage\x00" {
		f.Close()
		t, err := trace.Open(name)
		if err != nil {
			return nil, err
		}
		return &source{Source: t, close: t.Close, size: t.Events(), form: "presage"}, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	s, err := openText(f, head)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("reading trace %s: %w", name, err)
	}
	return s, nil
}

func openText(f *os.File, head []byte) (*source, error) {
	var in io.Reader = f
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		in = z
	}
	b := bufio.NewReaderSize(in, 1<<16)
	begin, err := b.Peek(1 << 12)
	if len(begin) == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.IndexByte(begin, 0) >= 0 {
		return nil, trace.ErrNotTrace
	}
	if isSTD(begin) {
		r, err := std.NewReader(b)
		return &source{Source: r, close: f.Close, form: "std"}, err
	}
	return &source{Source: raw.NewReader(b), close: f.Close, form: "text"}, nil
}

// isSTD tells STD from the text form: its first line has fields between bars.
func isSTD(begin []byte) bool {
	for line := range bytes.Lines(begin) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		return bytes.Count(line, []byte("|")) >= 1 && line[0] != '%'
	}
	return false
}

func newTrace(env *Env) *cobra.Command {
	cmd := &cobra.Command{Use: "trace", Short: "Look inside a trace", Args: func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command \"trace %s\": dump, stat or convert", args[0])
		}
		return nil
	}, RunE: func(*cobra.Command, []string) error { return usagef("trace needs a subcommand: dump, stat or convert") }}
	cmd.AddCommand(newDump(env), newStat(env), newConvert(env))
	return cmd
}

func newDump(env *Env) *cobra.Command {
	return &cobra.Command{Use: "dump trace", Short: "Print a trace in its text form (package internal/trace/raw)", Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer s.close()
			out := bufio.NewWriter(env.Stdout)
			defer out.Flush()
			w, err := raw.NewWriter(out, s.Meta())
			if err != nil {
				return err
			}
			return errors.Join(copyEvents(w, s, args[0]), w.Close(s.Meta()))
		}}
}

// copyEvents copies a trace; of a damaged one, what can be read, and then the error.
func copyEvents(w trace.Sink, s *source, name string) error {
	var e trace.Event
	for {
		if err := s.Next(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading trace %s: %w", name, err)
		}
		if err := w.Write(&e); err != nil {
			return err
		}
	}
}

func newConvert(env *Env) *cobra.Command {
	var out, form string
	cmd := &cobra.Command{Use: "convert -o output trace", Short: "Convert a trace to another form", Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer s.close()
			if out == "" {
				return usagef("trace convert needs -o")
			}
			return convert(s, args[0], out, form)
		}}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&form, "form", "", "presage, text or std; without it the name decides: .std, .txt, else presage")
	return cmd
}

type closer interface {
	trace.Sink
	Close(*trace.Meta) error
}

func convert(s *source, name, out, form string) error {
	if form == "" {
		switch {
		case strings.HasSuffix(out, ".std"):
			form = "std"
		case strings.HasSuffix(out, ".txt"):
			form = "text"
		default:
			form = "presage"
		}
	}
	f, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("writing trace %s: %w", out, underlying(err))
	}
	b := bufio.NewWriter(f)
	w, err := newWriter(b, form, s.Meta())
	if err == nil {
		err = errors.Join(copyEvents(w, s, name), w.Close(s.Meta()), b.Flush())
	}
	return errors.Join(err, f.Close())
}

func newWriter(w io.Writer, form string, meta *trace.Meta) (closer, error) {
	switch form {
	case "presage":
		return trace.NewWriter(w, meta)
	case "text":
		return raw.NewWriter(w, meta)
	case "std":
		return stdWriter{std.NewWriter(w, meta)}, nil
	}
	return nil, usagef("flag --form: %q is neither presage, text nor std", form)
}

// stdWriter has no tables to write at the end.
type stdWriter struct{ *std.Writer }

func (w stdWriter) Close(*trace.Meta) error { return w.Writer.Close() }

func newStat(env *Env) *cobra.Command {
	return &cobra.Command{Use: "stat trace", Short: "Count what is in a trace", Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openTrace(args[0])
			if err != nil {
				return err
			}
			defer s.close()
			return stat(env, s, args[0])
		}}
}

// stat prints the sizes of a trace's tables and the number of events of each kind.
func stat(env *Env, s *source, name string) error {
	var c counter
	readErr := copyEvents(&c, s, name)
	m := s.Meta()
	fmt.Fprintf(env.Stdout, "form        %s\n", s.form)
	for _, row := range []struct{ name, value string }{
		{"source", m.Source}, {"go", m.GoVersion}, {"command", strings.Join(m.Command, " ")}, {"dir", m.Dir}} {
		if row.value != "" {
			fmt.Fprintf(env.Stdout, "%-11s %s\n", row.name, row.value)
		}
	}
	fmt.Fprintf(env.Stdout, "events      %d\ngoroutines  %d\npackages    %d\nfunctions   %d\nsites       %d\n",
		c.total, len(c.goroutines), len(m.Packages), len(m.Funcs), max(len(m.Sites)-1, 0))
	if st, err := os.Stat(name); err == nil && c.total > 0 {
		fmt.Fprintf(env.Stdout, "bytes       %d, %.2f per event\n", st.Size(), float64(st.Size())/float64(c.total))
	}
	c.print(env.Stdout)
	for _, w := range m.Warnings {
		fmt.Fprintf(env.Stdout, "warning     %s: %s (%d)\n", w.Code, w.Text, w.Count)
	}
	return readErr
}

// counter is a Sink that counts.
type counter struct {
	total      int64
	kinds      [format.Max]int64
	goroutines map[trace.GoID]bool
}

func (c *counter) Write(e *trace.Event) error {
	if c.goroutines == nil {
		c.goroutines = make(map[trace.GoID]bool)
	}
	c.total++
	if e.Kind < format.Max {
		c.kinds[e.Kind]++
	}
	c.goroutines[e.G] = true
	return nil
}

func (c *counter) print(w io.Writer) {
	var kinds []format.Kind
	for k, n := range c.kinds {
		if n > 0 {
			kinds = append(kinds, format.Kind(k))
		}
	}
	slices.SortStableFunc(kinds, func(a, b format.Kind) int { return cmp.Compare(c.kinds[b], c.kinds[a]) })
	for _, k := range kinds {
		fmt.Fprintf(w, "  %-10s %d\n", k, c.kinds[k])
	}
}
