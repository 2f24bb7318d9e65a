package smt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// positions has the order of events: the words that stand for their places in it.
type positions struct {
	ev       *events
	script   *script
	width    int               // of a position, in bits
	compared map[[2]int32]bool // pairs of events, the smaller first
}

// cut is the first position after σ.
const cut sexp = "cut"

func (ps *positions) pos(e int32) sexp { return name("p", e) }

// in is "σ contains e". It is true for an access of the pair, although σ does not contain it: the
// conditions of such an access hold in the state after σ.
func (ps *positions) in(e int32) sexp {
	switch {
	case ps.ev.racing(e):
		return yes
	case !ps.ev.member[e]:
		return no
	}
	return less(ps.pos(e), cut)
}

// before is "f is in σ, and before e", if e is in σ. The accesses of the pair, and none, are at the
// end of σ.
func (ps *positions) before(f, e int32) sexp {
	switch {
	case !ps.ev.member[f] || f == e:
		return no
	case e == none || ps.ev.racing(e) && ps.ev.w.Events[e].Thread != ps.ev.w.Events[f].Thread:
		return ps.inSigma(f)
	case ps.ev.w.Events[e].Thread == ps.ev.w.Events[f].Thread: // (MO1)
		return truth(ps.ev.rank[f] < ps.ev.rank[e])
	}
	ps.compare(e, f)
	return less(ps.pos(f), ps.pos(e))
}

// inSigma is in for a member, where it is used for other purposes than the member's own conditions
// and successors.
func (ps *positions) inSigma(f int32) sexp {
	ps.compare(f, f)
	return less(ps.pos(f), cut)
}

// compare records that the positions of e and f are compared.
func (ps *positions) compare(e, f int32) { ps.compared[[2]int32{min(e, f), max(e, f)}] = true }

// declarations declares the positions, after all comparisons are known. Events that are compared
// have different positions, which grow along a thread (MO1). An event that is compared with nothing
// has the position of the next event of its thread.
func (ps *positions) declarations() string {
	var b strings.Builder
	sort := bitVec(ps.width)
	alone := make([]bool, len(ps.ev.w.Events))
	for i := range alone {
		alone[i] = true
	}
	pairs := slices.SortedFunc(maps.Keys(ps.compared), func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	for _, p := range pairs {
		alone[p[0]], alone[p[1]] = false, false
	}
	fmt.Fprintf(&b, "(declare-const %s %s)\n", cut, sort)
	var grow []sexp
	for _, t := range ps.ev.threads {
		next := sexp("")
		for _, e := range slices.Backward(t) {
			switch {
			case next != "" && alone[e]:
				fmt.Fprintf(&b, "(define-fun %s () %s %s)\n", ps.pos(e), sort, next)
				continue
			case next != "":
				grow = append(grow, less(ps.pos(e), next))
			}
			fmt.Fprintf(&b, "(declare-const %s %s)\n", ps.pos(e), sort)
			next = ps.pos(e)
		}
	}
	for _, x := range grow {
		fmt.Fprintf(&b, "(assert %s)\n", x)
	}
	for _, p := range pairs {
		if p[0] == p[1] || ps.ev.w.Events[p[0]].Thread == ps.ev.w.Events[p[1]].Thread {
			continue
		}
		fmt.Fprintf(&b, "(assert %s)\n", not(eq(ps.pos(p[0]), ps.pos(p[1]))))
	}
	return b.String()
}

// require makes x a condition of e: it must hold if σ contains e and, for an access of the pair,
// always.
func (ps *positions) require(e int32, x sexp) { ps.script.assert(implies(ps.in(e), x)) }

// words are the unknowns that σ is read from.
func (ps *positions) words() []sexp {
	list := []sexp{cut}
	for _, t := range ps.ev.threads {
		for _, e := range t {
			list = append(list, ps.pos(e))
		}
	}
	return list
}

// reordering is the σ of a model.
func (ps *positions) reordering(model map[sexp]uint64) []int32 {
	var order []int32
	for _, t := range ps.ev.threads {
		for _, e := range t {
			if model[ps.pos(e)] < model[cut] {
				order = append(order, e)
			}
		}
	}
	slices.SortStableFunc(order, func(e, f int32) int { return cmp.Compare(model[ps.pos(e)], model[ps.pos(f)]) })
	return order
}

// count is the number of events of a list that are before e, plus from, as a word of some width.
func (ps *positions) count(from int, list []int32, e int32, width int) sexp {
	var terms []sexp
	for _, f := range list {
		switch c := ps.before(f, e); c {
		case no:
		case yes:
			from++
		default:
			terms = append(terms, ite(c, num(1, width), num(0, width)))
		}
	}
	return sum(append(terms, num(uint64(from), width)))
}
