package tracetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"presage/internal/trace/format"
	"presage/internal/window"
)

// A Term is a window.Term of the tests: an operator over reads and constants.
// Its text form, without spaces, is lt(add(r3,r7),5): r3 is what event 3 reads.
type Term struct {
	op    string // "r", "c" or a key of operators
	n     uint64 // the event of a read; a constant
	args  []*Term
	reads []int32
}

// operators are partial functions of two words. A quotient by zero is a panic: no value.
var operators = map[string]func(x, y uint64) (uint64, bool){
	"add": func(x, y uint64) (uint64, bool) { return x + y, true },
	"xor": func(x, y uint64) (uint64, bool) { return x ^ y, true },
	"and": func(x, y uint64) (uint64, bool) { return x & y, true },
	"mul": func(x, y uint64) (uint64, bool) { return x * y, true },
	"lt":  func(x, y uint64) (uint64, bool) { return uint64(b2u(x < y)), true },
	"eq":  func(x, y uint64) (uint64, bool) { return uint64(b2u(x == y)), true },
	"div": func(x, y uint64) (uint64, bool) {
		if y == 0 {
			return 0, false
		}
		return x / y, true
	},
}

func readTerm(r int32) *Term   { return &Term{op: "r", n: uint64(r), reads: []int32{r}} }
func constTerm(n uint64) *Term { return &Term{op: "c", n: n} }
func (t *Term) Reads() []int32 { return t.reads }
func opTerm(op string, x, y *Term) *Term {
	reads := slices.Concat(x.reads, y.reads)
	slices.Sort(reads)
	return &Term{op: op, args: []*Term{x, y}, reads: slices.Compact(reads)}
}

func (t *Term) Eval(in []uint64) (uint64, bool) {
	return t.eval(func(r int32) uint64 { return in[slices.Index(t.reads, r)] })
}

func (t *Term) eval(read func(int32) uint64) (uint64, bool) {
	switch t.op {
	case "r":
		return read(int32(t.n)), true
	case "c":
		return t.n, true
	}
	x, ok := t.args[0].eval(read)
	y, ok2 := t.args[1].eval(read)
	if !ok || !ok2 {
		return 0, false
	}
	return operators[t.op](x, y)
}

func (t *Term) String() string {
	switch t.op {
	case "r":
		return fmt.Sprintf("r%d", t.n)
	case "c":
		return strconv.FormatUint(t.n, 10)
	}
	return fmt.Sprintf("%s(%s,%s)", t.op, t.args[0], t.args[1])
}

// without returns the term after event i has gone from the window, or nil if it
// was one of its reads.
func (t *Term) without(i int32) *Term {
	switch {
	case t.op == "c":
		return t
	case t.op != "r":
		x, y := t.args[0].without(i), t.args[1].without(i)
		if x == nil || y == nil {
			return nil
		}
		return opTerm(t.op, x, y)
	case int32(t.n) == i:
		return nil
	case int32(t.n) > i:
		return readTerm(int32(t.n) - 1)
	}
	return t
}

// parseTerm reads what String prints.
func parseTerm(s string) (*Term, error) {
	t, rest, err := parsePrefix(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q", rest)
	}
	return t, err
}

func parsePrefix(s string) (t *Term, rest string, err error) {
	k := strings.IndexAny(s, "(,)")
	if k < 0 {
		k = len(s)
	}
	word := s[:k]
	if _, ok := operators[word]; ok && k < len(s) && s[k] == '(' {
		x, rest, err := parsePrefix(s[k+1:])
		if err != nil || !strings.HasPrefix(rest, ",") {
			return nil, "", fmt.Errorf("two operands expected in %q", s)
		}
		y, rest, err := parsePrefix(rest[1:])
		if err != nil || !strings.HasPrefix(rest, ")") {
			return nil, "", fmt.Errorf("two operands expected in %q", s)
		}
		return opTerm(word, x, y), rest[1:], nil
	}
	if r, ok := strings.CutPrefix(word, "r"); ok {
		n, err := strconv.ParseInt(r, 10, 32)
		return readTerm(int32(n)), s[k:], err
	}
	n, err := strconv.ParseUint(word, 10, 64)
	return constTerm(n), s[k:], err
}

// terms lists the terms of an event.
func terms(e *window.Event) []window.Term {
	var list []window.Term
	for _, g := range e.Guards {
		list = append(list, g.Term)
	}
	if e.Value != nil {
		list = append(list, e.Value)
	}
	return list
}

// termFits reports whether a term of event i is about reads that it can know.
func termFits(w *window.Window, i int32, t window.Term) error {
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

// stored is the value that a write or send e leaves: val, as recorded, if what it is
// computed from is as recorded; else what its term amounts to. (V)
func (m *model) stored(n *state, e *window.Event, val uint64, asRecorded bool) saw {
	switch {
	case asRecorded && m.known(n, e.ValDeps):
		return saw{val, true}
	case e.Value != nil:
		return m.amounts(n, e.Value)
	}
	return saw{}
}

// addTerms turns dependencies into guards and gives values terms, at random, so that the
// recorded run has the values it has.
func addTerms(r *rand.Rand, w *window.Window) {
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
				e.Deps, e.Guards = e.Deps[1:], append(e.Guards, window.Guard{Term: t, Want: want})
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
			e.Value = opTerm("xor", t, constTerm(now^val))
			e.ValDeps = slices.DeleteFunc(slices.Clone(t.reads), func(d int32) bool { return d == int32(i) })
		}
	}
}

// randomTerm makes a small term over at least one of the reads.
func randomTerm(r *rand.Rand, reads []int32) *Term {
	leaf := func() *Term { return readTerm(reads[r.IntN(len(reads))]) }
	t := leaf()
	for range r.IntN(3) {
		ops := []string{"add", "xor", "and", "mul", "div"}
		y := constTerm(uint64(r.IntN(4)))
		if r.IntN(2) == 0 {
			y = leaf()
		}
		t = opTerm(ops[r.IntN(len(ops))], t, y)
	}
	switch r.IntN(3) {
	case 0:
		return opTerm("lt", t, constTerm(uint64(r.IntN(4))))
	case 1:
		return opTerm("eq", t, constTerm(uint64(r.IntN(3))))
	}
	return t
}

// recordedValue is the value of a term in the recorded run.
func recordedValue(w *window.Window, t window.Term) (uint64, bool) {
	var in []uint64
	for _, r := range t.Reads() {
		in = append(in, w.Events[r].Val)
	}
	return t.Eval(in)
}
