package merge

import (
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// busy makes streams of goroutines that run in turn: blocks, values, accesses to their own memory
// and, under locks, to shared memory.
func busy(goroutines, turns, length int) []*testStream {
	r := rand.New(rand.NewPCG(1, 1))
	streams := make([]*testStream, goroutines)
	mem := make([]uint64, 1<<16)
	clock := uint64(1000)
	for g := range streams {
		clock++
		s := &testStream{goid: uint64(g + 1)}
		s.words = append(s.words, format.RawHeader(format.Start, 0, 0, 0), 1, clock)
		streams[g] = s
	}
	for i := range turns {
		g := r.IntN(goroutines)
		s := streams[g]
		lock := uint64(0x100000 + 8*r.IntN(16))
		clock += 10
		s.words = append(s.words, format.RawHeader(format.Lock, 0, 0, 5), lock, clock)
		for j := range length {
			s.words = append(s.words, format.RawHeader(format.Block, 0, 0, uint32(10+j%7)))
			x := r.IntN(4096) + 4096*int(lock>>3%16)
			if j%3 == 0 {
				mem[x] = uint64(i)
				s.words = append(s.words, format.RawHeader(format.Write, 0, 8, uint32(20+j%7)), 0x200000+uint64(8*x), mem[x])
			} else {
				s.words = append(s.words, format.RawHeader(format.Read, 0, 8, uint32(30+j%7)), 0x200000+uint64(8*x), mem[x])
			}
		}
		clock += 10
		s.words = append(s.words, format.RawHeader(format.Unlock, 0, 0, 6), lock, clock)
	}
	return streams
}

func benchmark(b *testing.B, streams []*testStream) {
	for _, s := range streams {
		for at := 0; at < len(s.words); { // chunks of at most 1000 records
			if at > 0 {
				s.cuts = append(s.cuts, at)
			}
			for i := 0; i < 1000 && at < len(s.words); i++ {
				n, _ := format.RawLen(s.words[at])
				at += n
			}
		}
	}
	dir := save(b, streams, 0, 0)
	for i := range streams {
		streams[i] = nil
	}
	runtime.GC()
	var stats Stats
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		w, err := trace.NewWriter(io.Discard, nil)
		if err != nil {
			b.Fatal(err)
		}
		if stats, err = Merge(dir, &trace.Meta{}, w, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if stats.Unexplained > 0 {
		b.Errorf("%d unexplained reads", stats.Unexplained)
	}
	b.ReportMetric(float64(stats.Events)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mevents/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6/float64(b.N), "MB/op")
	b.SetBytes(stats.Bytes)
}

func BenchmarkMerge(b *testing.B) {
	b.Run("16 goroutines", func(b *testing.B) { benchmark(b, busy(16, 20_000, 100)) })
	b.Run("100000 goroutines", func(b *testing.B) { benchmark(b, busy(100_000, 200_000, 5)) })
}
