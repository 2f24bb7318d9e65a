package std

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

func read(text string) ([]trace.Event, *trace.Meta, error) {
	r, err := NewReader(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	var events []trace.Event
	for {
		var e trace.Event
		if err := r.Next(&e); err != nil {
			if err == io.EOF {
				err = nil
			}
			return events, r.Meta(), err
		}
		events = append(events, e)
	}
}

// readSlowly takes every line apart.
func readSlowly(text []byte) ([]trace.Event, *trace.Meta, error) {
	r, err := NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	r.slow = true
	var events []trace.Event
	for {
		var e trace.Event
		if err := r.Next(&e); err == io.EOF {
			return events, r.Meta(), nil
		} else if err != nil {
			return events, r.Meta(), err
		}
		events = append(events, e)
	}
}

// format of a case: STD on the left, the text form on the right, warnings as code=count.
func TestMapping(t *testing.T) {
	for _, c := range []struct{ name, std, want, warn string }{
		{"all operations",
			"T0|w(V1)|1\nT0|fork(T1)|2\nT1|begin()|\nT1|acq(L1)|a b\nT1|r(V1)|1\nT1|rel(L1)|9\nT1|end|9\nT0|join(T1)|10\n",
			`T0 write V1 @1
			T0 go T1 @2
			T1 start T0
			T1 lock L1 @3
			T1 read V1 @1
			T1 unlock L1 @4
			T1 end @4
			T0 join T1 @5`, ""},
		{"a variable and a lock with one name, no newline at the end, CRLF",
			"T0|acq(X)|1\r\n\r\nT0|w(X)|1\r\nT0|rel(X)|1",
			"T0 lock 8 @1\nT0 write 16 @1\nT0 unlock 8 @1", ""},
		{"parentheses and long names",
			"main-thread-of-the-program|w(Foo.bar(int, long).baz)|Foo.java:12 (inlined)\nT1|begin(0)|x\nT1|r(Foo.bar(int, long).baz)|y",
			"g1 write 8 @1\ng2 start g0 @2\ng2 read 8 @3", ""},
		{"re-entrant",
			"T0|acq(L)|1\nT0|acq(L)|2\nT0|acq(L)|3\nT0|rel(L)|4\nT0|rel(L)|5\nT0|w(V)|6\nT0|rel(L)|7\nT1|acq(L)|8",
			"T0 lock L @1\nT0 write V @6\nT0 unlock L @7\nT1 lock L @8", "std-reentrant=2"},
		{"held at the start",
			"T0|w(V)|1\nT0|rel(L)|2\nT1|acq(L)|3\nT1|rel(L)|4",
			"T0 write 8 @1\nT0 unlock 16 @2\nT1 lock 16 @3\nT1 unlock 16 @4", "std-held-at-start=1"},
		{"request", "T0|req(L)|1\nT0|acq(L)|1", "T0 lock L @1", "std-request=1"},
		{"wait recorded when it begins",
			"T0|acq(L)|1\nT0|wait(L)|2\nT1|acq(L)|3\nT1|notify(L)|4\nT1|rel(L)|5\nT0|r(V)|6\nT0|rel(L)|7",
			`T0 lock 8 @1
			T0 unlock 8 @2
			T1 lock 8 @3
			T1 relmerge 16 @4
			T1 unlock 8 @5
			T0 acquire 16 @6
			T0 lock 8 @6
			T0 read 24 @6
			T0 unlock 8 @7`, "std-wait=1 std-notify=1"},
		{"wait recorded when it returns",
			"T0|acq(L)|1\nT1|acq(L)|3\nT1|notifyAll(L)|4\nT1|rel(L)|5\nT0|wait(L)|2\nT0|rel(L)|7",
			`T0 lock 8 @1
			T0 unlock 8
			T1 lock 8 @2
			T1 relmerge 16 @3
			T1 unlock 8 @4
			T0 acquire 16 @5
			T0 lock 8 @5
			T0 unlock 8 @6`, "std-wait=1 std-notify=1"},
		{"late fork", "T1|w(V)|1\nT0|fork(T1)|2\nT1|w(V)|3",
			"T1 write 8 @1\nT0 relmerge 16 @2\nT1 acquire 16 @3\nT1 write 8 @3", "std-late-fork=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, meta, err := read(c.std)
			if err != nil {
				t.Fatal(err)
			}
			want, err := wanted(c.want, meta)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(raw.Text(want, nil), raw.Text(got, nil)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.warn, warnings(meta)); d != "" {
				t.Errorf("warnings (-want +got):\n%s", d)
			}
		})
	}
}

// wanted parses events written with the names of meta.
func wanted(text string, meta *trace.Meta) ([]trace.Event, error) {
	names := *meta
	names.Sites = nil // the site numbers of the text are those of the trace
	events, _, err := raw.Parse(raw.Text(nil, &names) + text)
	return events, err
}

func warnings(m *trace.Meta) string {
	var s []string
	for _, w := range m.Warnings {
		s = append(s, fmt.Sprintf("%s=%d", w.Code, w.Count))
	}
	return strings.Join(s, " ")
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ std, want string }{
		{"T0|w(V1)|1\nhello\n", `line 2 (offset 11): not thread|op(operand)|location: "hello"`},
		{"T0|w(V1|1\n", "line 1 (offset 0): not thread"},
		{"|w(V1)|1\n", "line 1 (offset 0): not thread"},
		{"T0|w()|1", `line 1 (offset 0): operation "w" without operand`},
		{"T0|jump(V1)|1", `line 1 (offset 0): unknown operation "jump"`},
		{"T0||1", "line 1 (offset 0): not thread"},
		{"T0|acq(L)|1\nT1|acq(L)|1\nT0|w(V)|1", "line 3 (offset 24): T0 runs on with L"},
		{"T0|acq(L)|1\nT1|rel(L)|1", "line 2 (offset 12): T1 releases L, which T0 holds since line 1"},
		{"T0|acq(L)|1\nT0|rel(L)|1\nT0|rel(L)|1", "line 3 (offset 24): T0 releases L, which is free"},
		{"T0|fork(T0)|1", "line 1 (offset 0): T0 forks itself"},
		{"T0|join(T0)|1", "line 1 (offset 0): T0 joins itself"},
		{"T0|fork(T1)|1\nT0|fork(T1)|1", "line 2 (offset 14): T1 is forked twice"},
		{"T0|join(T1)|1\nT1|w(V)|1", "line 2 (offset 14): T1 ended, or was joined, in line 1"},
		{"T1|end()|1\nT1|w(V)|1", "line 2 (offset 11): T1 ended"},
		{"T0|w(" + strings.Repeat("x", 2*maxLine), "line 1 (offset 0): longer than"},
		{"T0|w(V)|1\nT0|w(", `line 2 (offset 10): not thread`},
		{"T0|w(V)|1\n\ufeffT0|w(V)|1", `line 2 (offset 10): a byte-order mark inside the trace`},
		{"\ufeff\ufeffT0|w(V)|1", `line 1 (offset 3): a byte-order mark inside the trace`},
		{"\ufeffT0|w(V)|1\r\nhello\r\n", `line 2 (offset 14): not thread|op(operand)|location: "hello"`},
	} {
		_, _, err := read(c.std)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s", c.std, err, c.want)
		}
	}
}

// TestMark: a byte-order mark makes no thread, and line ends may be CRLF.
func TestMark(t *testing.T) {
	const plain = "T1|w(x)|1\nT1|w(x)|2\nT2|r(x)|3"
	want, meta, err := read(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\ufeff" + plain, strings.ReplaceAll(plain, "\n", "\r\n") + "\r\n", "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n")} {
		events, m, err := read(text)
		if d := cmp.Diff(want, events); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
		if d := cmp.Diff(meta, m); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
	if events, _, err := read("\ufeff"); err != nil || len(events) != 0 {
		t.Errorf("a mark alone: %d events, %v", len(events), err)
	}
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("T0|w(V1)|1\nT0|w(V1)|2\n"))
	z.Close()
	whole := b.String()
	if events, _, err := read(whole); err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
	if _, _, err := read(whole[:len(whole)-9]); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
	if events, _, err := read(whole + whole); err != nil || len(events) != 4 {
		t.Errorf("two traces in one: %d events, %v", len(events), err)
	}
	for _, junk := range []string{"x", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "T0|w(V1)|3\nT0|w(V1)|4\n", whole[:11]} {
		events, _, err := read(whole + junk)
		if err == nil || !strings.HasPrefix(err.Error(), "line 3 (offset 22): the file is cut, or goes on behind the compressed trace") {
			t.Errorf("%q behind it: %d events, %v", junk, len(events), err)
		}
	}
	if _, _, err := read(whole[:5]); err == nil {
		t.Error("cut in the header: no error")
	}
}

// Lines that straddle the ends of the buffer, and names of all lengths.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	var want []string
	for i := range 60000 {
		name := fmt.Sprintf("V%d%s", i%5000, strings.Repeat("x", i%5000%40))
		want = append(want, name)
		fmt.Fprintf(&text, "T%d|w(%s)|%s\n", r.IntN(1000), name, strings.Repeat("7", i%50))
	}
	events, meta, err := read(text.String())
	if err != nil || len(events) != len(want) {
		t.Fatalf("%d events, %v", len(events), err)
	}
	var back strings.Builder
	w := NewWriter(&back, meta)
	for i := range events {
		if got := meta.Objects[events[i].Obj/8-1].Name; got != want[i] {
			t.Fatalf("event %d: variable %s, want %s", i, got, want[i])
		}
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if got, want := back.String(), strings.ReplaceAll(text.String(), "|\n", "|0\n"); got != want {
		t.Error("does not write back as it was")
	}
	if n := len(meta.Goroutines); n != 1001 {
		t.Errorf("%d goroutines", n)
	}
}

// The traces in ../shared/traces read without a warning and write back as they were.
func TestShared(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/traces/*/*.std")
	if len(files) == 0 {
		t.Skip("shared/traces is not beside the repository")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		events, meta, err := read(string(text))
		if err != nil || len(meta.Warnings) > 0 {
			t.Errorf("%s: %v, %s", name, err, warnings(meta))
			continue
		}
		var back strings.Builder
		w := NewWriter(&back, meta)
		for i := range events {
			w.Write(&events[i])
		}
		w.Close()
		if d := cmp.Diff(strings.TrimSpace(string(text)), strings.TrimSpace(back.String())); d != "" {
			t.Errorf("%s (-was +is):\n%s", name, d)
		}
		if w.Lossy() != (Lossy{}) {
			t.Errorf("%s: %+v", name, w.Lossy())
		}
	}
}

func TestWriteGo(t *testing.T) {
	events, meta, err := raw.Parse(`
main write x val=1
main lock mu
main awrite a val=1
main unlock mu
main lock rw read
w unlock rw read
main send ch
main block @1
main read y stack
main lock m2
w tryfail m2
w unlock m2
main armw a val=1 aux=2
`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w := NewWriter(&b, meta)
	for i := range events {
		w.Write(&events[i])
	}
	w.Close()
	want := `main|w(x)|0
main|acq(mu)|0
main|acq(atomic.a)|0
main|w(a)|0
main|rel(atomic.a)|0
main|rel(mu)|0
main|acq(rw)|0
main|rel(rw)|0
w|acq(rw)|0
w|rel(rw)|0
main|acq(ch)|0
main|rel(ch)|0
main|acq(m2)|0
w|acq(sync.m2)|0
w|rel(sync.m2)|0
main|rel(m2)|0
main|acq(atomic.a)|0
main|r(a)|0
main|w(a)|0
main|rel(atomic.a)|0
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Lossy{Values: 3, Foreign: 1, Approximated: 6, Dropped: 2}, w.Lossy()); d != "" {
		t.Error(d)
	}
	if _, _, err := read(b.String()); err != nil {
		t.Error(err)
	}
	for k := range format.Max { // no kind panics
		if k.Valid() {
			NewWriter(io.Discard, nil).Write(&trace.Event{Kind: k, G: 1})
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("T0|acq(L)|1\nT0|wait(L)|2\nT1|acq(L)|3\nT1|notify(L)|4\nT1|rel(L)|5\nT0|r(V)|6\nT0|rel(L)|7"))
	f.Add([]byte("T0|fork(T1)|1\nT1|begin|\nT1|end()|\nT0|join(T1)|2\nT2|w(a very long name(with parentheses))|x\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		events, meta, err := read(string(text))
		if meta == nil {
			return
		}
		if slow, _, slowErr := readSlowly(text); !slices.Equal(slow, events) || (slowErr == nil) != (err == nil) {
			t.Fatalf("%v, %v; without the fast path %v, %v", events, err, slow, slowErr)
		}
		holder := map[trace.Addr]trace.GoID{}
		used := map[trace.Addr]bool{}
		for _, e := range events {
			if int(e.G) >= len(meta.Goroutines) || int(e.Site) >= len(meta.Sites) {
				t.Fatalf("%+v is outside the tables", e)
			}
			switch e.Kind {
			case format.Lock:
				if holder[e.Obj] != 0 {
					t.Fatalf("lock with two holders, %v", err)
				}
				holder[e.Obj] = e.G
				used[e.Obj] = true
			case format.Unlock:
				if holder[e.Obj] != e.G && used[e.Obj] {
					t.Fatalf("unlock by another, %v", err)
				}
				holder[e.Obj] = 0
				used[e.Obj] = true
			}
		}
	})
}

func benchText() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for range 1 << 17 {
		op := "r"
		if r.IntN(3) == 0 {
			op = "w"
		}
		fmt.Fprintf(&b, "T%d|%s(V%d)|%d\n", r.IntN(16), op, r.IntN(20000), r.IntN(2000))
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := benchText()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		var e trace.Event
		for r.Next(&e) == nil {
			n++
		}
	}
	b.ReportMetric(float64(n)/1e6/b.Elapsed().Seconds(), "Mevents/s")
	b.SetBytes(int64(len(text)))
}
