package predict

import (
	"context"
	"sync/atomic"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// A batch is consecutive events with their flows. Needs and From of the flows are copied into
// reads, their Guards into guards.
type batch struct {
	events []trace.Event
	flows  []flow.Flow
	reads  []int64
	guards []flow.Guard
	err    error // why no more events follow
}

// keep copies the slices that the walker reuses.
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

// A feed reads and walks a trace, in a goroutine beside the one that analyses. Reading and walking
// cost as much as the analysis, and need nothing of it. What the two compute does not depend on
// their schedule.
type feed struct {
	src    trace.Source
	walker flow.Walker
	over   *atomic.Bool // prediction has ended: events are not walked any more
	left   atomic.Bool  // the analysis has ended: nothing more is read
	index  int64        // of the next event
	parts  *stage.Parts
	meter  *stage.Meter // of its goroutine; nil: nothing is measured

	full, free chan *batch
}

func newFeed(src trace.Source, walker flow.Walker, over *atomic.Bool, parts *stage.Parts) *feed {
	f := &feed{src: src, walker: walker, over: over, parts: parts, full: make(chan *batch, batches), free: make(chan *batch, batches)}
	for range batches {
		f.free <- new(batch)
	}
	return f
}

// run fills batches until there are no more events.
func (f *feed) run() {
	defer close(f.full)
	f.meter = f.parts.Meter(stage.Idle)
	defer f.meter.Stop()
	for b := range f.free {
		if !f.left.Load() {
			f.fill(b)
		}
		if f.full <- b; b.err != nil {
			return
		}
	}
}

// stop ends the feed. The source is not read any more when it has returned.
func (f *feed) stop() {
	f.left.Store(true)
	close(f.free)
	for range f.full {
	}
}

// fill reads and walks the next events.
func (f *feed) fill(b *batch) {
	b.events, b.flows, b.reads, b.guards = b.events[:0], b.flows[:0], b.reads[:0], b.guards[:0]
	f.meter.Enter(partRead)
	for len(b.events) < batchEvents {
		b.events = append(b.events, trace.Event{})
		if b.err = f.src.Next(&b.events[len(b.events)-1]); b.err != nil {
			b.events = b.events[:len(b.events)-1]
			break
		}
	}
	f.meter.Enter(partWalk)
	for i := range b.events {
		var x flow.Flow
		if !f.over.Load() {
			x = f.walker.Step(f.index, &b.events[i])
		}
		f.index++
		b.keep(&x)
		b.flows = append(b.flows, x)
	}
	f.meter.Enter(stage.Idle)
}

// readBeside is read with a Walker.
func (r *run) readBeside(ctx context.Context, src trace.Source) error {
	begin := r.opt.Go
	if begin == nil {
		begin = func(f func()) { go f() }
	}
	f := newFeed(src, r.opt.Walker, &r.spent.over, r.opt.Parts)
	begin(f.run)
	defer f.stop()
	for b := range f.full {
		err := r.take(ctx, b)
		if err == nil {
			err = b.err
		}
		if err != nil {
			return r.ended(err)
		}
		f.free <- b
	}
	return nil
}

// take analyses a batch: first hb, unless it has seen the whole trace, then the windows. The
// builder of windows gets a pair that hb finds together with the pair's second event.
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
