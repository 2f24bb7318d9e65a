package predict

import (
	"context"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// Reading a trace and walking it costs as much as all that follows, and needs nothing of it: the
// two run side by side, batches of walked events going from one to the other. What they compute
// does not depend on how they take turns.

// batch is some events with their flows, whose Needs and From are copied into reads, their Guards
// into guards.
type batch struct {
	events []trace.Event
	flows  []flow.Flow
	reads  []int64
	guards []flow.Guard
	err    error // why there are no more
}

// keep copies what is the walker's for as long as the batch lives.
func (b *batch) keep(f *flow.Flow) {
	f.Needs, f.From, f.Guards = kept(&b.reads, f.Needs), kept(&b.reads, f.From), kept(&b.guards, f.Guards)
}

func kept[T any](all *[]T, list []T) []T {
	if len(list) == 0 {
		return nil
	}
	n := len(*all)
	*all = append(*all, list...)
	return (*all)[n:len(*all):len(*all)]
}

const (
	batchEvents = 4096
	batches     = 4
)

// readBeside is read with a Walker.
func (r *run) readBeside(ctx context.Context, src trace.Source) error {
	full, free := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		free <- new(batch)
	}
	begin := r.opt.Go
	if begin == nil {
		begin = func(f func()) { go f() }
	}
	begin(func() {
		defer close(full)
		meter := r.opt.Parts.Meter(stage.Idle)
		defer meter.Stop()
		index := int64(0)
		for b := range free {
			if !r.left.Load() {
				r.fill(b, src, index, meter)
				index += int64(len(b.events))
			}
			if full <- b; b.err != nil {
				return
			}
		}
	})
	defer func() { // the other side must not read on when this has returned
		r.left.Store(true)
		close(free)
		for range full {
		}
	}()
	for b := range full {
		err := r.take(ctx, b)
		if err == nil {
			err = b.err
		}
		if err != nil {
			return r.ended(err)
		}
		free <- b
	}
	return nil
}

// fill reads and walks the next events.
func (r *run) fill(b *batch, src trace.Source, index int64, meter *stage.Meter) {
	b.events, b.flows, b.reads, b.guards = b.events[:0], b.flows[:0], b.reads[:0], b.guards[:0]
	meter.Enter(partRead)
	for len(b.events) < batchEvents {
		b.events = append(b.events, trace.Event{})
		if b.err = src.Next(&b.events[len(b.events)-1]); b.err != nil {
			b.events = b.events[:len(b.events)-1]
			break
		}
	}
	meter.Enter(partWalk)
	for i := range b.events {
		var f flow.Flow
		if !r.spent.over.Load() {
			f = r.opt.Walker.Step(index+int64(i), &b.events[i])
		}
		b.keep(&f)
		b.flows = append(b.flows, f)
	}
	meter.Enter(stage.Idle)
}

// take analyses a batch: the happens-before pass over all of it, unless it has seen the whole
// trace, then the windows. What hb finds reaches the windows with the event where it is found.
func (r *run) take(ctx context.Context, b *batch) error {
	if r.whole == nil {
		r.meter.Enter(partHB)
		for i := range b.events {
			r.hb.Step(r.events+int64(i), &b.events[i])
		}
	}
	r.meter.Enter(partWindows)
	for i := range b.events {
		if err := r.add(&b.events[i], b.flows[i]); err != nil {
			return err
		}
		if err := r.pause(ctx); err != nil {
			return err
		}
	}
	r.meter.Enter(stage.Idle)
	return nil
}
