package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace/format"
)

// randomEvents returns n events of every kind, with operands from the easy to the extreme.
func randomEvents(seed uint64, n int) []Event {
	r := rand.New(rand.NewPCG(seed, 1))
	number := func() uint64 {
		switch r.IntN(5) {
		case 0:
			return r.Uint64()
		case 1:
			return 0xc000000000 + 8*r.Uint64N(1000)
		case 2:
			return ^uint64(0)
		case 3:
			return r.Uint64N(10)
		}
		return 0
	}
	events := make([]Event, 0, n)
	g := GoID(0)
	for len(events) < n {
		if r.IntN(8) == 0 {
			g = GoID(r.IntN(20))
		}
		if r.IntN(1000) == 0 {
			g = 1<<31 - 1
		}
		k := format.Kind(1 + r.IntN(int(format.Max)-1))
		if !k.Valid() {
			continue
		}
		e := Event{Kind: k, G: g, Site: Site(r.Uint32N(50)), Obj: Addr(number()), Val: number(), Aux: number()}
		if r.IntN(4) == 0 {
			e.Flags, e.Size, e.Site = format.Flags(r.Uint32N(256)), uint16(r.Uint32N(1<<16)), Site(r.Uint32())
		}
		events = append(events, e)
	}
	return events
}

func write(t testing.TB, events []Event, first, last *Meta) []byte {
	t.Helper()
	return writeBlocks(t, 0, events, first, last)
}

// writeBlocks writes blocks of at most limit events, 0 for as many as fit.
func writeBlocks(t testing.TB, limit int, events []Event, first, last *Meta) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, first)
	if err != nil {
		t.Fatal(err)
	}
	w.enc.limit = limit
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(last); err != nil {
		t.Fatal(err)
	}
	if int64(buf.Len()) != w.Bytes() || int64(len(events)) != w.Events() {
		t.Fatalf("Bytes, Events = %d, %d; want %d, %d", w.Bytes(), w.Events(), buf.Len(), len(events))
	}
	return buf.Bytes()
}

// readAll reads to the end and returns the events and what Next returned instead of one more.
func readAll(s Source) ([]Event, error) {
	var events []Event
	for {
		var e Event
		if err := s.Next(&e); err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func file(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func testMeta() *Meta {
	return &Meta{
		Source: "test", Command: []string{"prog", "-x"},
		Sites:      []SiteInfo{{}, {Func: 1, Line: 3, Expr: "c.balance"}},
		Goroutines: []Goroutine{{}, {Name: "main"}},
		Warnings:   []Warning{{"some-code", 3, "text"}},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000, MaxBlockEvents - 1, MaxBlockEvents, MaxBlockEvents + 1, 3*MaxBlockEvents + 17} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			want := randomEvents(uint64(n), n)
			data := write(t, want, &Meta{Source: "begun"}, testMeta())
			r, err := NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Meta().Source; got != "begun" {
				t.Errorf("Meta at the start: %q", got)
			}
			got, err := readAll(r)
			if err != io.EOF {
				t.Fatal(err)
			}
			if len(got) != len(want) || n > 0 && !slices.Equal(want, got) {
				t.Errorf("events differ: %s", cmp.Diff(want[:min(n, 50)], got[:min(len(got), 50)]))
			}
			if d := cmp.Diff(testMeta(), r.Meta()); d != "" {
				t.Errorf("Meta at the end (-want +got):\n%s", d)
			}
		})
	}
}

func TestSeek(t *testing.T) {
	want := randomEvents(7, 2*MaxBlockEvents+100)
	f, err := Open(file(t, write(t, want, nil, testMeta())))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Events() != int64(len(want)) || f.Cut() != nil {
		t.Fatalf("Events, Cut = %d, %v", f.Events(), f.Cut())
	}
	if d := cmp.Diff(testMeta(), f.Meta()); d != "" {
		t.Errorf("Meta before the first event (-want +got):\n%s", d)
	}
	for _, n := range []int64{5, 0, MaxBlockEvents, MaxBlockEvents - 1, 2 * MaxBlockEvents, int64(len(want)) - 1, 1} {
		if err := f.SeekTo(n); err != nil {
			t.Fatal(err)
		}
		for i := n; i < min(n+5, int64(len(want))); i++ {
			var e Event
			if err := f.Next(&e); err != nil || e != want[i] {
				t.Fatalf("event %d after SeekTo(%d) = %+v, %v; want %+v", i, n, e, err, want[i])
			}
		}
	}
	if err := f.SeekTo(int64(len(want))); err != nil {
		t.Fatal(err)
	}
	if err := f.Next(new(Event)); err != io.EOF {
		t.Errorf("Next at the end: %v", err)
	}
	if f.SeekTo(-1) == nil || f.SeekTo(int64(len(want))+1) == nil {
		t.Error("Seek outside the trace succeeds")
	}
	if err := f.SeekTo(3); err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(f); err != io.EOF || !slices.Equal(got, want[3:]) {
		t.Errorf("reading on from 3: %d events, %v", len(got), err)
	}
}

func TestCut(t *testing.T) {
	want := randomEvents(3, 100)
	data := writeBlocks(t, 40, want, &Meta{Source: "begun"}, testMeta())
	for n := range data {
		r, err := NewReader(bytes.NewReader(data[:n]))
		if n < headerSize {
			if e := (*Error)(nil); !errors.As(err, &e) || n > 0 && !errors.Is(err, ErrCut) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		checkCut(t, n, want, r)

		f, err := Open(file(t, data[:n]))
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if got := checkCut(t, n, want, f); int64(got) != f.Events() || !errors.Is(f.Cut(), ErrCut) {
			t.Errorf("cut at %d: read %d events, Events = %d, Cut = %v", n, got, f.Events(), f.Cut())
		}
		f.Close()
	}
}

func checkCut(t *testing.T, n int, want []Event, s Source) int {
	t.Helper()
	got, err := readAll(s)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrCut) || e.Event != int64(len(got)) || e.Offset > int64(n) {
		t.Fatalf("cut at %d, %d events: %v", n, len(got), err)
	}
	if len(got) > 0 && !slices.Equal(got, want[:len(got)]) {
		t.Fatalf("cut at %d: wrong events", n)
	}
	if err2 := s.Next(new(Event)); err2 != err {
		t.Fatalf("cut at %d: the second error is %v", n, err2)
	}
	return len(got)
}

// Whichever byte is changed: the events before the block with that byte are read, and
// then comes an error, unless the byte was never read.
func TestCorrupt(t *testing.T) {
	want := randomEvents(4, 60)
	data := writeBlocks(t, 40, want, nil, testMeta())
	for n := range data {
		bad := bytes.Clone(data)
		bad[n] ^= 0x55
		var e *Error
		r, err := NewReader(bytes.NewReader(bad))
		if err == nil {
			var got []Event
			got, err = readAll(r)
			if len(got) > 0 && !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("byte %d: wrong events", n)
			}
			if err == io.EOF && n >= len(bad)-trailerSize && n < len(bad)-16 {
				continue // offsets of index and meta are of no use to a Reader
			}
		}
		if !errors.As(err, &e) {
			t.Fatalf("byte %d: %v", n, err)
		}
		f, err := Open(file(t, bad))
		if err == nil {
			_, err = readAll(f)
			if err == io.EOF {
				err = f.Cut()
			}
			f.Close()
			if err == nil && n > headerSize+blockSize && n < headerSize+300 {
				continue // the first meta is not read when there is a last one
			}
		}
		if !errors.As(err, &e) {
			t.Fatalf("byte %d, by Open: %v", n, err)
		}
	}
}

// An index that survives lets the events behind a damaged block be read.
func TestSeekBehindDamage(t *testing.T) {
	want := randomEvents(5, 200)
	data := writeBlocks(t, 100, want, nil, testMeta())
	data[len(data)/4] ^= 1
	f, err := Open(file(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := readAll(f); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("reading through the damage: %v", err)
	}
	if err := f.SeekTo(100); err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(f); err != io.EOF || !slices.Equal(got, want[100:]) {
		t.Errorf("behind the damage: %d events, %v", len(got), err)
	}
}

func TestNotATrace(t *testing.T) {
	good := write(t, nil, nil, testMeta())
	newer := bytes.Clone(good)
	newer[8]++
	older := bytes.Clone(good)
	older[8]--
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrNotTrace},
		{"text", []byte("T0|r(V1)|12\n"), ErrNotTrace},
		{"beginning of magic", good[:5], ErrCut},
		{"newer", newer, ErrVersion},
		{"older", older, ErrVersion},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(file(t, c.data))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory opens")
	}
}

func TestWriteRefuses(t *testing.T) {
	w, err := NewWriter(io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Event{{}, {Kind: format.Max}, {Kind: format.Read, G: -1}} {
		if w.Write(&e) == nil {
			t.Errorf("%+v is written", e)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	if w.Write(&Event{Kind: format.Read}) == nil {
		t.Error("Write after Close succeeds")
	}
}

// A full disk is reported by the call that meets it and by all later ones.
func TestWriteError(t *testing.T) {
	w, err := NewWriter(&limited{left: 500}, nil)
	if err != nil {
		t.Fatal(err)
	}
	events := randomEvents(1, 2*MaxBlockEvents)
	for i := range events {
		if err = w.Write(&events[i]); err != nil {
			break
		}
	}
	if err == nil || w.Close(nil) != err {
		t.Errorf("Write: %v, Close: another", err)
	}
}

type limited struct{ left int }

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	if n < len(b) {
		return n, errors.New("disk full")
	}
	return n, nil
}

// TestExample is the example of the package doc.
func TestExample(t *testing.T) {
	var c encoder
	c.reset()
	c.add(&Event{Kind: format.Write, Size: 8, G: 1, Site: 3, Obj: 0x40, Val: 5})
	c.add(&Event{Kind: format.Write, Size: 8, G: 1, Site: 3, Obj: 0x40, Val: 6})
	want := []byte{
		0x01,
		0x02, 0x00, 0x03, 0x08, 0x06,
		0x02, 0x02, 0x03, 0x02,
		0x02, 0x02,
		0x00, 0x00,
		0x80, 0x01, 0x00,
		0x0a, 0x02,
	}
	if d := cmp.Diff(want, c.bytes()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzBlock(f *testing.F) {
	var c encoder
	for seed := range uint64(4) {
		c.reset()
		events := randomEvents(seed, 30)
		for i := range events {
			c.add(&events[i])
		}
		f.Add(bytes.Clone(c.bytes()), 30)
	}
	f.Fuzz(func(t *testing.T, payload []byte, n int) {
		if n <= 0 || n > MaxBlockEvents {
			return
		}
		var d decoder
		if d.open(payload, n) != "" {
			return
		}
		var events []Event
		for d.left > 0 {
			var e Event
			if d.next(&e) != "" {
				return
			}
			if !valid(&e) {
				t.Fatalf("invalid event %+v", e)
			}
			events = append(events, e)
		}
		var again encoder
		again.reset()
		for i := range events {
			again.add(&events[i])
		}
		d.open(again.bytes(), n)
		for i := range events {
			var e Event
			if why := d.next(&e); why != "" || e != events[i] {
				t.Fatalf("event %d: %+v, %s; want %+v", i, e, why, events[i])
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add(write(f, randomEvents(1, 50), nil, testMeta()))
	f.Add(write(f, nil, nil, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		if _, err := readAll(r); err == nil {
			t.Fatal("no error at the end")
		}
	})
}

func benchEvents() []Event {
	r := rand.New(rand.NewPCG(1, 2))
	events := make([]Event, 1<<18)
	g := GoID(1)
	counter := [16]uint64{}
	for i := range events {
		if r.IntN(64) == 0 {
			g = GoID(1 + r.IntN(16))
		}
		counter[g-1]++
		e := Event{Kind: format.Read, Size: 8, G: g, Site: Site(1 + r.IntN(100)), Obj: Addr(0xc000000000 + 8*r.Uint64N(10000)), Val: counter[g-1]}
		switch i % 3 {
		case 0:
			e = Event{Kind: format.Block, G: g, Site: e.Site}
		case 1:
			e.Kind = format.Write
		}
		events[i] = e
	}
	return events
}

func BenchmarkRead(b *testing.B) {
	events := benchEvents()
	data := write(b, events, nil, nil)
	b.ReportMetric(0, "ns/op")
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		var e Event
		for err == nil {
			err = r.Next(&e)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(events)*b.N)/1e6/b.Elapsed().Seconds(), "Mevents/s")
	b.ReportMetric(float64(len(data))/float64(len(events)), "bytes/event")
}

func BenchmarkWrite(b *testing.B) {
	events := benchEvents()
	for b.Loop() {
		write(b, events, nil, nil)
	}
	b.ReportMetric(float64(len(events)*b.N)/1e6/b.Elapsed().Seconds(), "Mevents/s")
}
