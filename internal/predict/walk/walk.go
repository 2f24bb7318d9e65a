package walk

import (
	"fmt"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Walker walks the goroutines of a trace through the SSA of the program.
type Walker struct {
	plan       *plan.Plan
	codes      map[*plan.Func]*code
	globals    map[string]*global
	goroutines []*goroutine // by GoID
	sizeCache  map[types.Type]int64
	meanings   map[types.Type]*meaning
	stats      Stats
	mismatches []Mismatch
	from       []int64
	where      []int64
	appended   *flow.Appended
	value      *expr.Expr // of the event's write or send
	symbolic   bool       // terms are made (NewSymbolic)
	texts      *expr.Texts
	branched   func(*plan.Func, []int64)
	tale       *tale      // DumpSymbolic
	branching  bool       // forks are kept (NewBranching)
	minding    bool       // until a missing method begins (MindMissing),
	straight   bool       // and one has
	awake      int        // frames that never sleep; tests have less
	spare      []*frame   // left frames, for reuse
	idle       []buffers  // of frames that sleep, for reuse
	compiling  sync.Mutex // of codes: alternatives are executed beside the walk
	naming     sync.Mutex // of globals
	functions  functions
	dynamics   dynamics
}

// A goroutine is one machine: a stack of frames and the dataflow through them.
type goroutine struct {
	w      *Walker
	id     trace.GoID
	frames []*frame
	asleep int // so many of the frames, the outer ones, sleep
	d      deps
	needs  []int64

	// The Value record that is being read: its frame is on top.
	valueWords int // words still to come

	results     []Value // of the callee just left
	resultDeps  []*reads
	resultTerms []*term
	guards      []flow.Guard      // of the next event
	forks       []flow.Fork       // before the next event
	forked      map[*instr]uint32 // how often
	given       []flow.Guard
	vals        []Value // scratch
	phiVals     []Value
	phiDeps     []*reads
	phiTerms    []*term
	started     []Value // arguments of the go statement
	captured    []Value // and what its closure has captured
	event       int64
	away        int         // calls of missing methods that it is in
	stacks      [][2]uint64 // where the stack has been, the present place last
}

// New returns a walker for a trace of the program of p.
func New(p *plan.Plan) *Walker {
	return &Walker{
		plan: p, codes: map[*plan.Func]*code{}, globals: map[string]*global{},
		sizeCache: map[types.Type]int64{}, meanings: map[types.Type]*meaning{},
		stats: Stats{Unwalked: map[Reason]int64{}}, awake: awakeFrames,
	}
}

// NewSymbolic returns a walker that makes terms: its Flows have guards where it can.
func NewSymbolic(p *plan.Plan) *Walker {
	w := New(p)
	w.symbolic = true
	return w
}

// OnBranch has f called at every conditional branch that is walked, with the function it is in and
// the reads that its condition is made of, as far as they are not Needs already. It is for
// statistics.
func (w *Walker) OnBranch(f func(fn *plan.Func, reads []int64)) { w.branched = f }

// Read gives the walker what the program's string constants say (trace.Meta.Texts).
func (w *Walker) Read(texts []trace.Memory) {
	spans := make([]expr.TextSpan, len(texts))
	for i, t := range texts {
		spans[i] = expr.TextSpan{Addr: uint64(t.Addr), Text: string(t.Data)}
	}
	w.texts = expr.NewTexts(spans)
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
	w.naming.Lock()
	defer w.naming.Unlock()
	name := v.String()
	g := w.globals[name]
	if g == nil {
		g = &global{of: v}
		w.globals[name] = g
	}
	return g
}

func (w *Walker) code(pf *plan.Func) *code {
	w.compiling.Lock()
	defer w.compiling.Unlock()
	c := w.codes[pf]
	if c == nil {
		c = w.compile(pf)
		w.codes[pf] = c
	}
	return c
}

// Step implements [window.Walker].
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
	w.from, w.where, w.appended, w.value = w.from[:0], nil, nil, nil
	walked := g.step(index, e)
	if e.Kind == format.Alloc || e.Kind == format.Reach || e.Kind == format.ReachGo || e.Kind == format.ReachSet {
		// no event of a window: what is pinned waits for the next one
		w.stats.Events++
		return flow.Flow{}
	}
	g.needs = g.d.take(g.needs)
	g.given, g.guards = g.guards, g.given[:0]
	var forks []flow.Fork
	if len(g.forks) > 0 {
		forks, g.forks = g.forks, nil
	}
	w.stats.Events++
	if walked {
		w.stats.Walked++
	} else {
		// the event at which a walk failed may be a read: it is strict, and does not need itself
		g.needs = slices.DeleteFunc(g.needs, func(i int64) bool { return i == index })
	}
	if e.Kind == format.End {
		w.end(g)
	}
	return flow.Flow{Walked: walked, Needs: g.needs, From: w.from, Where: w.where, Appended: w.appended, Guards: g.given, Forks: forks, Value: w.value}
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
	case format.Start, format.End, format.Join, format.Acquire, format.Release, format.ReleaseMerge, format.Observe:
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
		return g.walked()
	case format.OpaqueEnd:
		g.unwindTo(e.Site)
	}
	f := g.top()
	if f == nil || !f.walked {
		return false
	}
	if e.Kind == format.MethodBegin {
		return g.missing(f, index, e)
	}
	return g.consume(f, index, e)
}

func (g *goroutine) walked() bool {
	f := g.top()
	return f != nil && f.walked
}

// missing comes before the OpaqueBegin of a call that leaves traced code: what the call is given
// stays as it was (F10).
func (g *goroutine) missing(f *frame, index int64, e *trace.Event) bool {
	if g.isDefer(f, e) {
		defer g.d.pinAll()
		return g.consume(f, index, e)
	}
	for range f.code.length {
		g.advance(f)
		in := f.instr()
		w := in.next(f)
		if w != nil && w.kind == wantBegin && in.site == e.Site {
			if in.reaches {
				g.d.pinStored()
			}
			g.pass(f, in)
			return true
		}
		if w == nil || !w.optional(f) {
			break
		}
		f.stage.want++
	}
	g.fail(f, e, "no such call here", nil)
	return false
}

func (g *goroutine) top() *frame {
	n := len(g.frames)
	if n == 0 {
		return nil
	}
	if n <= g.asleep {
		g.wake(n - g.w.awake/2)
	}
	return g.frames[n-1]
}

// consume walks a frame up to the instruction that wrote the record. It reports whether it got
// there.
func (g *goroutine) consume(f *frame, index int64, e *trace.Event) bool {
	if f.entering > 0 {
		return g.parameter(f, e)
	}
	if f.leaving || f.unwinds {
		return g.deferredOp(f, index, e)
	}
	for n := 0; ; n++ {
		g.advance(f)
		in := f.instr()
		w := in.next(f)
		switch {
		case w == nil:
			return g.control(f, in, index, e)
		case w.accepts(f, in, e):
			return g.take(f, in, w, index, e)
		case !w.optional(f) || n > f.code.length: // all round a loop
			if g.isDefer(f, e) { // a panic, and a deferred operation
				f.unwinds = true
				g.d.pinAll()
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

// next returns the record that the walk expects at the instruction, nil if none.
func (in *instr) next(f *frame) *want {
	if f.stage.want < len(in.wants) {
		return &in.wants[f.stage.want]
	}
	return nil
}

// settle skips the records that may be missing and advances to one that may not, or, if callback,
// to a typed operation that may call back. It goes no further where only a panic ends a loop:
//
//	for { c <- 0 } // close(c)
func (g *goroutine) settle(f *frame, callback bool) {
	for range f.code.length {
		g.advance(f)
		in := f.instr()
		w := in.next(f)
		if w == nil || !w.optional(f) || callback && w.kind == wantRuntime && f.callsBack(in) {
			return
		}
		f.stage.want++
	}
}

// control is an event where the walk is at the end of a block.
func (g *goroutine) control(f *frame, in *instr, index int64, e *trace.Event) bool {
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
	if o := g.passedThrough(e); o != nil {
		return g.consume(o, index, e)
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
	if g.w.tale != nil {
		g.w.tale.branch(g, f, in, succs[i])
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

func (g *goroutine) deferredOp(f *frame, index int64, e *trace.Event) bool {
	if g.isDefer(f, e) {
		return true
	}
	if o := g.passedThrough(e); o != nil {
		return g.consume(o, index, e)
	}
	g.fail(f, e, "no such record after the return", nil)
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
