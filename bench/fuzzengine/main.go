// Fuzzengine compares the engine with the exhaustive explorer of package
// tracetest, on random tiny executions with every synchronisation primitive, and
// has every witness checked. It prints what it compared and exits with status 1 at
// the first difference, which it shrinks, prints, and writes to the directory of
// -save.
//
//	go run ./bench/fuzzengine -pairs 200000 -seed 1
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"presage/internal/engine"
	"presage/internal/trace/tracetest"
	"presage/internal/window"
)

func main() {
	pairs := flag.Int("pairs", 200_000, "compare at least this many pairs")
	seed := flag.Uint64("seed", 1, "seed of the generator")
	save := flag.String("save", "internal/trace/tracetest/testdata/disagree", "directory for differences")
	conflicts := flag.Int("conflicts", 0, "the engine's budget per pair (0: its default)")
	scale := flag.Int("scale", 1, "so many times as many events per window")
	most := flag.Int("most", 1, "stop after this many differences")
	flag.Parse()

	start := time.Now()
	predict := predictor(engine.Options{Conflicts: *conflicts})
	var c tracetest.Counts
	found, windows := 0, uint64(0)
	for ; c.Pairs < *pairs && found < *most; windows++ {
		w := tracetest.ScaledWindow(*seed, windows, *scale)
		d := tracetest.Compare(w.Window, predict, &c)
		if d == nil {
			continue
		}
		found++
		d = tracetest.Shrink(d, predict)
		text := fmt.Sprintf("# %s, seed %d, window %d, scale %d, shrunk\n%s", w.Profile, *seed, windows, *scale, d)
		fmt.Println(text)
		if err := os.MkdirAll(*save, 0o755); err != nil {
			fmt.Fprintln(os.Stderr, "fuzzengine:", err)
			os.Exit(2)
		}
		name := filepath.Join(*save, fmt.Sprintf("%d-%d.txt", *seed, windows))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "fuzzengine:", err)
			os.Exit(2)
		}
	}
	fmt.Printf("%d windows generated, %d with conflicting pairs, %d of them too large to explore\n", windows, c.Windows, c.TooLarge)
	fmt.Printf("%d pairs: %d race, %d do not, %d unknown to the engine, in %v\n", c.Pairs, c.Races, c.Pairs-c.Races, c.Unknown, time.Since(start).Round(time.Second))
	for _, how := range slices.Sorted(maps.Keys(c.How)) {
		fmt.Printf("%9d %s\n", c.How[how], how)
	}
	fmt.Printf("%d differences\n", found)
	if found > 0 {
		os.Exit(1)
	}
}

// predictor is the engine.
func predictor(opt engine.Options) tracetest.Predictor {
	return func(w *window.Window) func(window.Pair) tracetest.Answer {
		s := engine.New(w, opt)
		return func(p window.Pair) tracetest.Answer {
			r := s.Solve(p)
			return tracetest.Answer{Verdict: verdict(r.Verdict), Order: r.Order, How: r.Layer.String()}
		}
	}
}

func verdict(v engine.Verdict) tracetest.Verdict {
	switch v {
	case engine.Race:
		return tracetest.Race
	case engine.NoRace:
		return tracetest.NoRace
	}
	return tracetest.Unknown
}
