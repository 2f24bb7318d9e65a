package program

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
)

// A Walker walks the goroutines of a trace through the SSA of the program.
type Walker struct {
	plan       *plan.Plan
	codes      map[*plan.Func]*code
	globals    map[string]*global
	goroutines []*goroutine // by GoID
	sizeCache  map[types.Type]int64
	maskCache  map[types.Type][]uint64
	stats      Stats
	mismatches []Mismatch
	from       []int64
	value      window.FlowTerm // of the event's write or send
	symbolic   bool            // terms are made (NewSymbolic)
}

// A goroutine is one machine: a stack of frames and the dataflow through them.
type goroutine struct {
	w      *Walker
	id     trace.GoID
	frames []*frame
	spare  []*frame // left frames, for reuse
	d      deps
	needs  []int64

	// The Value record that is being read: its frame is on top.
	valueWords int // words still to come

	results     []Value // of the callee just left
	resultDeps  []*reads
	resultTerms []*term
	guards      []window.FlowGuard // of the next event
	given       []window.FlowGuard
	vals        []Value // scratch
	phiVals     []Value
	phiDeps     []*reads
	phiTerms    []*term
	started     []Value // arguments of the go statement
	event       int64
	stacks      [][2]uint64 // where the stack has been, the present place last
}

// New returns a walker for a trace of the program of p.
func New(p *plan.Plan) *Walker {
	return &Walker{
		plan: p, codes: map[*plan.Func]*code{}, globals: map[string]*global{},
		sizeCache: map[types.Type]int64{}, maskCache: map[types.Type][]uint64{},
		stats: Stats{Unwalked: map[Reason]int64{}},
	}
}

// NewSymbolic returns a walker that makes terms: its Flows have guards where it can.
func NewSymbolic(p *plan.Plan) *Walker {
	w := New(p)
	w.symbolic = true
	return w
}

func (w *Walker) goroutine(id trace.GoID) *goroutine {
	for int(id) >= len(w.goroutines) {
		w.goroutines = append(w.goroutines, nil)
	}
	g := w.goroutines[id]
	if g == nil {
		g = &goroutine{w: w, id: id}
		w.goroutines[id] = g
	}
	return g
}

func (w *Walker) global(v *ssa.Global) *global {
	name := v.String()
	g := w.globals[name]
	if g == nil {
		g = &global{}
		w.globals[name] = g
	}
	return g
}

func (w *Walker) code(pf *plan.Func) *code {
	c := w.codes[pf]
	if c == nil {
		c = w.compile(pf)
		w.codes[pf] = c
	}
	return c
}

// Step implements [window.Walker].
func (w *Walker) Step(index int64, e *trace.Event) window.Flow {
	if e.G <= 0 { // the runtime
		return window.Flow{}
	}
	g := w.goroutine(e.G)
	g.event = index
	w.from, w.value = w.from[:0], nil
	walked := g.step(index, e)
	g.needs = g.d.take(g.needs)
	g.given, g.guards = g.guards, g.given[:0]
	w.stats.Events++
	if walked {
		w.stats.Walked++
	} else { // the event at which a walk failed may be a read: it is strict, and does not need itself
		g.needs = slices.DeleteFunc(g.needs, func(i int64) bool { return i == index })
	}
	if e.Kind == format.End {
		w.end(g)
	}
	return window.Flow{Walked: walked, Needs: g.needs, From: w.from, Guards: g.given, Value: w.value}
}

// end forgets a goroutine that has ended.
func (w *Walker) end(g *goroutine) {
	w.stats.TooLarge += g.d.tooLarge
	w.stats.TooOld += g.d.tooOld
	w.goroutines[g.id] = nil
}

// step is the table of events: which of them the walk consumes. A broken invariant of the
// walk ends it for the invocation, as any other mismatch does, and not the analysis.
func (g *goroutine) step(index int64, e *trace.Event) (walked bool) {
	defer func() {
		if r := recover(); r != nil {
			walked = false
			g.broken(e, r)
		}
	}()
	return g.dispatch(index, e)
}

func (g *goroutine) dispatch(index int64, e *trace.Event) bool {
	switch e.Kind {
	case format.Enter:
		return g.enter(e)
	case format.Exit:
		return g.exit(e)
	case format.Word:
		return g.word(e)
	case format.Alloc:
		if e.Flags&format.FlagStack != 0 {
			g.stacks = append(g.stacks, [2]uint64{uint64(e.Obj), uint64(e.Obj) + e.Val})
		}
		return false
	case format.Start, format.End, format.Join, format.Acquire, format.Release, format.ReleaseMerge:
		return false
	}
	if e.Flags&format.FlagOpaque != 0 || e.Site == 0 {
		return false
	}
	if e.Kind == format.OpaqueEnd {
		g.unwindTo(e.Site)
	}
	f := g.top()
	if f == nil || !f.walked {
		return false
	}
	return g.consume(f, index, e)
}

func (g *goroutine) top() *frame {
	if n := len(g.frames); n > 0 {
		return g.frames[n-1]
	}
	return nil
}

// unwindTo leaves the frames above the one whose opaque call ends: a panic passed through
// them, and the opaque code recovered it.
func (g *goroutine) unwindTo(site trace.Site) {
	for i := len(g.frames) - 1; i >= 0; i-- {
		f := g.frames[i]
		if !f.walked || !f.stage.inside || f.instr().site != site {
			continue
		}
		if i < len(g.frames)-1 {
			g.unwind(i + 1)
		}
		return
	}
}

// unwind leaves the frames from number n up: a panic passed through them. What led to it
// must stay as it was (F4).
func (g *goroutine) unwind(n int) {
	g.d.pinAll()
	for len(g.frames) > n {
		g.w.stats.Panicked++
		g.pop()
	}
}

func (g *goroutine) pop() {
	f := g.top()
	g.frames = g.frames[:len(g.frames)-1]
	if f.walked {
		g.w.stats.Invocations++
	}
	if len(g.spare) < 64 {
		g.spare = append(g.spare, f)
	}
}

// push makes a frame of a function that is not known.
func (g *goroutine) push(depth uint64) *frame {
	var f *frame
	if n := len(g.spare); n > 0 {
		f, g.spare = g.spare[n-1], g.spare[:n-1]
	} else {
		f = &frame{}
	}
	*f = frame{depth: depth, regs: f.regs, deps: f.deps, terms: f.terms, cells: f.cells, stage: f.stage,
		results: f.results[:0], from: f.from[:0], symbols: f.symbols[:0]}
	f.stage.reset()
	g.frames = append(g.frames, f)
	return f
}

// begin makes a frame one of c.
func (f *frame) begin(c *code, symbolic bool) {
	f.code, f.walked = c, true
	f.regs, f.deps = resize(f.regs, int(c.regs)), resize(f.deps, int(c.regs))
	if symbolic {
		f.terms = resize(f.terms, int(c.regs))
	}
	for len(f.cells) < len(c.cells) {
		f.cells = append(f.cells, cell{})
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// enter is an Enter event: a frame more.
func (g *goroutine) enter(e *trace.Event) bool {
	depth := e.Aux
	n := len(g.frames)
	for n > 0 && g.frames[n-1].depth >= depth {
		n--
	}
	if n < len(g.frames) {
		g.unwind(n)
	}
	caller := g.top()
	static := caller != nil && caller.walked && g.entering(caller, e)
	f := g.push(depth)
	if c := g.callee(e); c != nil {
		f.begin(c, g.w.symbolic)
	}
	f.static = static
	switch {
	case f.code == nil:
		g.w.stats.Unwalked[NoFunction]++
	case static:
		g.bind(caller, f)
	case e.Val == 0:
		f.entering = len(f.code.params)
	case caller == nil && len(g.started) == len(f.code.args):
		for i, r := range f.code.args {
			f.regs[r] = g.started[i]
		}
	}
	return f.walked
}

// callee returns the code of the function that is entered.
func (g *goroutine) callee(e *trace.Event) *code {
	pf, block, _ := g.w.plan.FuncAt(e.Site)
	if pf == nil || block >= 0 {
		return nil
	}
	return g.w.code(pf)
}

// entering brings the caller to the point at which the function is entered. It reports
// whether that is a call whose arguments the callee can take from the caller.
func (g *goroutine) entering(f *frame, e *trace.Event) bool {
	if f.stage.inside || f.leaving || f.unwinds {
		f.deferred = f.deferred || f.leaving
		return false
	}
	g.settle(f, e.Val == 0)
	in := f.instr()
	if w := in.next(f); w != nil {
		switch {
		case w.kind == wantEnter && (e.Val == uint64(in.site) || e.Val == 0):
			f.stage.inside = true
			return e.Val != 0
		case w.kind == wantRuntime && in.callsBack:
			f.deferred = true // a typed operation calls back; or it had ended, and this is a deferred call
			return false
		}
	}
	if in.op == opReturn && f.code.plan.Defers && e.Val == 0 {
		g.leave(f)
		f.deferred = true
		return false
	}
	if e.Val == 0 { // an implicit check failed here, and deferred functions run
		f.unwinds = true
		g.d.pinAll()
		return false
	}
	g.fail(f, e, "entered from another call than that of the walk", nil)
	return false
}

// next returns the record that the walk expects at the instruction, nil if none.
func (in *instr) next(f *frame) *want {
	if f.stage.want < len(in.wants) {
		return &in.wants[f.stage.want]
	}
	return nil
}

// settle skips the records that may be missing and advances to one that may not, or,
// if callback, to a typed operation that may call back. It goes no further where only a panic ends a loop:
//
//	for { c <- 0 } // close(c)
func (g *goroutine) settle(f *frame, callback bool) {
	for range f.code.length {
		g.advance(f)
		in := f.instr()
		w := in.next(f)
		if w == nil || !w.optional(f) || callback && w.kind == wantRuntime && in.callsBack {
			return
		}
		f.stage.want++
	}
}

// bind gives a callee its arguments.
func (g *goroutine) bind(caller, f *frame) {
	in := caller.instr()
	args := in.args[1:]
	for i, r := range f.code.args {
		var a *arg
		switch {
		case i < len(args):
			a = &args[i]
		case i-len(args) < len(in.free):
			a = &in.free[i-len(args)]
		default:
			continue
		}
		f.regs[r], f.deps[r] = caller.value(a), caller.depsOf(a)
		if g.w.symbolic {
			f.terms[r] = caller.termOf(a)
		}
	}
}

// leave is the Return instruction: the results are fixed, deferred calls may follow.
func (g *goroutine) leave(f *frame) {
	in := f.instr()
	for i := range in.args {
		f.results = append(f.results, f.value(&in.args[i]))
		f.from = append(f.from, f.depsOf(&in.args[i]))
		f.symbols = append(f.symbols, f.termOf(&in.args[i]))
	}
	f.leaving = true
}

// exit is an Exit event: a frame less.
func (g *goroutine) exit(e *trace.Event) bool {
	n := len(g.frames)
	for n > 0 && g.frames[n-1].depth > e.Aux {
		n--
	}
	if n < len(g.frames) {
		g.unwind(n)
	}
	f := g.top()
	if f == nil || f.depth != e.Aux {
		return false
	}
	walked := f.walked && g.exits(f, e)
	results, from, symbols := f.results, f.from, f.symbols
	static := f.static
	g.pop()
	caller := g.top()
	if caller != nil && caller.walked && caller.stage.inside && caller.instr().op == opCall {
		caller.stage.inside = false
		caller.stage.want++
		if static && walked {
			g.results = append(g.results[:0], results...)
			g.resultDeps = append(g.resultDeps[:0], from...)
			g.resultTerms = append(g.resultTerms[:0], symbols...)
			return true
		}
		g.results, g.resultDeps, g.resultTerms = g.results[:0], g.resultDeps[:0], g.resultTerms[:0]
	}
	for _, d := range from { // (F3) what opaque code receives
		g.d.pin(d)
	}
	if caller != nil && caller.stage.inside && caller.code != nil && caller.instr().reaches {
		g.d.pinStored() // (F9) it goes on
	}
	return walked
}

// exits brings the frame to its Return.
func (g *goroutine) exits(f *frame, e *trace.Event) bool {
	if f.code.plan.Site != e.Site {
		g.fail(f, e, "exit of another function", nil)
		return false
	}
	if !f.leaving && !f.unwinds {
		if g.settle(f, false); f.instr().op == opReturn {
			g.leave(f)
		}
	}
	switch {
	case f.leaving && e.Flags&format.FlagPanic == 0:
		if f.deferred && f.code.shifty { // a deferred call may have changed the results
			g.d.pinAll()
		}
		return true
	case f.code.plan.Defers || e.Flags&format.FlagPanic != 0: // panic, recovered or not; Goexit
		g.d.pinAll()
		f.results, f.from, f.symbols = f.results[:0], f.from[:0], f.symbols[:0]
		g.w.stats.Panicked++
		return true
	}
	g.fail(f, e, "exit before the return", nil)
	return false
}

// consume walks a frame up to the instruction that wrote the record. It reports whether it got there.
func (g *goroutine) consume(f *frame, index int64, e *trace.Event) bool {
	if f.entering > 0 {
		return g.parameter(f, e)
	}
	if f.leaving || f.unwinds {
		return g.deferredOp(f, e)
	}
	for n := 0; ; n++ {
		g.advance(f)
		in := f.instr()
		w := in.next(f)
		switch {
		case w == nil:
			return g.control(f, in, e)
		case w.accepts(f, in, e):
			return g.take(f, in, w, index, e)
		case !w.optional(f) || n > f.code.length: // all round a loop
			if g.isDefer(f, e) { // a panic, and a deferred operation
				f.unwinds = true
				g.d.pinAll()
				return true
			}
			g.fail(f, e, "expected "+w.String(), in)
			return false
		}
		f.stage.want++
	}
}

// control is an event where the walk is at the end of a block.
func (g *goroutine) control(f *frame, in *instr, e *trace.Event) bool {
	if e.Kind == format.Block && (in.op == opIf || in.op == opJump) {
		succs := f.code.blocks[f.block].succs
		for i, s := range succs {
			if f.code.blocks[s.to].site == e.Site {
				return g.branch(f, in, i, e)
			}
		}
	}
	if g.isDefer(f, e) {
		if in.op == opReturn {
			g.leave(f)
			return true
		}
		f.unwinds = true
		g.d.pinAll()
		return true
	}
	g.fail(f, e, "no such record here", in)
	return false
}

// branch follows edge i, if the condition agrees.
func (g *goroutine) branch(f *frame, in *instr, i int, e *trace.Event) bool {
	succs := f.code.blocks[f.block].succs
	if in.op == opIf {
		if c, ok := f.value(&in.args[0]).Bits(); ok {
			took := int(1 - c&1)
			if succs[took].to != succs[i].to {
				g.mismatch(f, in, e, Known(c), Known(uint64(1-i)), "branch condition")
				return false
			}
			i = took
		}
	}
	f.stage.reset()
	g.enterBlock(f, succs[i])
	return true
}

// isDefer reports whether the event has the site of a Defer instruction of the frame: a typed
// operation or close that was deferred (plan R7).
func (g *goroutine) isDefer(f *frame, e *trace.Event) bool {
	pf, b, i := g.w.plan.FuncAt(e.Site)
	if pf != f.code.plan || i < 0 {
		return false
	}
	_, ok := f.code.blocks[b].instrs[i].in.(*ssa.Defer)
	return ok
}

func (g *goroutine) deferredOp(f *frame, e *trace.Event) bool {
	if g.isDefer(f, e) {
		return true
	}
	g.fail(f, e, "no such record after the return", nil)
	return false
}

// parameter is the Value record of a parameter.
func (g *goroutine) parameter(f *frame, e *trace.Event) bool {
	if e.Kind != format.Value || e.Site != f.code.plan.Site {
		g.fail(f, e, "expected a parameter", nil)
		return false
	}
	g.beginValue(f, e)
	return f.walked
}

// beginValue starts to read a Value record.
func (g *goroutine) beginValue(f *frame, e *trace.Event) {
	f.stage.words = append(f.stage.words[:0], e.Val)
	f.stage.size = int64(e.Size)
	g.valueWords = max(0, (int(e.Size)+7)/8-1)
	if g.valueWords == 0 {
		g.endValue(f, e)
	}
}

// word is one more word of a Value record.
func (g *goroutine) word(e *trace.Event) bool {
	f := g.top()
	if f == nil || !f.walked || g.valueWords == 0 {
		return false
	}
	f.stage.words = append(f.stage.words, e.Val)
	if g.valueWords--; g.valueWords == 0 {
		g.endValue(f, e)
	}
	return f.walked
}

// endValue gives the recorded value to its register, having compared it with the recomputed one (C1).
func (g *goroutine) endValue(f *frame, e *trace.Event) {
	v := Words(append([]uint64(nil), f.stage.words...))
	size := f.stage.size
	if f.entering > 0 {
		i := len(f.code.params) - f.entering
		f.entering--
		if h := &f.code.plan.Params[i]; h.Size >= 0 && h.Size != size {
			g.mismatch(f, nil, e, Known(uint64(h.Size)), Known(uint64(size)), "size of parameter "+h.Val.Name())
			return
		}
		f.regs[f.code.params[i]] = v
		return
	}
	in := f.instr()
	w := in.next(f)
	if w.hook.Size >= 0 && w.hook.Size != size {
		g.mismatch(f, in, e, Known(uint64(w.hook.Size)), Known(uint64(size)), "size")
		return
	}
	c := Value{}
	if in.n == 1 {
		c = g.computed(f, in)
		if !g.check(f, in, e, w.hook, c, v, size) {
			return
		}
	}
	if text, ok := c.Content(); ok && size == 16 && kindOf(w.hook.Type) == types.String {
		v = v.withText(text)
	}
	f.regs[w.reg] = v
	if _, ok := in.in.(*ssa.Select); ok && w.hook.Index == 0 {
		f.stage.chosen = int(int64(v.bits))
	}
	f.stage.want++
}

// check compares a recomputed value with the recorded one.
func (g *goroutine) check(f *frame, in *instr, e *trace.Event, h *plan.Hook, computed, recorded Value, size int64) bool {
	g.w.stats.Checked++
	if !differs(computed, recorded, size) || !g.w.differ(h.Type, f.code.sizes, computed, recorded, size) {
		return true
	}
	if k := kindOf(h.Type); isNaN(k, computed) && isNaN(k, recorded) || g.moved(computed, recorded, size) {
		return true
	}
	g.mismatch(f, in, e, computed, recorded, "value")
	return false
}

// moved reports whether the values differ only in addresses that were on the goroutine's stack, which has moved since.
func (g *goroutine) moved(computed, recorded Value, size int64) bool {
	for i := range int(size+7) / 8 {
		x, ok := computed.Word(i)
		y, ok2 := recorded.Word(i)
		if ok && ok2 && x != y && !(g.onStack(x) && g.onStack(y)) {
			return false
		}
	}
	return true
}

func (g *goroutine) onStack(addr uint64) bool {
	for _, s := range g.stacks {
		if s[0] <= addr && addr < s[1] {
			return true
		}
	}
	return false
}

// broken gives up the invocation on top, and the event's own if it had just begun.
func (g *goroutine) broken(e *trace.Event, cause any) {
	g.d.pinAll()
	if f := g.top(); f != nil && f.code != nil && f.walked {
		g.mismatchAt(f, nil, e, Value{}, Value{}, fmt.Sprintf("%v at site %d: %v", e.Kind, e.Site, cause))
		return
	}
	g.w.stats.Mismatches++
	g.w.stats.Unwalked[Lost]++
}

// fail ends the walk of an invocation whose records are not those of the plan.
func (g *goroutine) fail(f *frame, e *trace.Event, what string, in *instr) {
	g.mismatchAt(f, in, e, Value{}, Value{}, fmt.Sprintf("%v at site %d: %s", e.Kind, e.Site, what))
}

func (g *goroutine) mismatch(f *frame, in *instr, e *trace.Event, computed, recorded Value, what string) {
	g.mismatchAt(f, in, e, computed, recorded, what)
}
