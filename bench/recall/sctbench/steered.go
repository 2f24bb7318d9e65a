package sctbench

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/presage-race/presage/internal/explore"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

// steered is a package that is built for steered runs.
type steered struct {
	*record.Steered
	plan *plan.Plan
}

func (b *bench) steer(ctx context.Context, p *program) (*steered, error) {
	if s := b.steered[p.pkg]; s != nil {
		return s, nil
	}
	dir := directory + "/" + p.pkg
	s, err := record.Steer(ctx, record.Config{Test: true, Flags: []string{tag}, Packages: []string{"./" + dir}}, dir)
	if err != nil {
		return nil, err
	}
	pl, err := s.Plan(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	b.steered[p.pkg] = &steered{s, pl}
	return b.steered[p.pkg], nil
}

func (b *bench) close() {
	for _, s := range b.steered {
		s.Close()
		os.RemoveAll(s.Run.Dir)
	}
}

// errFound ends an exploration that has found what is looked for.
var errFound = errors.New("found")

// sample runs a test under a base scheduler, or explores it, up to the first race or failure.
func (b *bench) sample(ctx context.Context, p *program, test string, want wanted, seed int, kind *steer.Kind) (int, error) {
	s, err := b.steer(ctx, p)
	if err != nil {
		return 0, err
	}
	var kept []string // traces
	defer func() {
		for _, name := range kept {
			os.Remove(name)
		}
	}()
	runs := 0
	c := explore.Config{Seed: uint64(seed), Runs: b.limit, Until: time.Now().Add(b.time), Open: opened}
	c.Run = func(ctx context.Context, schedule *steer.Schedule) (*record.SteeredRun, error) {
		r, err := s.Record(ctx, schedule, runLimit, test)
		if err != nil {
			return nil, err
		}
		kept = append(kept, r.Trace)
		if runs++; want == failure && bug.Match(r.Output) {
			return nil, errFound
		}
		return r, nil
	}
	c.Predict = func(ctx context.Context, name string, _ bool) ([]explore.Race, bool, error) {
		if want == failure {
			return nil, true, nil
		}
		found, err := s.races(ctx, name)
		if err == nil && found {
			err = errFound
		}
		return nil, true, err
	}
	if kind != nil {
		_, err = explore.Sample(ctx, c, *kind)
	} else {
		_, err = explore.Explore(ctx, c)
	}
	if errors.Is(err, errFound) {
		return runs, nil
	}
	return 0, err
}

func opened(name string) (trace.Source, io.Closer, error) {
	f, err := source.Open(name)
	return f, f, err
}

// races reports whether a race is predicted from a trace, as presage explore does it.
func (s *steered) races(ctx context.Context, name string) (bool, error) {
	f, err := source.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	meta := f.Meta()
	w := walk.NewBranching(s.plan)
	w.Read(meta)
	res, err := predict.Run(ctx, f, meta, predict.Options{Walker: w, Level: predict.Paths})
	if err != nil {
		return false, err
	}
	open := func() (trace.Source, io.Closer, error) { return opened(name) }
	if err := predict.Confirm(open, meta, res); err != nil {
		return false, err
	}
	return len(res.Races) > 0, nil
}
