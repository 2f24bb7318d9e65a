package expr

import (
	"math"
	"slices"
)

// Replace returns e with other expressions in place of its reads; nil if one of them is nil. A read
// that is replaced by itself stays.
func (e *Expr) Replace(with func(read *Expr) *Expr) *Expr {
	return (&Replacer{With: with}).Replace(e, math.MaxInt64)
}

// A Replacer replaces the reads of many expressions, what they share only once: what they become
// shares it as well.
type Replacer struct {
	With func(read *Expr) *Expr // what a read becomes, nil: not known

	done map[*Expr]*Expr
}

// Replace is [Expr.Replace]. What becomes of reads from number from on may be another the next
// time.
func (r *Replacer) Replace(e *Expr, from int64) *Expr {
	if e.rests == nil {
		return e
	}
	if r.done == nil {
		r.done = map[*Expr]*Expr{}
	}
	now := r.done
	if e.last() >= from {
		now = map[*Expr]*Expr{}
	}
	var visit func(e *Expr) *Expr
	visit = func(e *Expr) *Expr {
		if e.rests == nil {
			return e
		}
		done := r.done
		if e.last() >= from {
			done = now
		}
		x, ok := done[e]
		if ok {
			return x
		}
		if e.op == Read {
			x = r.With(e)
		} else {
			x = e.rebuild(visit)
		}
		done[e] = x
		return x
	}
	return visit(e)
}

// last is the highest number of a read of e, which has some.
func (e *Expr) last() int64 {
	list := e.Reads()
	return list[len(list)-1].n
}

// rebuild applies the operator to what its operands become.
func (e *Expr) rebuild(visit func(*Expr) *Expr) *Expr {
	var few [3]*Expr
	args := few[:0]
	same := true
	for _, a := range e.Args() {
		x := visit(a)
		args = append(args, x)
		same = same && x == a
	}
	if same {
		return e
	}
	if slices.Contains(args, nil) {
		return nil
	}
	return e.apply(args)
}

// apply makes the same operation of other operands.
func (e *Expr) apply(a []*Expr) *Expr {
	switch e.op {
	case Part:
		return PartOf(a[0], e.n, int64(e.bytes))
	case Cat:
		return Concat(a[0], e.n, a[1])
	case Ite:
		return Choose(a[0], a[1], a[2])
	case TextAt:
		return StringAt(e.more.in, a[0], a[1])
	case And, Or, Shl, Shr:
		return Binary(e.op, e.kind, e.to, a[0], a[1])
	}
	return operation(Expr{op: e.op, kind: e.kind, to: e.to, n: e.n}, e.Name(), a...)
}
