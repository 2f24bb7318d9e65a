package report

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Spec is a race or a candidate as the analysis knows it, in event numbers of one trace.
type Spec struct {
	A, B      int64 // in either order
	Tier      Tier  // of a race; "" is a candidate
	Semantics string
	From      int64   // all events before this one are as in the recorded run
	Events    []int32 // the witness as the checker has it
	Order     []int64 // the witness: a reordering that ends in the two accesses
	Count     int
	Detours   []Detour // how goroutines leave their recorded paths
	Seen      []Seen   // reads that have to be explained
}

// MaxSteps is the number of steps of a witness that a report has. Of a trace with many races, all
// witnesses together have allSteps, but each at least the shownSteps that the text form prints.
const (
	MaxSteps   = 1000
	allSteps   = 20_000
	shownSteps = 40
)

// Locator finds the stacks, locks and source lines at the events of races, in one pass over their
// trace.
// Step every event in order, then call Races.
type Locator struct {
	meta   *trace.Meta
	source SourceFunc
	specs  []Spec
	wanted map[int64]bool
	seen   map[int64]place
	next   []int64 // the wanted event numbers, ascending: those not yet seen

	goroutines map[trace.GoID]*goroutine
	holders    map[trace.Addr]trace.GoID // the last exclusive holder of a lock
	chains     []*chain
	forks      map[int64]place // events at which a path is left, with the state before them
	toEnd      bool            // the state after the whole trace is needed
	watches    watches
	types      Types
	names      map[trace.Addr]string
	background *Background // nil: that pass was not made
	steps      int         // of the witnesses so far
}

// place is an event with what surrounds it.
type place struct {
	event trace.Event
	stack *frame
	call  trace.Site // of an access of outside code: the innermost call of such code
	locks []held
}

// frame is a stack as a list from the innermost call outwards. Stacks share their tails.
type frame struct {
	fn    trace.Site // of the function
	call  trace.Site // in the caller
	depth uint64
	outer *frame
}

type held struct {
	obj  trace.Addr
	read bool
	site trace.Site
	flag format.Flags
}

type call struct {
	site  trace.Site
	depth uint64
}

type goroutine struct {
	stack   *frame
	opaque  []call // running calls of code that was not instrumented
	locks   []held
	parent  trace.GoID
	created *frame     // stack of the go statement
	site    trace.Site // the go statement
	fn      string     // of one that a path starts
}

// NewLocator prepares the pass for the races of one trace.
// source may be nil.
func NewLocator(meta *trace.Meta, specs []Spec, source SourceFunc, types Types) *Locator {
	if source == nil {
		source = func(string, int) string { return "" }
	}
	l := &Locator{
		meta: meta, source: source, specs: specs, types: types, forks: make(map[int64]place), watches: newWatches(specs),
		wanted: make(map[int64]bool), seen: make(map[int64]place),
		goroutines: make(map[trace.GoID]*goroutine), holders: make(map[trace.Addr]trace.GoID),
		names: make(map[trace.Addr]string),
	}
	for _, o := range meta.Objects {
		l.names[o.Addr] = o.Name
	}
	for _, s := range specs {
		for _, e := range s.events() {
			if e >= 0 {
				l.wanted[e] = true
			}
		}
		for i := range s.Detours {
			d := &s.Detours[i]
			if l.toEnd = l.toEnd || d.Ended; !d.Ended {
				l.forks[d.Before], l.wanted[d.Before] = place{}, true
			}
			if d.Timer {
				l.wanted[d.Armed] = true
			}
		}
		l.chains = append(l.chains, newChain(s))
	}
	for e := range l.wanted {
		l.next = append(l.next, e)
	}
	slices.Sort(l.next)
	return l
}

// Wants reports whether there may be events left that a race needs.
func (l *Locator) Wants() bool { return len(l.next) > 0 || l.toEnd }

// Step takes the event with number i.
func (l *Locator) Step(i int64, e *trace.Event) {
	g := l.goroutine(e.G)
	if _, ok := l.forks[i]; ok {
		l.forks[i] = place{event: *e, stack: g.stack, locks: slices.Clone(g.locks)}
	}
	l.control(g, e)
	e = g.inside(e)
	l.watches.step(i, e)
	if len(l.next) > 0 && l.next[0] == i {
		l.seen[i] = place{event: *e, stack: g.stack, call: g.innermost(), locks: slices.Clone(g.locks)}
		l.next = l.next[1:]
	}
	l.sync(g, e)
	for _, c := range l.chains {
		c.step(i, e)
	}
}

func (l *Locator) goroutine(id trace.GoID) *goroutine {
	g := l.goroutines[id]
	if g == nil {
		g = &goroutine{}
		l.goroutines[id] = g
	}
	return g
}

// control keeps the stacks.
func (l *Locator) control(g *goroutine, e *trace.Event) {
	switch e.Kind {
	case format.Enter:
		g.leave(e.Aux)
		at := trace.Site(e.Val)
		if at == 0 { // through a function value, or back from code that was not instrumented
			at = g.innermost()
		}
		g.stack = &frame{fn: e.Site, call: at, depth: e.Aux, outer: g.stack}
	case format.Exit:
		g.leave(e.Aux)
	case format.OpaqueBegin:
		g.opaque = append(g.opaque, call{e.Site, g.depth()})
	case format.OpaqueEnd:
		if n := len(g.opaque); n > 0 {
			g.opaque = g.opaque[:n-1]
		}
	}
}

func (g *goroutine) depth() uint64 {
	if g.stack == nil {
		return 0
	}
	return g.stack.depth
}

// innermost returns the site of the innermost running call of code that was not instrumented, or 0.
func (g *goroutine) innermost() trace.Site {
	if n := len(g.opaque); n > 0 {
		return g.opaque[n-1].site
	}
	return 0
}

// inside gives an event without a site, of code that was not instrumented, the site of
// the call it is inside of.
func (g *goroutine) inside(e *trace.Event) *trace.Event {
	if e.Site != 0 || len(g.opaque) == 0 {
		return e
	}
	at := *e
	at.Site = g.innermost()
	at.Flags |= format.FlagOpaque
	return &at
}

func (g *goroutine) leave(depth uint64) {
	for g.stack != nil && g.stack.depth >= depth {
		g.stack = g.stack.outer
	}
	for n := len(g.opaque); n > 0 && g.opaque[n-1].depth >= depth; n-- { // a panic left the call
		g.opaque = g.opaque[:n-1]
	}
}

// sync keeps the locks held and the goroutines' parents.
func (l *Locator) sync(g *goroutine, e *trace.Event) {
	read := e.Flags&format.FlagRead != 0
	switch e.Kind {
	case format.Lock:
		g.locks = append(g.locks, held{e.Obj, read, e.Site, e.Flags})
		l.holders[e.Obj] = e.G
	case format.Unlock:
		if !g.release(e.Obj, read) {
			l.goroutine(l.holders[e.Obj]).release(e.Obj, read)
		}
	case format.Go:
		child := l.goroutine(trace.GoID(e.Obj))
		child.parent, child.created, child.site = e.G, g.stack, e.Site
	}
}

func (g *goroutine) release(obj trace.Addr, read bool) bool {
	for i := len(g.locks) - 1; i >= 0; i-- {
		if g.locks[i].obj == obj && g.locks[i].read == read {
			g.locks = slices.Delete(g.locks, i, i+1)
			return true
		}
	}
	return false
}

// Races returns the races of the specs, without IDs.
func (l *Locator) Races() (races []Race, err error) {
	if err := l.complete(); err != nil {
		return nil, err
	}
	for i := range l.specs {
		s := &l.specs[i]
		if s.Tier == "" {
			continue
		}
		paths := l.addDetours(s)
		r := Race{
			Tier: s.Tier, A: l.access(s.A), B: l.access(s.B),
			Object: l.objectOfPair(s), Holds: l.holds(s), Hidden: l.hidden(l.chains[i], s.Order), Paths: paths, Witness: l.witness(i), Count: s.Count,
			Tests: l.tests(s),
		}
		if l.background != nil {
			r.Allocated, r.Fix = l.background.made(i), l.background.fix(i)
		}
		races = append(races, r)
	}
	return races, nil
}

// Candidates returns the candidates of the specs, without IDs.
func (l *Locator) Candidates() (candidates []Candidate, err error) {
	if err := l.complete(); err != nil {
		return nil, err
	}
	for i := range l.specs {
		s := &l.specs[i]
		if s.Tier != "" {
			continue
		}
		candidates = append(candidates, Candidate{
			A: l.access(s.A), B: l.access(s.B), Object: l.objectOfPair(s), Hidden: l.hidden(l.chains[i], s.Order), Count: s.Count,
		})
	}
	return candidates, nil
}

// complete returns an error if the trace lacks an event of the specs: then the analysis and this
// pass have read different traces.
func (l *Locator) complete() error {
	if len(l.next) > 0 {
		return fmt.Errorf("locating races: the trace has no event %d", l.next[0])
	}
	return nil
}

// objectOfPair names the memory that the two accesses share. An access of outside code does not
// name it.
func (l *Locator) objectOfPair(s *Spec) string {
	a, b := l.seen[s.A].event, l.seen[s.B].event
	if a.Flags&format.FlagOpaque != 0 && b.Flags&format.FlagOpaque == 0 {
		a = b
	}
	return l.object(&a)
}

func (l *Locator) access(i int64) Access {
	p := l.seen[i]
	pos, kind := l.position(p.event.Site), accessKind(&p.event)
	return Access{
		Position: pos, Source: l.source(pos.File, pos.Line), Kind: kind, Key: l.key(p.event.Site, kind), Expr: l.expr(&p.event), Func: l.function(p.event.Site),
		Goroutine: l.who(p.event.G), Stack: l.stackOf(&p), Locks: l.locks(p.locks), Event: i,
		OffPath: i < 0, Site: p.event.Site,
	}
}

func accessKind(e *trace.Event) string {
	switch e.Kind {
	case format.Read:
		return "read"
	case format.Write:
		return "write"
	case format.AtomicRead:
		if e.WriteLike() {
			return "atomic update"
		}
		return "atomic read"
	case format.AtomicWrite:
		return "atomic write"
	case format.AtomicRMW:
		return "atomic update"
	}
	panic("report: a race on an event that is not an access: " + e.Kind.String())
}

func (l *Locator) who(id trace.GoID) Goroutine {
	g, out := l.goroutine(id), Goroutine{ID: int(id)}
	if int(id) < len(l.meta.Goroutines) {
		m := l.meta.Goroutines[id]
		out.Name, out.Func, out.Parent = m.Name, m.Func, int(m.Parent)
	}
	if g.fn != "" {
		out.Func = g.fn
	}
	if g.site != 0 || g.created != nil {
		out.Parent = int(g.parent)
		out.Created = l.stack(g.site, g.created)
	}
	return out
}

// stackOf lists the frames of an access. Of outside code, the recording has the function that made
// the access, and the call that led to it from instrumented code; of a late access, only the
// former.
func (l *Locator) stackOf(p *place) []Frame {
	e := &p.event
	if !e.Outside() {
		return l.stack(e.Site, p.stack)
	}
	frames := []Frame{{Func: l.function(e.Site), Position: l.position(e.Site)}}
	if e.Flags&format.FlagLate != 0 || p.stack == nil {
		return frames
	}
	return append(frames, l.stack(p.call, p.stack)...)
}

// written returns where the program makes an access: of code of others, the call of it, if that is
// known.
func written(l *Locator, p *place) (Position, bool) {
	at := l.position(p.event.Site)
	if !p.event.Outside() || l.source(at.File, at.Line) != "" {
		return at, true
	}
	if frames := l.stackOf(p); len(frames) > 1 {
		return frames[1].Position, true
	}
	return Position{}, false
}

// stack lists the frames from site outwards. f is the innermost instrumented frame.
func (l *Locator) stack(site trace.Site, f *frame) []Frame {
	var frames []Frame
	for at := site; f != nil; f, at = f.outer, f.call {
		pos := l.position(at)
		if pos.Line == 0 || l.site(at).Func != l.site(f.fn).Func {
			pos = l.position(f.fn) // the call inside is in code that was not instrumented
		}
		frames = append(frames, Frame{Func: l.function(f.fn), Position: pos})
	}
	if frames == nil && l.function(site) != "" {
		frames = []Frame{{Func: l.function(site), Position: l.position(site)}}
	}
	return frames
}

func (l *Locator) locks(hs []held) []Lock {
	locks := []Lock{}
	for _, h := range hs {
		mode := "lock"
		if h.read {
			mode = "rlock"
		}
		locks = append(locks, Lock{Name: l.name(h.obj, h.site, h.flag), Mode: mode, Position: l.position(h.site)})
	}
	return locks
}

// site returns what the trace says about s; the zero SiteInfo has File 0, so ok matters.
func (l *Locator) site(s trace.Site) trace.SiteInfo {
	if s == 0 || int(s) >= len(l.meta.Sites) {
		return trace.SiteInfo{File: -1, Func: ^trace.FuncID(0)}
	}
	return l.meta.Sites[s]
}

func (l *Locator) position(s trace.Site) Position {
	info := l.site(s)
	if info.Name != "" {
		return Position{File: info.Name}
	}
	p := Position{Line: int(info.Line), Col: int(info.Col)}
	if info.File >= 0 && int(info.File) < len(l.meta.Files) {
		p.File = l.meta.Files[info.File].Name
	}
	return p
}

func (l *Locator) function(s trace.Site) string {
	info := l.site(s)
	if int(info.Func) >= len(l.meta.Funcs) {
		return ""
	}
	return l.meta.Funcs[info.Func].Name
}

// expr is the expression at an access, or the object's name in traces without source.
func (l *Locator) expr(e *trace.Event) string {
	if x := l.site(e.Site).Expr; x != "" {
		return x
	}
	return l.names[e.Obj]
}

func (l *Locator) object(e *trace.Event) string {
	if o := l.site(e.Site).Object; o != "" {
		return o
	}
	if n := l.names[e.Obj]; n != "" {
		return n
	}
	return l.site(e.Site).Expr
}

// unnamedLock begins the name of what code that was not instrumented synchronises with.
const unnamedLock = "something"

// name names a synchronisation object by the expression that was used at site.
func (l *Locator) name(obj trace.Addr, site trace.Site, flags format.Flags) string {
	if n := l.names[obj]; n != "" {
		return n
	}
	info := l.site(site)
	if flags&format.FlagOpaque != 0 {
		if info.Expr == "" {
			return unnamedLock + " in code that was not instrumented"
		}
		return unnamedLock + " inside " + info.Expr
	}
	if info.Object != "" {
		return info.Object
	}
	if info.Expr != "" {
		return operand(info.Expr)
	}
	return fmt.Sprintf("%#x", uint64(obj))
}
