package explore

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// depth is that of the bugs which PCT looks for, if the caller does not say.
const depth = 3

// Sample runs a program under a base scheduler alone, one run after the other, each with another
// seed of the scheduler, which is made of c.Seed. It predicts the races of each run whose history
// is new.
//
// The first run gives the estimates that PCT and SURW need: the number of steps, and how many
// operations each goroutine makes on each object. The interesting events of SURW are the
// operations on one object, which is drawn for each run from those that several goroutines use.
func Sample(ctx context.Context, c Config, kind steer.Kind) (*State, error) {
	e := &exploration{Config: c, state: &State{}, known: map[string]bool{}, racy: map[uint32]bool{}}
	within, cancel := e.within(ctx)
	defer cancel()
	base := steer.Base{Kind: kind, Depth: depth}
	var first *execution
	for n := uint64(1); !e.over(); n++ {
		base.Seed = steer.Child(c.Seed, n)
		if kind == steer.SURW && first != nil {
			base.Object, base.Weights = first.interesting(rand.New(rand.NewPCG(base.Seed, 0)))
		}
		x, r, err := e.record(within, &steer.Schedule{Seed: c.Seed, Base: base})
		if err != nil {
			if ctx.Err() == nil && within.Err() != nil {
				break
			}
			return e.state, err
		}
		if x == nil {
			continue
		}
		if first == nil {
			first, base.Steps = x, r.Several
		}
		if _, err := e.learn(within, x.historyOf(x.all()), r.Trace); err != nil {
			return e.state, err
		}
		if c.Progress != nil {
			c.Progress(e.state)
		}
	}
	return e.state, nil
}

// interesting draws an object that several goroutines use, and returns how many operations each
// goroutine makes on it, with all that it starts. The main goroutine does not count: it runs the
// tests. Without such an object, all operations are interesting.
func (x *execution) interesting(rng *rand.Rand) (object uint64, weights []steer.Weight) {
	users := map[trace.Addr][]uint64{}
	var objects []trace.Addr // in an order that does not depend on the map
	for i := range x.ops {
		o := &x.ops[i]
		if !counts(o) || o.number == steer.Child(steer.Runtime, 1) || slices.Contains(users[o.obj], o.number) {
			continue
		}
		if users[o.obj] = append(users[o.obj], o.number); len(users[o.obj]) == 2 {
			objects = append(objects, o.obj)
		}
	}
	if len(objects) > 0 {
		object = uint64(objects[rng.IntN(len(objects))])
	}
	return object, x.weigh(trace.Addr(object))
}

// weigh counts the operations on an object, or, if it is 0, on all.
func (x *execution) weigh(object trace.Addr) []steer.Weight {
	parents := map[trace.GoID]trace.GoID{}
	weights := map[trace.GoID]uint64{}
	for i := range x.ops {
		o := &x.ops[i]
		if o.kind == format.Go {
			parents[trace.GoID(o.obj)] = o.g
		}
		if !counts(o) || object != 0 && o.obj != object {
			continue
		}
		for g, ok := o.g, true; ok; g, ok = parents[g] {
			weights[g]++
		}
	}
	var list []steer.Weight
	for g, n := range weights {
		list = append(list, steer.Weight{Goroutine: x.threads[g].number, Events: n})
	}
	slices.SortFunc(list, func(a, b steer.Weight) int { return cmp.Compare(a.Goroutine, b.Goroutine) })
	return list
}

// counts reports whether the runtime knows the object of an operation at its scheduling point.
func counts(o *op) bool {
	return ordering(o) && o.kind != format.SelectCase && o.number != steer.Runtime
}
