package smt

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// value is what a location or an element holds: a word, if it is known.
type value struct{ val, known sexp }

func constant(n uint64) value { return value{word64(n), yes} }

// unknown is a value that nothing may rest on.
var unknown = value{word64(0), no}

// saw is what read r sees, an unknown of the query.
func (q *query) saw(r int32) value {
	return value{q.declare(name("v", r), bitVec(64)), q.declare(name("k", r), "Bool")}
}

// intact is "read r sees its recorded value".
func (q *query) intact(r int32) sexp {
	if !q.member[r] { // (an access of the pair has no effect)
		return no
	}
	v := q.saw(r)
	return q.define(name("i", r), "Bool", and(v.known, eq(v.val, word64(q.w.Events[r].Val))))
}

func (q *query) allIntact(reads []int32) sexp {
	var list []sexp
	for _, r := range reads {
		list = append(list, q.intact(r))
	}
	return and(list...)
}

// sees makes x what read r sees, under a condition.
func (q *query) sees(r int32, when sexp, x value) {
	v := q.saw(r)
	same := eq(v.known, x.known)
	if x.known == yes {
		same = v.known
	} else if x.known == no {
		same = not(v.known)
	}
	word := yes
	if x.known != no {
		word = eq(v.val, x.val)
	}
	q.require(r, implies(when, and(same, word)))
}

// read is a Read, AtomicRead or the read part of an AtomicRMW: it sees what the last write before
// it stored.
func (q *query) read(i int32, e *model.Event) {
	q.sees(i, yes, q.content(e.Obj, i))
	q.strict(i, e)
}

// strict is the second half of (M6).
func (q *query) strict(i int32, e *model.Event) {
	if e.Strict {
		q.require(i, q.intact(i))
	}
}

// content is what location o holds at e, or after σ for none. The position of the last write before
// is an unknown m, at least that of every earlier write, and that of one of them if there is one.
func (q *query) content(o model.Obj, e int32) value {
	init := constant(q.w.Init[o].Val)
	if q.w.Init[o].Unknown {
		init = unknown
	}
	type source struct {
		write int32
		when  sexp
	}
	var sources []source
	var written []sexp
	for _, w := range q.on[o] {
		if when := q.before(w, e); w != e && q.w.Events[w].Kind.IsWrite() && when != no {
			for _, s := range sources {
				q.compare(s.write, w)
			}
			sources, written = append(sources, source{w, when}), append(written, when)
		}
	}
	if len(sources) == 0 {
		return init
	}
	m := q.declare(name("m", e, int32(o)), bitVec(q.width))
	x := value{q.declare(name("mv", e, int32(o)), bitVec(64)), q.declare(name("mk", e, int32(o)), "Bool")}
	here := func(f sexp) { q.assert(implies(q.inOrEnd(e), f)) }
	same := func(v value) sexp { return and(eq(x.known, v.known), eq(x.val, v.val)) }
	var some []sexp
	for _, s := range sources {
		last := and(s.when, eq(m, q.pos(s.write)))
		here(implies(s.when, not(less(m, q.pos(s.write)))))
		here(implies(last, same(q.stored(s.write))))
		some = append(some, last)
	}
	here(or(append(some, not(or(written...)))...))
	here(or(append(written, same(init))...))
	return x
}

// inOrEnd is in, for an event or the end of σ.
func (q *query) inOrEnd(e int32) sexp {
	if e == none {
		return yes
	}
	return q.in(e)
}

// stored is what a write stores.
func (q *query) stored(i int32) value {
	e := &q.w.Events[i]
	if e.Kind == format.AtomicRMW {
		return q.produced(i, e.Aux, and(q.intact(i), q.allIntact(e.ValDeps)))
	}
	return q.produced(i, e.Val, q.allIntact(e.ValDeps))
}

// produced is the value that a write or send leaves: as recorded, if all that it is computed from
// is; else what its term amounts to (V).
func (q *query) produced(i int32, recorded uint64, asRecorded sexp) value {
	if asRecorded == yes {
		return constant(recorded)
	}
	x := unknown
	if t := q.w.Events[i].Value; t != nil {
		x = q.amount(t)
	}
	return value{
		q.define(name("wv", i), bitVec(64), ite(asRecorded, word64(recorded), x.val)),
		q.define(name("wk", i), "Bool", or(asRecorded, x.known)),
	}
}

// guard is (V) for guard k of event i.
func (q *query) guard(i int32, k int) {
	g := &q.w.Events[i].Guards[k]
	x := q.term(g.Term)
	q.require(i, and(x.known, eq(x.val, word64(g.Want))))
}
