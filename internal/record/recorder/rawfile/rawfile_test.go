package rawfile

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/trace/format"
)

// segment builds a segment of blocks of 128 words, each given by its first words.
func segment(stopped, stopAt uint64, blocks ...[]uint64) []byte {
	n := len(blocks) + 1
	w := make([]uint64, n*format.RawBlockWords)
	copy(w, []uint64{format.SegMagic, format.RawVersion, 77, 0, uint64(len(w)), stopped, 5, 6, stopAt})
	for i, b := range blocks {
		copy(w[(i+1)*format.RawBlockWords:], b)
	}
	out := make([]byte, 0, 8*len(w))
	for _, v := range w {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

func head(k format.Kind) uint64 { return format.RawHeader(k, 0, 0, 9) }

func chunkHead(words, goid, stream, seq uint64) []uint64 {
	return []uint64{uint64(format.RawChunk)<<56 | format.RawVersion<<48 | words, goid, stream<<32 | seq}
}

// example has a chunk within a chunk, a block never used, and a stream of two chunks.
func example(stopped, stopAt uint64) []byte {
	first := append(chunkHead(128, 7, 1, 0), head(format.Block), head(format.Lock), 0x40, 10, head(format.End), 11)
	first = append(first, chunkHead(119, 9, 2, 0)...)
	first = append(first, head(format.Unlock), 0x40, 12, head(format.Block))
	second := append(chunkHead(128, 9, 2, 1), head(format.Lock), 0x40, 14, head(format.Block))
	return segment(stopped, stopAt, first, nil, second)
}

func readBytes(t *testing.T, b []byte) (*Process, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "000000.seg"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	return Read(dir)
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name            string
		stopped, stopAt uint64
		want            map[uint64][]format.Kind
	}{
		{"running", 0, 0, map[uint64][]format.Kind{
			7: {format.Block, format.Lock, format.End},
			9: {format.Unlock, format.Block, format.Lock, format.Block},
		}},
		{"stopped at 13", 2, 13, map[uint64][]format.Kind{ // (RF2)
			7: {format.Block, format.Lock, format.End},
			9: {format.Unlock},
		}},
		{"stopped at 10", 2, 10, map[uint64][]format.Kind{
			7: {format.Block, format.Lock},
			9: nil,
		}},
	} {
		p, err := readBytes(t, example(c.stopped, c.stopAt))
		if err != nil {
			t.Fatal(err)
		}
		got := map[uint64][]format.Kind{}
		for _, s := range p.Streams {
			got[s.GoID] = nil
			for r := range s.Records() {
				got[s.GoID] = append(got[s.GoID], r.Kind)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || p.PID != 77 {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// FuzzRead: any bytes give an error or streams, never a panic.
func FuzzRead(f *testing.F) {
	f.Add(example(0, 0))
	f.Add(example(1, 12))
	f.Add([]byte("PRESAGE1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readBytes(t, b)
		if err != nil {
			return
		}
		for _, s := range p.Streams {
			for r := range s.Records() {
				if r.Kind == format.Start {
					_ = r.Name()
				}
			}
		}
	})
}

// box builds a box whose records are given as words, with garbage behind the first zero.
func box(stream, seq uint64, records ...uint64) []uint64 {
	w := make([]uint64, format.RawBoxWords)
	n := copy(w, append(chunkHead(format.RawBoxWords, stream+6, stream, seq), records...))
	for i := n + 1; i < len(w); i++ {
		w[i] = 0xDEAD
	}
	return w
}

// TestLog: a stream in the log and in a box that is used again; its copy in the log, cut short,
// counts as nothing, and a void box too.
func TestLog(t *testing.T) {
	lock := func(n uint64) []uint64 { return []uint64{head(format.Lock), 0x40, n} }
	inner := append(append(lock(10), chunkHead(format.RawBoxWords-6, 8, 2, 0)...), lock(11)...)
	places := [][]uint64{
		box(1, 0, inner...),
		make([]uint64, format.RawBoxWords), // not written
		box(1, 2, lock(13)[:1]...),         // cut short
		box(1, 1, lock(12)...),
	}
	places[2][format.ChunkHeaderWords] = 0
	boxes := [][]uint64{box(1, 2, append(lock(13), lock(14)...)...), box(0, 0, lock(15)...)}
	boxes[1][2] = 0
	dir := t.TempDir()
	for name, w := range map[string][]uint64{
		"000000.seg": append(make([]uint64, format.RawBlockWords), slices.Concat(boxes...)...),
		"000000.log": slices.Concat(places...),
	} {
		if name == "000000.seg" {
			copy(w, []uint64{format.SegMagic, format.RawVersion, 77, 0, uint64(len(w))})
		}
		var b []byte
		for _, v := range w {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint64][]uint64{}
	for _, s := range p.Streams {
		for r := range s.Records() {
			got[s.GoID] = append(got[s.GoID], r.Stamp)
		}
	}
	want := map[uint64][]uint64{7: {10, 12, 13, 14}, 8: {11}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stamps (-want +got):\n%s", diff)
	}
	if n, err := Count(dir); n != 5 || err != nil {
		t.Errorf("%d records counted, %v; want 5", n, err)
	}
}

// TestCount: records are counted without a Process in memory; damage is an error.
func TestCount(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "000000.seg")
	b := example(0, 0)
	for _, c := range []struct {
		damage uint64 // in place of the header of the first record
		want   int64
		bad    bool
	}{{head(format.Block), 7, false}, {0, 2, false}, {uint64(0xFF) << 56, 0, true}} {
		binary.LittleEndian.PutUint64(b[8*(format.RawBlockWords+format.ChunkHeaderWords):], c.damage)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if n, err := Count(dir); n != c.want || err != nil != c.bad {
			t.Errorf("first header %#x: %d records, error %v; want %d", c.damage, n, err, c.want)
		}
	}
}
