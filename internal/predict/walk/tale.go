package walk

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A printer collects the lines of the symbolic trace. It observes the walk.
type printer struct {
	lines   map[trace.GoID][]line
	n       int             // the number of the next line
	shared  map[uint64]bool // words of memory that several goroutines access and one of them writes
	objects map[uint64]string
	used    map[string]int
	written map[string]string // the last definition of each location that is not shared
	vars    map[*ssa.Function]map[ssa.Value]string
	done    bool     // the current event has a line
	results []string // of the callee that has just returned
}

type line struct {
	n      int // -1: it defines nothing
	indent int
	text   string
	note   string
	pos    string
	index  int64 // of the trace event, -1: none
}

// An invocation is a frame of the walk with the names of its registers and local variables.
type invocation struct {
	*frame
	text    []string
	locals  map[string]string
	read    string // the name of what the current instruction has read
	indent  int
	results []string
}

// invocationOf returns the invocation of a frame, nil if its function is not known.
func invocationOf(f *frame) *invocation {
	if f == nil {
		return nil
	}
	v, _ := f.Note.(*invocation)
	return v
}

// Print prints the symbolic trace of a recording of the program of a plan. open opens the events of the recording; it is called
// twice, because the first pass finds the locations that are shared.
func Print(out io.Writer, of *plan.Plan, open func(func(trace.Source) error) error) error {
	p := &printer{
		lines: map[trace.GoID][]line{}, objects: map[uint64]string{}, used: map[string]int{}, written: map[string]string{},
		vars: map[*ssa.Function]map[ssa.Value]string{},
	}
	if err := each(open, p.meet()); err != nil {
		return err
	}
	w := New(of)
	w.Observe(p)
	meta := map[trace.GoID]string{}
	err := each(open, func(i int64, e *trace.Event) {
		p.done = false
		f := w.Step(i, e)
		p.rest(w, i, e, f)
		if e.Kind == format.Go && e.G > 0 {
			meta[trace.GoID(e.Obj)] = fmt.Sprintf(", started by goroutine %d", e.G)
		}
	})
	if err != nil {
		return err
	}
	if err := p.print(out, meta); err != nil {
		return err
	}
	if n := w.Stats().Mismatches; n > 0 {
		_, err = fmt.Fprintf(out, "\n%d calls do not agree with their source (a mistake of presage, please report it), and are not told\n", n)
	}
	return err
}

func each(open func(func(trace.Source) error) error, f func(int64, *trace.Event)) error {
	return open(func(src trace.Source) error {
		for i := int64(0); ; i++ {
			var e trace.Event
			if err := src.Next(&e); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			f(i, &e)
		}
	})
}

// meet finds the words that several goroutines access, one of them writing.
func (p *printer) meet() func(int64, *trace.Event) {
	type use struct {
		g             trace.GoID
		many, written bool
	}
	uses := map[uint64]*use{}
	p.shared = map[uint64]bool{}
	return func(_ int64, e *trace.Event) {
		if !e.Kind.IsAccess() || e.Flags&format.FlagStack != 0 || e.G <= 0 {
			return
		}
		for w := uint64(e.Obj) >> 3; w <= (uint64(e.Obj)+uint64(max(e.Size, 1))-1)>>3; w++ {
			u := uses[w]
			if u == nil {
				u = &use{g: e.G}
				uses[w] = u
			}
			u.many = u.many || u.g != e.G
			if u.written = u.written || e.Kind.IsWrite(); u.many && u.written {
				p.shared[w] = true
			}
		}
	}
}

func (p *printer) print(out io.Writer, started map[trace.GoID]string) error {
	for k, g := range slices.Sorted(maps.Keys(p.lines)) {
		if k > 0 {
			fmt.Fprintln(out)
		}
		if _, err := fmt.Fprintf(out, "goroutine %d%s\n", g, started[g]); err != nil {
			return err
		}
		for _, l := range p.lines[g] {
			text := fmt.Sprintf("%5d: ", l.n)
			if l.n < 0 {
				text = "       "
			}
			text += strings.Repeat("  ", l.indent) + l.text
			if l.note != "" {
				text = fmt.Sprintf("%-40s // %s", text, l.note)
			}
			if at := l.at(); at != "" {
				text = fmt.Sprintf("%-56s %s", text, at)
			}
			if _, err := fmt.Fprintln(out, strings.TrimRight(text, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// at is where a line comes from.
func (l *line) at() string {
	if l.index < 0 {
		return l.pos
	}
	return strings.TrimSpace(fmt.Sprintf("%s #%d", l.pos, l.index))
}

// add appends a line and returns its number.
func (p *printer) add(g trace.GoID, f *invocation, in *instr, index int64, text func(n int) string, note string) int {
	l := line{n: p.n, index: index, note: note}
	p.n++
	if f != nil {
		l.indent = f.indent
		if in != nil {
			l.pos = position(f, in)
		}
	}
	l.text = text(l.n)
	p.lines[g] = append(p.lines[g], l)
	p.done = p.done || index >= 0
	return l.n
}

// mark appends a line without a number.
func (p *printer) mark(g trace.GoID, f *invocation, index int64, text string) {
	n := p.n
	p.add(g, f, nil, index, func(int) string { return text }, "")
	p.n = n
	p.lines[g][len(p.lines[g])-1].n = -1
}

// define makes a line that assigns to a new version of a variable, and returns the version.
func (p *printer) define(g trace.GoID, f *invocation, in *instr, name, text, note string) string {
	n := p.add(g, f, in, -1, func(n int) string { return fmt.Sprintf("%s^%d = %s", name, n, text) }, note)
	return fmt.Sprintf("%s^%d", name, n)
}

// rest prints an event that no instruction of the walk has printed.
func (p *printer) rest(w *Walker, i int64, e *trace.Event, flow window.Flow) {
	if p.done || e.G <= 0 || e.Kind != format.Alloc && p.lines[e.G] == nil { // before the program's own code
		return
	}
	g, f := e.G, invocationOf(w.Top(e.G))
	switch k := e.Kind; {
	case k == format.Alloc:
		for a := range p.objects { // what stood there is gone
			if a-uint64(e.Obj) < e.Val {
				delete(p.objects, a)
			}
		}
	case k.IsAccess():
		if flow.Walked || e.Flags&(format.FlagStack|format.FlagMore) != 0 || !p.shared[uint64(e.Obj)>>3] {
			return
		}
		p.add(g, f, nil, i, func(n int) string { return p.symbol(e, n) + p.loc(uint64(e.Obj), "o") }, "not walked")
	case k == format.End:
		p.mark(g, nil, i, "end")
	case k >= format.Lock && k < format.OpaqueBegin && k != format.Start && k != format.ChanLen && k != format.Join && k < format.Acquire:
		p.add(g, f, nil, i, func(int) string { return p.operation(e, "") }, "")
	}
}

// Frames.

// Enter begins an invocation. Its parameters are assigned, unless they are recorded.
func (p *printer) Enter(g trace.GoID, from, entered *frame) {
	if entered.Code() == nil {
		return
	}
	f := &invocation{frame: entered, text: make([]string, entered.Code().regs), locals: map[string]string{}}
	entered.Note = f
	caller := invocationOf(from)
	fn := f.Code().plan.SSA
	if caller != nil {
		f.indent = caller.indent + 1
	}
	head := *f
	head.indent = max(0, head.indent-1)
	p.mark(g, &head, -1, "call "+fn.RelString(nil))
	vars := slices.Clone(fn.Params)
	for i, r := range f.Code().args {
		name := ""
		if i < len(vars) {
			name = vars[i].Name()
		} else {
			name = fn.FreeVars[i-len(vars)].Name()
		}
		f.text[r] = name
		if f.Static() && i < len(vars) {
			in := caller.instr()
			f.text[r] = p.define(g, f, nil, name, bare(p.operand(caller, in, i+1)), "")
		} else if i >= len(vars) {
			if a, ok := f.Register(r).Bits(); ok && f.Static() {
				f.text[r] = "&" + p.loc(a, name)
			} else {
				f.text[r] = "&" + name
			}
		}
	}
}

// Return keeps the names of the results.
func (p *printer) Return(at *frame, in *instr) {
	f := invocationOf(at)
	f.results = nil
	for i := range in.args {
		f.results = append(f.results, p.operand(f, in, i))
	}
}

// Returned takes over the names of the results of a frame that its caller's walk has returned from.
func (p *printer) Returned(from *frame) { p.results = invocationOf(from).results }

// result assigns the results of a call that was walked.
func (p *printer) result(g trace.GoID, f *invocation, in *instr) {
	for i := range in.n {
		if int(i) < len(p.results) && used(in.in) {
			name := p.name(f, in.in.(ssa.Value))
			if in.n > 1 {
				name = fmt.Sprintf("%s.%d", name, i)
			}
			f.text[in.reg+i] = p.define(g, f, in, name, bare(p.results[i]), "return")
		}
	}
	p.results = nil
}

func used(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return ok && v.Referrers() != nil && len(*v.Referrers()) > 0
}

// Phis prints the assignments of an edge.
func (p *printer) Phis(g trace.GoID, at *frame, e edge) {
	f := invocationOf(at)
	b := &f.Code().blocks[e.to]
	old := make([]string, len(b.phis))
	for i, phi := range b.phis {
		old[i] = p.operand(f, phi, int(e.pred))
	}
	for i, in := range b.phis {
		phi := in.in.(*ssa.Phi)
		text := old[i]
		if name := p.name(f, phi); used(phi) && isVariable(phi.Comment) && !strings.HasPrefix(text, name+"^") {
			text = p.define(g, f, in, name, bare(text), "")
		}
		f.text[in.reg] = text
	}
}

// Branch prints the condition of a branch, with its outcome.
func (p *printer) Branch(g trace.GoID, at *frame, in *instr, e edge) {
	if in.op != opIf {
		return
	}
	f := invocationOf(at)
	outcome := f.Block().succs[0].to == e.to
	p.add(g, f, in, -1, func(int) string { return bare(p.operand(f, in, 0)) }, fmt.Sprint(outcome))
}

// Instructions.

// Finish prints an instruction when its result is known.
func (p *printer) Finish(g trace.GoID, at *frame, in *instr) {
	f := invocationOf(at)
	read := f.read
	f.read = ""
	switch in.op {
	case opCall:
		p.result(g, f, in)
		return
	case opBind:
		f.text[in.args[0].reg] = p.operand(f, in, 1)
		return
	case opSet:
		loc := strings.TrimPrefix(p.operand(f, in, 0), "&")
		text := p.operand(f, in, 1)
		f.locals[loc] = p.define(g, f, in, loc, bare(text), "")
		for k := range f.locals {
			if strings.HasPrefix(k, loc+".") || strings.HasPrefix(k, loc+"[") {
				delete(f.locals, k)
			}
		}
		return
	}
	switch x := in.in.(type) {
	case *ssa.Phi, *ssa.Go:
		return
	case *ssa.Defer:
		p.add(g, f, in, -1, func(int) string { return "defer " + p.call(f, in, &x.Call) }, "")
		return
	}
	if in.reg < 0 || in.n == 0 {
		if _, ok := in.in.(ssa.CallInstruction); ok && !p.done && !typed(in.in) {
			p.add(g, f, in, -1, func(int) string { return p.expression(f, in) }, "")
		}
		return
	}
	f.text[in.reg] = p.value(g, f, in, read)
}

// Access prints a run of Reads or Writes at its last event.
func (p *printer) Access(g trace.GoID, at *frame, in *instr, w *want, index int64, e *trace.Event) {
	f := invocationOf(at)
	addr, v := f.Accessed()
	loc := p.location(f, in, w, addr)
	shared := false
	for a := addr >> 3; a <= (uint64(e.Obj)+uint64(max(e.Size, 1))-1)>>3; a++ {
		shared = shared || p.shared[a]
	}
	p.done = true
	switch {
	case e.Kind == format.Read && shared:
		note := ""
		if u, ok := in.in.(*ssa.UnOp); ok {
			note = shown(u.Type(), v)
		}
		n := p.add(g, f, in, index, func(n int) string { return fmt.Sprintf("R^%d_%s", n, loc) }, note)
		f.read = fmt.Sprintf("R^%d_%s", n, loc)
	case e.Kind == format.Read:
		f.read = cmp.Or(p.written[loc], "l_"+loc)
	default:
		sym := "l"
		if shared {
			sym = "W"
		}
		text, note := "…", ""
		if st, ok := in.in.(*ssa.Store); ok {
			text, note = bare(p.operand(f, in, 1)), shown(st.Val.Type(), v)
			if _, ok := st.Val.(*ssa.Const); ok {
				note = ""
			}
		}
		n := p.add(g, f, in, index, func(n int) string { return fmt.Sprintf("%s^%d_%s = %s", sym, n, loc, text) }, note)
		if delete(p.written, loc); !shared {
			p.written[loc] = fmt.Sprintf("l^%d_%s", n, loc)
		}
	}
}

// Synchronise prints a record that the runtime side wrote.
func (p *printer) Synchronise(g trace.GoID, at *frame, in *instr, index int64, e *trace.Event) {
	if e.Kind.IsAccess() && !e.Kind.IsAtomic() {
		p.done = true // of a channel operation or the like, which says it
		return
	}
	f := invocationOf(at)
	obj := p.subject(f, in, e)
	symbol := func(s string, n int) string { return fmt.Sprintf("%s^%d_%s", s, n, obj) }
	var text func(n int) string
	read := ""
	switch e.Kind {
	case format.AtomicRead:
		text = func(n int) string { read = symbol("R", n); return read }
	case format.AtomicWrite:
		text = func(n int) string { return symbol("W", n) + " = " + bare(p.operand(f, in, len(in.args)-1)) }
	case format.AtomicRMW:
		text = func(n int) string {
			read = symbol("R", n)
			s, result := p.updated(f, in, read)
			if result == "" {
				read = symbol("W", n)
			}
			return symbol("W", n) + " = " + s
		}
	case format.ChanSend:
		text = func(n int) string { return obj + " <- " + p.sent(f, in) }
	case format.ChanRecv:
		text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj }
		if e.Flags&format.FlagClosed != 0 {
			text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj + " (closed)" }
		}
	default:
		text = func(int) string { return p.operation(e, obj) }
	}
	p.add(g, f, in, index, text, "")
	f.read = read
}
