package cli

import (
	"context"

	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// loader loads the plan of the program that a trace is of.
type loader struct {
	// plan has the plan at hand; nil: it is loaded from the tables of the trace
	plan  func(context.Context) (*plan.Plan, error)
	grant grant // for loading it

	meta *trace.Meta // the last one that was loaded. The traces of one run are of one program.
	last *plan.Plan
}

// of returns the plan for the trace in the file name.
func (l *loader) of(ctx context.Context, name string, meta *trace.Meta) (*plan.Plan, error) {
	if l.plan != nil {
		return l.plan(ctx)
	}
	if err := l.grant.trace(ctx, name, meta); err != nil {
		return nil, err
	}
	if l.last == nil || !walk.Same(l.meta, meta) {
		p, err := walk.Load(ctx, meta)
		if err != nil {
			return nil, err
		}
		l.meta, l.last = meta, p
	}
	return l.last, nil
}
