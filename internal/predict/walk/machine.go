package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Frame is one invocation of an instrumented function.
type Frame struct {
	code   *regcode.Code // nil: the function is not known
	depth  uint64
	walked bool
	static bool // entered by a call that the caller's walk is at
	regs   []goval.Value
	deps   []*reads
	terms  []*goval.Term // of the registers, in a symbolic walk
	cells  []cell
	block  int32
	ip     int32
	stage  stage

	entering int           // parameters that are still to be recorded
	expects  []goval.Value // their values, if the caller has them
	leaving  bool          // the returning block has ended: only deferred calls and Exit are left
	unwinds  bool          // a panic passed through, or was recovered
	deferred bool          // an instrumented function was entered while this one was leaving
	results  []goval.Value
	from     []*reads      // what the results depend on
	symbols  []*goval.Term // and their terms

	// In a walk that keeps forks.
	frozen     *alternative.Frame // the frame at its call
	defers     []alternative.Deferred
	lostDefers bool       // there were more
	once       trace.Addr // the Once that executes it, 0: none
	closures   []uint64   // addresses of function values in the frame

	dormant *dormant // in place of the registers of a frame that sleeps

	Note any // for the observer's use
}

// A stage is how far the walk has come in the instruction at which it waits.
type stage struct {
	at     bool // arrive was called
	took   bool // a record of the instruction has come, the last one of kind last
	last   format.Kind
	fails  bool // it has made the counter of a WaitGroup negative: the operation panics
	want   int  // the next record
	inside bool // between OpaqueBegin and OpaqueEnd, or in a callee
	run    bool // in a run of accesses
	addr   uint64
	reads  *reads           // all reads of the instruction
	words  []uint64         // the value of the run, or of the Value record
	size   int64            // bytes of it so far
	known  bool             // they were recorded
	loads  []goval.LoadPart // the run's events, in a symbolic walk
	term   *goval.Term      // of the result, if the instruction's records say it
	says   bool             // the content of a string was read
	moved  *reads           // of an append: elements that it moves to a new array
	chosen int              // the case of a select
	mapAt  int64            // the access to a map; -1: there is none
	call   callState
	typed  bool       // a dynamic call has turned out to be one of a typed operation
	runs   bool       // that operation may call back
	once   trace.Addr // the Once of the call, which executes its function
}

// callState is the state of a call through a function value or an interface that enters an
// instrumented function at once.
type callState uint8

const (
	otherCall callState = iota
	begun               // the next Enter is that of the callee
	entered             // it is under way, and has the caller's operands as parameters
	returned            // its results are known
)

// atCall reports whether the frame is at a call of which the next frame is the callee.
func (f *Frame) atCall() bool {
	return f.stage.inside && (f.Instr().Op == regcode.OpCall || f.stage.call == entered)
}

// callsBack reports whether the typed operation at the frame's instruction may enter instrumented
// code.
func (f *Frame) callsBack(in *regcode.Instr) bool { return in.CallsBack || f.stage.runs }

// reset begins the next instruction. The buffer of words stays.
func (s *stage) reset() { *s = stage{words: s.words[:0], loads: s.loads[:0], chosen: -1, mapAt: -1} }

// gather adds a word of a run to the value read or written.
func (s *stage) gather(e *trace.Event) {
	at := int64(uint64(e.Obj) - s.addr)
	if e.Flags&format.FlagNoValue != 0 || at != s.size || e.Size == 0 || e.Size > 8 {
		s.known = false
	}
	n := int64(e.Size)
	s.size += n
	if !s.known || s.size > 1<<16 {
		return
	}
	for int64(len(s.words))*8 < s.size {
		s.words = append(s.words, 0)
	}
	i, sh := at/8, 8*(at%8)
	s.words[i] |= e.Val & goval.Mask(n) << sh
	if at%8+n > 8 {
		s.words[i+1] |= e.Val & goval.Mask(n) >> (64 - sh)
	}
}

// Value returns operand a of a frame.
func (f *Frame) Value(a *regcode.Arg) goval.Value {
	switch {
	case a.Reg >= 0:
		return f.regs[a.Reg]
	case a.Glob != nil:
		return a.Glob.Addr
	}
	return a.Val
}

func (f *Frame) depsOf(a *regcode.Arg) *reads {
	if a.Reg >= 0 {
		return f.deps[a.Reg]
	}
	return nil
}

// Instr returns the current instruction of the frame.
func (f *Frame) Instr() *regcode.Instr { return &f.code.Blocks[f.block].Instrs[f.ip] }

// set gives the first register of an instruction its value.
func (f *Frame) set(in *regcode.Instr, v goval.Value, d *reads) {
	if in.Reg >= 0 && in.N > 0 {
		f.regs[in.Reg], f.deps[in.Reg] = v, d
	}
}

// A machine executes instructions: it computes the values of registers and local variables, what
// they depend on, and in a symbolic walk their terms.
type machine struct {
	id    trace.GoID
	opts  *options
	stats *Stats
	deps  *deps
	pins  *pinner
	forks *forker

	results     []goval.Value // of the callee that was just left
	resultDeps  []*reads
	resultTerms []*goval.Term

	vals     []goval.Value // buffers
	phiVals  []goval.Value
	phiDeps  []*reads
	phiTerms []*goval.Term
}

// enterBlock follows an edge: the phis of the block take their values at once.
func (m *machine) enterBlock(f *Frame, e regcode.Edge) {
	b := &f.code.Blocks[e.To]
	if m.opts.observer != nil {
		m.opts.observer.Phis(m.id, f, e)
	}
	m.phiVals, m.phiDeps, m.phiTerms = m.phiVals[:0], m.phiDeps[:0], m.phiTerms[:0]
	for _, p := range b.Phis {
		a := &p.Args[e.Pred]
		m.phiVals = append(m.phiVals, f.Value(a))
		m.phiDeps = append(m.phiDeps, f.depsOf(a))
		m.phiTerms = append(m.phiTerms, f.termOf(a))
	}
	for i, p := range b.Phis {
		f.set(p, m.phiVals[i], m.phiDeps[i])
		if m.opts.symbolic {
			m.setTerm(f, p, m.phiTerms[i])
		}
	}
	f.block, f.ip = e.To, 0
}

// advance executes instructions up to one that has a record, or after which the next instruction is
// not known.
func (m *machine) advance(f *Frame) {
	for jumps := 0; ; {
		in := f.Instr()
		if !f.stage.at {
			m.arrive(f, in)
		}
		if len(in.Wants) > 0 && f.stage.want < len(in.Wants) {
			return
		}
		switch in.Op {
		case regcode.OpReturn, regcode.OpPanic:
			return
		case regcode.OpIf, regcode.OpJump:
			e, ok := f.leads(in)
			if !ok || f.code.Blocks[e.To].Recorded {
				return
			}
			if jumps++; jumps > len(f.code.Blocks) {
				return // an endless loop without records
			}
			if m.opts.observer != nil {
				m.opts.observer.Branch(m.id, f, in, e)
			}
			f.stage.reset()
			m.enterBlock(f, e)
			continue
		}
		m.finish(f, in)
		f.stage.reset()
		f.ip++
	}
}

// leads returns the edge on which the frame leaves its block, if that is known.
func (f *Frame) leads(in *regcode.Instr) (e regcode.Edge, ok bool) {
	succs := f.code.Blocks[f.block].Succs
	if in.Op == regcode.OpJump {
		return succs[0], true
	}
	c, ok := f.Value(&in.Args[0]).Bits()
	return succs[1-c&1], ok
}

// arrive begins an instruction. It clears the results of an earlier execution.
func (m *machine) arrive(f *Frame, in *regcode.Instr) {
	f.stage.at = true
	if len(in.Wants) > 0 && in.Reg >= 0 {
		none := goval.Value{}
		if in.Wants[len(in.Wants)-1].Kind == regcode.WantLen {
			none = goval.Known(0) // no record: the channel is nil
		}
		for i := range in.N {
			f.regs[in.Reg+i] = none
		}
	}
	if m.opts.branching {
		m.forks.keep(f, in)
	}
	m.pinOperands(f, in)
}

// pinOperands pins the operands of an instruction, or makes guards in their place (WA2, WA6).
func (m *machine) pinOperands(f *Frame, in *regcode.Instr) {
	if in.Pins == 0 {
		return
	}
	if in.Op == regcode.OpIf && m.opts.branched != nil {
		m.opts.branched(f.code.Plan, m.deps.indexes(f.depsOf(&in.Args[0])))
	}
	if in.Dynamic { // the callee; the arguments, if it is not entered at once (pass)
		m.pins.keep(f, &in.Args[0])
		return
	}
	if m.opts.symbolic && (m.pins.comparable(f, in) || m.pins.divides(f, in) || m.pins.inBounds(f, in) || m.pins.returns(f, in) || m.pins.asserted(f, in)) {
		return
	}
	for i := range in.Args {
		if in.Pins == regcode.AllOperands || i < 64 && in.Pins>>i&1 != 0 {
			m.pins.keep(f, &in.Args[i])
		}
	}
	if in.Op == regcode.OpPanic {
		m.deps.pinAll()
	}
}

// finish gives an instruction its result. All its records have been seen.
func (m *machine) finish(f *Frame, in *regcode.Instr) {
	switch in.Op {
	case regcode.OpNop, regcode.OpStore:
		if _, ok := in.SSA.(*ssa.Defer); ok && m.opts.branching {
			f.deferCall(in)
		}
	case regcode.OpAlloc:
		f.cells[in.Cell].clear(f.code.Cells[in.Cell])
		f.set(in, goval.Known(0), nil) // its address is an offset in the cell
	case regcode.OpSet:
		m.setLocal(f, in)
	case regcode.OpBind:
		r := in.Args[0].Reg
		f.regs[r], f.deps[r] = f.Value(&in.Args[1]), f.depsOf(&in.Args[1])
		if m.opts.symbolic {
			f.terms[r] = f.termOf(&in.Args[1])
		}
	case regcode.OpLocal, regcode.OpLoad:
		if !in.Recorded {
			f.regs[in.Reg] = m.computed(f, in)
		}
		f.deps[in.Reg] = f.stage.reads
		if in.Op == regcode.OpLocal {
			f.deps[in.Reg] = f.cells[in.Cell].deps
		}
		if m.opts.symbolic {
			m.setTerm(f, in, f.resultTerm(in))
		}
	case regcode.OpCall:
		m.returned(f, in)
	default:
		if f.stage.call == returned {
			m.returned(f, in)
			break
		}
		m.evaluate(f, in)
	}
	if m.opts.observer != nil {
		m.opts.observer.Finish(m.id, f, in)
	}
}

// setLocal stores to a local variable.
func (m *machine) setLocal(f *Frame, in *regcode.Instr) {
	c := &f.cells[in.Cell]
	at := f.Value(&in.Args[0])
	d := f.depsOf(&in.Args[1])
	off, ok := at.Bits()
	whole := ok && off == 0 && in.Size == f.code.Cells[in.Cell]
	if m.opts.symbolic {
		c.storeTerm(at, in.Size, f.operand(&in.Args[1]), d != nil && !d.pinned, whole)
	}
	if !whole {
		d = m.deps.union(c.deps, d)
	}
	c.store(at, in.Size, f.Value(&in.Args[1]))
	c.deps = d
}

// evaluate gives an instruction its result, and the reads that the result depends on.
func (m *machine) evaluate(f *Frame, in *regcode.Instr) {
	if in.Reg < 0 || in.N == 0 {
		return
	}
	if in.Extract {
		r := in.Args[0].Reg + int32(in.Index)
		f.regs[in.Reg], f.deps[in.Reg] = f.regs[r], f.deps[r]
		if m.opts.symbolic {
			f.terms[in.Reg] = f.terms[r]
		}
		return
	}
	d := f.stage.reads
	for i := range in.Args {
		d = m.deps.union(d, f.depsOf(&in.Args[i]))
	}
	if in.Appends { // the slice does not depend on its elements
		d = f.depsOf(&in.Args[1])
	}
	if in.Std != nil {
		for i := range in.Std.Args {
			d = m.deps.union(d, f.depsOf(&in.Std.Args[i]))
		}
	}
	for i := range in.N {
		f.deps[in.Reg+i] = d
	}
	if in.N == 1 && !in.Recorded {
		f.regs[in.Reg] = m.computed(f, in)
	}
	if m.opts.symbolic {
		for i := range in.N {
			f.terms[in.Reg+i] = nil
		}
		switch {
		case d == nil:
		case in.Std != nil:
			m.setResults(f, in)
		default:
			m.setTerm(f, in, f.resultTerm(in))
		}
		if t := f.stage.term; t != nil && in.N == 1 && f.regs[in.Reg].IsWord() && !f.regs[in.Reg].Unknown() {
			m.setTerm(f, in, t)
		}
	}
}

// computed recomputes the result of an instruction that has one.
func (m *machine) computed(f *Frame, in *regcode.Instr) goval.Value {
	switch in.Op {
	case regcode.OpLocal:
		return f.cells[in.Cell].load(f.Value(&in.Args[0]), in.Size)
	case regcode.OpLoad:
		if f.stage.known {
			return goval.Words(append([]uint64(nil), f.stage.words...))
		}
		return goval.Value{}
	case regcode.OpPart:
		return f.partOf(in)
	case regcode.OpEval:
		m.vals = m.vals[:0]
		for i := range in.Args {
			m.vals = append(m.vals, f.Value(&in.Args[i]))
		}
		v, _ := f.code.Eval(in, m.vals)
		return v
	}
	return goval.Value{}
}

// partOf returns the content of a bound variable at the address that in computes or loads from.
func (f *Frame) partOf(in *regcode.Instr) goval.Value {
	v := f.Value(&in.Args[0])
	switch in.SSA.(type) {
	case *ssa.FieldAddr:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return goval.Value{}
		}
		return v.Part(in.Offsets[in.Index], in.Size)
	case *ssa.IndexAddr:
		i, ok := f.Value(&in.Args[1]).Bits()
		at := goval.Signed(in.Kind2, i)
		if !ok || at < 0 || in.Elem < 0 {
			return goval.Value{}
		}
		return v.Part(at*in.Elem, in.Elem)
	}
	return v
}

// returned takes over the results of a walked callee.
func (m *machine) returned(f *Frame, in *regcode.Instr) {
	for i := range in.N {
		r := in.Reg + i
		f.deps[r] = nil
		if int(i) < len(m.resultDeps) {
			f.deps[r] = m.resultDeps[i]
		}
		if m.opts.symbolic {
			f.terms[r] = nil
			if int(i) < len(m.resultTerms) {
				f.terms[r] = m.resultTerms[i]
			}
		}
		if in.Recorded {
			continue
		}
		f.regs[r] = goval.Value{}
		if int(i) < len(m.results) {
			f.regs[r] = m.results[i]
		}
	}
	m.results, m.resultDeps, m.resultTerms = m.results[:0], m.resultDeps[:0], m.resultTerms[:0]
}
