package analyse

import (
	"context"
	"io"

	"presage/internal/hb"
	"presage/internal/trace"
)

// maxRacing bounds the memory for the words with a race.
const maxRacing = 1 << 22

// racing returns the words (addresses / 8) on which the recorded run has a race, of the whole trace; all: they are too many
// to be kept. It is a pass of its own, before the windows are built: what outside code has read there is not known (rule E3
// of package window), and of two accesses the second may stand behind the window. A trace that ends in an error ends there
// for the analysis as well.
func racing(ctx context.Context, open func() (trace.Source, io.Closer, error)) (words map[uint64]struct{}, all bool, err error) {
	src, c, err := open()
	if err != nil {
		return nil, false, err
	}
	defer c.Close()
	words = make(map[uint64]struct{})
	d, second := hb.New(), int64(-1)
	d.Each(func(_, b int64) { second = b })
	var e trace.Event
	for i := int64(0); src.Next(&e) == nil; i++ {
		if d.Step(i, &e); second == i {
			words[uint64(e.Obj)>>3] = struct{}{}
		}
		if len(words) > maxRacing {
			return map[uint64]struct{}{}, true, nil
		}
		if i%progressEvery == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
	}
	return words, false, nil
}
