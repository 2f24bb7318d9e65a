package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"presage/internal/plan"
	"presage/internal/program"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// walked is what a walk of traces through the source showed, without any analysis of them.
type walked struct {
	program.Stats
	events, unexplained int64
	mismatches          []program.Mismatch // the first ones
}

// walk walks every event of the traces through the source in which they were recorded.
func walk(ctx context.Context, names []string) (*walked, error) {
	w := &walked{}
	var p *plan.Plan
	for _, name := range names {
		err := w.file(ctx, name, &p)
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// file walks one trace. The traces of one command have one plan.
func (w *walked) file(ctx context.Context, name string, p **plan.Plan) error {
	t, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer t.Close()
	if *p == nil {
		if *p, err = program.Load(ctx, t.Meta()); err != nil {
			return err
		}
	}
	walker := program.New(*p)
	var e trace.Event
	for i := int64(0); ; i++ {
		err := t.Next(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		walker.Step(i, &e)
		w.events++
		if unexplained(&e) {
			w.unexplained++
		}
		if i%(1<<20) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	w.add(walker)
	return nil
}

// unexplained reports whether e is a read whose value no recorded write explains. Of other kinds of
// events the same bit says something else: of an Alloc, that the memory is zero.
func unexplained(e *trace.Event) bool {
	return e.Kind.IsAccess() && e.Flags&format.FlagUnexplained != 0
}

// add adds what one walk showed.
func (w *walked) add(walker *program.Walker) {
	s := walker.Stats()
	w.Mismatches += s.Mismatches
	w.mismatches = append(w.mismatches, walker.Mismatches()...)
}
