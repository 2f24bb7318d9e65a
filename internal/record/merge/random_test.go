package merge

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// run is a random program, executed in a random order.
type run struct {
	streams []*testStream
	reads   int
}

// simulate executes goroutines that access few words. If disciplined, locks protect each word.
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

// TestRandom merges random runs, and checks the result against (ME1), (ME2) and (ME5) independently
// of the merger.
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

// checkOrder checks that each stream keeps its order, that stamped records are in the order of
// their stamps, and that each group is between its stamps.
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

// recount counts the reads that do not return the last value written, byte by byte, and checks the
// flags. Memory is zero at first. A read of another value before the first write may have the flag
// (ME6).
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

// For any content of the files, merge does not panic, and its trace can be read.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{
		"go 1\nstart 0 10\nwrite 0x100 1\ngo 7 20\nread 0x100 2\nlock 0x200 30\ngo 7\nstart 1 21\nwrite 0x100 2\nvalue//20 1 2 3\nread/20/0 0x100 99\n",
		"go 1\nstart 0 10\nsend/20 0x100 0 1 20\nalloc/80 0x100 64 30\narmw 0x100 1 2 30\nexit 3\n",
		// more than all memory
		"go 1\nstart 0 10\nwrite 0x100 1\nalloc/80 0x100 0x10000000000000 30\n",
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
		if m.out.err != nil {
			t.Fatal(m.out.err)
		}
	})
}
