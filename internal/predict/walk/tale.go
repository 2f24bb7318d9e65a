package walk

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A tale is the symbolic trace (seed 000 section III.A, seed 002) as text: what each goroutine did,
// in SSA form. Its lines are numbered in the order of the walk, and every variable is defined once,
// by the line whose number it has.
//
//	s^5 = s^2 + i^3    a local variable; loops are unrolled, so a phi is the assignment of the edge taken
//	W^11_y = s^8       a write of a location that several goroutines access and one of them writes
//	R^14_y             a read of one
//	l^7_o1.f = 10      a write of any other location, whose reads are uses of l^7_o1.f
//	R^14_y > 2         a branch, with its outcome
//	v^9 = a^3          a parameter, at a call; its result is assigned when it returns
//
// Numbers have nothing to do with the trace: #14 at the end of a line is the event of the trace
// that it stands for. What is not assigned anywhere is zero, or came from outside: captured
// variables, and parameters of goroutines and of functions that other code calls. A value that is
// used once and is not assigned to a variable stands where it is used. Locations are named as in
// the source; what is reached by a pointer is a field or element of an object o1, o2, …, the heap
// invariant of RECIPE: the trace says which.
type tale struct {
	lines   map[trace.GoID][]line
	n       int
	shared  map[uint64]bool // words
	objects map[uint64]string
	used    map[string]int
	written map[string]string // locations that are not shared: their last definition
	vars    map[*ssa.Function]map[ssa.Value]string
	told    bool // a line stands for the event at hand
	results []string
}

type line struct {
	n      int // -1: it defines nothing
	indent int
	text   string
	note   string
	pos    string
	index  int64 // of the trace event, -1: none
}

// told is what a frame's registers and local variables are called.
type told struct {
	text    []string
	locals  map[string]string
	read    string // what the instruction at hand has read
	indent  int
	results []string
}

// DumpSymbolic prints the symbolic trace of a recording of the program of p. open opens its events;
// it is called twice, as which locations are shared is known at the end.
func DumpSymbolic(out io.Writer, p *plan.Plan, open func(func(trace.Source) error) error) error {
	t := &tale{
		lines: map[trace.GoID][]line{}, objects: map[uint64]string{}, used: map[string]int{}, written: map[string]string{},
		vars: map[*ssa.Function]map[ssa.Value]string{},
	}
	if err := each(open, t.meet()); err != nil {
		return err
	}
	w := New(p)
	w.tale = t
	meta := map[trace.GoID]string{}
	err := each(open, func(i int64, e *trace.Event) {
		t.told = false
		f := w.Step(i, e)
		t.rest(w, i, e, f)
		if e.Kind == format.Go && e.G > 0 {
			meta[trace.GoID(e.Obj)] = fmt.Sprintf(", started by goroutine %d", e.G)
		}
	})
	if err != nil {
		return err
	}
	if err := t.print(out, meta); err != nil {
		return err
	}
	if n := w.stats.Mismatches; n > 0 {
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
func (t *tale) meet() func(int64, *trace.Event) {
	type use struct {
		g             trace.GoID
		many, written bool
	}
	uses := map[uint64]*use{}
	t.shared = map[uint64]bool{}
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
				t.shared[w] = true
			}
		}
	}
}

func (t *tale) print(out io.Writer, started map[trace.GoID]string) error {
	for k, g := range slices.Sorted(maps.Keys(t.lines)) {
		if k > 0 {
			fmt.Fprintln(out)
		}
		if _, err := fmt.Fprintf(out, "goroutine %d%s\n", g, started[g]); err != nil {
			return err
		}
		for _, l := range t.lines[g] {
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
func (t *tale) add(g *goroutine, f *frame, in *instr, index int64, text func(n int) string, note string) int {
	l := line{n: t.n, index: index, note: note}
	t.n++
	if f != nil && f.told != nil {
		l.indent = f.told.indent
		if in != nil {
			l.pos = position(f, in)
		}
	}
	l.text = text(l.n)
	t.lines[g.id] = append(t.lines[g.id], l)
	t.told = t.told || index >= 0
	return l.n
}

// mark appends a line without a number.
func (t *tale) mark(g *goroutine, f *frame, index int64, text string) {
	n := t.n
	t.add(g, f, nil, index, func(int) string { return text }, "")
	t.n = n
	t.lines[g.id][len(t.lines[g.id])-1].n = -1
}

// define makes a line that assigns to a new version of a variable, and returns the version.
func (t *tale) define(g *goroutine, f *frame, in *instr, name, text, note string) string {
	n := t.add(g, f, in, -1, func(n int) string { return fmt.Sprintf("%s^%d = %s", name, n, text) }, note)
	return fmt.Sprintf("%s^%d", name, n)
}

// rest tells what no instruction of the walk stands for.
func (t *tale) rest(w *Walker, i int64, e *trace.Event, fl flow.Flow) {
	if t.told || e.G <= 0 || e.Kind != format.Alloc && t.lines[e.G] == nil {
		// before the program's own code
		return
	}
	g := w.goroutine(e.G)
	f := g.top()
	switch k := e.Kind; {
	case k == format.Alloc:
		for a := range t.objects { // what stood there is gone
			if a-uint64(e.Obj) < e.Val {
				delete(t.objects, a)
			}
		}
	case k.IsAccess():
		if fl.Walked || e.Flags&(format.FlagStack|format.FlagMore) != 0 || !t.shared[uint64(e.Obj)>>3] {
			return
		}
		t.add(g, f, nil, i, func(n int) string { return t.symbol(e, n) + t.loc(uint64(e.Obj), "o") }, "not walked")
	case k == format.End:
		t.mark(g, nil, i, "end")
	case k >= format.Lock && k < format.OpaqueBegin && k != format.Start && k != format.ChanLen && k != format.Join && k < format.Acquire:
		t.add(g, f, nil, i, func(int) string { return t.operation(e, "") }, "")
	}
}

// Frames.

// enters begins to tell of a frame. Its parameters are assigned, unless they are recorded.
func (t *tale) enters(g *goroutine, caller, f *frame) {
	if f.code == nil {
		return
	}
	f.told = &told{text: make([]string, f.code.regs), locals: map[string]string{}}
	fn := f.code.plan.SSA
	if caller != nil && caller.told != nil {
		f.told.indent = caller.told.indent + 1
	}
	outer := *f.told
	outer.indent = max(0, outer.indent-1)
	head := &frame{code: f.code, told: &outer}
	t.mark(g, head, -1, "call "+fn.RelString(nil))
	vars := slices.Clone(fn.Params)
	for i, r := range f.code.args {
		name := ""
		if i < len(vars) {
			name = vars[i].Name()
		} else {
			name = fn.FreeVars[i-len(vars)].Name()
		}
		f.told.text[r] = name
		if f.static && i < len(vars) {
			in := caller.instr()
			f.told.text[r] = t.define(g, f, nil, name, bare(t.operand(caller, in, i+1)), "")
		} else if i >= len(vars) {
			if a, ok := f.regs[r].Bits(); ok && f.static {
				f.told.text[r] = "&" + t.loc(a, name)
			} else {
				f.told.text[r] = "&" + name
			}
		}
	}
}

// returns keeps what the results are called.
func (t *tale) returns(f *frame, in *instr) {
	f.told.results = nil
	for i := range in.args {
		f.told.results = append(f.told.results, t.operand(f, in, i))
	}
}

// result assigns the results of a call that was walked.
func (t *tale) result(g *goroutine, f *frame, in *instr) {
	for i := range in.n {
		if int(i) < len(t.results) && used(in.in) {
			name := t.name(f, in.in.(ssa.Value))
			if in.n > 1 {
				name = fmt.Sprintf("%s.%d", name, i)
			}
			f.told.text[in.reg+i] = t.define(g, f, in, name, bare(t.results[i]), "return")
		}
	}
	t.results = nil
}

func used(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return ok && v.Referrers() != nil && len(*v.Referrers()) > 0
}

// phis are the assignments of an edge.
func (t *tale) phis(g *goroutine, f *frame, e edge) {
	b := &f.code.blocks[e.to]
	old := make([]string, len(b.phis))
	for i, p := range b.phis {
		old[i] = t.operand(f, p, int(e.pred))
	}
	for i, p := range b.phis {
		phi := p.in.(*ssa.Phi)
		text := old[i]
		if name := t.name(f, phi); used(phi) && isVariable(phi.Comment) && !strings.HasPrefix(text, name+"^") {
			text = t.define(g, f, p, name, bare(text), "")
		}
		f.told.text[p.reg] = text
	}
}

// branch is a branch that is taken.
func (t *tale) branch(g *goroutine, f *frame, in *instr, e edge) {
	if in.op != opIf {
		return
	}
	outcome := f.code.blocks[f.block].succs[0].to == e.to
	t.add(g, f, in, -1, func(int) string { return bare(t.operand(f, in, 0)) }, fmt.Sprint(outcome))
}

// Instructions.

// finishes tells of an instruction when its result is there.
func (t *tale) finishes(g *goroutine, f *frame, in *instr) {
	s := f.told
	read := s.read
	s.read = ""
	switch in.op {
	case opCall:
		t.result(g, f, in)
		return
	case opBind:
		s.text[in.args[0].reg] = t.operand(f, in, 1)
		return
	case opSet:
		loc := strings.TrimPrefix(t.operand(f, in, 0), "&")
		text := t.operand(f, in, 1)
		s.locals[loc] = t.define(g, f, in, loc, bare(text), "")
		for k := range s.locals {
			if strings.HasPrefix(k, loc+".") || strings.HasPrefix(k, loc+"[") {
				delete(s.locals, k)
			}
		}
		return
	}
	switch x := in.in.(type) {
	case *ssa.Phi, *ssa.Go:
		return
	case *ssa.Defer:
		t.add(g, f, in, -1, func(int) string { return "defer " + t.call(f, in, &x.Call) }, "")
		return
	}
	if in.reg < 0 || in.n == 0 {
		if _, ok := in.in.(ssa.CallInstruction); ok && !t.told && !typed(in.in) {
			t.add(g, f, in, -1, func(int) string { return t.expression(f, in) }, "")
		}
		return
	}
	s.text[in.reg] = t.value(g, f, in, read)
}

// access is a run of Reads or Writes.
func (t *tale) access(g *goroutine, f *frame, in *instr, w *want, index int64, e *trace.Event) {
	loc := t.location(f, in, w, e)
	shared := false
	for a := f.stage.addr >> 3; a <= (uint64(e.Obj)+uint64(max(e.Size, 1))-1)>>3; a++ {
		shared = shared || t.shared[a]
	}
	t.told = true
	v := Value{}
	if f.stage.known {
		v = Words(f.stage.words)
	}
	switch {
	case e.Kind == format.Read && shared:
		note := ""
		if u, ok := in.in.(*ssa.UnOp); ok {
			note = shown(u.Type(), v)
		}
		n := t.add(g, f, in, index, func(n int) string { return fmt.Sprintf("R^%d_%s", n, loc) }, note)
		f.told.read = fmt.Sprintf("R^%d_%s", n, loc)
	case e.Kind == format.Read:
		f.told.read = cmp.Or(t.written[loc], "l_"+loc)
	default:
		sym := "l"
		if shared {
			sym = "W"
		}
		text, note := "…", ""
		if st, ok := in.in.(*ssa.Store); ok {
			text, note = bare(t.operand(f, in, 1)), shown(st.Val.Type(), v)
			if _, ok := st.Val.(*ssa.Const); ok {
				note = ""
			}
		}
		n := t.add(g, f, in, index, func(n int) string { return fmt.Sprintf("%s^%d_%s = %s", sym, n, loc, text) }, note)
		if delete(t.written, loc); !shared {
			t.written[loc] = fmt.Sprintf("l^%d_%s", n, loc)
		}
	}
}

// synchronises is a record that the runtime side wrote.
func (t *tale) synchronises(g *goroutine, f *frame, in *instr, index int64, e *trace.Event) {
	if e.Kind.IsAccess() && !e.Kind.IsAtomic() {
		t.told = true // of a channel operation or the like, which says it
		return
	}
	obj := t.subject(f, in, e)
	symbol := func(s string, n int) string { return fmt.Sprintf("%s^%d_%s", s, n, obj) }
	var text func(n int) string
	read := ""
	switch e.Kind {
	case format.AtomicRead:
		text = func(n int) string { read = symbol("R", n); return read }
	case format.AtomicWrite:
		text = func(n int) string { return symbol("W", n) + " = " + bare(t.operand(f, in, len(in.args)-1)) }
	case format.AtomicRMW:
		text = func(n int) string {
			read = symbol("R", n)
			s, result := t.updated(f, in, read)
			if result == "" {
				read = symbol("W", n)
			}
			return symbol("W", n) + " = " + s
		}
	case format.ChanSend:
		text = func(n int) string { return obj + " <- " + t.sent(f, in) }
	case format.ChanRecv:
		text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj }
		if e.Flags&format.FlagClosed != 0 {
			text = func(n int) string { read = symbol("R", n); return read + " = <-" + obj + " (closed)" }
		}
	default:
		text = func(int) string { return t.operation(e, obj) }
	}
	t.add(g, f, in, index, text, "")
	f.told.read = read
}
