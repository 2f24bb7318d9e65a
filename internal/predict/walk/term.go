package walk

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A term is the symbolic value of a register: the expressions over reads that the trace has
// unrolled its computation into, RECIPE's symbolic trace (seed 000 section III.A), a word each.
// Terms are made only for a walk that asks for them (NewSymbolic), and only for values that depend
// on a read that is not pinned. What an instruction means is in express.go.
//
// (T1) The term of a load is the words that its Read events return; of an operation that eval
// computes, the operation over the terms of its operands; of a call that is walked, a phi, a local
// variable, that of what was passed, chosen or stored. All else has none: what was recorded and not
// recomputed.
//
// (T2) An operand that must keep its value (rule F2) and has a term is a guard of the next event:
//
//	term = recorded value,
//
// and its reads stay open. One without a term pins its reads, and so does one that is nothing but a
// load: the guard would say the same.
//
// (T3) With the values of the recorded run, a term amounts to the recorded value. That is checked
//
//	whenever one is
//
// made: the expressions know what they amounted to (expr E5).
type term struct {
	words []*expr.Expr // nil: not known
	text  *expr.Expr   // the content of a string, nil: not known
	null  *expr.Expr   // of an error: whether it is nil; nil: its first word says it
	typ   *dynamic     // of an interface: of what is in it, where an alternative has put it there
	load  bool         // it is what a load returned
}

// Bounds of a term. What is larger has none, and is counted.
const (
	maxTerm      = 2048 // nodes of a word
	maxTermReads = 64   // reads of one
)

// word returns word i, nil if it is not known.
func (t *term) word(i int) *expr.Expr {
	if t == nil || i >= len(t.words) {
		return nil
	}
	return t.words[i]
}

// single is the term of a value of one word.
func single(e *expr.Expr) *term {
	if e == nil {
		return nil
	}
	return &term{words: []*expr.Expr{e}}
}

// fixed is the term of a value that is the same in every run.
func fixed(v Value) *term {
	t := &term{words: make([]*expr.Expr, 1)}
	if v.more != nil {
		t.words = make([]*expr.Expr, 1+len(v.more.words))
	}
	for i := range t.words {
		if w, ok := v.Word(i); ok {
			t.words[i] = expr.Word(w)
		}
	}
	if s, ok := v.Content(); ok && v.more != nil {
		t.text = expr.Text(s)
	}
	return t
}

// part is size bytes at offset off: a field or an element.
func (t *term) part(off, size int64) *term {
	if t == nil {
		return nil
	}
	if n := int64(len(t.words)); off == 0 && size == 8*n {
		return t
	}
	p := &term{words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range p.words {
		p.words[i] = t.bytes(off+8*int64(i), min(8, size-8*int64(i)))
	}
	return p
}

// bytes is n ≤ 8 bytes at offset off, which may lie in two words.
func (t *term) bytes(off, n int64) *expr.Expr {
	i, from := int(off/8), off%8
	if n <= 0 {
		return expr.Word(0)
	}
	lo := expr.PartOf(t.word(i), from, min(n, 8-from))
	if from+n <= 8 {
		return lo
	}
	return expr.Concat(lo, 8-from, expr.PartOf(t.word(i+1), 0, from+n-8))
}

// leaf is the term of a load whose parts are known, nil if they are not.
func leaf(parts []loaded) *term {
	if len(parts) == 0 || len(parts) > maxTermReads {
		return nil
	}
	last := parts[len(parts)-1]
	t := &term{words: make([]*expr.Expr, (last.at+last.n+7)/8), load: true}
	for _, p := range parts { // they follow each other
		e := expr.NewRead(p.read, p.n, p.val&mask(p.n))
		i, from := p.at/8, p.at%8
		if from == 0 {
			t.words[i] = e
			continue
		}
		t.words[i] = expr.Concat(t.words[i], from, e)
		if from+p.n > 8 {
			t.words[i+1] = expr.PartOf(e, 8-from, from+p.n-8)
		}
	}
	return t
}

// loaded is a part of a load: a Read event, and where its bytes stand in the value.
type loaded struct {
	read int64
	at   int64
	n    int64
	val  uint64 // recorded
}

// operand returns an operand as a term; nil if it changes in a way that has none.
func (g *goroutine) operand(f *frame, a *arg) *term {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return fixed(f.value(a))
	}
	return f.terms[a.reg]
}

// setTerm gives the first register of an instruction its term, what of it is (T3).
func (g *goroutine) setTerm(f *frame, in *instr, t *term) {
	if in.reg < 0 || in.n == 0 {
		return
	}
	f.terms[in.reg] = g.checked(t, f.regs[in.reg], in.size)
}

// checked drops the words of a term that do not amount to what was recorded or computed (T3), or
// are too large.
func (g *goroutine) checked(t *term, v Value, size int64) *term {
	if t == nil {
		return nil
	}
	known := false
	for i, e := range t.words {
		if e == nil {
			continue
		}
		m := mask(8)
		if size >= 0 { // else the type is a parameter
			m = mask(max(0, size-8*int64(i)))
		}
		if want, ok := v.Word(i); ok && !amounts(e, want, m) {
			if t = t.without(i); i == 1 {
				t.text = nil
			}
		} else if tooLarge(e) {
			g.w.stats.TermsTooLarge++
			t = t.without(i)
		}
		known = known || t.words[i] != nil
	}
	if t = t.known(); t.null != nil {
		if w, ok := v.Word(0); ok && !amounts(t.null, boolValue(w == 0).bits, mask(8)) {
			t = &term{words: t.words, text: t.text}
		}
	}
	if !known && t.text == nil && t.null == nil {
		return nil
	}
	return t
}

func tooLarge(e *expr.Expr) bool { return len(e.Reads()) > maxTermReads || !e.Within(maxTerm) }

// known is t without a content, and a null, that is too large.
func (t *term) known() *term {
	if t.text != nil && tooLarge(t.text) || t.null != nil && tooLarge(t.null) {
		t = &term{words: t.words}
	}
	return t
}

func amounts(e *expr.Expr, want, m uint64) bool {
	v, ok := e.Recorded()
	return ok && (v^want)&m == 0
}

// without returns t without the term of word i.
func (t *term) without(i int) *term {
	c := &term{words: append([]*expr.Expr(nil), t.words...), text: t.text, null: t.null}
	c.words[i] = nil
	return c
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
		switch {
		case !ok || in.size < 0, c.words == nil: // a variable that is not followed
			return nil
		case c.terms == nil:
			return fixed(f.regs[in.reg])
		}
		return (&term{words: c.terms}).part(int64(at), in.size)
	case opLoad:
		if !f.stage.known || f.stage.says {
			return nil
		}
		return leaf(f.stage.loads)
	case opPart:
		return g.symbolicPart(f, in)
	case opEval:
		if in.n != 1 || f.stage.reads != nil && !in.appends || f.regs[in.reg].known == 0 {
			return nil
		}
		args := make([]*term, len(in.args))
		for i := range in.args {
			args[i] = g.operand(f, &in.args[i])
		}
		return f.code.express(in, args)
	}
	return nil
}

func (g *goroutine) symbolicPart(f *frame, in *instr) *term {
	t := g.operand(f, &in.args[0])
	switch in.in.(type) {
	case *ssa.FieldAddr:
		if in.off == nil || in.size < 0 || in.fused {
			return nil
		}
		return t.part(in.off[in.index], in.size)
	case *ssa.IndexAddr:
		i, ok := f.value(&in.args[1]).Bits()
		if at := signed(in.kind2, i); ok && at >= 0 && in.elem >= 0 {
			return t.part(at*in.elem, in.elem)
		}
		return nil
	}
	return t
}

// storeTerm is the symbolic side of a store to a local variable, before the store itself.
func (c *cell) storeTerm(off Value, size int64, t *term, changes, whole bool) {
	at, ok := off.Bits()
	switch {
	case !changes && (whole || c.terms == nil && ok):
		c.terms = nil // the words say it
		return
	case c.words == nil:
		return
	case c.terms == nil:
		c.terms = fixed(Value{bits: c.words[0], known: c.known, more: &more{words: c.words[1:]}}).words
	default:
		c.terms = append([]*expr.Expr(nil), c.terms...) // loads of the whole share it
	}
	if !ok || size < 0 || at+uint64(size) > uint64(len(c.words))*8 {
		clear(c.terms)
		return
	}
	if whole {
		c.terms = make([]*expr.Expr, len(c.terms))
		for i := range c.terms {
			c.terms[i] = t.word(i)
		}
		return
	}
	(&term{words: c.terms}).set(int64(at), size, t)
}

// set gives t size bytes of v at offset at. It changes t.
func (t *term) set(at, size int64, v *term) {
	for i := int64(0); i*8 < size; i++ {
		t.setBytes(at+i*8, min(8, size-i*8), v.word(int(i)))
	}
}

// setBytes sets n ≤ 8 bytes at offset at, which may lie in two words.
func (t *term) setBytes(at, n int64, e *expr.Expr) {
	i, from := at/8, at%8
	if first := 8 - from; n > first {
		t.setBytes(at, first, expr.PartOf(e, 0, first))
		t.setBytes(at+first, n-first, expr.PartOf(e, first, n-first))
		return
	}
	if n == 8 {
		t.words[i] = e
		return
	}
	old := t.words[i]
	high := expr.Concat(e, n, expr.PartOf(old, from+n, 8-from-n))
	t.words[i] = expr.Concat(expr.PartOf(old, 0, from), from, high)
}

// readWord is the word of a read by an atomic operation or from a channel.
func (g *goroutine) readWord(index int64, e *trace.Event) *term {
	n := int64(e.Size)
	if e.Kind == format.ChanRecv {
		n = 8
	}
	if !g.w.symbolic || e.Flags&(format.FlagNoValue|format.FlagMore|format.FlagClosed) != 0 || n == 0 || n > 8 {
		return nil
	}
	return leaf([]loaded{{read: index, n: n, val: e.Val}})
}

// updated is the new value of an atomic operation: what Store and Swap are given, what Add, And and
// Or compute.
func (g *goroutine) updated(f *frame, in *instr, old *term, size int64) *expr.Expr {
	call, ok := in.in.(*ssa.Call)
	if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() == nil {
		return nil
	}
	name := call.Call.StaticCallee().Name()
	last := g.operand(f, &in.args[len(in.args)-1]).word(0)
	k := expr.Uint64
	if size == 4 {
		k = expr.Uint32
	}
	switch {
	case strings.HasPrefix(name, "Add"):
		return expr.Binary(expr.Add, k, 0, old.word(0), last)
	case strings.HasPrefix(name, "And"):
		return expr.Binary(expr.And, k, 0, old.word(0), last)
	case strings.HasPrefix(name, "Or"):
		return expr.Binary(expr.Or, k, 0, old.word(0), last)
	case strings.HasPrefix(name, "Store"), strings.HasPrefix(name, "Swap"):
		return last
	}
	return nil
}

func isAdd(in *instr) bool {
	call, ok := in.in.(*ssa.Call)
	return ok && call.Call.StaticCallee() != nil && strings.HasPrefix(call.Call.StaticCallee().Name(), "Add")
}

// keep is rule (F2) for an operand: it must keep its value. (T2)
func (g *goroutine) keep(f *frame, a *arg) {
	d := f.depsOf(a)
	if d == nil || d.pinned {
		return
	}
	t := f.termOf(a)
	if t == nil || t.load || !g.guard(t, f.value(a)) {
		g.d.pin(d)
	}
}

// comparable reports whether a comparison of two interfaces does not panic because of a guard: they
// have different types, or none. What it compares may then be another (T2).
func (g *goroutine) comparable(f *frame, in *instr) bool {
	x, ok := in.in.(*ssa.BinOp)
	if !ok || x.Op != token.EQL && x.Op != token.NEQ || !isInterface(x.X.Type()) || !isInterface(x.Y.Type()) {
		return false
	}
	a, b := g.operand(f, &in.args[0]).word(0), g.operand(f, &in.args[1]).word(0)
	c := expr.Binary(expr.Or, expr.Bool, 0, expr.Unary(expr.Not, expr.Bool, equals(a, b)), equals(a, expr.Word(0)))
	if c == nil || !amounts(c, 1, mask(8)) {
		return false
	}
	if !c.IsConst() {
		g.guards = append(g.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// divides reports whether a division or a shift does not panic because of a guard: the divisor is
// not zero, the count not negative. Which it is does not matter then (T2).
func (g *goroutine) divides(f *frame, in *instr) bool {
	x, ok := in.in.(*ssa.BinOp)
	if !ok {
		return false
	}
	k := kinds[kindOf(x.Y.Type())]
	if !k.IsInteger() {
		return false
	}
	op := expr.Neq
	switch x.Op {
	case token.QUO, token.REM:
	case token.SHL, token.SHR:
		op = expr.Geq
	default:
		return false
	}
	y := g.operand(f, &in.args[1]).word(0)
	if y == nil {
		return false
	}
	c := expr.Binary(op, k, 0, y, expr.Constant(k, 0))
	if c == nil || !amounts(c, 1, mask(8)) {
		return false
	}
	if !c.IsConst() {
		g.guards = append(g.guards, flow.Guard{Term: c, Want: 1})
	}
	return true
}

// isInterface is not true of type parameters.
func isInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
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
		e := t.word(i)
		if !ok || e == nil || !amounts(e, want, mask(8)) {
			g.guards = g.guards[:at]
			return false
		}
		if !e.IsConst() {
			g.guards = append(g.guards, flow.Guard{Term: e, Want: want})
		}
	}
	return true
}
