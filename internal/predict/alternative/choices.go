package alternative

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
)

// guard returns the condition t = v, as a guard for each word of t that depends on reads.
func (p *path) guard(t *goval.Term, v goval.Value) (guards []flow.Guard, ok bool) {
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

// values returns the values that a term can have, by what its reads may return (A3).
func (p *path) values(t *goval.Term) []goval.Value {
	reads := goval.ReadsOf(t)
	may := make([][]uint64, len(reads))
	total := 1
	for k, r := range reads {
		recorded, _ := r.Recorded()
		may[k] = p.seen(r.Number(), recorded)
		total *= len(may[k])
		if total == 0 || total > maxCombined {
			return nil
		}
	}
	var out []goval.Value
	in := make(map[int64]uint64, len(reads))
	add := func() {
		v, ok := t.Evaluate(func(e *expr.Expr) (uint64, bool) {
			return p.eval.Eval(e, func(n int64) (uint64, bool) { return in[n], true })
		})
		if ok && !slices.ContainsFunc(out, func(x goval.Value) bool { return goval.Same(x, v) }) {
			out = append(out, v)
		}
	}
	for _, words := range p.together(reads) {
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

// together returns the words that several reads may return at one time. The words of a slice are
// those of one slice, unless another goroutine changes them between the reads.
func (p *path) together(reads []*expr.Expr) [][]uint64 {
	if len(reads) < 2 {
		return nil
	}
	places := make([]flow.Word, len(reads))
	for k, r := range reads {
		n := r.Number()
		if n >= flow.AlternativeBase {
			e := &p.steps[n-flow.AlternativeBase].Event
			if !e.Kind.IsAccess() {
				return nil
			}
			places[k] = flow.Word{Addr: uint64(e.Obj), Size: int64(e.Size)}
			continue
		}
		addr, size, ok := p.s.At(n)
		if !ok {
			places[k].Fixed, _ = r.Recorded()
			continue
		}
		places[k] = flow.Word{Addr: addr, Size: int64(size)}
	}
	return p.s.Together(places)
}

// seen returns the words that a read may return.
func (p *path) seen(r int64, recorded uint64) []uint64 {
	if r >= flow.AlternativeBase {
		e := &p.steps[r-flow.AlternativeBase].Event
		if !e.Kind.IsAccess() {
			return nil
		}
		list := slices.Clone(p.s.Values(uint64(e.Obj), int64(e.Size)))
		for i := range p.mem {
			if m := &p.mem[i]; m.addr == uint64(e.Obj) && m.size == int64(e.Size) && !m.val.symbolic() {
				if v, ok := m.val.Concrete.Bits(); ok && !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
		}
		return list
	}
	addr, size, ok := p.s.At(r)
	if !ok {
		return []uint64{recorded}
	}
	list := p.s.Values(addr, int64(size))
	if !slices.Contains(list, recorded) {
		list = append([]uint64{recorded}, list...)
	}
	return list
}
