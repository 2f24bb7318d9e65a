package smt

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// value is what a location or an element holds: a word, if it is known.
type value struct{ val, known sexp }

func constant(n uint64) value { return value{word64(n), yes} }

// unknown is a value that nothing may depend on.
var unknown = value{word64(0), no}

// reads has what reads return.
type reads struct {
	ev     *events
	script *script
	pos    *positions
}

// saw is what read r returns, an unknown of the query.
func (rd *reads) saw(r int32) value {
	return value{rd.script.declare(name("v", r), bitVec(64)), rd.script.declare(name("k", r), "Bool")}
}

// intact is "read r returns its recorded value".
func (rd *reads) intact(r int32) sexp {
	if !rd.ev.member[r] { // an access of the pair has no effect
		return no
	}
	v := rd.saw(r)
	return rd.script.define(name("i", r), "Bool", and(v.known, eq(v.val, word64(rd.ev.w.Events[r].Val))))
}

func (rd *reads) allIntact(reads []int32) sexp {
	var list []sexp
	for _, r := range reads {
		list = append(list, rd.intact(r))
	}
	return and(list...)
}

// sees makes x what read r returns, under a condition.
func (rd *reads) sees(r int32, when sexp, x value) {
	v := rd.saw(r)
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
	rd.pos.require(r, implies(when, and(same, word)))
}

// read is a Read, an AtomicRead or the read part of an AtomicRMW: it returns what the last write
// before it stored.
func (q *query) read(i int32, e *model.Event) {
	q.reads.sees(i, yes, q.mem.content(e.Obj, i))
	q.strict(i, e)
}

// strict is the second half of (MO6).
func (q *query) strict(i int32, e *model.Event) {
	if e.Strict {
		q.pos.require(i, q.reads.intact(i))
	}
}

// memory has what locations hold.
type memory struct {
	ev     *events
	script *script
	pos    *positions
	reads  *reads
	terms  *terms
}

// content is what location o holds at e, or after σ for none. The position m of the last write
// before is an unknown. It is at least that of every earlier write, and is that of one of them, if
// any.
func (mem *memory) content(o model.Obj, e int32) value {
	init := constant(mem.ev.w.Init[o].Val)
	if mem.ev.w.Init[o].Unknown {
		init = unknown
	}
	type source struct {
		write int32
		when  sexp
	}
	var sources []source
	var written []sexp
	for _, w := range mem.ev.on[o] {
		if when := mem.pos.before(w, e); w != e && mem.ev.w.Events[w].Kind.IsWrite() && when != no {
			for _, s := range sources {
				mem.pos.compare(s.write, w)
			}
			sources, written = append(sources, source{w, when}), append(written, when)
		}
	}
	if len(sources) == 0 {
		return init
	}
	m := mem.script.declare(name("m", e, int32(o)), bitVec(mem.pos.width))
	x := value{mem.script.declare(name("mv", e, int32(o)), bitVec(64)), mem.script.declare(name("mk", e, int32(o)), "Bool")}
	here := func(f sexp) { mem.script.assert(implies(mem.pos.inOrEnd(e), f)) }
	same := func(v value) sexp { return and(eq(x.known, v.known), eq(x.val, v.val)) }
	var some []sexp
	for _, s := range sources {
		last := and(s.when, eq(m, mem.pos.pos(s.write)))
		here(implies(s.when, not(less(m, mem.pos.pos(s.write)))))
		here(implies(last, same(mem.stored(s.write))))
		some = append(some, last)
	}
	here(or(append(some, not(or(written...)))...))
	here(or(append(written, same(init))...))
	return x
}

// inOrEnd is in, for an event or the end of σ.
func (ps *positions) inOrEnd(e int32) sexp {
	if e == none {
		return yes
	}
	return ps.in(e)
}

// stored is what a write stores.
func (mem *memory) stored(i int32) value {
	e := &mem.ev.w.Events[i]
	if e.Kind == format.AtomicRMW {
		return mem.produced(i, e.Aux, and(mem.reads.intact(i), mem.reads.allIntact(e.ValDeps)))
	}
	return mem.produced(i, e.Val, mem.reads.allIntact(e.ValDeps))
}

// produced is the value that a write or send leaves (V): the recorded one if the reads that it is
// computed from are intact, else the value of its term.
func (mem *memory) produced(i int32, recorded uint64, asRecorded sexp) value {
	if asRecorded == yes {
		return constant(recorded)
	}
	x := unknown
	if t := mem.ev.w.Events[i].Value; t != nil {
		x = mem.terms.amount(t)
	}
	return value{
		mem.script.define(name("wv", i), bitVec(64), ite(asRecorded, word64(recorded), x.val)),
		mem.script.define(name("wk", i), "Bool", or(asRecorded, x.known)),
	}
}

// guard is (V) for guard k of event i.
func (q *query) guard(i int32, k int) {
	g := &q.ev.w.Events[i].Guards[k]
	x := q.terms.term(g.Term)
	q.pos.require(i, and(x.known, eq(x.val, word64(g.Want))))
}
