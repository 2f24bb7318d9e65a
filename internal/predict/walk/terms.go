package walk

import (
	"strings"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"golang.org/x/tools/go/ssa"
)

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

// checked drops the words of a term that do not amount to what was recorded or computed (T3), or are too large.
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
		if w, ok := v.Word(0); ok && !amounts(t.null, truth(w == 0), mask(8)) {
			t = &term{words: t.words, text: t.text}
		}
	}
	if !known && t.text == nil && t.null == nil {
		return nil
	}
	return t
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
		if in.n != 1 || f.stage.reads != nil && !in.appends || f.regs[in.reg].unknown() {
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
		c.terms = fixed(partial(c.words, c.known)).words
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

// updated is the new value of an atomic operation: what Store and Swap are given, what Add, And and Or compute.
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

// arguments are the values of the arguments of a call.
func (f *frame) arguments(in *instr) []Value {
	out := make([]Value, len(in.std.args))
	for i := range out {
		out[i] = f.value(&in.std.args[i])
	}
	return out
}

// resultsOf are the terms of the results of a call of the library.
func (g *goroutine) resultsOf(f *frame, in *instr) []*term {
	return in.std.express(f.code.texts, g.terms(f, in.std.args))
}

// setResults gives the results of a call of the library their terms.
func (g *goroutine) setResults(f *frame, in *instr) {
	for i, t := range g.resultsOf(f, in) {
		size := int64(16)
		if k := in.std.f.Result(i); i < len(in.std.f.Results) && k != expr.String {
			size = k.Size()
		}
		r := in.reg + int32(i)
		f.terms[r] = g.checked(t, f.regs[r], size)
	}
}
