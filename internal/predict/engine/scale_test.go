package engine

import (
	"fmt"
	"testing"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// servers makes a window of n events in which a main goroutine starts one short
// goroutine after the other; live says how many of them overlap.
func servers(n, live int) (*model.Window, []model.Pair) {
	w := &model.Window{Threads: make([]trace.GoID, 1), Init: make([]model.ObjState, 3)}
	const lock, hits, last = 0, 1, 2
	add := func(t model.Thread, k format.Kind, o model.Obj, strict bool) int32 {
		w.Events = append(w.Events, model.Event{Thread: t, Kind: k, Obj: o, Strict: strict, Partner: -1})
		return int32(len(w.Events)) - 1
	}
	var pairs []model.Pair
	prev := int32(-1)
	for len(w.Events) < n {
		var running []model.Thread
		for range live {
			t := model.Thread(len(w.Threads))
			w.Threads = append(w.Threads, 0)
			running = append(running, t)
			add(0, format.Go, model.Obj(t), false)
		}
		for _, t := range running {
			add(t, format.Lock, lock, false)
			add(t, format.Read, hits, true)
			add(t, format.Write, hits, false)
			add(t, format.Unlock, lock, false)
			x := add(t, format.Write, last, false)
			if prev >= 0 && len(pairs) < 100 {
				pairs = append(pairs, model.Pair{A: prev, B: x})
			}
			prev = x
		}
		for _, t := range running {
			add(0, format.Join, model.Obj(t), false)
		}
	}
	return w, pairs
}

// BenchmarkThreads shows what many goroutines cost: chains, not threads, count.
func BenchmarkThreads(b *testing.B) {
	for _, live := range []int{4, 64, 1000} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			w, pairs := servers(10_000, live)
			races, unknowns := 0, 0
			start := cpuTime()
			for b.Loop() {
				races, unknowns = 0, 0
				s := New(w, Options{})
				for _, p := range pairs {
					switch s.Solve(p).Verdict {
					case Race:
						races++
					case Unknown:
						unknowns++
					}
				}
			}
			b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(races), "races")
			b.ReportMetric(float64(unknowns), "unknowns")
		})
	}
}
