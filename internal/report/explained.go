package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Explained is the explanation of two accesses that are no race (presage explain): the chain of
// events that keeps them in order, if there is one.
type Explained struct {
	A      Access `json:"a"`
	B      Access `json:"b"`
	Object string `json:"object"`
	// locked, ordered, missing, together, values, operations, undecided, untried
	Reason string     `json:"reason"`
	Text   string     `json:"text"` // the reason, as a sentence
	Links  []LinkStep `json:"links,omitempty"`
	Hidden Hidden     `json:"hidden"` // what ordered them in the recorded run

	Names map[int]string `json:"goroutines,omitempty"` // of goroutines that have one
	Trace string         `json:"trace,omitempty"`
}

// LinkStep is a step of the chain: From comes before To.
type LinkStep struct {
	From  Step     `json:"from"`
	To    Step     `json:"to"`
	By    string   `json:"by"`              // program-order, must-precede, missing-method
	Calls []CallOf `json:"calls,omitempty"` // of excluded code
	// the memory that both reach, or that one reaches and the other side accesses
	Part string `json:"part,omitempty"`
}

// CallOf is a call of excluded code.
type CallOf struct {
	Package   string `json:"package"`
	Goroutine int    `json:"goroutine"`
	Position
	Begin int64 `json:"begin"` // event numbers
	End   int64 `json:"end"`   // -1: it has not ended
}

// At returns the event i of a spec as a step.
func (l *Locator) At(i int64) Step {
	p := l.seen[i]
	return l.step(i, &p.event)
}

// method names the excluded code that a MethodBegin or MethodEnd is of.
func method(m *trace.Meta, names map[trace.Addr]string, obj trace.Addr) string {
	if n := names[obj]; n != "" {
		return n
	}
	if obj > 0 && int(obj) <= len(m.Missing) {
		return m.Missing[obj-1].Path
	}
	return fmt.Sprintf("%#x", uint64(obj))
}

// MethodName names excluded code: its package, or its name in a converted trace.
func (l *Locator) MethodName(obj trace.Addr) string { return method(l.meta, l.names, obj) }

// MemoryName names a piece of memory: by the variables and fields that are accessed there.
type MemoryName struct {
	From, To uint64
	names    []string
}

// Step looks at an access.
func (m *MemoryName) Step(meta *trace.Meta, e *trace.Event) {
	if !e.Kind.IsAccess() || uint64(e.Obj) < m.From || uint64(e.Obj) >= m.To || len(m.names) == maxNames {
		return
	}
	i := meta.SiteInfo(e.Site)
	name := i.Object
	if name == "" {
		name = i.Expr
	}
	for _, o := range meta.Objects {
		if o.Addr == e.Obj {
			name = o.Name
		}
	}
	if name != "" && !slices.Contains(m.names, name) {
		m.names = append(m.names, name)
	}
}

const maxNames = 3

func (m *MemoryName) String() string {
	if m.To == 0 {
		return "everything"
	}
	text := fmt.Sprintf("%s at %#x", plural.Of(int(m.To-m.From), "byte"), m.From)
	for i, n := range m.names {
		text += pick(i == 0, ": ", ", ") + n
	}
	return text
}

// WriteExplained prints an explanation as text.
func WriteExplained(w io.Writer, o TextOptions, x *Explained) error {
	h, x := newTextHandler(w, o), visible.Copy(x)
	h.printf("%s %s\n", h.head.Sprint("NO WITNESS"), h.head.Sprintf("of a race on %s", orUnknown(x.Object)))
	h.access(&x.A)
	h.access(&x.B)
	h.printf("\n  %s\n", x.Text)
	for i := range x.Links {
		h.link(x, i)
	}
	if x.Links == nil && x.Hidden.Ordered {
		h.printf("  In the recorded run:\n")
		for _, e := range x.Hidden.Edges {
			h.printf("\n")
			h.chained(x, &e.From)
			h.printf("      %s\n", h.dim.Sprint("before"))
			h.chained(x, &e.To)
		}
	}
	h.printf("\n")
	return h.err
}

func (h *textHandler) link(all *Explained, n int) {
	x := &all.Links[n]
	if n == 0 {
		h.printf("\n")
		h.chained(all, &x.From)
	}
	switch x.By {
	case "program-order":
		h.printf("      %s\n", h.dim.Sprint("and then"))
	case "must-precede":
		h.printf("      %s\n", h.dim.Sprint("which has to come before"))
	default:
		h.printf("      %s\n", h.dim.Sprint("which must come before the next step, because of what excluded code may do:"))
		for _, c := range x.Calls {
			h.printf("          the call of %s by %s%s (%s)\n", c.Package, all.name(c.Goroutine), h.where(c.Position), span(c))
		}
		if x.Part != "" {
			h.printf("          %s %s\n", pick(len(x.Calls) > 1, "both reach", "reaches"), x.Part)
		}
	}
	h.chained(all, &x.To)
}

func (x *Explained) name(g int) string { return goroutineName(Goroutine{ID: g, Name: x.Names[g]}) }

func (h *textHandler) where(p Position) string {
	if p.File == "" {
		return ""
	}
	return " at " + h.loc.Sprint(h.short(p))
}

func span(c CallOf) string {
	if c.End < 0 {
		return fmt.Sprintf("from event %d on", c.Begin)
	}
	return fmt.Sprintf("events %d to %d", c.Begin, c.End)
}

func (h *textHandler) chained(x *Explained, s *Step) {
	h.printf("    %s %s%s%s\n", x.name(s.Goroutine), s.Text, h.where(s.Position), h.quoted(s))
}

// missingVerb describes the begin and the end of a call of excluded code.
func missingVerb(k format.Kind) string {
	if k == format.MethodBegin {
		return "begins a call of "
	}
	return "ends the call of "
}
