package smt

import (
	"math/big"
	"math/bits"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// widthFor is the width of a word that holds 0 to n, and one more.
func widthFor(n int) int { return bits.Len(uint(n) + 1) }

// lock is (L). Whether there is a writer, and readers, is computed by counting Locks and Unlocks.
func (q *query) lock(i int32, e *model.Event) {
	writers, readers := q.holders(e.Obj, i, false), q.holders(e.Obj, i, true)
	shared := e.Flags&format.FlagRead != 0
	switch {
	case e.Kind == format.Lock && shared:
		q.pos.require(i, not(writers))
	case e.Kind == format.Lock:
		q.pos.require(i, and(not(writers), not(readers)))
	case e.Kind == format.Unlock && shared:
		q.pos.require(i, readers)
	case e.Kind == format.Unlock:
		q.pos.require(i, writers)
	case shared: // TryFail
		q.pos.require(i, writers)
	default:
		q.pos.require(i, or(writers, readers))
	}
}

// holders is "o is held at e", in one of the modes.
func (q *query) holders(o model.Obj, e int32, shared bool) sexp {
	in := &q.ev.w.Init[o]
	start := 0
	switch {
	case shared:
		start = int(in.Readers)
	case in.Writer:
		start = 1
	}
	of := func(k format.Kind) []int32 {
		return q.ev.operations(o, func(f *model.Event) bool { return f.Kind == k && f.Flags&format.FlagRead != 0 == shared })
	}
	locks, unlocks := of(format.Lock), of(format.Unlock)
	width := widthFor(start + len(locks) + len(unlocks))
	return not(eq(q.pos.count(start, locks, e, width), q.pos.count(0, unlocks, e, width)))
}

// waitGroup is (W). The counter is so wide that no sum overflows.
func (q *query) waitGroup(i int32, e *model.Event) {
	start := big.NewInt(q.ev.w.Init[e.Obj].Counter)
	most := new(big.Int).Abs(start)
	adds := q.ev.operations(e.Obj, ofKind(format.WGAdd))
	for _, f := range adds {
		most.Add(most, new(big.Int).Abs(big.NewInt(int64(q.ev.w.Events[f].Val))))
	}
	width := most.BitLen() + 1
	delta := func(f int32) sexp { return bigNum(big.NewInt(int64(q.ev.w.Events[f].Val)), width) }
	terms := []sexp{bigNum(start, width)}
	for _, f := range adds {
		if c := q.pos.before(f, i); c != no {
			terms = append(terms, ite(c, delta(f), num(0, width)))
		}
	}
	if e.Kind == format.WGWait {
		q.pos.require(i, eq(sum(terms), num(0, width)))
		return
	}
	q.pos.require(i, apply("bvsge", sum(append(terms, delta(i))), num(0, width)))
}

// once is (O): fresh, running and done are 0, 1 and 2.
func (q *query) once(i int32, e *model.Event) {
	steps := q.ev.operations(e.Obj, func(f *model.Event) bool { return f.Kind == format.OnceBegin || f.Kind == format.OnceEnd })
	start := int(q.ev.w.Init[e.Obj].Once)
	width := widthFor(max(start+len(steps), int(model.OnceDone)))
	want := map[format.Kind]model.OnceState{format.OnceBegin: model.OnceFresh, format.OnceEnd: model.OnceRunning, format.OncePass: model.OnceDone}
	q.pos.require(i, eq(q.pos.count(start, steps, i, width), num(uint64(want[e.Kind]), width)))
}
