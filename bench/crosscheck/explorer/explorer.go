// Package explorer compares the engine with exhaustive exploration (package tracetest). The
// windows are random tiny executions with every synchronisation primitive, and variants of them,
// whose recorded order is no reordering (path relaxation). Every witness is checked.
//
//	go -C bench run ./crosscheck explorer -pairs 200000 -seed 1
//
// It prints what was compared, and ends at the first difference. It shrinks the difference, prints
// it, and writes it to the directory of -save. The exit code is 1 if there is one.
package explorer

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// Main compares until there are enough pairs, or too many differences.
func Main(args []string) int {
	flags := command.Flags("crosscheck explorer", "[-pairs n] [-seed s] [-variants share] [-scale n] [-conflicts n] [-most n] [-save dir]")
	pairs := flags.Int("pairs", 200_000, "compare at least this many pairs")
	seed := flags.Uint64("seed", 1, "seed of the generator")
	save := flags.String("save", filepath.Join(session.Root, "internal/oracle/tracetest/testdata/disagree"), "directory for differences")
	conflicts := flags.Int("conflicts", 0, "the engine's budget per pair (0: its default)")
	scale := flags.Int("scale", 1, "factor for the number of events in a window")
	variants := flags.Float64("variants", 0.3, "the share of windows whose recorded order is no reordering")
	most := flags.Int("most", 1, "stop after this many differences")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	b := bench{seed: *seed, scale: *scale, save: *save, predict: predictor(engine.Options{Conflicts: *conflicts})}
	windows, others := kind{name: "windows"}, kind{name: "variants", variant: true}
	start := time.Now()
	for windows.Pairs+others.Pairs < *pairs && b.found < *most {
		k := &windows
		if float64(others.Pairs) < *variants*float64(windows.Pairs+others.Pairs+1) {
			k = &others
		}
		b.compare(k)
	}
	windows.print()
	others.print()
	fmt.Printf("%d differences, in %v\n", b.found, time.Since(start).Round(time.Second))
	for _, k := range []*kind{&windows, &others} {
		figures.Print(k.name, command.Count(k.Pairs, "pairs"), command.Count(k.Races, "races"), command.Count(k.Unknown, "unknown"))
	}
	figures.Print("all", command.Count(b.found, "differences"))
	return command.Code(b.found == 0)
}

// kind is one of two kinds of windows: recorded ones, and variants, whose recorded order is in
// general no reordering.
type kind struct {
	tracetest.Counts
	name       string
	variant    bool
	generated  uint64
	infeasible int
}

func (k *kind) next(seed uint64, scale int) tracetest.Random {
	n := k.generated
	k.generated++
	if !k.variant {
		return tracetest.ScaledWindow(seed, n, scale)
	}
	w := tracetest.RandomVariant(seed, n, scale)
	if tracetest.Validate(w.Window) != nil {
		k.infeasible++
	}
	return w
}

func (k *kind) print() {
	fmt.Printf("%d %s generated, %d with conflicting pairs, %d of them too large to explore", k.generated, k.name, k.Windows, k.TooLarge)
	if k.variant {
		fmt.Printf("; the recorded order of %d is infeasible", k.infeasible)
	}
	fmt.Printf("\n%d pairs: %d race, %d do not, %d unknown to the engine\n", k.Pairs, k.Races, k.Pairs-k.Races, k.Unknown)
	for _, how := range slices.Sorted(maps.Keys(k.How)) {
		fmt.Printf("%9d %s\n", k.How[how], how)
	}
}

type bench struct {
	seed    uint64
	scale   int
	save    string
	predict tracetest.Predictor
	found   int
}

// compare compares the answers for the next window of a kind.
func (b *bench) compare(k *kind) {
	n := k.generated
	w := k.next(b.seed, b.scale)
	d := tracetest.Compare(w.Window, b.predict, &k.Counts)
	if d == nil {
		return
	}
	b.found++
	d = tracetest.Shrink(d, b.predict)
	text := fmt.Sprintf("# %s, seed %d, window %d, scale %d, shrunk\n%s", w.Profile, b.seed, n, b.scale, d)
	fmt.Println(text)
	command.Check(b.write(fmt.Sprintf("%d-%s-%d.txt", b.seed, k.name, n), text))
}

func (b *bench) write(name, text string) error {
	if err := os.MkdirAll(b.save, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.save, name), []byte(text), 0o644)
}

// predictor is the engine.
func predictor(opt engine.Options) tracetest.Predictor {
	return func(w *model.Window) func(model.Pair) tracetest.Answer {
		s := engine.New(w, opt)
		return func(p model.Pair) tracetest.Answer {
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
