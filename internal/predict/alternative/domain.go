package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
)

// equal returns the condition t = v, as a guard for each word of t that depends on reads. ok is
// false if the condition never holds, or is not known.
func equal(t *goval.Term, v goval.Value) (guards []flow.Guard, ok bool) {
	for i := range v.Len() {
		want, ok := v.Word(i)
		e := t.Word(i)
		if !ok || e == nil {
			return nil, false
		}
		if e.IsConst() {
			if !goval.RecordedIs(e, want, goval.Mask(8)) {
				return nil, false
			}
			continue
		}
		guards = append(guards, flow.Guard{Term: e, Want: want})
	}
	return guards, true
}

// A domain computes which values a term can have (AL2): those that follow from the words which its
// reads may return.
type domain struct {
	around flow.Surroundings
	events *events
	memory *memory
	eval   *expr.Evaluator
	// set if there are more values than a bound allows
	bounded *bool
}

// values returns the values of a term. Values that its reads have at one time come first.
func (d domain) values(t *goval.Term) []goval.Value {
	reads := goval.ReadsOf(t)
	may := make([][]uint64, len(reads))
	total := 1
	for k, r := range reads {
		may[k] = d.words(r)
		total *= len(may[k])
		if total > maxCombined {
			*d.bounded = true
			return nil
		}
		if total == 0 {
			return nil
		}
	}
	var out []goval.Value
	in := make(map[int64]uint64, len(reads))
	add := func() {
		v, ok := t.Evaluate(func(e *expr.Expr) (uint64, bool) {
			return d.eval.Eval(e, func(n int64) (uint64, bool) { return in[n], true })
		})
		if ok && !slices.ContainsFunc(out, func(x goval.Value) bool { return goval.Same(x, v) }) {
			out = append(out, v)
		}
	}
	for _, words := range d.together(reads) {
		for k, r := range reads {
			in[r.Number()] = words[k]
		}
		add()
	}
	for n := range total {
		for k, r := range reads {
			in[r.Number()], n = may[k][n%len(may[k])], n/len(may[k])
		}
		add()
	}
	return out
}

// sides returns the values that a branch on a term goes to: first that of what is written at the
// fork.
func (d domain) sides(c Value) []uint64 {
	if list := d.values(c.Term); len(list) > 0 && goval.Same(list[0], goval.Known(0)) {
		return []uint64{0, 1}
	}
	return []uint64{1, 0}
}

// together returns the words that several reads may return at one time. The words of a slice are
// those of one slice, unless another goroutine changes them between the reads.
func (d domain) together(reads []*expr.Expr) [][]uint64 {
	if len(reads) < 2 {
		return nil
	}
	places := make([]flow.Word, len(reads))
	for k, r := range reads {
		n := r.Number()
		if n >= flow.AlternativeBase {
			e, ok := d.events.accessed(n)
			if !ok {
				return nil
			}
			places[k] = flow.Word{Addr: uint64(e.Obj), Size: int64(e.Size)}
			continue
		}
		addr, size, ok := d.around.At(n)
		if !ok {
			places[k].Fixed, _ = r.Recorded()
			continue
		}
		places[k] = flow.Word{Addr: addr, Size: int64(size)}
	}
	return d.around.Together(places)
}

// words returns the words that a read may return.
func (d domain) words(r *expr.Expr) []uint64 {
	n := r.Number()
	if n >= flow.AlternativeBase {
		if ch, ok := d.events.received(n); ok {
			return d.around.Sent(ch)
		}
		e, ok := d.events.accessed(n)
		if !ok {
			return nil
		}
		list := slices.Clone(d.around.Values(uint64(e.Obj), int64(e.Size)))
		return d.memory.words(uint64(e.Obj), int64(e.Size), list)
	}
	recorded, _ := r.Recorded()
	addr, size, ok := d.around.At(n)
	if !ok {
		return []uint64{recorded}
	}
	list := d.around.Values(addr, int64(size))
	if !slices.Contains(list, recorded) {
		list = append([]uint64{recorded}, list...)
	}
	return list
}
