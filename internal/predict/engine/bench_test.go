package engine

import (
	"fmt"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/model"
)

// The profiles are those of the prototype's measurements: one that follows its locks,
// and a hot one that mostly does not.
func disciplined(n int) workload {
	return workload{seed: 1, threads: 8, locations: n / 5, locks: 6, events: n, values: 4, disciplined: true, needed: 1}
}

func hot(n int) workload {
	return workload{seed: 1, threads: 8, locations: 60, locks: 6, events: n, values: 4, needed: 1}
}

func wide(n int) workload {
	return workload{seed: 1, threads: 8, locations: n / 10, locks: n / 100, events: n, values: 1000, disciplined: true, needed: 0.5}
}

// BenchmarkSolve solves 100 pairs of one window with a new Solver.
func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{1000, 2000, 5000, 10000} {
		b.Run(fmt.Sprintf("disciplined/%d", n), func(b *testing.B) { benchmark(b, disciplined(n)) })
	}
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("wide/%d", n), func(b *testing.B) { benchmark(b, wide(n)) })
	}
	for _, n := range []int{500, 1000} {
		b.Run(fmt.Sprintf("hot/%d", n), func(b *testing.B) { benchmark(b, hot(n)) })
	}
}

// BenchmarkValues does the same where terms are evaluated: half of the pairs are of accesses with
// no other of the first's thread between them, the others are spread, as package predict tries
// them.
func BenchmarkValues(b *testing.B) {
	for _, c := range arithmetics {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.events), func(b *testing.B) { benchmark(b, c) })
	}
}

// The fewer objects, the more of what a goroutine reads the others have written. With 36, each sees
// a hundred operations whose values follow from each other: those pairs are what the budget is for.
var arithmetics = []arithmetic{
	{name: "360-objects", seed: 1, threads: 8, events: 5000, objects: 40, sloppy: 0.2},
	{name: "135-objects", seed: 2, threads: 8, events: 5000, objects: 15, sloppy: 0.2},
	{name: "36-objects", seed: 3, threads: 8, events: 5000, objects: 4, sloppy: 0.2},
}

func benchmark(b *testing.B, c interface {
	window() (*model.Window, [][]model.Obj)
}) {
	w, sets := c.window()
	var pairs []model.Pair
	if _, ok := c.(arithmetic); ok {
		pairs = nearPairs(w, sets, 50)
	}
	pairs = append(pairs, samplePairs(w, sets, 100-len(pairs), 1)...)
	var count [3]int
	var layers [4]int
	conflicts := 0
	start := cpuTime()
	for b.Loop() {
		count, layers, conflicts = [3]int{}, [4]int{}, 0
		s := New(w, Options{})
		for _, p := range pairs {
			r := s.Solve(p)
			count[r.Verdict]++
			layers[r.Layer]++
			conflicts += r.Conflicts
		}
	}
	b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(count[Race]), "races")
	b.ReportMetric(float64(count[Unknown]), "unknowns")
	b.ReportMetric(float64(layers[LayerSearch]), "searched")
	b.ReportMetric(float64(conflicts), "conflicts")
}

func workloads() []interface {
	window() (*model.Window, [][]model.Obj)
} {
	small := arithmetics[1]
	small.events, small.objects = 1500, 4
	return []interface {
		window() (*model.Window, [][]model.Obj)
	}{disciplined(1000), disciplined(3000), wide(1000), wide(4000), hot(700), arithmetics[0], small}
}

// TestWorkloads checks every witness of the benchmarks' windows.
func TestWorkloads(t *testing.T) {
	for _, c := range workloads() {
		w, sets := c.window()
		s := New(w, Options{})
		for _, p := range samplePairs(w, sets, 100, 1) {
			if r := s.Solve(p); r.Verdict == Race {
				if err := witness.Check(w, p, r.Order); err != nil {
					t.Fatalf("%+v, pair %v: %v", c, p, err)
				}
			}
		}
	}
}
