package hb

import (
	"math/rand"
	"runtime"
	"testing"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// lockTrace is a trace in which each of nThreads threads takes one of 64 locks, makes
// some accesses to the words the lock guards, and lets go; a few accesses have no lock.
func lockTrace(n, nThreads int) []trace.Event {
	rnd := rand.New(rand.NewSource(1))
	var out []trace.Event
	for t := 2; t <= nThreads; t++ {
		out = append(out, trace.Event{Kind: format.Go, G: 1, Obj: trace.Addr(t), Site: 1})
	}
	for len(out) < n {
		g := trace.GoID(1 + rnd.Intn(nThreads))
		l := trace.Addr(8 * (1 + rnd.Intn(64)))
		out = append(out, trace.Event{Kind: format.Lock, G: g, Obj: l, Site: 2})
		for range 2 + rnd.Intn(12) {
			k := format.Read
			if rnd.Intn(3) == 0 {
				k = format.Write
			}
			w := trace.Addr(1<<20 + 8*(int(l)/8*512+rnd.Intn(512)))
			if rnd.Intn(1000) == 0 {
				w = trace.Addr(1<<30 + 8*rnd.Intn(1000))
			}
			out = append(out, trace.Event{Kind: k, G: g, Obj: w, Size: 8, Site: trace.Site(3 + rnd.Intn(500))})
		}
		out = append(out, trace.Event{Kind: format.Unlock, G: g, Obj: l, Site: 2})
	}
	return out[:n]
}

// BenchmarkStep is the happens-before pass alone, without reading the trace.
func BenchmarkStep(b *testing.B) {
	events := lockTrace(1_000_000, 16)
	var d *Detector
	for b.Loop() {
		d = New()
		for i := range events {
			d.Step(int64(i), &events[i])
		}
	}
	b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(len(d.Races())), "site-pairs")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(d)
}
