// Package explore runs a program under one schedule after another, and predicts races from each
// run, until there is no schedule left that could differ, or the time is over.
//
// A run covers all executions that predict derives from it. The next schedules are those that no
// prediction covers: in which two operations of synchronisation come in the other order, so that
// goroutines take other paths. This is the loop of "Maximal causality reduction for multithreaded
// programs" (Huang, PLDI 2015), with dynamic partial-order reduction (Flanagan and Godefroid, POPL
// 2005) for what is reversed, and RECIPE in each step.
//
// # Complexity
//
// The flips of a run are found in O(n·g) for n operations of g goroutines. The number of runs is at
// most that of classes (execution.class).
package explore

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
)

// Config is what is explored.
type Config struct {
	// Run runs the program once.
	Run func(ctx context.Context, s *steer.Schedule) (*record.SteeredRun, error)
	// Open opens the trace of a run.
	Open func(name string) (trace.Source, io.Closer, error)
	// Predict returns the races of a trace, by names that are the same in all runs.
	Predict func(ctx context.Context, name string) ([]string, error)

	Seed     uint64
	Runs     int       // at most; 0: no limit
	Until    time.Time // zero: no limit
	Progress func(s *State)
}

// State is how far an exploration has come.
type State struct {
	Runs, Classes int
	Waiting       int      // schedules that are left
	Races         []string // in the order in which they were found
	Traces        []string // of the runs in which they were found, once each
	// Exhausted says that there is no schedule left: no other order of synchronisation differs.
	Exhausted bool
	Failed    []Failure
	// Diverged are runs in which a goroutine did not come where its schedule has it, Slow those
	// that did not end in time.
	Diverged, Slow int
	Random         bool // two runs under one schedule differ: something is asked for that is not steered
}

// A Failure is a run that ended with an error of the program: a test that failed, or a panic.
type Failure struct {
	Run    int
	Code   int
	Output []byte
	Trace  string
}

// waiting is a schedule with how promising it is.
type waiting struct {
	parts []steer.Part
	depth int
}

// Explore explores a program. What it has found by the end of ctx is returned with the error.
func Explore(ctx context.Context, c Config) (*State, error) {
	s := &State{}
	seen, known, tried := map[uint64]bool{}, map[string]bool{}, map[uint64]bool{}
	queue := []waiting{{}}
	over := func() bool {
		return c.Runs > 0 && s.Runs >= c.Runs || !c.Until.IsZero() && !time.Now().Before(c.Until)
	}
	for len(queue) > 0 && !over() {
		next := queue[0]
		queue = queue[1:]
		r, err := c.Run(ctx, &steer.Schedule{Seed: c.Seed, Parts: next.parts})
		if err != nil {
			return s, err
		}
		s.Runs++
		if r.TimedOut {
			s.Slow++
		}
		if r.Missed > 0 && r.Done < uint64(len(next.parts)) {
			s.Diverged++
		}
		if r.ExitCode != 0 {
			s.Failed = append(s.Failed, Failure{s.Runs, r.ExitCode, r.Output, r.Trace})
		}
		if r.Trace == "" {
			return s, errors.New("the run left no trace")
		}
		x, err := c.read(r.Trace)
		if err != nil {
			return s, err
		}
		if s.Runs == 1 {
			if s.Random, err = c.differs(ctx, x, r); err != nil {
				return s, err
			}
		}
		if class := x.class(); !seen[class] {
			seen[class] = true
			s.Classes++
			names, err := c.Predict(ctx, r.Trace)
			if err != nil {
				return s, err
			}
			fresh := false
			for _, n := range names {
				if !known[n] {
					known[n], fresh = true, true
					s.Races = append(s.Races, n)
				}
			}
			if fresh {
				s.Traces = append(s.Traces, r.Trace)
			}
			flips, clocks := x.flips()
			for _, f := range flips {
				parts := x.schedule(f, clocks)
				if h := hash(parts); !tried[h] {
					tried[h] = true
					queue = append(queue, waiting{parts, next.depth + 1})
				}
			}
		}
		s.Waiting = len(queue)
		if c.Progress != nil {
			c.Progress(s)
		}
	}
	s.Exhausted = len(queue) == 0 && s.Diverged == 0 && s.Slow == 0 && !s.Random
	return s, nil
}

func (c *Config) read(name string) (*execution, error) {
	src, closer, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return read(src)
}

// differs runs the program again under the schedule of the whole execution x, and reports whether
// the run is another one.
func (c *Config) differs(ctx context.Context, x *execution, r *record.SteeredRun) (bool, error) {
	again, err := c.Run(ctx, &steer.Schedule{Seed: c.Seed, Parts: x.whole()})
	if err != nil || again.Trace == "" {
		return true, err
	}
	y, err := c.read(again.Trace)
	if err != nil {
		return true, err
	}
	return x.class() != y.class() || again.ExitCode != r.ExitCode, nil
}

func hash(parts []steer.Part) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, parts)
	return h.Sum64()
}
