package walk

import (
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// accepts reports whether the event is the record that is wanted, or a part of it.
func (w *want) accepts(f *frame, in *instr, e *trace.Event) bool {
	if e.Site != in.site {
		return false
	}
	switch w.kind {
	case wantValue:
		return e.Kind == format.Value && (w.hook.Case < 0 || w.hook.Case == f.stage.chosen)
	case wantAccess:
		return e.Kind == w.hook.Kind && (w.hook.Extent == plan.Text) == e.IsText()
	case wantLen:
		return e.Kind == format.ChanLen
	case wantBegin:
		return e.Kind == format.OpaqueBegin
	case wantEnd:
		return e.Kind == format.OpaqueEnd
	case wantRuntime:
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
func (w *want) optional(f *frame) bool {
	switch w.kind {
	case wantRuntime, wantLen:
		return true
	case wantBegin, wantEnd: // (R15) of package plan
		return f.stage.typed
	case wantValue:
		return w.hook.Size < 0 || w.hook.Case >= 0 && w.hook.Case != f.stage.chosen
	case wantAccess:
		return !f.stage.run && (w.hook.Extent != plan.Pointee || w.hook.Size < 0)
	}
	return false
}

func (w *want) String() string {
	switch w.kind {
	case wantValue:
		return "value of " + w.hook.Val.Name()
	case wantAccess:
		return w.hook.Kind.String()
	case wantLen:
		return "len"
	case wantEnter:
		return "enter"
	case wantBegin:
		return "opaque"
	case wantEnd:
		return "opaqueend"
	}
	return "a record of the runtime"
}

// take consumes a record. It reports whether the walk still agrees with the trace.
func (g *goroutine) take(f *frame, in *instr, w *want, index int64, e *trace.Event) bool {
	switch w.kind {
	case wantValue:
		g.beginValue(f, e)
	case wantAccess:
		g.access(f, in, w, index, e)
	case wantLen:
		f.regs[w.reg] = Known(e.Val)
		f.stage.reads = g.d.read(index)
		f.stage.want++
	case wantBegin:
		switch {
		case f.stage.typed && e.Flags&format.FlagDirect != 0: // what it returns is kept for others
			g.pass(f, in)
		case in.dynamic && e.Flags&format.FlagDirect != 0:
			f.stage.call = begun
		case in.reaches:
			g.d.pinStored() // (F9)
			fallthrough
		default:
			g.pass(f, in)
		}
		f.stage.inside = true
		f.stage.want++
	case wantEnd:
		f.stage.inside = false
		f.stage.want++
	case wantRuntime:
		f.stage.inside = false
		g.runtime(f, in, index, e)
	}
	return f.walked
}

// pass pins the arguments of a call through a function value or an interface that goes to code that
// is not walked (F2).
func (g *goroutine) pass(f *frame, in *instr) {
	for i := range in.args {
		if in.dynamic && i > 0 {
			g.keep(f, &in.args[i])
		}
	}
}

// access is a Read or a Write, or one word of one.
func (g *goroutine) access(f *frame, in *instr, w *want, index int64, e *trace.Event) {
	if w.hook.Extent == plan.Text {
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
		case w.hook.Extent == plan.AppendGrown:
			g.moves(in, index)
		default:
			s.reads = g.d.union(s.reads, g.d.read(index))
			if g.w.symbolic {
				s.loads = append(s.loads, loaded{index, int64(uint64(e.Obj) - s.addr), int64(e.Size), e.Val})
			}
		}
	} else {
		g.stored(f, in, stack)
		if in.op == opStore && !stack {
			g.writes(f.termOf(&in.args[1]).part(int64(uint64(e.Obj)-s.addr), int64(e.Size)).word(0), e.Val)
		}
	}
	if in.appends && !stack && (w.hook.Extent == plan.AppendGrown || w.hook.Extent == plan.AppendTail) {
		g.places(f, in, e)
	}
	if e.Flags&format.FlagMore != 0 {
		return
	}
	s.run = false
	if g.w.tale != nil {
		g.w.tale.access(g, f, in, w, index, e)
	}
	if w.hook.Extent == plan.Pointee {
		g.checkAccess(f, in, w, e)
	}
	if in.op == opStore && g.w.branching {
		g.learnFunction(f, in)
	}
	if !w.hook.Extent.Dynamic() {
		s.want++
	}
}

// reads is a read of what a string says (F11).
func (g *goroutine) reads(f *frame, index int64, e *trace.Event) {
	s := &f.stage
	s.run = e.Flags&format.FlagMore != 0
	if e.Flags&format.FlagStack == 0 {
		s.reads, s.says = g.d.union(s.reads, g.d.read(index)), true
	}
}

// moves is the read of an element that append moves to a new array, without a write (F7).
func (g *goroutine) moves(in *instr, index int64) {
	if !in.appends {
		g.d.pinLater(index)
		return
	}
	r := g.d.read(index)
	s := &g.top().stage
	s.moved = g.d.union(s.moved, r)
	g.d.store(r)
}

// places fills in Where, and of the first write of an append what it has returned (F7).
func (g *goroutine) places(f *frame, in *instr, e *trace.Event) {
	slice := f.depsOf(&in.args[1])
	if e.Kind == format.Write && uint64(e.Obj) == f.stage.addr {
		result := f.regs[in.reg]
		if !result.isKnown(24) {
			g.d.pin(g.d.union(slice, f.stage.moved))
			return
		}
		array, _ := result.Word(0)
		n, _ := result.Word(2)
		g.w.appended = &flow.Appended{Array: array, Bytes: n * uint64(in.elem), Elem: uint64(in.elem), Moved: g.d.indexes(f.stage.moved)}
	}
	g.w.where = g.d.indexes(slice)
}

// stored fills in From: what the value written depends on.
func (g *goroutine) stored(f *frame, in *instr, stack bool) {
	d := f.stage.reads
	for i := range in.args {
		d = g.d.union(d, f.depsOf(&in.args[i]))
	}
	if in.own { // nobody else will see it
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
func (g *goroutine) gather(f *frame, e *trace.Event) {
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
	s.words[i] |= e.Val & mask(n) << sh
	if at%8+n > 8 {
		s.words[i+1] |= e.Val & mask(n) >> (64 - sh)
	}
}

// checkAddress compares the address of an access with the recomputed one, and learns where
// global variables are.
func (g *goroutine) checkAddress(f *frame, in *instr, w *want, e *trace.Event) bool {
	if w.hook.Extent != plan.Pointee && w.hook.Extent != plan.MapObject {
		return true
	}
	i := 0
	if _, ok := in.in.(*ssa.Call); ok {
		i = 1
	}
	a := &in.args[i]
	p, ok := f.value(a).Bits()
	if !ok {
		g.learn(f.code, *in.in.Operands(nil)[i], uint64(e.Obj))
		return true
	}
	g.w.stats.Checked++
	if p == uint64(e.Obj) || g.moved(Known(p), Known(uint64(e.Obj)), 8) {
		return true
	}
	g.mismatchAt(f, in, e, Known(p), Known(uint64(e.Obj)), "address")
	return false
}

// learn notes where a variable of a package is, if v is its address or leads into it, and is addr.
func (g *goroutine) learn(c *code, v ssa.Value, addr uint64) {
	switch v := v.(type) {
	case *ssa.Global:
		if x := g.w.global(v); x.addr.known == 0 {
			x.addr = Known(addr)
			x.learnt.Store(&learnt{addr: x.addr, at: g.event})
		}
	case *ssa.FieldAddr:
		if s, ok := pointee(v.X.Type()).Underlying().(*types.Struct); ok && !plan.Open(s) {
			fields := make([]*types.Var, v.Field+1)
			for i := range fields {
				fields[i] = s.Field(i)
			}
			g.learn(c, v.X, addr-uint64(c.sizes.Offsetsof(fields)[v.Field]))
		}
	case *ssa.IndexAddr:
		i, ok := v.Index.(*ssa.Const)
		if a, array := pointee(v.X.Type()).Underlying().(*types.Array); ok && array && !plan.Open(a) {
			g.learn(c, v.X, addr-uint64(i.Int64()*c.sizes.Sizeof(a.Elem())))
		}
	}
}

// checkAccess compares the size of an access, and the value of a store.
func (g *goroutine) checkAccess(f *frame, in *instr, w *want, e *trace.Event) {
	s := &f.stage
	if w.hook.Size >= 0 && s.size != w.hook.Size {
		g.mismatchAt(f, in, e, Known(uint64(w.hook.Size)), Known(uint64(s.size)), "size")
		return
	}
	if in.op != opStore || !s.known {
		return
	}
	v := f.value(&in.args[1])
	if r := Words(s.words); differs(v, r, s.size) {
		g.check(f, in, e, w.hook, v, Words(append([]uint64(nil), s.words...)), s.size)
		return
	}
	g.w.stats.Checked++
}

// runtime is a record that the runtime side wrote for the instruction.
func (g *goroutine) runtime(f *frame, in *instr, index int64, e *trace.Event) {
	if in.maybe {
		g.typed(f, in, e)
	} else if call, ok := in.in.(ssa.CallInstruction); ok && len(call.Common().Args) > 0 && (e.Kind >= format.Lock && e.Kind <= format.CondBroadcast || e.Kind.IsAtomic() && isAtomic(call.Common())) {
		g.learn(f.code, call.Common().Args[0], uint64(e.Obj))
	}
	if g.w.tale != nil {
		g.w.tale.synchronises(g, f, in, index, e)
	}
	switch e.Kind {
	case format.AtomicWrite, format.AtomicRMW, format.ChanSend:
		g.stored(f, in, false)
	case format.Go:
		g.starts(f, in, trace.GoID(e.Obj))
	}
	switch e.Kind {
	case format.AtomicRead, format.AtomicRMW, format.ChanRecv:
		if in.cas || !in.atomic && e.Kind != format.ChanRecv { // (F8)
			g.d.pinLater(index)
			return
		}
		f.stage.reads = g.d.union(f.stage.reads, g.d.read(index))
		f.stage.term = g.readWord(index, e)
	}
	if !g.w.symbolic {
		return
	}
	switch e.Kind {
	case format.AtomicWrite:
		g.writes(g.updated(f, in, nil, int64(e.Size)), e.Val)
	case format.AtomicRMW:
		t := g.updated(f, in, f.stage.term, int64(e.Size))
		g.writes(t, e.Aux)
		if isAdd(in) {
			f.stage.term = single(t)
		}
	case format.ChanSend:
		if _, ok := in.in.(*ssa.Send); ok && e.Flags&format.FlagNoValue == 0 {
			g.writes(f.termOf(&f.instr().args[1]).word(0), e.Val)
		}
	}
}

// typed is a record of a call that turns out to be one of a typed operation (R15 of package
// plan). What it is given stays as it was.
func (g *goroutine) typed(f *frame, in *instr, e *trace.Event) {
	if !f.stage.typed {
		f.stage.typed = true
		for i := range in.args {
			g.keep(f, &in.args[i])
		}
	}
	switch e.Kind {
	case format.OnceBegin, format.CondWait:
		f.stage.runs = true
	case format.OnceEnd:
		f.stage.runs = false
	}
}

// writes notes the term of what the event writes or sends.
func (g *goroutine) writes(e *expr.Expr, val uint64) {
	if e != nil && amounts(e, val, mask(8)) {
		g.w.value = e
	}
}

// isAtomic reports whether a call is of a function of sync/atomic that works on its first argument,
// or the one word of that.
func isAtomic(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync/atomic" && atomicSize(fn) > 0
}

// starts keeps the arguments of a go statement for the goroutine it starts.
func (g *goroutine) starts(f *frame, in *instr, child trace.GoID) {
	if _, ok := in.in.(*ssa.Go); !ok || child == 0 {
		return
	}
	c := g.w.goroutine(child)
	for i := range in.args[1:] {
		c.started = append(c.started, f.value(&in.args[i+1]))
	}
	c.captured = c.captured[:0]
	for i := range in.free {
		c.captured = append(c.captured, f.value(&in.free[i]))
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
	Forks         int64 // points at which another way was kept
	ForksLeft     int64 // and not, because there were many at one instruction
	TermsTooLarge int64 // values without a term because it would be too large
}

// Mismatch is a point where the walk and the trace differ: a bug of presage.
type Mismatch struct {
	Index    int64 // of the event
	Func     string
	Instr    string
	Pos      string
	What     string
	Computed Value
	Recorded Value
}

// String prints the mismatch on one line.
func (m Mismatch) String() string {
	var b strings.Builder
	b.WriteString(m.Pos + ": " + m.Func + ": " + m.Instr + ": " + m.What)
	if m.Computed.known != 0 || m.Recorded.known != 0 {
		b.WriteString(": recomputed " + m.Computed.String() + ", recorded " + m.Recorded.String())
	}
	return b.String()
}

// maxMismatches bounds how many are kept.
const maxMismatches = 200

// mismatchAt ends the walk of an invocation: from here on it is opaque (C2).
func (g *goroutine) mismatchAt(f *frame, in *instr, e *trace.Event, computed, recorded Value, what string) {
	f.walked = false
	g.valueWords = 0
	g.d.pinAll()
	w := g.w
	w.stats.Mismatches++
	if computed.known != 0 || recorded.known != 0 {
		w.stats.Unwalked[Differs]++
	} else {
		w.stats.Unwalked[Lost]++
	}
	if len(w.mismatches) >= maxMismatches {
		return
	}
	m := Mismatch{Index: g.event, Func: f.code.plan.SSA.String(), What: what, Computed: computed, Recorded: recorded}
	fset := f.code.plan.Unit.Pkg.Fset
	pos := f.code.plan.SSA.Pos()
	if in == nil && !f.leaving && f.entering == 0 {
		in = f.instr()
	}
	if in != nil {
		m.Instr = instrString(in.in)
		for _, x := range f.code.blocks[f.block].instrs[:f.ip+1] {
			if p := x.in.Pos(); p.IsValid() {
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
