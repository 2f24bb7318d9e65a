package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
)

// TestRandomPrograms explores small random programs in the machine of package progtest, and
// compares the races with those of every execution. None is false, and of those that there are, all
// but one in a hundred are found. If an exploration was exhaustive and has found no race, there is
// none. PRESAGE_RANDOM is the number of programs, PRESAGE_SEED the seed of the first.
func TestRandomPrograms(t *testing.T) {
	number := func(name string, n uint64) uint64 {
		if s := os.Getenv(name); s != "" {
			n, _ = strconv.ParseUint(s, 10, 64)
		}
		return n
	}
	f := &figures{loader: progtest.NewLoader()}
	first := number("PRESAGE_SEED", 3_000_000)
	for i := range number("PRESAGE_RANDOM", 80) {
		f.program(t, first+i)
	}
	t.Logf("%d of %d pairs of lines that race; %d of %d programs without a race are said to have none; %d of %d explorations were exhaustive", f.found, f.races, f.claimed, f.free, f.exhausted, f.compared)
	if f.claimed == 0 || 100*f.found < 99*f.races {
		t.Error("too little was found")
	}
}

// figures are what was compared.
type figures struct {
	loader              *progtest.Loader
	races, found        int
	free, claimed       int // programs without a race
	compared, exhausted int
}

// program compares what is found in one program.
func (f *figures) program(t *testing.T, seed uint64) {
	src := progtest.Generate(seed, progtest.Knobs{})
	p, err := f.loader.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	truth := p.Explore(50_000)
	if !truth.Exhausted {
		return
	}
	x := &machine{p: p, runs: map[string]*progtest.Run{}}
	c := Config{Run: x.run, Open: x.open, Predict: x.predict, Seed: 1, Runs: 300}
	s, err := Explore(context.Background(), c)
	if errors.Is(err, progtest.ErrLimit) {
		return
	}
	if err != nil {
		t.Fatalf("program %d: %v", seed, err)
	}
	c.Runs = 5
	sample, err := Sample(context.Background(), c, steer.Random)
	if err != nil || sample.Runs != 5 || sample.Exhausted || len(sample.Races) > 0 != (sample.FirstRace > 0) {
		t.Errorf("program %d: %d runs, the first race in run %d: %v", seed, sample.Runs, sample.FirstRace, err)
	}
	claims := s.Exhausted && len(s.Races) == 0
	for _, q := range truth.Pairs {
		f.races++
		switch {
		case slices.Contains(s.Races, pairName(q)):
			f.found++
		case claims && !strings.Contains(src, "sync.Pool"): // it would hold for one choice of a Get
			t.Errorf("program %d: exhaustive in %d runs, but without %s\n%s", seed, s.Runs, p.Describe(q), src)
		default:
			t.Logf("program %d: missed %s in %d runs, exhaustive: %t", seed, p.Describe(q), s.Runs, s.Exhausted)
		}
	}
	for _, name := range slices.Concat(s.Races, sample.Races) {
		if !slices.ContainsFunc(truth.Pairs, func(q progtest.Pair) bool { return pairName(q) == name }) {
			t.Errorf("program %d: false race %s", seed, name)
		}
	}
	if f.compared++; s.Exhausted {
		f.exhausted++
	}
	if len(truth.Pairs) == 0 {
		if f.free++; claims {
			f.claimed++
		}
	}
}

func pairName(q progtest.Pair) string { return fmt.Sprint(q.A, q.B) }

// machine runs a program under schedules.
type machine struct {
	p    *progtest.Program
	runs map[string]*progtest.Run
}

func (m *machine) open(name string) (trace.Source, io.Closer, error) {
	return m.runs[name].Source(), io.NopCloser(nil), nil
}

func (m *machine) predict(ctx context.Context, name string, whole bool) (races []Race, sure bool, err error) {
	r := m.runs[name]
	level := predict.Causal
	if whole {
		level = predict.Paths
	}
	w := walk.NewBranching(m.p.Plan)
	w.Read(r.Meta)
	res, err := predict.Run(ctx, r.Source(), r.Meta, predict.Options{Walker: w, Level: level})
	if err != nil {
		return nil, false, err
	}
	for _, x := range res.Races {
		races = append(races, Race{pairName(progtest.PairOf(x.A.Site, x.B.Site)), [2]trace.Site{x.A.Site, x.B.Site}})
	}
	return races, true, nil
}
