package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/source/plan"
)

// A frame is one invocation of an instrumented function.
type frame struct {
	code   *code // nil: the function is not known
	depth  uint64
	walked bool
	static bool // entered by a call that the caller's walk is at
	regs   []Value
	deps   []*reads
	terms  []*term // of the registers, in a symbolic walk
	cells  []cell
	block  int32
	ip     int32
	stage  stage

	entering int     // parameters that are still to be recorded
	expects  []Value // what they are, as far as the caller tells
	leaving  bool    // the returning block has ended: only deferred calls and Exit are left
	unwinds  bool    // a panic passed through, or was recovered
	deferred bool    // an instrumented function was entered while this one was leaving
	results  []Value
	from     []*reads // what the results depend on
	symbols  []*term  // and their terms

	// In a walk that keeps forks.
	frozen     *xframe // the frame as it stands at its call
	defers     []xdefer
	lostDefers bool // there were more

	dormant *dormant // of a frame that sleeps: in place of its registers

	Note any // the observer's
}

// A stage is how far the walk has come in the instruction at which it waits.
type stage struct {
	at     bool // the operands were looked at
	want   int  // the next record
	inside bool // between OpaqueBegin and OpaqueEnd, or in a callee
	run    bool // in a run of accesses
	addr   uint64
	reads  *reads   // all reads of the instruction
	words  []uint64 // the value of the run, or of the Value record
	size   int64    // bytes of it so far
	known  bool     // they were recorded
	loads  []loaded // the run's events, in a symbolic walk
	term   *term    // of the result, if the instruction's records say it
	says   bool     // there were reads of what a string says (F11)
	moved  *reads   // of an append: elements that it moves to a new array
	chosen int      // the case of a select
	call   callState
	typed  bool // a call has turned out to be one of a typed operation (R15 of package plan),
	runs   bool // which may call back
}

// callState is how far a call through a function value or an interface has come that enters an instrumented function at once.
type callState uint8

const (
	otherCall callState = iota
	begun               // the next Enter is that of the callee
	entered             // it is under way, and has the caller's operands as parameters
	returned            // its results are known
)

// atCall reports whether the frame stands at a call of which the next frame is the callee.
func (f *frame) atCall() bool {
	return f.stage.inside && (f.instr().op == opCall || f.stage.call == entered)
}

// callsBack reports whether the typed operation at which the frame stands may enter instrumented
// code.
func (f *frame) callsBack(in *instr) bool { return in.callsBack || f.stage.runs }

// reset begins the next instruction. The buffer of words stays.
func (s *stage) reset() { *s = stage{words: s.words[:0], loads: s.loads[:0], chosen: -1} }

// A cell is a local variable whose address does not leave the function (plan R2).
type cell struct {
	words []uint64 // nil: too large to follow, nothing is known
	known uint64
	deps  *reads       // a union over what was stored in any part of it (F5)
	terms []*expr.Expr // of words, nil: it does not change
}

// maxCell bounds the size of a local variable whose content is followed, in words.
const maxCell = plan.MaxFollowed / 8

func (c *cell) clear(size int64) {
	c.deps, c.terms, c.known = nil, nil, 0
	n := int(size+7) / 8
	if size < 0 || n > maxCell {
		c.words = nil
		return
	}
	if cap(c.words) < n {
		c.words = make([]uint64, n)
	}
	c.words = c.words[:n]
	clear(c.words)
	c.known = lowBits(n)
}

// load returns size bytes at offset off.
func (c *cell) load(off Value, size int64) Value {
	at, ok := off.Bits()
	if !ok || size <= 0 || at+uint64(size) > uint64(len(c.words))*8 {
		return Value{} // of size zero, there is nothing to know
	}
	return partial(c.words, c.known).part(int64(at), size)
}

// store sets size bytes at offset off.
func (c *cell) store(off Value, size int64, v Value) {
	at, ok := off.Bits()
	if !ok || size < 0 || at+uint64(size) > uint64(len(c.words))*8 {
		c.known = 0
		return
	}
	for i := int64(0); i*8 < size; i++ {
		n := min(8, size-i*8)
		w, ok := v.Word(int(i))
		c.setWord(int64(at)+i*8, n, w, ok)
	}
}

// setWord sets n ≤ 8 bytes at offset at, which may lie in two words.
func (c *cell) setWord(at, n int64, w uint64, ok bool) {
	if first := 8 - at%8; n > first {
		c.setWord(at, first, w, ok)
		at, n, w = at+first, n-first, w>>(8*first)
	}
	i, sh := at/8, 8*(at%8)
	m := mask(n) << sh
	c.words[i] = c.words[i]&^m | w<<sh&m
	switch {
	case !ok:
		c.known &^= 1 << i
	case n == 8:
		c.known |= 1 << i
	}
}

// value returns operand a of a frame.
func (f *frame) value(a *arg) Value {
	switch {
	case a.reg >= 0:
		return f.regs[a.reg]
	case a.glob != nil:
		return a.glob.addr
	}
	return a.val
}

func (f *frame) depsOf(a *arg) *reads {
	if a.reg >= 0 {
		return f.deps[a.reg]
	}
	return nil
}

// instr returns the instruction at which the frame stands.
func (f *frame) instr() *instr { return &f.code.blocks[f.block].instrs[f.ip] }

// set gives the first register of an instruction its value.
func (f *frame) set(in *instr, v Value, d *reads) {
	if in.reg >= 0 && in.n > 0 {
		f.regs[in.reg], f.deps[in.reg] = v, d
	}
}

// enterBlock follows an edge: the phis of the block take their values at once.
func (g *goroutine) enterBlock(f *frame, e edge) {
	b := &f.code.blocks[e.to]
	if g.w.observer != nil {
		g.w.observer.Phis(g.id, f, e)
	}
	g.phiVals, g.phiDeps, g.phiTerms = g.phiVals[:0], g.phiDeps[:0], g.phiTerms[:0]
	for _, p := range b.phis {
		a := &p.args[e.pred]
		g.phiVals = append(g.phiVals, f.value(a))
		g.phiDeps = append(g.phiDeps, f.depsOf(a))
		g.phiTerms = append(g.phiTerms, f.termOf(a))
	}
	for i, p := range b.phis {
		f.set(p, g.phiVals[i], g.phiDeps[i])
		if g.w.symbolic {
			g.setTerm(f, p, g.phiTerms[i])
		}
	}
	f.block, f.ip = e.to, 0
}

// advance executes instructions up to one that has a record or ends the walk's
// knowledge of where it is. It returns false at an instruction that cannot be left
// without a record.
func (g *goroutine) advance(f *frame) {
	for jumps := 0; ; {
		in := f.instr()
		if !f.stage.at {
			g.arrive(f, in)
		}
		if len(in.wants) > 0 && f.stage.want < len(in.wants) {
			return
		}
		switch in.op {
		case opReturn, opPanic:
			return
		case opIf, opJump:
			e, ok := f.leads(in)
			if !ok || f.code.blocks[e.to].recorded {
				return
			}
			if jumps++; jumps > len(f.code.blocks) {
				return // a loop without records: it goes on for ever
			}
			if g.w.observer != nil {
				g.w.observer.Branch(g.id, f, in, e)
			}
			f.stage.reset()
			g.enterBlock(f, e)
			continue
		}
		g.finish(f, in)
		f.stage.reset()
		f.ip++
	}
}

// leads returns the edge on which the frame leaves its block, if that is known.
func (f *frame) leads(in *instr) (e edge, ok bool) {
	succs := f.code.blocks[f.block].succs
	if in.op == opJump {
		return succs[0], true
	}
	c, ok := f.value(&in.args[0]).Bits()
	return succs[1-c&1], ok
}

// arrive begins an instruction: what an earlier execution of it left is forgotten.
func (g *goroutine) arrive(f *frame, in *instr) {
	f.stage.at = true
	if len(in.wants) > 0 && in.reg >= 0 {
		none := Value{}
		if in.wants[len(in.wants)-1].kind == wantLen {
			none = Known(0) // no record: the channel is nil
		}
		for i := range in.n {
			f.regs[in.reg+i] = none
		}
	}
	if g.w.branching {
		g.fork(f, in)
	}
	g.pinOperands(f, in)
}

// pinOperands is rule (F2) at the instruction.
func (g *goroutine) pinOperands(f *frame, in *instr) {
	if in.pins == 0 {
		return
	}
	if in.op == opIf && g.w.branched != nil {
		g.w.branched(f.code.plan, g.d.indexes(f.depsOf(&in.args[0])))
	}
	if in.dynamic { // what it calls: the arguments are the callee's parameters, unless it begins otherwise
		g.keep(f, &in.args[0])
		return
	}
	if g.w.symbolic && (g.comparable(f, in) || g.divides(f, in) || g.inBounds(f, in) || g.returns(f, in)) {
		return
	}
	for i := range in.args {
		if in.pins == all || i < 64 && in.pins>>i&1 != 0 {
			g.keep(f, &in.args[i])
		}
	}
	if in.op == opPanic {
		g.d.pinAll()
	}
}

// finish gives an instruction its result, all its records having been seen.
func (g *goroutine) finish(f *frame, in *instr) {
	switch in.op {
	case opNop, opStore:
		if _, ok := in.in.(*ssa.Defer); ok && g.w.branching {
			g.deferred(f, in)
		}
	case opAlloc:
		f.cells[in.cell].clear(f.code.cells[in.cell])
		f.set(in, Known(0), nil) // its address is an offset in the cell
	case opSet:
		g.setLocal(f, in)
	case opBind:
		r := in.args[0].reg
		f.regs[r], f.deps[r] = f.value(&in.args[1]), f.depsOf(&in.args[1])
		if g.w.symbolic {
			f.terms[r] = f.termOf(&in.args[1])
		}
	case opLocal, opLoad:
		if !in.recorded {
			f.regs[in.reg] = g.computed(f, in)
		}
		f.deps[in.reg] = f.stage.reads
		if in.op == opLocal {
			f.deps[in.reg] = f.cells[in.cell].deps
		}
		if g.w.symbolic {
			g.setTerm(f, in, g.symbolic(f, in))
		}
	case opCall:
		g.returned(f, in)
	default:
		if f.stage.call == returned {
			g.returned(f, in)
			break
		}
		g.evaluate(f, in)
	}
	if g.w.observer != nil {
		g.w.observer.Finish(g.id, f, in)
	}
}

// setLocal stores to a local variable.
func (g *goroutine) setLocal(f *frame, in *instr) {
	c := &f.cells[in.cell]
	at := f.value(&in.args[0])
	d := f.depsOf(&in.args[1])
	off, ok := at.Bits()
	whole := ok && off == 0 && in.size == f.code.cells[in.cell]
	if g.w.symbolic {
		c.storeTerm(at, in.size, g.operand(f, &in.args[1]), d != nil && !d.pinned, whole)
	}
	if !whole {
		d = g.d.union(c.deps, d)
	}
	c.store(at, in.size, f.value(&in.args[1]))
	c.deps = d
}

// evaluate gives an instruction its result and what it depends on (F1).
func (g *goroutine) evaluate(f *frame, in *instr) {
	if in.reg < 0 || in.n == 0 {
		return
	}
	if in.extract {
		r := in.args[0].reg + int32(in.index)
		f.regs[in.reg], f.deps[in.reg] = f.regs[r], f.deps[r]
		if g.w.symbolic {
			f.terms[in.reg] = f.terms[r]
		}
		return
	}
	d := f.stage.reads
	for i := range in.args {
		d = g.d.union(d, f.depsOf(&in.args[i]))
	}
	if in.appends { // the slice does not depend on its elements
		d = f.depsOf(&in.args[1])
	}
	if in.std != nil {
		for i := range in.std.args {
			d = g.d.union(d, f.depsOf(&in.std.args[i]))
		}
	}
	for i := range in.n {
		f.deps[in.reg+i] = d
	}
	if in.n == 1 && !in.recorded {
		f.regs[in.reg] = g.computed(f, in)
	}
	if g.w.symbolic {
		for i := range in.n {
			f.terms[in.reg+i] = nil
		}
		switch {
		case d == nil:
		case in.std != nil:
			g.setResults(f, in)
		default:
			g.setTerm(f, in, g.symbolic(f, in))
		}
		if t := f.stage.term; t != nil && in.n == 1 && f.regs[in.reg].isWord() && !f.regs[in.reg].unknown() {
			g.setTerm(f, in, t)
		}
	}
}

// computed recomputes the result of an instruction that has one.
func (g *goroutine) computed(f *frame, in *instr) Value {
	switch in.op {
	case opLocal:
		return f.cells[in.cell].load(f.value(&in.args[0]), in.size)
	case opLoad:
		if f.stage.known {
			return Words(append([]uint64(nil), f.stage.words...))
		}
		return Value{}
	case opPart:
		return f.partOf(in)
	case opEval:
		g.vals = g.vals[:0]
		for i := range in.args {
			g.vals = append(g.vals, f.value(&in.args[i]))
		}
		v, _ := f.code.eval(in, g.vals)
		return v
	}
	return Value{}
}

// partOf is what a bound variable holds at the address that in computes or loads from.
func (f *frame) partOf(in *instr) Value {
	v := f.value(&in.args[0])
	switch in.in.(type) {
	case *ssa.FieldAddr:
		if in.off == nil || in.size < 0 || in.fused {
			return Value{}
		}
		return v.part(in.off[in.index], in.size)
	case *ssa.IndexAddr:
		i, ok := f.value(&in.args[1]).Bits()
		at := signed(in.kind2, i)
		if !ok || at < 0 || in.elem < 0 {
			return Value{}
		}
		return v.part(at*in.elem, in.elem)
	}
	return v
}

// returned takes over the results of a walked callee.
func (g *goroutine) returned(f *frame, in *instr) {
	for i := range in.n {
		r := in.reg + i
		f.deps[r] = nil
		if int(i) < len(g.resultDeps) {
			f.deps[r] = g.resultDeps[i]
		}
		if g.w.symbolic {
			f.terms[r] = nil
			if int(i) < len(g.resultTerms) {
				f.terms[r] = g.resultTerms[i]
			}
		}
		if in.recorded {
			continue
		}
		f.regs[r] = Value{}
		if int(i) < len(g.results) {
			f.regs[r] = g.results[i]
		}
	}
	g.results, g.resultDeps, g.resultTerms = g.results[:0], g.resultDeps[:0], g.resultTerms[:0]
}
