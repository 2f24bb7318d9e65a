package merge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/trace/raw"
)

// A recording as text: "go N" begins the stream of goroutine N; the other lines are records: the kind,
// flags in hexadecimal and size, if not usual, as kind/flags/size, and the words.
//
//	go 1
//	start 0 10
//	write 0x100 5
//	lock 0x200 20

// testStream are the words of a stream, and where its chunks end.
type testStream struct {
	goid  uint64
	words []uint64
	cuts  []int
}

var kindNames = func() map[string]format.Kind {
	m := map[string]format.Kind{"stamp": format.RawStamp, "var": format.RawVar, "const": format.RawConst}
	for k := range format.Max {
		if k.Valid() {
			m[k.String()] = k
		}
	}
	return m
}()

func parseRecording(t testing.TB, text string) (streams []*testStream) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
			continue
		case f[0] == "go" && len(f) == 2:
			n, _ := strconv.ParseUint(f[1], 0, 64)
			streams = append(streams, &testStream{goid: n})
			continue
		case f[0] == "chunk":
			s := streams[len(streams)-1]
			s.cuts = append(s.cuts, len(s.words))
			continue
		}
		s := streams[len(streams)-1]
		s.words = append(s.words, parseRecord(t, f)...)
	}
	return streams
}

func parseRecord(t testing.TB, f []string) []uint64 {
	t.Helper()
	h := strings.Split(f[0], "/")
	k, ok := kindNames[h[0]]
	if !ok {
		t.Fatalf("unknown kind in %q", f)
	}
	size := uint64(0)
	if k.IsAccess() || k == format.Value {
		size = 8
	}
	flags := uint64(0)
	if len(h) > 1 {
		flags, _ = strconv.ParseUint(h[1], 16, 8)
	}
	if len(h) > 2 {
		size, _ = strconv.ParseUint(h[2], 0, 16)
	}
	w := []uint64{format.RawHeader(k, format.Flags(flags), uint16(size), 0)}
	for _, s := range f[1:] {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			t.Fatalf("%q: %v", f, err)
		}
		w = append(w, v)
	}
	if n, _ := format.RawLen(w[0]); n != len(w) {
		t.Fatalf("%q has %d words, want %d", f, len(w), n)
	}
	return w
}

// save writes the streams as one segment into a new directory.
func save(t testing.TB, streams []*testStream, stopped format.StopReason, stopAt uint64) string {
	t.Helper()
	w := make([]uint64, format.RawBlockWords)
	copy(w, []uint64{format.SegMagic, format.RawVersion, 77, 0, 0, uint64(stopped), 12345, 1, stopAt})
	for id, s := range streams {
		from, seq := 0, 0
		for _, to := range append(slices.Clone(s.cuts), len(s.words)) {
			n := format.ChunkHeaderWords + to - from
			n = (n + format.RawBlockWords) / format.RawBlockWords * format.RawBlockWords
			c := make([]uint64, n)
			copy(c, []uint64{uint64(format.RawChunk)<<56 | format.RawVersion<<48 | uint64(n), s.goid, uint64(id+1)<<32 | uint64(seq)})
			copy(c[format.ChunkHeaderWords:], s.words[from:to])
			w = append(w, c...)
			w = append(w, make([]uint64, format.RawBlockWords)...) // handed out, not used
			from, seq = to, seq+1
		}
	}
	w[4] = uint64(len(w))
	b := make([]byte, 0, 8*len(w))
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "000000.seg"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mergeDir(t testing.TB, dir string) ([]trace.Event, *trace.Meta, Stats) {
	t.Helper()
	var b bytes.Buffer
	meta := &trace.Meta{}
	w, err := trace.NewWriter(&b, meta)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := Merge(dir, meta, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(meta); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	var events []trace.Event
	for {
		var e trace.Event
		if err := r.Next(&e); err == io.EOF {
			return events, meta, stats
		} else if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func lines(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, recording, want, warn string }{
		{"by stamps, groups as late as possible", `
			go 1
			start 0 10
			write 0x100 1
			go 7 20
			write 0x100 2
			lock 0x200 30
			unlock 0x200 50
			read 0x300 9
			end 90
			go 7
			start 1 21
			write 0x108 3
			stamp 40
			lock 0x200 60
			read 0x100 2
			unlock 0x200 70
			end 71
			`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 go g2
			g2 start g1
			g1 write 0x100 val=2
			g1 lock 0x200
			g2 write 0x108 val=3
			g1 unlock 0x200
			g2 lock 0x200
			g2 read 0x100 val=2
			g2 unlock 0x200
			g2 end
			g1 read 0x300 val=9
			g1 end`, ""},
		{"O3: what was done to freed memory comes before the Alloc that reuses it", `
			go 1
			start 0 10
			alloc 0x100000 64 11
			write 0x100000 5
			go 2 20
			read 0x200 0
			read 0x100000 5
			write/20 0x100010 40
			read 0x208 0
			lock 0x300 50
			go 2
			start 1 21
			alloc 0x100000 64 30
			write 0x100000 6
			write 0x100010 7
			end 40
			`, `
			g1 start g0
			g1 alloc 0x100000 val=64
			g1 write 0x100000 val=5
			g1 go g2
			g2 start g1
			g1 read 0x200 val=0
			g1 read 0x100000 val=5
			g1 write 0x100010 more novalue
			g1 write 0x100018 more novalue
			g1 write 0x100020 more novalue
			g1 write 0x100028 more novalue
			g1 write 0x100030 novalue
			g2 alloc 0x100000 val=64
			g2 write 0x100000 val=6
			g2 write 0x100010 val=7
			g2 end
			g1 read 0x208 val=0
			g1 lock 0x300`, ""},
		{"O3: but not what a pointer to the new object was needed for", `
			go 1
			start 0 10
			alloc 0x100000 64 11
			write 0x100000 5
			write 0x200 0
			go 2 20
			read 0x100008 0
			read 0x200 0x100000
			read 0x100000 6
			lock 0x300 50
			go 2
			start 1 21
			alloc 0x100000 64 30
			write 0x100000 6
			write 0x200 0x100000
			lock 0x308 60
			`, `
			g1 start g0
			g1 alloc 0x100000 val=64
			g1 write 0x100000 val=5
			g1 write 0x200 val=0
			g1 go g2
			g2 start g1
			g1 read 0x100008 val=0
			g2 alloc 0x100000 val=64
			g2 write 0x100000 val=6
			g2 write 0x200 val=0x100000
			g1 read 0x200 val=0x100000
			g1 read 0x100000 val=6
			g1 lock 0x300
			g2 lock 0x308`, ""},
		{"V1: the write that a read saw comes first", `
			go 1
			start 0 10
			write 0x100 1
			go 2 20
			read 0x100 2
			lock 0x200 30
			go 2
			start 1 21
			write 0x108 7
			write 0x100 2
			write 0x108 8
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 go g2
			g2 start g1
			g2 write 0x108 val=7
			g2 write 0x100 val=2
			g1 read 0x100 val=2
			g1 lock 0x200
			g2 write 0x108 val=8
			g2 lock 0x300`, ""},
		{"V6: a value that is read first is not taken for the initial one if another stream writes it", `
			go 1
			start 0 10
			go 2 20
			write 0x108 5
			write 0x100 2
			lock 0x200 50
			go 2
			start 1 21
			read 0x100 2
			lock 0x300 40`, `
			g1 start g0
			g1 go g2
			g2 start g1
			g1 write 0x108 val=5
			g1 write 0x100 val=2
			g2 read 0x100 val=2
			g2 lock 0x300
			g1 lock 0x200`, ""},
		{"V6: nor if another read stays unexplained then: somebody wrote what was not there at first", `
			go 1
			start 0 10
			write 0x108 1
			go 2 20
			read 0x108 3
			write 0x100 2
			lock 0x200 60
			go 2
			start 1 21
			read 0x100 2
			write 0x108 3
			lock 0x300 50`, `
			g1 start g0
			g1 write 0x108 val=1
			g1 go g2
			g2 start g1
			g1 read 0x108 val=3 unexplained
			g1 write 0x100 val=2
			g2 read 0x100 val=2
			g2 write 0x108 val=3
			g2 lock 0x300
			g1 lock 0x200`, "unexplained-read=1"},
		{"V6: zero is, then", `
			go 1
			start 0 10
			write 0x108 1
			go 2 20
			read 0x108 3
			write 0x100 0
			lock 0x200 60
			go 2
			start 1 21
			read 0x100 0
			write 0x108 3
			lock 0x300 50`, `
			g1 start g0
			g1 write 0x108 val=1
			g1 go g2
			g2 start g1
			g2 read 0x100 val=0
			g2 write 0x108 val=3
			g2 lock 0x300
			g1 read 0x108 val=3
			g1 write 0x100 val=0
			g1 lock 0x200`, ""},
		{"V2: a read of the old value comes before the write", `
			go 1
			start 0 10
			write 0x100 1
			go 2 20
			write 0x100 2
			lock 0x200 30
			go 2
			start 1 21
			read 0x100 1
			read 0x100 2
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 go g2
			g2 start g1
			g2 read 0x100 val=1
			g1 write 0x100 val=2
			g1 lock 0x200
			g2 read 0x100 val=2
			g2 lock 0x300`, ""},
		{"a racy counter, with a lost update", `
			go 1
			start 0 10
			write 0x100 0
			go 2 20
			read 0x100 0
			write 0x100 1
			read 0x100 2
			write 0x100 3
			end 50
			go 2
			start 1 21
			read 0x100 1
			write 0x100 2
			read 0x100 2
			write 0x100 3
			end 60`, `
			g1 start g0
			g1 write 0x100 val=0
			g1 go g2
			g2 start g1
			g1 read 0x100 val=0
			g1 write 0x100 val=1
			g2 read 0x100 val=1
			g2 write 0x100 val=2
			g1 read 0x100 val=2
			g2 read 0x100 val=2
			g1 write 0x100 val=3
			g1 end
			g2 write 0x100 val=3
			g2 end`, ""},
		{"V3: a read goes back, with what its goroutine did before it", `
			go 1
			start 0 10
			write 0x100 1
			go 2 20
			write//4 0x100 2
			lock 0x200 30
			go 2
			start 1 21
			read//4 0x104 0
			write 0x108 5
			read//4 0x100 1
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 go g2
			g2 start g1
			g2 read 0x104 size=4 val=0
			g2 write 0x108 val=5
			g2 read 0x100 size=4 val=1
			g1 write 0x100 size=4 val=2
			g1 lock 0x200
			g2 lock 0x300`, ""},
		{"V3: a read of a new word goes back to before a write of its half", `
			go 1
			start 0 10
			go 2 20
			write//4 0x100 2
			write//4 0x104 3
			write//4 0x108 4
			lock 0x200 30
			go 2
			start 1 21
			read 0x100 0
			read 0x108 0
			lock 0x300 40`, `
			g1 start g0
			g1 go g2
			g2 start g1
			g2 read 0x100 val=0
			g1 write 0x100 size=4 val=2
			g1 write 0x104 size=4 val=3
			g2 read 0x108 val=0
			g1 write 0x108 size=4 val=4
			g1 lock 0x200
			g2 lock 0x300`, ""},
		{"V3: not where another goroutine read what it wrote in between", `
			go 1
			start 0 10
			write 0x100 1
			write 0x108 4
			go 2 20
			write//4 0x100 2
			read 0x108 4
			lock 0x200 30
			go 2
			start 1 21
			read//4 0x104 0
			write 0x108 5
			read//4 0x100 1
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 write 0x108 val=4
			g1 go g2
			g2 start g1
			g1 write 0x100 size=4 val=2
			g1 read 0x108 val=4
			g1 lock 0x200
			g2 read 0x104 size=4 val=0
			g2 write 0x108 val=5
			g2 read 0x100 size=4 val=1 unexplained
			g2 lock 0x300`, "unexplained-read=1"},
		{"V4: the write of the other goroutine was first", `
			go 1
			start 0 10
			write 0x100 0
			go 2 20
			write 0x100 7
			lock 0x200 30
			stamp 45
			read 0x100 7
			lock 0x200 50
			go 2
			start 1 21
			write 0x100 8
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=0
			g1 go g2
			g2 start g1
			g2 write 0x100 val=8
			g1 write 0x100 val=7
			g1 lock 0x200
			g2 lock 0x300
			g1 read 0x100 val=7
			g1 lock 0x200`, ""},
		{"V4: with what its goroutine did before", `
			go 1
			start 0 10
			write 0x100 0
			go 2 20
			write 0x100 7
			stamp 30
			stamp 60
			lock 0x200 70
			go 2
			start 1 21
			write 0x108 1
			write 0x100 8
			read 0x100 7
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=0
			g1 go g2
			g2 start g1
			g2 write 0x108 val=1
			g2 write 0x100 val=8
			g1 write 0x100 val=7
			g2 read 0x100 val=7
			g2 lock 0x300
			g1 lock 0x200`, ""},
		{"V4: not across a stamp", `
			go 1
			start 0 10
			write 0x100 0
			go 2 20
			write 0x100 7
			lock 0x200 30
			stamp 45
			read 0x100 7
			lock 0x200 50
			go 2
			start 1 31
			write 0x100 8
			lock 0x300 40`, `
			g1 start g0
			g1 write 0x100 val=0
			g1 go g2
			g1 write 0x100 val=7
			g1 lock 0x200
			g2 start g1
			g2 write 0x100 val=8
			g2 lock 0x300
			g1 read 0x100 val=7 unexplained
			g1 lock 0x200`, "unexplained-read=1"},
		{"bytes of one word, unexplained reads", `
			go 1
			start 0 10
			write//4 0x104 5
			write//2 0x100 7
			read 0x100 0x500000007
			read 0x100 0x500000008
			read 0x100 0x500000008
			aread 0x100 1 20
			armw 0x100 1 2 30
			awrite//4 0x104 9 40
			read 0x100 0x900000002`, `
			g1 start g0
			g1 write 0x104 size=4 val=5
			g1 write 0x100 size=2 val=7
			g1 read 0x100 val=0x500000007
			g1 read 0x100 val=0x500000008 unexplained
			g1 read 0x100 val=0x500000008
			g1 aread 0x100 val=1 unexplained
			g1 armw 0x100 val=1 aux=2
			g1 awrite 0x104 size=4 val=9
			g1 read 0x100 val=0x900000002`, "unexplained-read=2"},
		{"memory is unknown after an Alloc and after a write without value; ranges", `
			go 1
			start 0 10
			write 0x100 1
			alloc 0x100 16 20
			read 0x100 0
			write/20/0 0x106 11
			read 0x108 4
			read 0x108 5
			read/20/0 0x108 0
			read/20/0 0 8
			read/30/8 0x200 1
			read 0x208 1`, `
			g1 start g0
			g1 write 0x100 val=1
			g1 alloc 0x100 val=16
			g1 read 0x100 val=0
			g1 write 0x106 size=2 more novalue
			g1 write 0x108 more novalue
			g1 write 0x110 size=1 novalue
			g1 read 0x108 val=4
			g1 read 0x108 val=5 unexplained
			g1 read 0x200 size=1 more novalue
			g1 read 0x208 val=1`, "unexplained-read=1"},
		{"stacks, functions, values of several words", `
			go 1
			start 0 10
			alloc/80 0x1000 0x100 20
			enter 0x300000007
			value//20 1 2 3
			value//0 0
			block
			write 0x1010 5
			write 0x1100 5
			alloc/80 0x2000 0x100 30
			write 0x1010 6
			opaque
			opaqueend
			exit 3`, `
			g1 start g0
			g1 alloc 0x1000 val=256 stack
			g1 enter val=7 aux=3
			g1 value size=20 val=1
			g1 word val=2
			g1 word val=3
			g1 value
			g1 block
			g1 write 0x1010 val=5 stack
			g1 write 0x1100 val=5
			g1 alloc 0x2000 val=256 stack
			g1 write 0x1010 val=6
			g1 opaque
			g1 opaqueend
			g1 exit aux=3`, ""},
		{"channels and the rest of synchronisation", `
			go 1
			start 0 10
			send/20 0x100 0 2 20
			send/20 0x100 0 2 21
			send 0x140 9 1 22
			go 0
			acquire 0x400 15
			relmerge 0x400 35
			go 9
			start 1 25
			recv/20 0x100 0 2 30
			recv/20 0x100 0 2 31
			recv/24 0x100 0 2 32
			recv 0x140 9 1 33
			len/40 0x100 0 2 34
			case/28 0x100 0 2 36
			default 37
			wgadd 0x500 0xffffffffffffffff 3 38
			wgwait 0x500 39
			end 41`, `
			g1 start g0
			g0 acquire 0x400
			g1 send 0x100 val=1 aux=2 novalue
			g1 send 0x100 val=2 aux=2 novalue
			g1 send 0x140 val=9 aux=1
			g2 start g1
			g2 recv 0x100 val=1 aux=2 novalue
			g2 recv 0x100 val=2 aux=2 novalue
			g2 recv 0x100 aux=2 closed novalue
			g2 recv 0x140 val=9 aux=1
			g2 len 0x100 aux=2 opaque
			g0 relmerge 0x400
			g2 case 0x100 aux=2 write novalue
			g2 default
			g2 wgadd 0x500 val=-1 aux=3
			g2 wgwait 0x500
			g2 end`, ""},
		{"C1: streams without an end", `
			go 1
			start 0 10
			go 5 20
			write 0x100 1
			go 5
			start 1 21
			write 0x108 2
			lock 0x200 30
			write 0x110 3`, `
			g1 start g0
			g1 go g2
			g2 start g1
			g2 write 0x108 val=2
			g2 lock 0x200
			g1 write 0x100 val=1
			g2 write 0x110 val=3`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := parseRecording(t, c.recording)
			got, meta, stats := mergeDir(t, save(t, whole, 0, 0))
			if d := cmp.Diff(lines(c.want), raw.Text(got, nil)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if got := warnings(meta); got != c.warn {
				t.Errorf("warnings %q, want %q", got, c.warn)
			}
			if stats.PID != 77 || stats.Unix != 12345 || stats.Streams != len(whole) || stats.Events != int64(len(got)) {
				t.Errorf("stats: %+v", stats)
			}
			// Where the chunks end makes no difference.
			for _, s := range whole {
				for i := 0; i < len(s.words); {
					n, _ := format.RawLen(s.words[i])
					i += n
					s.cuts = append(s.cuts, i)
				}
			}
			if again, _, _ := mergeDir(t, save(t, whole, 0, 0)); !slices.Equal(again, got) {
				t.Error("in small chunks another trace")
			}
		})
	}
}

func warnings(m *trace.Meta) string {
	var s []string
	for _, w := range m.Warnings {
		s = append(s, fmt.Sprintf("%s=%d", w.Code, w.Count))
	}
	return strings.Join(s, " ")
}

func TestGoroutines(t *testing.T) {
	name := "main.worker.func1"
	words := []uint64{format.RawHeader(format.Start, 0, uint16(len(name)), 0), 1, 30}
	b := append([]byte(name), make([]byte, 8)...)
	for i := 0; i < len(name); i += 8 {
		words = append(words, binary.LittleEndian.Uint64(b[i:]))
	}
	streams := parseRecording(t, "go 4\nstart 0 5\ngo 1\nstart 0 10\ngo 12 20\ngo 13 22")
	streams[1].words[len(streams[1].words)-6] |= 99 // site of the first go statement
	streams = append(streams, &testStream{goid: 12, words: words})
	_, meta, stats := mergeDir(t, save(t, streams, 0, 0))
	want := []trace.Goroutine{{}, {RunID: 1}, {RunID: 4}, {RunID: 12, Parent: 1, Site: 99, Func: name}, {RunID: 13, Parent: 1}}
	if d := cmp.Diff(want, meta.Goroutines); d != "" || stats.Goroutines != 4 {
		t.Errorf("%d goroutines (-want +got):\n%s", stats.Goroutines, d)
	}
}

// (C2) After a stop, nothing behind the last synchronisation counts; with its stamp, nothing behind it.
func TestStopped(t *testing.T) {
	recording := `
		go 1
		start 0 10
		write 0x100 1
		lock 0x200 20
		write 0x100 2
		stamp 30
		write 0x100 3
		alloc 0x300 8 40
		write 0x100 4
		go 2
		start 1 15
		write 0x108 1
		unlock 0x200 50`
	for _, c := range []struct {
		stopAt uint64
		want   string
		warn   string
	}{
		{0, "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\ng2 write 0x108 val=1\ng2 unlock 0x200\n", "recording-stopped=1 records-dropped=5"},
		{45, "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\n", "recording-stopped=1 records-dropped=7"},
	} {
		got, meta, _ := mergeDir(t, save(t, parseRecording(t, recording), format.StopNoDisk, c.stopAt))
		if d := cmp.Diff(c.want, raw.Text(got, nil)); d != "" || warnings(meta) != c.warn {
			t.Errorf("stop at %d: %s (-want +got):\n%s", c.stopAt, warnings(meta), d)
		}
	}
}

// (C3) A record that cannot be read, or a missing chunk, ends the trace of all at the stream's last stamp.
func TestDamaged(t *testing.T) {
	recording := `
		go 1
		start 0 10
		write 0x100 1
		lock 0x200 20
		chunk
		write 0x100 2
		unlock 0x200 30
		chunk
		lock 0x200 40
		go 2
		start 1 15
		write 0x108 1
		lock 0x300 25
		lock 0x400 35`
	want := "g1 start g0\ng2 start g1\ng1 write 0x100 val=1\ng1 lock 0x200\n"
	whole := parseRecording(t, recording)

	bad := parseRecording(t, recording)
	bad[0].words[bad[0].cuts[0]] = 0x7700000000000000
	dir := save(t, bad, 0, 0)
	got, meta, stats := mergeDir(t, dir)
	if d := cmp.Diff(want, raw.Text(got, nil)); d != "" || !strings.HasPrefix(warnings(meta), "raw-damaged=1 records-dropped=") || len(stats.Damage) != 1 {
		t.Errorf("bad record: %s (-want +got):\n%s", warnings(meta), d)
	}

	dir = save(t, whole, 0, 0)
	name := filepath.Join(dir, "000000.seg")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[3*blockBytes : 4*blockBytes]) // the second chunk: header, chunk, unused block, chunk
	os.WriteFile(name, b, 0o666)
	got, meta, _ = mergeDir(t, dir)
	if d := cmp.Diff(want, raw.Text(got, nil)); d != "" || !strings.HasPrefix(warnings(meta), "raw-damaged=1") {
		t.Errorf("missing chunk: %s (-want +got):\n%s", warnings(meta), d)
	}
}

func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "000000.seg"), nil, 0o666)
	os.WriteFile(filepath.Join(dir, "000001.seg"), make([]byte, 3000), 0o666)
	if events, _, stats := mergeDir(t, dir); len(events) != 0 || stats.Streams != 0 {
		t.Errorf("%d events, %+v", len(events), stats)
	}
	if _, err := Merge(filepath.Join(dir, "none"), &trace.Meta{}, nil); !os.IsNotExist(err) {
		t.Errorf("missing directory: %v", err)
	}
}

// run is a random program, executed in a random order.
type run struct {
	streams []*testStream
	reads   int
}

// simulate executes goroutines that access few words, with locks around the accesses of a word if disciplined.
func simulate(r *rand.Rand, disciplined bool) run {
	const words = 4
	n := 2 + r.IntN(4)
	out := run{streams: make([]*testStream, n)}
	mem := map[uint64]uint64{}
	holder := [words]int{}
	held := make([]int, n)
	clock := uint64(100)
	put := func(g int, k format.Kind, size uint16, w ...uint64) {
		out.streams[g].words = append(append(out.streams[g].words, format.RawHeader(k, 0, size, 0)), w...)
	}
	for g := range n {
		held[g] = -1
		clock++
		out.streams[g] = &testStream{goid: uint64(g + 1)}
		put(g, format.Start, 0, 0, clock)
	}
	for range 40 + r.IntN(200) {
		g := r.IntN(n)
		clock += uint64(1 + r.IntN(3))
		x := r.IntN(words)
		switch {
		case r.IntN(4) == 0 && held[g] < 0 && holder[x] == 0:
			held[g], holder[x] = x, g+1
			put(g, format.Lock, 0, 0x1000+uint64(8*x), clock)
			continue
		case r.IntN(4) == 0 && held[g] >= 0:
			put(g, format.Unlock, 0, 0x1000+uint64(8*held[g]), clock)
			held[g], holder[held[g]] = -1, 0
			continue
		case r.IntN(10) == 0:
			put(g, format.RawStamp, 0, clock)
			continue
		case disciplined && held[g] < 0:
			continue
		case disciplined:
			x = held[g]
		}
		addr, size := 0x100+uint64(8*x), uint16(8)
		if r.IntN(4) == 0 {
			addr, size = addr+uint64(4*r.IntN(2)), 4
		}
		sh, mask := 8*(addr&7), spread[byteMask(addr, uint64(size))]
		if r.IntN(2) == 0 {
			put(g, format.Read, size, addr, mem[addr&^7]&mask>>sh)
			out.reads++
		} else {
			v := uint64(r.IntN(6)) // few values, so that one can be mistaken for another
			put(g, format.Write, size, addr, v)
			mem[addr&^7] = mem[addr&^7]&^mask | v<<sh&mask
		}
	}
	return out
}

// TestRandom merges random runs, and checks the result against (O1), (O2) and (V3) with code of its own.
func TestRandom(t *testing.T) {
	racy, reads := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		disciplined := seed%3 == 0
		p := simulate(r, disciplined)
		dir := save(t, p.streams, 0, 0)
		events, _, stats := mergeDir(t, dir)
		checkOrder(t, seed, p, events)
		n := recount(t, seed, events)
		if n != stats.Unexplained || stats.Values != int64(p.reads) {
			t.Fatalf("seed %d: %d unexplained reads of %d, counted %d of %d", seed, n, p.reads, stats.Unexplained, stats.Values)
		}
		if disciplined && n > 0 {
			t.Fatalf("seed %d: %d unexplained reads without a race", seed, n)
		}
		if !disciplined {
			racy += n
			reads += p.reads
		}
		os.RemoveAll(dir)
	}
	t.Logf("racy runs: %d of %d reads unexplained", racy, reads)
	if racy*10 > reads {
		t.Errorf("more than 2%% of the reads of racy runs are unexplained")
	}
}

// checkOrder checks that events hold each stream in its order, stamped records in the order of stamps, and groups between.
func checkOrder(t *testing.T, seed uint64, p run, events []trace.Event) {
	t.Helper()
	at := make([]int, len(p.streams))
	frontier := uint64(0) // stamps up to here have passed
	gos := map[trace.GoID]int{}
	for i, e := range events {
		if e.Kind == format.Start {
			gos[e.G] = -1
			for s := range p.streams {
				if at[s] == 0 && p.streams[s].words[2] > frontier && (gos[e.G] < 0 || p.streams[s].words[2] < p.streams[gos[e.G]].words[2]) {
					gos[e.G] = s
				}
			}
		}
		s := gos[e.G]
		w := p.streams[s].words
		for format.Kind(w[at[s]]>>56) == format.RawStamp {
			frontier = max(frontier, w[at[s]+1])
			at[s] += 2
		}
		h := w[at[s]]
		n, stamp := format.RawLen(h)
		if format.Kind(h>>56) != e.Kind || e.Kind.IsAccess() && (uint64(e.Obj) != w[at[s]+1] || e.Val != w[at[s]+2]) {
			t.Fatalf("seed %d: event %d is %+v, not the next of its stream", seed, i, e)
		}
		if stamp > 0 {
			if w[at[s]+stamp] <= frontier {
				t.Fatalf("seed %d: event %d: stamp %d after %d", seed, i, w[at[s]+stamp], frontier)
			}
			frontier = w[at[s]+stamp]
		} else if next := nextStamp(w[at[s]:]); next < frontier {
			t.Fatalf("seed %d: event %d comes after stamp %d, although its group ends at %d", seed, i, frontier, next)
		}
		at[s] += n
	}
	for s := range at {
		for at[s] < len(p.streams[s].words) && format.Kind(p.streams[s].words[at[s]]>>56) == format.RawStamp {
			at[s] += 2
		}
		if at[s] != len(p.streams[s].words) {
			t.Fatalf("seed %d: records of stream %d are missing", seed, s)
		}
	}
}

func nextStamp(w []uint64) uint64 {
	for len(w) > 0 {
		n, stamp := format.RawLen(w[0])
		if stamp > 0 {
			return w[stamp]
		}
		w = w[n:]
	}
	return ^uint64(0)
}

// recount counts the reads that do not return what was written last, byte by byte, and checks the flags. Memory is
// zero at first: a read of something else that nothing has written yet may have the flag (V6).
func recount(t *testing.T, seed uint64, events []trace.Event) (n int) {
	t.Helper()
	mem := map[uint64]byte{}
	for i, e := range events {
		if !e.Kind.IsAccess() {
			continue
		}
		bad, doubtful := false, false
		for j := range uint64(e.Size) {
			x, b := uint64(e.Obj)+j, byte(e.Val>>(8*j))
			if old, ok := mem[x]; e.Kind == format.Read && ok && old != b {
				bad = true
			} else if e.Kind == format.Read && !ok && b != 0 {
				doubtful = true
			}
			mem[x] = b
		}
		flag := e.Flags&format.FlagUnexplained != 0
		if flag {
			n++
		}
		if bad && !flag || flag && !bad && !doubtful {
			for k, e := range events[:i+1] {
				t.Logf("%d g%d %v %#x size=%d val=%#x flags=%#x", k, e.G, e.Kind, e.Obj, e.Size, e.Val, e.Flags)
			}
			t.Fatalf("seed %d: event %d: flags %#x", seed, i, e.Flags)
		}
	}
	return n
}

// Whatever stands in the files, merge does not panic, and its trace can be read.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{
		"go 1\nstart 0 10\nwrite 0x100 1\ngo 7 20\nread 0x100 2\nlock 0x200 30\ngo 7\nstart 1 21\nwrite 0x100 2\nvalue//20 1 2 3\nread/20/0 0x100 99\n",
		"go 1\nstart 0 10\nsend/20 0x100 0 1 20\nalloc/80 0x100 64 30\narmw 0x100 1 2 30\nexit 3\n",
	} {
		b, err := os.ReadFile(filepath.Join(save(f, parseRecording(f, text), 0, 0), "000000.seg"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[blockBytes:], uint64(0))
		f.Add(b[blockBytes:], uint64(3))
	}
	f.Fuzz(func(t *testing.T, blocks []byte, stopped uint64) {
		b := make([]byte, blockBytes, blockBytes+len(blocks))
		for i, w := range []uint64{format.SegMagic, format.RawVersion, 7, 0, 0, stopped, 1, 1, 0} {
			binary.LittleEndian.PutUint64(b[8*i:], w)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "000000.seg"), append(b, blocks...), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := openRecording(dir)
		if err != nil {
			return
		}
		defer r.close()
		meta := &trace.Meta{}
		w, err := trace.NewWriter(io.Discard, meta)
		if err != nil {
			t.Fatal(err)
		}
		m := newMerger(r, meta, w)
		m.widest = 1 << 10
		m.run()
		m.finish()
		if m.err != nil {
			t.Fatal(m.err)
		}
	})
}
