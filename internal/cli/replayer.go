package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// replayer replays races of one report.
type replayer struct {
	env      *Env
	kept     *kept
	args     replayArgs
	progress *progress
	grant    grant // what may be run
	checked  bool  // the witnesses have just been found: the checker has judged them
	plans    map[string]*plan.Plan
	meta     lastMeta

	making   sync.Mutex       // held while a program is prepared
	programs map[string]*made // by programKey

	// run is replay, or what a test has in its place.
	run func(context.Context, *report.Race) (*replay.Outcome, error)

	said func(text string) // takes what is being done; nil: it is shown
	// gets the processor time of builds; nil: it is not counted
	spent func(cpu time.Duration)
	// takes what was made anew of the cache; nil: it is printed
	healed func(damage error)
	// the plan of the one program that there is, if it is at hand
	recorded func(context.Context) (*plan.Plan, error)
}

// made is a program that is prepared, or could not be.
type made struct {
	program *replay.Program
	err     error
}

// says says what is being done.
func (r *replayer) says(text string) {
	if r.said != nil {
		r.said(text)
		return
	}
	r.progress.step(report.Progress{Text: text})
}

// heals says that an entry of the cache is made anew.
func (r *replayer) heals(damage error) {
	if r.healed != nil {
		r.healed(damage)
		return
	}
	r.progress.end()
	visible.Fprintf(r.env.Stderr, "presage: %s\n", record.HealedText(damage))
}

func (r *replayer) replay(ctx context.Context, race *report.Race) (*replay.Outcome, error) {
	name, meta, err := r.open(ctx, race)
	if err != nil {
		return nil, err
	}
	again := &reopener{name: name}
	defer again.close()
	p, err := r.program(ctx, wanted{name: name, meta: meta})
	if err != nil {
		return nil, err
	}
	if !r.checked {
		r.says("checking the witness of " + race.ID)
		if err := r.check(ctx, race, name, meta); err != nil {
			return nil, fmt.Errorf("the witness of race %s is not valid: %w", race.ID, err)
		}
	}
	if r.args.delve {
		r.progress.end()
		return p.Debug(ctx, raceToReplay(race, again.open, meta), replay.Debugger{Stdin: os.Stdin, Stdout: r.env.Stdout, Stderr: r.env.Stderr})
	}
	return p.Replay(ctx, raceToReplay(race, again.open, meta))
}

// open finds the trace of a race.
func (r *replayer) open(ctx context.Context, race *report.Race) (name string, meta *trace.Meta, err error) {
	if race.Witness == nil {
		return "", nil, errors.New("the race has no witness: analyse its trace at a level above hb")
	}
	if name, err = r.kept.trace(race); err != nil {
		return "", nil, err
	}
	if meta, err = r.meta.of(name); err == nil && meta.Source != "presage" {
		err = fmt.Errorf("trace %s was recorded by another tool: there is no program to replay", name)
	}
	if err == nil {
		err = r.grant.trace(ctx, name, meta)
	}
	return name, meta, err
}

func raceToReplay(race *report.Race, open func() (trace.Source, io.Closer, error), meta *trace.Meta) replay.Race {
	w := race.Witness
	return replay.Race{
		ID: race.ID, A: lineOf(&race.A), B: lineOf(&race.B),
		Witness: replay.Witness{From: w.From, Order: w.Order, Paths: pathsToReplay(race), Recorded: w.Semantics == report.RecordedRun, Tried: race.Tier == report.ToRun || race.Proof() == report.Replayed},
		Meta:    meta,
		Open:    open,
	}
}

// lineOf is the line of an access as the race detector may say it.
func lineOf(a *report.Access) replay.Line {
	l := replay.Line{File: a.File, Line: a.Line}
	if strings.HasPrefix(a.Kind, "atomic") {
		l.Near = 1
	}
	return l
}

// opener opens a trace anew, as often as it is called.
func opener(name string) func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		f, err := openTrace(name)
		if err != nil {
			return nil, nil, err
		}
		return f, f, nil
	}
}

// pathsToReplay is how goroutines leave their recorded paths in a race.
func pathsToReplay(race *report.Race) (paths []replay.Path) {
	for _, p := range race.Paths {
		out := replay.Path{G: trace.GoID(p.Goroutine), Before: p.Before, Ended: p.Ended}
		for _, s := range p.Steps {
			e := trace.Event{Flags: format.Flags(s.Flags), Size: s.Size, G: trace.GoID(s.Goroutine), Site: trace.Site(s.Site), Obj: trace.Addr(s.Object)}
			for k := range format.Max {
				if k.String() == s.Kind {
					e.Kind = k
				}
			}
			out.Steps, out.Cases = append(out.Steps, e), append(out.Cases, s.Case)
		}
		paths = append(paths, out)
	}
	return paths
}

// programKey identifies the program that a trace is of.
func programKey(meta *trace.Meta) string {
	return strings.Join(append(append([]string{meta.Dir}, meta.Command...), meta.BuildFlags...), "\x00")
}

// program prepares the program that a trace is of. That is done once for all of its traces.
func (r *replayer) program(ctx context.Context, w wanted) (*replay.Program, error) {
	r.making.Lock()
	defer r.making.Unlock()
	key := programKey(w.meta)
	m := r.programs[key]
	if m == nil {
		m = &made{}
		if m.program, m.err = r.prepare(ctx, w); ctx.Err() == nil {
			r.programs[key] = m
		}
	}
	return m.program, m.err
}

func (r *replayer) prepare(ctx context.Context, w wanted) (*replay.Program, error) {
	meta := w.meta
	if len(meta.Command) < 2 {
		return nil, fmt.Errorf("trace %s does not say which command it is of", w.name)
	}
	test := meta.Command[1] == "test"
	g, err := parseGo(meta.Command[2:], test)
	if err != nil {
		return nil, err
	}
	cache, err := record.CacheDir()
	if err != nil {
		return nil, err
	}
	at := w.plan
	if at == nil && r.recorded != nil {
		if at, err = r.recorded(ctx); err != nil {
			return nil, err
		}
	}
	return replay.Prepare(ctx, replay.Config{
		Meta: meta, Plan: at, Test: test, Flags: g.flags, Packages: g.packages, Args: g.args, Cache: cache, ToolID: record.ToolID(), Heals: r.heals,
		Limit: r.args.limit, Timeout: r.args.timeout, Group: r.args.group, Progress: r.says, Spent: r.spent,
	})
}
