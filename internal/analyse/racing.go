package analyse

import (
	"context"
	"io"

	"presage/internal/hb"
	"presage/internal/trace"
)

// maxRacing bounds the memory for the words with a race.
const maxRacing = 1 << 22

// racing returns the words (addresses / 8) that outside code accesses and on which the recorded run has a race, of the whole
// trace; all: they are too many to be kept. These are passes of their own, before the windows are built: who wrote what was read
// there is not known (rule E3 of package window), and of two accesses the second may stand behind the window. A trace that ends
// in an error ends there for the analysis as well.
func racing(ctx context.Context, open func() (trace.Source, io.Closer, error)) (words map[uint64]struct{}, all bool, err error) {
	raced := make(map[uint64]struct{})
	d, second := hb.New(), int64(-1)
	d.Each(func(_, b int64) { second = b })
	err = each(ctx, open, func(i int64, e *trace.Event) bool {
		if d.Step(i, e); second == i {
			raced[uint64(e.Obj)>>3] = struct{}{}
		}
		return len(raced) <= maxRacing
	})
	words = make(map[uint64]struct{})
	if err != nil || len(raced) == 0 || len(raced) > maxRacing {
		return words, len(raced) > maxRacing, err
	}
	err = each(ctx, open, func(_ int64, e *trace.Event) bool {
		if e.Kind.IsAccess() && e.Outside() {
			if w := uint64(e.Obj) >> 3; contains(raced, w) {
				words[w] = struct{}{}
			}
		}
		return true
	})
	return words, false, err
}

func contains(set map[uint64]struct{}, w uint64) bool {
	_, ok := set[w]
	return ok
}

// each calls f with the events of a trace, until it returns false.
func each(ctx context.Context, open func() (trace.Source, io.Closer, error), f func(int64, *trace.Event) bool) error {
	src, c, err := open()
	if err != nil {
		return err
	}
	defer c.Close()
	var e trace.Event
	for i := int64(0); src.Next(&e) == nil && f(i, &e); i++ {
		if i%progressEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
