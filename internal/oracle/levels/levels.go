// Package levels analyses a trace at every level and compares what is reported. Every level has to
// find what the ones below it find: the pairs of sites that race at a level are among those of the
// next one. An observed race is never withheld for what a prediction cannot show.
package levels

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// All are the levels, the lowest first, with the names of flag -level.
var All = [...]struct {
	Name  string
	Level predict.Level
}{{"hb", predict.HB}, {"causal", predict.Causal}, {"value", predict.Value}, {"path", predict.Paths}}

// A Trace is what is analysed.
type Trace struct {
	Open    func() (trace.Source, io.Closer, error) // at its beginning
	Meta    *trace.Meta
	Walker  func(predict.Level) flow.Walker // a new one; nil: the trace is not walked
	Options predict.Options                 // but for Level and Walker
}

// A Pair is two sites, the lower one first.
type Pair struct{ A, B trace.Site }

// A Lost is a pair that a level reports and the next one does not.
type Lost struct {
	Pair
	Tier      predict.Tier // on the lower level
	Low, High string
	Said      bool // the higher level says that prediction stopped, or that it left pairs untried
}

func (l Lost) String() string {
	return fmt.Sprintf("sites %d and %d: %v at level %s, not reported at level %s", l.A, l.B, l.Tier, l.Low, l.High)
}

// A Found is what the levels report.
type Found struct {
	Races [len(All)]map[Pair]predict.Tier
	Lost  []Lost
}

// Compare analyses a trace at every level, as command analyze does: the search, and then the
// recorded run as a witness (analyse.Confirm). A witness that is rejected is an error.
func Compare(ctx context.Context, t Trace) (*Found, error) {
	f := &Found{}
	for k, l := range All {
		res, err := t.analyse(ctx, l.Level)
		if err == nil && len(res.Rejected) > 0 {
			err = res.Rejected[0]
		}
		if err != nil {
			return nil, fmt.Errorf("level %s: %w", l.Name, err)
		}
		f.Races[k] = map[Pair]predict.Tier{}
		for _, r := range res.Races {
			f.Races[k][Pair{min(r.A.Site, r.B.Site), max(r.A.Site, r.B.Site)}] = r.Tier
		}
		if k > 0 {
			f.lost(k, limited(&res.Counts))
		}
	}
	return f, nil
}

func (t *Trace) analyse(ctx context.Context, level predict.Level) (*predict.Result, error) {
	src, c, err := t.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	opt := t.Options
	if opt.Level = level; t.Walker != nil && level != predict.HB {
		opt.Walker = t.Walker(level)
	}
	opt.Open = t.Open
	res, err := predict.Run(ctx, src, t.Meta, opt)
	if err != nil {
		return nil, err
	}
	return res, predict.Confirm(t.Open, t.Meta, res)
}

// lost compares level k with the one below it.
func (f *Found) lost(k int, said bool) {
	for p, tier := range f.Races[k-1] {
		if _, ok := f.Races[k][p]; !ok {
			f.Lost = append(f.Lost, Lost{p, tier, All[k-1].Name, All[k].Name, said})
		}
	}
	slices.SortFunc(f.Lost, func(x, y Lost) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(x.Low, y.Low))
	})
}

// limited says whether an analysis reports that it has not tried everything: what it does not find
// may be among that.
func limited(c *predict.Counts) bool {
	n := c.Unsearched + c.Unknown
	for _, k := range c.Untried {
		n += k
	}
	return n > 0
}

// Walkers returns what walks the traces of a program at each level, as in command analyze.
func Walkers(p *plan.Plan, meta *trace.Meta, missing excluded.Mode) func(predict.Level) flow.Walker {
	return func(level predict.Level) flow.Walker {
		var w *walk.Walker
		switch level {
		case predict.Value:
			w = walk.NewSymbolic(p)
		case predict.Paths:
			if w = walk.NewBranching(p); missing != excluded.Ignore {
				w.MindMissing()
			}
		default:
			w = walk.New(p)
		}
		w.Read(meta)
		return w
	}
}

// InMemory opens events that are in memory.
func InMemory(events []trace.Event, meta *trace.Meta) func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		return &listed{events, meta}, io.NopCloser(nil), nil
	}
}

// listed is a source of the events that are left.
type listed struct {
	events []trace.Event
	meta   *trace.Meta
}

func (l *listed) Meta() *trace.Meta { return l.meta }

func (l *listed) Next(e *trace.Event) error {
	if len(l.events) == 0 {
		return io.EOF
	}
	*e, l.events = l.events[0], l.events[1:]
	return nil
}
