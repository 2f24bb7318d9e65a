package tracetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// operators are the operators in terms of the tests, all on two words of 64 bits. They are
// independent of the evaluators of engine and checker. A quotient by zero has no value.
var operators = map[expr.Op]func(x, y uint64) (uint64, bool){
	expr.Add: func(x, y uint64) (uint64, bool) { return x + y, true },
	expr.Xor: func(x, y uint64) (uint64, bool) { return x ^ y, true },
	expr.And: func(x, y uint64) (uint64, bool) { return x & y, true },
	expr.Mul: func(x, y uint64) (uint64, bool) { return x * y, true },
	expr.Shr: func(x, y uint64) (uint64, bool) { return x >> y, true },
	expr.Lss: func(x, y uint64) (uint64, bool) { return uint64(b2u(x < y)), true },
	expr.Eql: func(x, y uint64) (uint64, bool) { return uint64(b2u(x == y)), true },
	expr.Quo: func(x, y uint64) (uint64, bool) {
		if y == 0 {
			return 0, false
		}
		return x / y, true
	},
}

func readTerm(r int32) *expr.Expr { return expr.NewRead(int64(r), 8, 0) }

func opTerm(op expr.Op, x, y *expr.Expr) *expr.Expr {
	to := expr.Kind(0)
	if op == expr.Shr {
		to = expr.Uint64
	}
	return expr.Binary(op, expr.Uint64, to, x, y)
}

// amount evaluates a term of the tests. A Choose decides by a word of 0 or 1.
func amount(e *expr.Expr, read func(r int32) (uint64, bool)) (uint64, bool) {
	switch e.Op() {
	case expr.Const:
		return e.Recorded()
	case expr.Read:
		return read(int32(e.Number()))
	case expr.Ite:
		c, ok := amount(e.Args()[0], read)
		if !ok {
			return 0, false
		}
		return amount(e.Args()[2-c], read)
	case expr.Part:
		x, ok := amount(e.Args()[0], read)
		return x >> (8 * e.Number()) & (1<<(8*e.Bytes()) - 1), ok
	case expr.Cat:
		lo, ok := amount(e.Args()[0], read)
		hi, ok2 := amount(e.Args()[1], read)
		return lo&(1<<(8*e.Number())-1) | hi<<(8*e.Number()), ok && ok2
	}
	x, ok := amount(e.Args()[0], read)
	y, ok2 := amount(e.Args()[1], read)
	if !ok || !ok2 {
		return 0, false
	}
	return operators[e.Op()](x, y)
}

// lose returns the term after event i is removed from the window, or nil if the event is one of its
// reads.
func lose(t *model.Term, i int32) *model.Term {
	e := t.Expr.Replace(func(r *expr.Expr) *expr.Expr {
		switch n := int32(r.Number()); {
		case n == i:
			return nil
		case n > i:
			return readTerm(n - 1)
		}
		return r
	})
	if e == nil {
		return nil
	}
	return model.NewTerm(e)
}

// parseTerm reads what String prints.
func parseTerm(s string) (*model.Term, error) {
	e, err := expr.Parse(s, nil)
	if err != nil {
		return nil, err
	}
	return model.NewTerm(e), nil
}

// terms lists the terms of an event.
func terms(e *model.Event) []*model.Term {
	var list []*model.Term
	for _, g := range e.Guards {
		list = append(list, g.Term)
	}
	if e.Value != nil {
		list = append(list, e.Value)
	}
	return list
}

// termFits checks that the reads of a term of event i are earlier reads of its thread.
func termFits(w *model.Window, i int32, t *model.Term) error {
	e := &w.Events[i]
	for _, r := range t.Reads() {
		own := r == i && e.Kind == format.AtomicRMW && t == e.Value
		if r < 0 || r > i || r == i && !own || w.Events[r].Thread != e.Thread || !isRead(&w.Events[r]) {
			return fmt.Errorf("a term of event %d reads %d, which is not an earlier read of its thread", i, r)
		}
	}
	if t == e.Value {
		val := e.Val
		if e.Kind == format.AtomicRMW {
			val = e.Aux
		}
		if v, ok := recordedValue(w, t); !ok || v != val {
			return fmt.Errorf("the value of event %d is not what its term amounts to", i)
		}
	}
	return nil
}

// stored is the value that a write or send e leaves (V): the recorded val if the reads that it is
// computed from are intact, else the value of its term.
func (m *machine) stored(n *state, e *model.Event, val uint64, asRecorded bool) saw {
	switch {
	case asRecorded && m.known(n, e.ValDeps):
		return saw{val, true}
	case e.Value != nil:
		return m.amounts(n, e.Value)
	}
	return saw{}
}

// addTerms turns dependencies into guards and gives values terms, at random, with the values of the
// recorded run.
func addTerms(r *rand.Rand, w *model.Window) {
	reads := make([][]int32, len(w.Threads))
	accessed := make([]bool, len(w.Init))
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind.IsAccess() {
			if !accessed[e.Obj] && !isRead(e) {
				w.Init[e.Obj].Unknown = r.IntN(2) == 0
			}
			accessed[e.Obj] = true
		}
		known := reads[e.Thread]
		if len(e.Deps) > 0 && r.IntN(5) > 0 {
			t := randomTerm(r, known)
			if want, ok := recordedValue(w, t); ok {
				e.Deps, e.Guards = e.Deps[1:], append(e.Guards, model.Guard{Term: t, Want: want})
			}
		}
		if isRead(e) {
			known = append(known, int32(i))
			reads[e.Thread] = known
		}
		val := e.Val
		switch e.Kind {
		case format.AtomicRMW:
			val = e.Aux
		case format.Write, format.AtomicWrite, format.ChanSend:
		default:
			continue
		}
		if len(known) == 0 || r.IntN(3) == 0 {
			continue
		}
		t := randomTerm(r, known)
		if now, ok := recordedValue(w, t); ok {
			e.Value = model.NewTerm(opTerm(expr.Xor, t.Expr, expr.Word(now^val)))
			e.ValDeps = slices.DeleteFunc(slices.Clone(t.Reads()), func(d int32) bool { return d == int32(i) })
		}
	}
}

// randomTerm makes a small term over at least one of the reads.
func randomTerm(r *rand.Rand, reads []int32) *model.Term {
	leaf := func() *expr.Expr { return readTerm(reads[r.IntN(len(reads))]) }
	t := leaf()
	for range r.IntN(3) {
		ops := []expr.Op{expr.Add, expr.Xor, expr.And, expr.Mul, expr.Quo, expr.Shr}
		y := expr.Word(uint64(r.IntN(4)))
		if r.IntN(2) == 0 {
			y = leaf()
		}
		t = opTerm(ops[r.IntN(len(ops))], t, y)
	}
	switch r.IntN(4) {
	case 0:
		t = opTerm(expr.Lss, t, expr.Word(uint64(r.IntN(4))))
	case 1:
		t = opTerm(expr.Eql, t, expr.Word(uint64(r.IntN(3))))
	case 2:
		t = expr.Choose(opTerm(expr.Lss, leaf(), t), t, leaf())
	}
	return model.NewTerm(t)
}

// recordedValue is the value of a term in the recorded run.
func recordedValue(w *model.Window, t *model.Term) (uint64, bool) {
	return amount(t.Expr, func(r int32) (uint64, bool) { return w.Events[r].Val, true })
}
