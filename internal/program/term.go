package program

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
)

// A term is the symbolic value of a register: the expression over reads that the trace has
// unrolled its computation into, RECIPE's symbolic trace (seed 000 section III.A). Terms are
// made only for a walk that asks for them (NewSymbolic), and only for values that depend on a read that is
// not pinned. They are never solved for, only evaluated, so that an operator is what eval says.
//
// (T1) The term of a load is the words that its Read events return; of an operation that eval
// computes, the operation over the terms of its operands; of a call that is walked, a phi, a local
// variable, that of what was passed, chosen or stored. All else has none: what was recorded and not recomputed.
//
// (T2) An operand that must keep its value (rule F2) and has a term is a guard of the next event: term = recorded value,
// and its reads stay open. One without a term pins its reads, and so does one that is nothing but a load: the guard would say
// the same.
//
// (T3) With the values of the recorded run, a term amounts to the recorded value. Where that
// is not so by construction (atomics, channels), it is checked when the term is made.
type term struct {
	words []loaded // of a load
	apply func([]Value) (Value, bool)
	args  []termArg
	size  int // nodes, those that are shared as often as they are used
}

// loaded is a part of a load: a Read event, and where its bytes stand in the value.
type loaded struct {
	read int64
	at   int64
	n    int64
	val  uint64 // recorded
}

// termArg is an operand: a term, or a value that does not change.
type termArg struct {
	t *term
	v Value
}

const (
	maxTerm      = 4096 // nodes of a term
	maxTermReads = 64   // reads of a term
)

// An evaluation is one pass over a term. Terms share nodes and are immutable: the engine
// evaluates some while the walk makes others.
type evaluation struct {
	read func(int64) uint64 // the word that a Read event returns
	memo map[*term]result
}

type result struct {
	val Value
	ok  bool
}

// eval computes a term, each of its nodes once.
func (e *evaluation) eval(t *term) (Value, bool) {
	if t.words != nil {
		return assemble(t.words, e.read), true
	}
	if r, ok := e.memo[t]; ok {
		return r.val, r.ok
	}
	val, ok := e.compute(t)
	if t.size > 8 { // smaller ones cost less than to remember them
		if e.memo == nil {
			e.memo = map[*term]result{}
		}
		e.memo[t] = result{val, ok}
	}
	return val, ok
}

func (e *evaluation) compute(t *term) (Value, bool) {
	vals := make([]Value, len(t.args))
	for i, a := range t.args {
		vals[i] = a.v
		if a.t != nil {
			v, ok := e.eval(a.t)
			if !ok {
				return Value{}, false
			}
			vals[i] = v
		}
	}
	return t.apply(vals)
}

// assemble puts the parts of a load together.
func assemble(parts []loaded, read func(int64) uint64) Value {
	last := parts[len(parts)-1]
	words := make([]uint64, (last.at+last.n+7)/8)
	for _, p := range parts {
		w := read(p.read) & mask(p.n)
		i, sh := p.at/8, 8*(p.at%8)
		words[i] |= w << sh
		if p.at%8+p.n > 8 {
			words[i+1] |= w >> (64 - sh)
		}
	}
	return Words(words)
}

// leaf is the term of a load whose parts are known, nil if they are not.
func leaf(parts []loaded) *term {
	if len(parts) == 0 || len(parts) > maxTermReads {
		return nil
	}
	return &term{words: slices.Clone(parts), size: 1}
}

// operation is the term of an operation, nil if an operand that changes has none.
func (g *goroutine) operation(args []termArg, apply func([]Value) (Value, bool)) *term {
	t := &term{apply: apply, args: args, size: 1}
	changes := false
	for _, a := range args {
		if a.t != nil {
			changes, t.size = true, t.size+a.t.size
		}
	}
	switch {
	case !changes:
		return nil
	case t.size > maxTerm:
		g.w.stats.TermsTooLarge++
		return nil
	}
	return t
}

// part is size bytes at offset at of a term.
func (g *goroutine) part(t *term, at, size int64) *term {
	if t == nil {
		return nil
	}
	return g.operation([]termArg{{t: t}}, func(v []Value) (Value, bool) {
		p := v[0].part(at, size)
		return p, p.known != 0
	})
}

// operand returns an operand of a term. ok is false if it changes in a way that has no term.
func (g *goroutine) operand(f *frame, a *arg) (_ termArg, ok bool) {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return termArg{v: f.value(a)}, true
	}
	t := f.terms[a.reg]
	return termArg{t: t}, t != nil
}

// setTerm gives the first register of an instruction its term.
func (f *frame) setTerm(in *instr, t *term) {
	if in.reg >= 0 && in.n > 0 {
		f.terms[in.reg] = t
	}
}

// termOf is the term of operand a.
func (f *frame) termOf(a *arg) *term {
	if a.reg < 0 || f.terms == nil {
		return nil
	}
	return f.terms[a.reg]
}

// symbolic computes the term of an instruction's result (T1).
func (g *goroutine) symbolic(f *frame, in *instr) *term {
	switch in.op {
	case opLocal:
		c := &f.cells[in.cell]
		at, ok := f.value(&in.args[0]).Bits()
		if !ok || c.term == nil {
			return nil
		}
		if at == 0 && in.size == f.code.cells[in.cell] {
			return c.term
		}
		return g.part(c.term, int64(at), in.size)
	case opLoad:
		if !f.stage.known {
			return nil
		}
		return leaf(f.stage.loads)
	case opPart:
		return g.symbolicPart(f, in)
	case opEval:
		if in.n != 1 || f.stage.reads != nil || f.regs[in.reg].known == 0 {
			return nil
		}
		return g.symbolicEval(f, in)
	}
	return nil
}

// symbolicEval is the operation that eval computes, if it computed what was recorded.
func (g *goroutine) symbolicEval(f *frame, in *instr) *term {
	args := make([]termArg, len(in.args))
	for i := range in.args {
		a, ok := g.operand(f, &in.args[i])
		if !ok {
			return nil
		}
		args[i] = a
	}
	code := f.code
	apply := func(v []Value) (Value, bool) {
		r, err := code.eval(in, v)
		return r, err == nil && r.known != 0
	}
	if in.recorded {
		if v := g.computed(f, in); v.known == 0 || differs(v, f.regs[in.reg], in.size) {
			return nil
		}
	}
	return g.operation(args, apply)
}

func (g *goroutine) symbolicPart(f *frame, in *instr) *term {
	t := f.termOf(&in.args[0])
	switch in.in.(type) {
	case *ssa.FieldAddr:
		if in.off == nil || in.size < 0 || in.fused {
			return nil
		}
		return g.part(t, in.off[in.index], in.size)
	case *ssa.IndexAddr:
		i, ok := f.value(&in.args[1]).Bits()
		if at := signed(in.kind2, i); ok && at >= 0 && in.elem >= 0 {
			return g.part(t, at*in.elem, in.elem)
		}
		return nil
	}
	return t
}

// loads notes the words of a read by an atomic operation or from a channel.
func (g *goroutine) readWord(f *frame, index int64, e *trace.Event) *term {
	n := int64(e.Size)
	if e.Kind == format.ChanRecv {
		n = 8
	}
	if !g.w.symbolic || e.Flags&(format.FlagNoValue|format.FlagMore|format.FlagClosed) != 0 || n == 0 || n > 8 {
		return nil
	}
	return leaf([]loaded{{read: index, n: n, val: e.Val}})
}

func isAdd(in *instr) bool {
	call, ok := in.in.(*ssa.Call)
	return ok && call.Call.StaticCallee() != nil && strings.HasPrefix(call.Call.StaticCallee().Name(), "Add")
}

// agrees checks (T3) for a value of one word.
func (g *goroutine) agrees(t *term, v Value) bool {
	want, ok := v.Bits()
	s := g.symbol(t, 0)
	return ok && v.more == nil && s != nil && s.amountsTo(want)
}

// updated is the new value of an atomic operation, as a term: what Store and Swap are given, Add's sum.
func (g *goroutine) updated(f *frame, in *instr, old *term, size int64) *term {
	call, ok := in.in.(*ssa.Call)
	if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() == nil {
		return nil
	}
	name := call.Call.StaticCallee().Name()
	last, ok := g.operand(f, &in.args[len(in.args)-1])
	if !ok {
		return nil
	}
	switch {
	case strings.HasPrefix(name, "Add") && old != nil:
		return g.operation([]termArg{{t: old}, last}, func(v []Value) (Value, bool) {
			x, ok := v[0].Bits()
			y, ok2 := v[1].Bits()
			return Known((x + y) & mask(size)), ok && ok2
		})
	case strings.HasPrefix(name, "Store"), strings.HasPrefix(name, "Swap"):
		return last.t
	}
	return nil
}

// keep is rule (F2) for an operand: it must keep its value. (T2)
func (g *goroutine) keep(f *frame, a *arg) {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return
	}
	t := f.termOf(a)
	if t == nil || t.words != nil || !g.guard(t, f.value(a)) {
		g.d.pin(d)
	}
}

// guard makes "t is v" a condition of the next event, a word at a time.
func (g *goroutine) guard(t *term, v Value) bool {
	n := 1
	if v.more != nil {
		n += len(v.more.words)
	}
	at := len(g.guards)
	for i := range n {
		want, ok := v.Word(i)
		s := g.symbol(t, i)
		if !ok || s == nil || !s.amountsTo(want) {
			g.guards = g.guards[:at]
			return false
		}
		g.guards = append(g.guards, window.FlowGuard{Term: s, Want: want})
	}
	return true
}

// A symbol is one word of a term: a [window.FlowTerm].
type symbol struct {
	t     *term
	word  int
	reads []int64
	vals  []uint64 // recorded
}

// symbol returns word i of a term, nil if it rests on too many reads.
func (g *goroutine) symbol(t *term, i int) *symbol {
	s := &symbol{t: t, word: i}
	if !s.collect(t) {
		g.w.stats.TermsTooLarge++
		return nil
	}
	return s
}

// collect finds the reads of a term. It is false if there are too many.
func (s *symbol) collect(t *term) bool {
	recorded, seen := map[int64]uint64{}, map[*term]bool{}
	var visit func(t *term) bool
	visit = func(t *term) bool {
		if seen[t] {
			return true
		}
		if t.size > 8 {
			seen[t] = true
		}
		for _, p := range t.words {
			recorded[p.read] = p.val
		}
		for _, a := range t.args {
			if a.t != nil && !visit(a.t) {
				return false
			}
		}
		return len(recorded) <= maxTermReads
	}
	if !visit(t) {
		return false
	}
	s.reads = slices.Sorted(maps.Keys(recorded))
	for _, r := range s.reads {
		s.vals = append(s.vals, recorded[r])
	}
	return true
}

// amountsTo checks (T3).
func (s *symbol) amountsTo(want uint64) bool {
	v, ok := s.Eval(s.vals)
	return ok && v == want
}

// Reads implements [window.FlowTerm].
func (s *symbol) Reads() []int64 { return s.reads }

// Recorded implements [window.FlowTerm].
func (s *symbol) Recorded() []uint64 { return s.vals }

// Eval implements [window.FlowTerm].
func (s *symbol) Eval(in []uint64) (uint64, bool) {
	e := evaluation{read: func(r int64) uint64 {
		i, _ := slices.BinarySearch(s.reads, r)
		return in[i]
	}}
	v, ok := e.eval(s.t)
	if !ok {
		return 0, false
	}
	return v.Word(s.word)
}

// Single reports that the symbol is nothing but what one read returns.
func (s *symbol) Single() bool { return len(s.t.words) == 1 && s.word == 0 && s.t.words[0].at == 0 }
