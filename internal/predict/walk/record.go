package walk

import (
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// accepts reports whether the event is the record that an instruction has next, or a part of it.
func (f *Frame) accepts(w *regcode.Want, in *regcode.Instr, e *trace.Event) bool {
	if e.Site != in.Site {
		return false
	}
	switch w.Kind {
	case regcode.WantValue:
		return e.Kind == format.Value && (w.Hook.Case < 0 || w.Hook.Case == f.stage.chosen)
	case regcode.WantAccess:
		return e.Kind == w.Hook.Kind && (w.Hook.Extent == plan.Text) == e.IsText()
	case regcode.WantLen:
		return e.Kind == format.ChanLen
	case regcode.WantBegin:
		return e.Kind == format.OpaqueBegin
	case regcode.WantEnd:
		return e.Kind == format.OpaqueEnd
	case regcode.WantRuntime:
		return ofRuntime(e)
	}
	return false
}

// ofRuntime reports whether the record is one of those that the runtime side writes, not emitted
// code. A channel operation also reads or writes the channel as Go's race detector sees it.
func ofRuntime(e *trace.Event) bool {
	k := e.Kind
	if k.IsAccess() && !k.IsAtomic() {
		return e.Flags&format.FlagNoValue != 0
	}
	return k.IsAtomic() || k >= format.Lock && k <= format.Go && k != format.ChanLen
}

// optional reports whether the record may be missing, or has ended.
func (f *Frame) optional(w *regcode.Want) bool {
	switch w.Kind {
	case regcode.WantRuntime, regcode.WantLen:
		return true
	case regcode.WantBegin, regcode.WantEnd: // (PL5) of package plan
		return f.stage.typed
	case regcode.WantValue:
		return w.Hook.Size < 0 || w.Hook.Case >= 0 && w.Hook.Case != f.stage.chosen
	case regcode.WantAccess:
		return !f.stage.run && (w.Hook.Extent != plan.Pointee || w.Hook.Size < 0)
	}
	return false
}

// take consumes a record. It reports whether the walk still agrees with the trace.
func (g *goroutine) take(f *Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event) bool {
	switch w.Kind {
	case regcode.WantValue:
		g.beginValue(f, e)
	case regcode.WantAccess:
		g.access(f, in, w, index, e)
	case regcode.WantLen:
		f.regs[w.Reg] = goval.Known(e.Val)
		f.stage.reads = g.d.read(index)
		f.stage.want++
	case regcode.WantBegin:
		switch {
		case f.stage.typed && e.Flags&format.FlagDirect != 0: // the result is kept for later calls
			g.pass(f, in)
		case in.Dynamic && e.Flags&format.FlagDirect != 0:
			f.stage.call = begun
		case in.Reaches:
			g.d.pinStored() // (F9)
			fallthrough
		default:
			g.pass(f, in)
		}
		f.stage.inside = true
		f.stage.want++
	case regcode.WantEnd:
		f.stage.inside = false
		f.stage.want++
	case regcode.WantRuntime:
		f.stage.inside = false
		g.runtime(f, in, index, e)
	}
	return f.walked
}

// pass pins the arguments of a call through a function value or an interface that goes to code that
// is not walked (F2).
func (g *goroutine) pass(f *Frame, in *regcode.Instr) {
	for i := range in.Args {
		if in.Dynamic && i > 0 {
			g.keep(f, &in.Args[i])
		}
	}
}

// access is a Read or a Write, or one word of one.
func (g *goroutine) access(f *Frame, in *regcode.Instr, w *regcode.Want, index int64, e *trace.Event) {
	if w.Hook.Extent == plan.Text {
		g.reads(f, index, e)
		return
	}
	s := &f.stage
	if !s.run {
		s.run, s.addr, s.words, s.loads, s.size, s.known = true, uint64(e.Obj), s.words[:0], s.loads[:0], 0, true
		if !g.checkAddress(f, in, w, e) {
			return
		}
	}
	g.gather(f, e)
	stack := e.Flags&format.FlagStack != 0
	if e.Kind == format.Read {
		switch {
		case stack: // (F6)
		case w.Hook.Extent == plan.AppendGrown:
			g.moves(in, index)
		default:
			s.reads = g.d.union(s.reads, g.d.read(index))
			if g.symbolic {
				s.loads = append(s.loads, goval.LoadPart{Read: index, At: int64(uint64(e.Obj) - s.addr), Size: int64(e.Size), Bits: e.Val})
			}
		}
	} else {
		g.stored(f, in, stack)
		if in.Op == regcode.OpStore && !stack {
			g.writes(f.termOf(&in.Args[1]).Part(int64(uint64(e.Obj)-s.addr), int64(e.Size)).Word(0), e.Val)
		}
	}
	if in.Appends && !stack && (w.Hook.Extent == plan.AppendGrown || w.Hook.Extent == plan.AppendTail) {
		g.places(f, in, e)
	}
	if e.Flags&format.FlagMore != 0 {
		return
	}
	s.run = false
	if g.w.observer != nil {
		g.w.observer.Access(g.id, f, in, w, index, e)
	}
	if w.Hook.Extent == plan.Pointee {
		g.checkAccess(f, in, w, e)
	}
	if in.Op == regcode.OpStore && g.w.branching {
		g.learnFunction(f, in)
	}
	if !w.Hook.Extent.Dynamic() {
		s.want++
	}
}

// reads handles a read of the content of a string (F11).
func (g *goroutine) reads(f *Frame, index int64, e *trace.Event) {
	s := &f.stage
	s.run = e.Flags&format.FlagMore != 0
	if e.Flags&format.FlagStack == 0 {
		s.reads, s.says = g.d.union(s.reads, g.d.read(index)), true
	}
}

// moves handles the read of an element that append moves to a new array without a write (F7).
func (g *goroutine) moves(in *regcode.Instr, index int64) {
	if !in.Appends {
		g.d.pinLater(index)
		return
	}
	r := g.d.read(index)
	s := &g.top().stage
	s.moved = g.d.union(s.moved, r)
	g.d.store(r)
}

// places sets Where, and Appended of the first write of an append (F7).
func (g *goroutine) places(f *Frame, in *regcode.Instr, e *trace.Event) {
	slice := f.depsOf(&in.Args[1])
	if e.Kind == format.Write && uint64(e.Obj) == f.stage.addr {
		result := f.regs[in.Reg]
		if !result.IsKnown(24) {
			g.d.pin(g.d.union(slice, f.stage.moved))
			return
		}
		array, _ := result.Word(0)
		n, _ := result.Word(2)
		g.w.appended = &flow.Appended{Array: array, Bytes: n * uint64(in.Elem), Elem: uint64(in.Elem), Moved: g.d.indexes(f.stage.moved)}
	}
	g.w.where = g.d.indexes(slice)
}

// stored sets From: what the value written depends on.
func (g *goroutine) stored(f *Frame, in *regcode.Instr, stack bool) {
	d := f.stage.reads
	for i := range in.Args {
		d = g.d.union(d, f.depsOf(&in.Args[i]))
	}
	if in.Own { // only this call reads it
		g.fromSet(d)
		return
	}
	if stack { // (F6)
		g.d.pin(g.d.union(d, f.stage.moved))
		return
	}
	g.fromSet(d)
	g.d.store(d)
}

func (g *goroutine) fromSet(d *reads) {
	for _, r := range g.d.members(d) {
		g.w.from = append(g.w.from, r.index)
	}
}

// gather adds a word of a run to the value read or written.
func (g *goroutine) gather(f *Frame, e *trace.Event) {
	s := &f.stage
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

// checkAddress compares the address of an access with the recomputed one, and learns where
// global variables are.
func (g *goroutine) checkAddress(f *Frame, in *regcode.Instr, w *regcode.Want, e *trace.Event) bool {
	if w.Hook.Extent != plan.Pointee && w.Hook.Extent != plan.MapObject {
		return true
	}
	i := 0
	if _, ok := in.SSA.(*ssa.Call); ok {
		i = 1
	}
	a := &in.Args[i]
	p, ok := f.Value(a).Bits()
	if !ok {
		g.learn(f.code, *in.SSA.Operands(nil)[i], uint64(e.Obj))
		return true
	}
	g.w.stats.Checked++
	if p == uint64(e.Obj) || g.moved(goval.Known(p), goval.Known(uint64(e.Obj)), 8) {
		return true
	}
	g.mismatchAt(f, in, e, goval.Known(p), goval.Known(uint64(e.Obj)), "address")
	return false
}

// learn notes the address of a variable of a package, if v is its address, or that of a part of it.
// The value of v is addr.
func (g *goroutine) learn(c *regcode.Code, v ssa.Value, addr uint64) {
	switch v := v.(type) {
	case *ssa.Global:
		if x := g.w.program.Global(v); x.Addr.Unknown() {
			x.Learn(addr, g.event)
		}
	case *ssa.FieldAddr:
		if s, ok := regcode.Pointee(v.X.Type()).Underlying().(*types.Struct); ok && !plan.Open(s) {
			fields := make([]*types.Var, v.Field+1)
			for i := range fields {
				fields[i] = s.Field(i)
			}
			g.learn(c, v.X, addr-uint64(c.Sizes.Offsetsof(fields)[v.Field]))
		}
	case *ssa.IndexAddr:
		i, ok := v.Index.(*ssa.Const)
		if a, array := regcode.Pointee(v.X.Type()).Underlying().(*types.Array); ok && array && !plan.Open(a) {
			g.learn(c, v.X, addr-uint64(i.Int64()*c.Sizes.Sizeof(a.Elem())))
		}
	}
}

// checkAccess compares the size of an access, and the value of a store.
func (g *goroutine) checkAccess(f *Frame, in *regcode.Instr, w *regcode.Want, e *trace.Event) {
	s := &f.stage
	if w.Hook.Size >= 0 && s.size != w.Hook.Size {
		g.mismatchAt(f, in, e, goval.Known(uint64(w.Hook.Size)), goval.Known(uint64(s.size)), "size")
		return
	}
	if in.Op != regcode.OpStore || !s.known {
		return
	}
	v := f.Value(&in.Args[1])
	if r := goval.Words(s.words); goval.Differ(v, r, s.size) {
		g.check(f, in, e, w.Hook, v, goval.Words(append([]uint64(nil), s.words...)), s.size)
		return
	}
	g.w.stats.Checked++
}

// runtime handles a record that the runtime side wrote for the instruction.
func (g *goroutine) runtime(f *Frame, in *regcode.Instr, index int64, e *trace.Event) {
	if in.Maybe {
		g.typed(f, in, e)
	} else if call, ok := in.SSA.(ssa.CallInstruction); ok && len(call.Common().Args) > 0 && (e.Kind >= format.Lock && e.Kind <= format.CondBroadcast || e.Kind.IsAtomic() && regcode.IsAtomic(call.Common())) {
		g.learn(f.code, call.Common().Args[0], uint64(e.Obj))
	}
	if g.w.observer != nil {
		g.w.observer.Synchronise(g.id, f, in, index, e)
	}
	switch e.Kind {
	case format.AtomicWrite, format.AtomicRMW, format.ChanSend:
		g.stored(f, in, false)
	case format.Go:
		g.starts(f, in, trace.GoID(e.Obj))
	}
	switch e.Kind {
	case format.AtomicRead, format.AtomicRMW, format.ChanRecv:
		if in.CompareAndSwap || !in.Atomic && e.Kind != format.ChanRecv { // (F8)
			g.d.pinLater(index)
			return
		}
		f.stage.reads = g.d.union(f.stage.reads, g.d.read(index))
		f.stage.term = g.readWord(index, e)
	}
	if !g.symbolic {
		return
	}
	switch e.Kind {
	case format.AtomicWrite:
		g.writes(g.updated(f, in, nil, int64(e.Size)), e.Val)
	case format.AtomicRMW:
		t := g.updated(f, in, f.stage.term, int64(e.Size))
		g.writes(t, e.Aux)
		if isAdd(in) {
			f.stage.term = goval.Single(t)
		}
	case format.ChanSend:
		if _, ok := in.SSA.(*ssa.Send); ok && e.Flags&format.FlagNoValue == 0 {
			g.writes(f.termOf(&f.Instr().Args[1]).Word(0), e.Val)
		}
	}
}

// typed handles a record of a call that turns out to be one of a typed operation (R15 of package
// plan). Its operands are pinned.
func (g *goroutine) typed(f *Frame, in *regcode.Instr, e *trace.Event) {
	if !f.stage.typed {
		f.stage.typed = true
		for i := range in.Args {
			g.keep(f, &in.Args[i])
		}
	}
	switch e.Kind {
	case format.OnceBegin, format.CondWait:
		f.stage.runs = true
	case format.OnceEnd:
		f.stage.runs = false
	}
}

// writes notes the term of the value that the event writes or sends.
func (g *goroutine) writes(e *expr.Expr, val uint64) {
	if e != nil && goval.RecordedIs(e, val, goval.Mask(8)) {
		g.w.value = e
	}
}

// starts keeps the arguments of a go statement for the goroutine it starts.
func (g *goroutine) starts(f *Frame, in *regcode.Instr, child trace.GoID) {
	if _, ok := in.SSA.(*ssa.Go); !ok || child == 0 {
		return
	}
	c := g.w.goroutine(child)
	for i := range in.Args[1:] {
		c.started = append(c.started, f.Value(&in.Args[i+1]))
	}
	c.captured = c.captured[:0]
	for i := range in.Free {
		c.captured = append(c.captured, f.Value(&in.Free[i]))
	}
}

// Reason says why an invocation was not walked.
type Reason string

const (
	NoFunction Reason = "no-function" // the function is not in the plan
	Differs    Reason = "differs"     // a value or an address is not the recomputed one
	Lost       Reason = "lost"        // a record that the plan does not have at this point
)

// Stats counts what the walk has done.
type Stats struct {
	Events        int64 // seen
	Walked        int64 // consumed by a walk that agreed
	Checked       int64 // recorded values and addresses compared
	Invocations   int64 // function invocations that were walked to their end
	Panicked      int64 // of these: ended by a panic
	Unwalked      map[Reason]int64
	Mismatches    int64 // invocations given up because walk and trace differ
	TooLarge      int64 // sets of reads pinned because of their size
	TooOld        int64 // reads pinned because of their age
	Forks         int64 // forks that were kept
	ForksLeft     int64 // forks that were not, because there were many at one instruction
	TermsTooLarge int64 // values without a term because it would be too large
}

// Mismatch is a point where the walk and the trace differ: a bug of presage.
type Mismatch struct {
	Index    int64 // of the event
	Func     string
	Instr    string
	Pos      string
	What     string
	Computed goval.Value
	Recorded goval.Value
}

// String prints the mismatch on one line.
func (m Mismatch) String() string {
	var b strings.Builder
	b.WriteString(m.Pos + ": " + m.Func + ": " + m.Instr + ": " + m.What)
	if !m.Computed.Unknown() || !m.Recorded.Unknown() {
		b.WriteString(": recomputed " + m.Computed.String() + ", recorded " + m.Recorded.String())
	}
	return b.String()
}

// maxMismatches bounds how many are kept.
const maxMismatches = 200

// mismatchAt ends the walk of an invocation: from here on it is opaque (C2).
func (g *goroutine) mismatchAt(f *Frame, in *regcode.Instr, e *trace.Event, computed, recorded goval.Value, what string) {
	f.walked = false
	g.valueWords = 0
	g.d.pinAll()
	w := g.w
	w.stats.Mismatches++
	if !computed.Unknown() || !recorded.Unknown() {
		w.stats.Unwalked[Differs]++
	} else {
		w.stats.Unwalked[Lost]++
	}
	if len(w.mismatches) >= maxMismatches {
		return
	}
	m := Mismatch{Index: g.event, Func: f.code.Plan.SSA.String(), What: what, Computed: computed, Recorded: recorded}
	fset := f.code.Plan.Unit.Pkg.Fset
	pos := f.code.Plan.SSA.Pos()
	if in == nil && !f.leaving && f.entering == 0 {
		in = f.Instr()
	}
	if in != nil {
		m.Instr = instrString(in.SSA)
		for _, x := range f.code.Blocks[f.block].Instrs[:f.ip+1] {
			if p := x.SSA.Pos(); p.IsValid() {
				pos = p
			}
		}
	}
	m.Pos = fset.Position(pos).String()
	w.mismatches = append(w.mismatches, m)
}

func instrString(in ssa.Instruction) string {
	if v, ok := in.(ssa.Value); ok {
		return v.Name() + " = " + in.String()
	}
	return in.String()
}

// Stats returns the counts so far.
func (w *Walker) Stats() Stats {
	s := w.stats
	s.Unwalked = maps.Clone(s.Unwalked)
	for _, g := range w.goroutines {
		if g == nil {
			continue
		}
		s.TooLarge += g.d.tooLarge
		s.TooOld += g.d.tooOld
	}
	return s
}

// Mismatches returns the first mismatches. There are Stats().Mismatches.
func (w *Walker) Mismatches() []Mismatch { return w.mismatches }
