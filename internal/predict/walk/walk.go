package walk

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Walker walks the goroutines of a trace through the SSA of the program.
type Walker struct {
	plan       *plan.Plan
	program    *regcode.Program
	goroutines []*goroutine // by GoID
	meanings   map[types.Type]*meaning
	stats      Stats
	mismatches []Mismatch
	out        output // of the current event
	opts       options
	minding    bool // no forks are kept after the first call of excluded code
	straight   bool // that call has begun
	pool       framePool
	facts      facts
	timers     trace.GoID          // number of goroutines that timers could have started
	pending    []*alternative.Fork // how these begin; some timers have fired or were stopped
	private    privateMemory
}

// options are how a walk executes.
type options struct {
	symbolic  bool                      // terms are made
	branching bool                      // forks are kept
	branched  func(*plan.Func, []int64) // is called at each branch
	observer  Observer                  // nil: none
}

// A goroutine walks one goroutine of the trace: it knows the point of each frame, compares each
// event with the record that the plan has there, and has the machine execute what lies between.
type goroutine struct {
	w       *Walker
	id      trace.GoID
	event   int64 // the current one
	stack   frameStack
	deps    deps
	pins    pinner
	machine machine
	emit    emitter
	learner learner
	forks   forker

	needs      []int64       // buffers of the last Flow
	given      []flow.Guard  //
	valueWords int           // of the Value record that is being read, words still to come
	started    []goval.Value // arguments of the go statement
	captured   []goval.Value // and what its closure has captured
	starter    *ssa.Go       // that statement; nil: not known
	startedFn  goval.Value   // the function value that it calls
	began      bool          // the goroutine has an event other than Start
	thrown     bool          // a panic has left a frame since the last record of walked code
	away       int           // number of calls of excluded code under way
	stacks     spans         // addresses of the goroutine's stack so far, the current one last
	privates   privates
}

func newGoroutine(w *Walker, id trace.GoID) *goroutine {
	g := &goroutine{w: w, id: id, stack: frameStack{pool: &w.pool}}
	g.pins.deps, g.privates.all = &g.deps, &w.private
	g.machine = machine{id: id, opts: &w.opts, stats: &w.stats, deps: &g.deps, pins: &g.pins, forks: &g.forks}
	g.emit = emitter{&g.deps, &w.out, &g.privates}
	g.learner = learner{facts: &w.facts, program: w.program, g: id, stacks: &g.stacks}
	g.forks = forker{w: w, id: id, event: &g.event, stack: &g.stack, stacks: &g.stacks, deps: &g.deps, pins: &g.pins}
	return g
}

// New returns a walker for a trace of the program of p.
func New(p *plan.Plan) *Walker {
	return &Walker{
		plan: p, program: regcode.NewProgram(p), meanings: map[types.Type]*meaning{},
		stats: Stats{Unwalked: map[Reason]int64{}}, pool: framePool{awake: awakeFrames}, private: privateMemory{},
	}
}

// NewSymbolic returns a walker that makes terms: its Flows have guards where it can.
func NewSymbolic(p *plan.Plan) *Walker {
	w := New(p)
	w.opts.symbolic, w.pool.symbolic = true, true
	return w
}

// OnBranch has f called at every conditional branch that is walked, with its function and the reads
// that its condition depends on and that are not pinned. It is for statistics.
func (w *Walker) OnBranch(f func(fn *plan.Func, reads []int64)) { w.opts.branched = f }

// Read gives the walker what the trace knows of the program: the contents of its string constants,
// the addresses of variables of packages, and what these point to at first.
func (w *Walker) Read(meta *trace.Meta) {
	spans := make([]expr.TextSpan, len(meta.Texts))
	for i, t := range meta.Texts {
		spans[i] = expr.TextSpan{Addr: uint64(t.Addr), Text: string(t.Data)}
	}
	w.program.Texts = expr.NewTexts(spans)
	w.program.Place(meta.Globals)
	if w.opts.branching {
		w.facts.image = imageOf(meta)
		w.facts.functions.initial(meta, w.plan)
		w.facts.mapFacts.initial(meta, w.plan)
	}
}

// imageOf returns a range of addresses that are all of the program's static data: from the first
// string constant or variable that is known to the last one.
func imageOf(meta *trace.Meta) (r [2]uint64) {
	note := func(a trace.Addr) {
		if r[0] == 0 || uint64(a) < r[0] {
			r[0] = uint64(a)
		}
		r[1] = max(r[1], uint64(a))
	}
	for _, t := range meta.Texts {
		note(t.Addr)
	}
	for _, g := range meta.Globals {
		note(g.Addr)
	}
	return r
}

func (w *Walker) goroutine(id trace.GoID) *goroutine {
	for int(id) >= len(w.goroutines) {
		w.goroutines = append(w.goroutines, nil)
	}
	g := w.goroutines[id]
	if g == nil {
		g = newGoroutine(w, id)
		w.goroutines[id] = g
	}
	return g
}

// Step implements [flow.Walker].
func (w *Walker) Step(index int64, e *trace.Event) flow.Flow {
	switch {
	case e.Kind == format.Alloc:
		w.reallocated(index, e)
	case e.Kind == format.MethodBegin:
		w.straight = w.minding
	}
	if e.G <= 0 { // the runtime
		return flow.Flow{}
	}
	g := w.goroutine(e.G)
	g.event = index
	g.began = g.began || e.Kind != format.Start
	w.out.reset()
	walked := g.step(index, e)
	if w.opts.branching {
		g.learner.passed(e)
		g.learner.mapWritten(e, index)
		g.learner.changesKeys(e)
		switch {
		case e.Kind == format.Write:
			w.facts.syncMaps.written(e, index)
			w.facts.pools.written(e, index)
		case format.IsPoolWord(e.Obj) && e.Kind == format.AtomicWrite:
			g.learner.pooled(g.stack.top(), e, index)
		case format.IsPoolWord(e.Obj) && e.Kind == format.AtomicRMW && g.away == 0:
			g.forks.took()
		case format.IsContext(e.Obj) || format.IsCancel(e.Obj):
			g.learner.madeContext(e, index)
		case format.IsMapWord(e.Obj) && e.Kind.IsAtomic() && g.learner.known != index:
			w.facts.unclear(e.Obj, index)
		}
	}
	if e.Kind == format.Alloc || e.Kind == format.Reach || e.Kind == format.ReachGo || e.Kind == format.ReachSet {
		// It is no event of a window. The next event needs what is pinned.
		w.stats.Events++
		return flow.Flow{}
	}
	g.needs = g.deps.take(g.needs)
	g.given, g.pins.guards = g.pins.guards, g.given[:0]
	var forks []flow.Fork
	if len(g.forks.list) > 0 {
		forks, g.forks.list = g.forks.list, nil
	}
	w.stats.Events++
	if walked {
		w.stats.Walked++
	} else { // the event may be a read, which does not need itself
		g.needs = slices.DeleteFunc(g.needs, func(i int64) bool { return i == index })
	}
	if e.Kind == format.End {
		w.end(g)
	}
	return flow.Flow{Walked: walked, Needs: g.needs, From: w.out.from, Where: w.out.where, Appended: w.out.appended, Guards: g.given, Forks: forks, Value: w.out.value, Own: w.out.own, Padding: w.out.padding, Entry: w.out.entry}
}

// end forgets a goroutine that has ended.
func (w *Walker) end(g *goroutine) {
	w.stats.TooLarge += g.deps.tooLarge
	w.stats.TooOld += g.deps.tooOld
	g.privates.left(0)
	w.goroutines[g.id] = nil
}

// step walks an event and reports whether the walk agrees. A broken invariant of the walk is a
// mismatch of the invocation. It does not end the analysis.
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
	case format.Acquire, format.ReleaseMerge:
		if g.w.opts.branching {
			g.outside(index, e)
		}
		return false
	case format.Start, format.End, format.Join, format.Release, format.Observe:
		return false
	}
	switch e.Kind {
	case format.MethodBegin:
		g.away++
	case format.MethodEnd:
		g.away--
	}
	if e.Flags&format.FlagOpaque != 0 || e.Site == 0 {
		return false
	}
	switch e.Kind {
	case format.Reach, format.ReachGo, format.ReachSet, format.MethodEnd:
		return g.stack.walked()
	case format.OpaqueEnd:
		g.unwindTo(e.Site)
	}
	f := g.stack.top()
	if f == nil || !f.walked {
		return false
	}
	if e.Kind == format.MethodBegin {
		return g.excluded(f, index, e)
	}
	return g.consume(f, index, e)
}

// outside notes what outside code does with a timer.
func (g *goroutine) outside(index int64, e *trace.Event) {
	t := g.w.facts.operation(index, e)
	if t == nil {
		return
	}
	if g.learner.timer = t; e.Kind == format.ReleaseMerge {
		g.arms(t, index)
	}
}

// excluded handles a MethodBegin, which comes before the OpaqueBegin of a call of excluded code.
// The arguments of the call are pinned (WA3).
func (g *goroutine) excluded(f *Frame, index int64, e *trace.Event) bool {
	if g.isDefer(f, e) {
		defer g.deps.pinAll()
		return g.consume(f, index, e)
	}
	for range f.code.Length {
		g.machine.advance(f)
		in := f.Instr()
		w := f.next(in)
		if w != nil && w.Kind == regcode.WantBegin && in.Site == e.Site {
			if in.Reaches {
				g.deps.pinStored()
			}
			g.machine.pass(f, in)
			return true
		}
		if w == nil || !f.optional(w) {
			break
		}
		f.stage.want++
	}
	g.fail(f, e, "no such call here", nil)
	return false
}

// consume walks a frame up to the instruction that wrote the record. It reports whether it got
// there.
func (g *goroutine) consume(f *Frame, index int64, e *trace.Event) bool {
	g.thrown = false
	if f.entering > 0 {
		return g.parameter(f, e)
	}
	if f.leaving || f.unwinds {
		return g.deferredOp(f, index, e)
	}
	for n := 0; ; n++ {
		g.machine.advance(f)
		in := f.Instr()
		w := f.next(in)
		switch {
		case w == nil:
			return g.control(f, in, index, e)
		case f.accepts(w, in, e):
			return g.take(f, in, w, index, e)
		case !f.optional(w) || n > f.code.Length: // n: a whole loop without the record
			if g.isDefer(f, e) { // a panic, and a deferred operation
				f.unwinds = true
				g.deps.pinAll()
				return true
			}
			if o := g.passedThrough(e); o != nil {
				return g.consume(o, index, e)
			}
			g.fail(f, e, "expected "+w.String(), in)
			return false
		}
		f.stage.want++
	}
}

// next returns the next record of the instruction, nil if there is none.
func (f *Frame) next(in *regcode.Instr) *regcode.Want {
	if f.stage.want < len(in.Wants) {
		return &in.Wants[f.stage.want]
	}
	return nil
}

// settle skips the records that are optional and advances to one that is not, or, if callback is
// set, to a typed operation that may call back. It stops in a loop that only a panic ends:
//
//	for { c <- 0 } // close(c)
func (g *goroutine) settle(f *Frame, callback bool) {
	for range f.code.Length {
		g.machine.advance(f)
		in := f.Instr()
		w := f.next(in)
		if w == nil || !f.optional(w) || callback && w.Kind == regcode.WantRuntime && f.callsBack(in) {
			return
		}
		f.stage.want++
	}
}

// control handles an event when the walk is at the end of a block.
func (g *goroutine) control(f *Frame, in *regcode.Instr, index int64, e *trace.Event) bool {
	if e.Kind == format.Block && (in.Op == regcode.OpIf || in.Op == regcode.OpJump) {
		succs := f.code.Blocks[f.block].Succs
		for i, s := range succs {
			if f.code.Blocks[s.To].Site == e.Site {
				return g.branch(f, in, i, e)
			}
		}
	}
	if g.isDefer(f, e) {
		if in.Op == regcode.OpReturn {
			g.machine.leave(f)
			return true
		}
		f.unwinds = true
		g.deps.pinAll()
		return true
	}
	if o := g.passedThrough(e); o != nil {
		return g.consume(o, index, e)
	}
	g.fail(f, e, "no such record here", in)
	return false
}

// branch follows edge i, if the condition agrees.
func (g *goroutine) branch(f *Frame, in *regcode.Instr, i int, e *trace.Event) bool {
	succs := f.code.Blocks[f.block].Succs
	if in.Op == regcode.OpIf {
		if c, ok := f.Value(&in.Args[0]).Bits(); ok {
			took := int(1 - c&1)
			if succs[took].To != succs[i].To {
				g.mismatch(f, in, e, goval.Known(c), goval.Known(uint64(1-i)), "branch condition")
				return false
			}
			i = took
		}
	}
	if g.w.opts.observer != nil {
		g.w.opts.observer.Branch(g.id, f, in, succs[i])
	}
	f.stage.reset()
	g.machine.enterBlock(f, succs[i])
	return true
}

// isDefer reports whether the event has the site of a Defer instruction of the frame: a typed
// operation or close that was deferred.
func (g *goroutine) isDefer(f *Frame, e *trace.Event) bool {
	pf, b, i := g.w.plan.FuncAt(e.Site)
	if pf != f.code.Plan || i < 0 {
		return false
	}
	_, ok := f.code.Blocks[b].Instrs[i].SSA.(*ssa.Defer)
	return ok
}

func (g *goroutine) deferredOp(f *Frame, index int64, e *trace.Event) bool {
	if g.isDefer(f, e) {
		return true
	}
	if o := g.passedThrough(e); o != nil {
		return g.consume(o, index, e)
	}
	g.fail(f, e, "no such record after the return", nil)
	return false
}

// broken ends the walk of the innermost invocation, after a broken invariant.
func (g *goroutine) broken(e *trace.Event, cause any) {
	g.deps.pinAll()
	if f := g.stack.top(); f != nil && f.code != nil && f.walked {
		g.mismatchAt(f, nil, e, goval.Value{}, goval.Value{}, fmt.Sprintf("%v at site %d: %v", e.Kind, e.Site, cause))
		return
	}
	g.w.stats.Mismatches++
	g.w.stats.Unwalked[Lost]++
}

// fail ends the walk of an invocation whose records are not those of the plan.
func (g *goroutine) fail(f *Frame, e *trace.Event, what string, in *regcode.Instr) {
	g.mismatchAt(f, in, e, goval.Value{}, goval.Value{}, fmt.Sprintf("%v at site %d: %s", e.Kind, e.Site, what))
}

func (g *goroutine) mismatch(f *Frame, in *regcode.Instr, e *trace.Event, computed, recorded goval.Value, what string) {
	g.mismatchAt(f, in, e, computed, recorded, what)
}
