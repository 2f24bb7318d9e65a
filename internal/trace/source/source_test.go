package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
	"github.com/presage-race/presage/internal/trace/std"
)

const stdText = "T0|w(V1)|1\nT0|fork(T1)|2\nT1|acq(L1)|a b\nT1|r(V1)|1\nT1|rel(L1)|9\nT0|join(T1)|10\n"

func save(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func convert(t *testing.T, name string, to Format) []byte {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if n, lossy, err := Convert(&b, to, f); err != nil || n != 6 || lossy != (std.Lossy{}) {
		t.Fatalf("to %s: %d events, %+v, %v", to, n, lossy, err)
	}
	return b.Bytes()
}

// STD to trace to text to trace to STD is where it began, and every step is known for what it is.
func TestConvert(t *testing.T) {
	name := save(t, []byte(stdText))
	for _, step := range []struct{ is, to Format }{{STD, Trace}, {Trace, Text}, {Text, Trace}, {Trace, STD}, {STD, Text}, {Text, STD}} {
		f, err := Open(name)
		if err != nil || f.Format != step.is {
			t.Fatalf("%v, want %s", err, step.is)
		}
		f.Close()
		name = save(t, convert(t, name, step.to))
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(stdText, string(got)); d != "" {
		t.Error(d)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "the file is empty"},
		{"binary", "\x7fELF\x00\x00\x01", "not a presage trace"},
		{"cut magic", "pres", "the trace is cut short"},
	} {
		if _, err := Open(save(t, []byte(c.data))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	f, err := Open(save(t, []byte("T0|w(V)|1\nT0|w(\n")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := trace.Count(f); err == nil || !strings.Contains(err.Error(), "file: line 2") {
		t.Errorf("damaged: %v", err)
	}
}

// A damaged source is converted up to the damage.
func TestConvertDamaged(t *testing.T) {
	f, err := Open(save(t, []byte("T0|w(V)|1\nT0|w(\n")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if n, _, err := Convert(&b, Trace, f); err == nil || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
	r, err := trace.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := trace.Count(r); err != nil || s.Events != 1 || r.Meta().Sites[1].Name != "1" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestMark: a byte-order mark changes no format, and makes no thread.
func TestMark(t *testing.T) {
	for format, text := range map[Format]string{STD: "T1|w(x)|1\r\nT1|w(x)|2\r\n", Text: "a write x\na write x\n"} {
		for _, in := range []string{text, "\ufeff" + text} {
			f, err := Open(save(t, []byte(in)))
			if err != nil {
				t.Fatal(err)
			}
			s, err := trace.Count(f)
			if err != nil || f.Format != format || s.Goroutines != 1 || s.Events != 2 {
				t.Errorf("%q is %s: %+v, %v", in, f.Format, s, err)
			}
			f.Close()
		}
	}
}

func TestCount(t *testing.T) {
	text := `main write x val=1 @a
main write x+4 size=4 val=1 @a
main go w @b
w lock mu
w read x
w write y
w send ch
`
	s, err := trace.Count(raw.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := &trace.Stat{Events: 7, Goroutines: 2, Locations: 2, Shared: 1, Objects: 2, Values: 2, Sites: 2}
	want.Kinds[format.Write], want.Kinds[format.Read], want.Kinds[format.Go] = 3, 1, 1
	want.Kinds[format.Lock], want.Kinds[format.ChanSend] = 1, 1
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	if _, err := trace.Count(failing{}); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Next(*trace.Event) error { return io.ErrClosedPipe }
func (failing) Meta() *trace.Meta       { return &trace.Meta{} }

func FuzzDetect(f *testing.F) {
	f.Add([]byte("presage\x00"))
	f.Add([]byte("T0|w(V1)|1\n"))
	f.Add([]byte("\n\n\r\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if format, err := detect(head); (format == "") == (err == nil) {
			t.Fatalf("%q, %v", format, err)
		}
	})
}
