package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestRandomPrograms explores small random programs in the machine of package progtest, and
// compares the races with those of every execution. If an exploration was exhaustive and has found
// no race, there is none. PRESAGE_RANDOM is the number of programs.
func TestRandomPrograms(t *testing.T) {
	n := 150
	if s := os.Getenv("PRESAGE_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	loader := progtest.NewLoader()
	exhausted, free, races, found := 0, 0, 0, 0
	for seed := range uint64(n) {
		src := progtest.Generate(3_000_000+seed, progtest.Knobs{})
		if strings.Contains(src, "time.") || strings.Contains(src, "sync.Pool") || strings.Contains(src, "range m") {
			continue // their choices are steered in the runtime, or not at all
		}
		p, err := loader.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		truth := p.Explore(50_000)
		if !truth.Exhausted {
			continue
		}
		x := &machine{p: p, runs: map[string]*progtest.Run{}}
		s, err := Explore(context.Background(), Config{Run: x.run, Open: x.open, Predict: x.predict, Seed: 1, Runs: 300})
		if errors.Is(err, progtest.ErrLimit) {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		sample, err := Sample(context.Background(), Config{Run: x.run, Open: x.open, Predict: x.predict, Seed: 1, Runs: 5}, steer.Random)
		if err != nil || sample.Runs != 5 || sample.Exhausted || len(sample.Races) > 0 != (sample.FirstRace > 0) {
			t.Errorf("program %d: %d runs, the first race in run %d: %v", seed, sample.Runs, sample.FirstRace, err)
		}
		lost := 0
		for _, q := range truth.Pairs {
			races++
			if slices.Contains(s.Races, pairName(q)) {
				found++
			} else if lost++; s.Exhausted && len(s.Races) == 0 {
				t.Errorf("program %d: exhaustive in %d runs, but without %s\n%s", seed, s.Runs, p.Describe(q), src)
			}
		}
		for _, name := range slices.Concat(s.Races, sample.Races) {
			if !slices.ContainsFunc(truth.Pairs, func(q progtest.Pair) bool { return pairName(q) == name }) {
				t.Errorf("program %d: false race %s", seed, name)
			}
		}
		if s.Exhausted {
			exhausted++
			if len(s.Races) == 0 {
				free++
			}
		}
	}
	t.Logf("%d of %d pairs of lines that race; %d of %d explorations were exhaustive, %d of them without a race", found, races, exhausted, n, free)
	if free == 0 || found == 0 {
		t.Error("nothing was compared")
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

// run does what the runtime of a steered program does.
func (m *machine) run(_ context.Context, s *steer.Schedule) (*record.SteeredRun, error) {
	rng := rand.New(rand.NewPCG(s.Seed, s.Base.Seed))
	x := &execution{threads: map[trace.GoID]*thread{}}
	ended := map[uint64]bool{}
	read, part := 0, 0
	step := func(r *progtest.Run, steps [][]trace.GoID) int {
		for ; read < len(r.Events); read++ {
			e := &r.Events[read]
			if !recorded(e.Kind) {
				continue
			}
			t := x.thread(e.G)
			if t.records++; e.Kind == format.Go {
				x.starts(t, *e, r.Meta)
			}
			ended[t.number] = ended[t.number] || e.Kind == format.End
		}
		for ; part < len(s.Parts); part++ {
			want := s.Parts[part]
			over := ended[want.Goroutine]
			at := -1
			for g, t := range x.threads {
				if t.number != want.Goroutine || want.Goroutine == steer.Runtime {
					continue
				}
				over = over || t.records >= want.Until
				at = slices.IndexFunc(steps, func(by []trace.GoID) bool { return slices.Contains(by, g) })
			}
			if over {
				continue
			}
			if at >= 0 {
				return at
			}
			break
		}
		return rng.IntN(len(steps))
	}
	r, err := m.p.RecordBy(step)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprint("run", len(m.runs))
	m.runs[name] = r
	out := &record.SteeredRun{Trace: name, Processes: 1}
	if !r.Ended { // by a panic, or because all wait
		out.ExitCode = 2
	} else {
		for g, t := range x.threads {
			if t.number != steer.Runtime && g != 1 && !ended[t.number] {
				out.Unended++
			}
		}
	}
	return out, nil
}

func (m *machine) predict(ctx context.Context, name string) (names []string, sure bool, err error) {
	r := m.runs[name]
	w := walk.NewBranching(m.p.Plan)
	w.Read(r.Meta)
	res, err := predict.Run(ctx, r.Source(), r.Meta, predict.Options{Walker: w, Level: predict.Paths})
	if err != nil {
		return nil, false, err
	}
	for _, x := range res.Races {
		names = append(names, pairName(progtest.PairOf(x.A.Site, x.B.Site)))
	}
	return names, true, nil
}
