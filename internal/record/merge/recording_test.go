package merge

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/trace/format"
)

// A recording as text: "go N" begins the stream of goroutine N; the other lines are records: the
// kind, optionally with flags in hexadecimal and a size as kind/flags/size, and the words.
//
//	go 1
//	start 0 10
//	write 0x100 5
//	lock 0x200 20

// testStream is the words of a stream, and the ends of its chunks.
type testStream struct {
	goid  uint64
	words []uint64
	cuts  []int
}

var kindNames = func() map[string]format.Kind {
	m := map[string]format.Kind{"stamp": format.RawStamp, "gc": format.RawGC, "var": format.RawVar, "const": format.RawConst, "set": format.RawSet, "context": format.RawContext, "late": format.RawLate}
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
	site := uint64(0)
	if len(h) > 3 {
		site, _ = strconv.ParseUint(h[3], 0, 32)
	}
	w := []uint64{format.RawHeader(k, format.Flags(flags), uint16(size), uint32(site))}
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
			w = append(w, make([]uint64, format.RawBlockWords)...) // reserved, not used
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

// A mergeCase is an archive of testdata.
type mergeCase struct{ recording, trace, warnings string }

func parseCase(t *testing.T, file string) (c mergeCase) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		switch text := string(f.Data); f.Name {
		case "recording":
			c.recording = text
		case "trace":
			c.trace = text
		case "warnings":
			c.warnings = strings.TrimSpace(text)
		default:
			t.Fatalf("%s: %s is no part of a case", file, f.Name)
		}
	}
	return c
}
