package thinned

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/presage-race/presage/internal/oracle/levels"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
)

// compareLevels runs n programs, analyses their thinned traces at every level, and prints the
// pairs of sites that a level reports and the next one does not. What a level may have lost for
// want of a budget, and says so, is counted and is no fault.
func compareLevels(ctx context.Context, dir string, seed, n int) (code int, err error) {
	p, err := build(ctx, dir, false)
	if err != nil {
		return 0, err
	}
	lost, said := 0, 0
	races := make([]int, len(levels.All))
	for at := seed; at < seed+n; at += batch {
		count := min(batch, seed+n-at)
		f, meta, err := p.levelsOf(ctx, at, count)
		if err != nil {
			return 0, fmt.Errorf("programs %d to %d: %w", at, at+count-1, err)
		}
		for k := range races {
			races[k] += len(f.Races[k])
		}
		for _, l := range f.Lost {
			if l.Said {
				said++
				continue
			}
			lost++
			fmt.Printf("programs %d to %d: %v and %v: %v at level %s, not at level %s\n", at, at+count-1,
				meta.Position(l.A), meta.Position(l.B), l.Tier, l.Low, l.High)
		}
	}
	fmt.Printf("%d programs; races", n)
	for k, l := range levels.All {
		fmt.Printf(" %s %d", l.Name, races[k])
	}
	fmt.Printf("; lost by a level %d, and %d where it had left pairs untried\n", lost, said)
	if lost > 0 || slices.Max(races) == 0 {
		return 1, nil
	}
	return 0, nil
}

// levelsOf runs programs in one process and analyses their trace at every level.
func (p *program) levelsOf(ctx context.Context, seed, n int) (*levels.Found, *trace.Meta, error) {
	raw, err := p.run(ctx, []string{fmt.Sprint(seed), fmt.Sprint(n)})
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(filepath.Dir(raw))
	src, err := p.traceOf(raw, false)
	if err != nil {
		return nil, nil, err
	}
	events, err := eventsOf(src)
	if err != nil {
		return nil, nil, err
	}
	meta := src.Meta()
	x := levels.Trace{Open: levels.InMemory(events, meta), Meta: meta, Walker: levels.Walkers(p.plan, meta, excluded.Reachable)}
	f, err := levels.Compare(ctx, x)
	return f, meta, err
}

// eventsOf reads a trace to its end.
func eventsOf(src trace.Source) (events []trace.Event, err error) {
	for {
		var e trace.Event
		if err := src.Next(&e); errors.Is(err, io.EOF) {
			return events, nil
		} else if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
}
