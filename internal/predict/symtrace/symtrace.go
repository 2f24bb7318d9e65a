package symtrace

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/predict/walk"
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
	*walk.Frame
	text    []string
	locals  map[string]string
	read    string // the name of what the current instruction has read
	indent  int
	results []string
}

// invocationOf returns the invocation of a frame, nil if its function is not known.
func invocationOf(f *walk.Frame) *invocation {
	if f == nil {
		return nil
	}
	v, _ := f.Note.(*invocation)
	return v
}

// Print prints the symbolic trace of a recording of the program of a plan. open opens the events of
// the recording; it is called twice, because the first pass finds the locations that are shared.
func Print(out io.Writer, of *plan.Plan, open func(func(trace.Source) error) error) error {
	p := &printer{
		lines: map[trace.GoID][]line{}, objects: map[uint64]string{}, used: map[string]int{}, written: map[string]string{},
		vars: map[*ssa.Function]map[ssa.Value]string{},
	}
	if err := each(open, p.findShared()); err != nil {
		return err
	}
	w := walk.New(of)
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
		_, err = fmt.Fprintln(out, plural.Text(n, "\n{{n}} call{{|s}} do{{es|}} not agree with {{its|their}} source (a mistake of presage, please report it), and {{is|are}} not printed"))
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

// findShared returns a function that finds the words that several goroutines access and one of them
// writes, from all events.
func (p *printer) findShared() func(int64, *trace.Event) {
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

// at returns the source line and the event that a line comes from.
func (l *line) at() string {
	if l.index < 0 {
		return l.pos
	}
	return strings.TrimSpace(fmt.Sprintf("%s #%d", l.pos, l.index))
}

// add appends a line and returns its number.
func (p *printer) add(g trace.GoID, f *invocation, in *regcode.Instr, index int64, text func(n int) string, note string) int {
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
func (p *printer) define(g trace.GoID, f *invocation, in *regcode.Instr, name, text, note string) string {
	n := p.add(g, f, in, -1, func(n int) string { return fmt.Sprintf("%s^%d = %s", name, n, text) }, note)
	return fmt.Sprintf("%s^%d", name, n)
}

// rest prints an event that no instruction of the walk has printed.
func (p *printer) rest(w *walk.Walker, i int64, e *trace.Event, flow flow.Flow) {
	if p.done || e.G <= 0 || e.Kind != format.Alloc && p.lines[e.G] == nil { // or no line so far
		return
	}
	g, f := e.G, invocationOf(w.Top(e.G))
	switch k := e.Kind; {
	case k == format.Alloc:
		for a := range p.objects { // the memory is allocated anew
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
