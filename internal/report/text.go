package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fatih/color"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// TextOptions configure the text form.
type TextOptions struct {
	Color bool
	Width int    // of the terminal; 0 is 100
	Dir   string // file names below it are shortened
	Quiet bool   // no summary line
}

type textHandler struct {
	w          io.Writer
	o          TextOptions
	level      string
	warnings   []*Warning
	suppressed []*Suppressed
	brief      bool   // what the search left out is only counted, in the last line
	folded     bool   // there was a warning about it
	findings   int    // of the static lens
	limits     limits // of static analysis
	recording  bool   // the command of the report has recorded the run
	err        error

	head, bad, dim, loc *color.Color
}

// NewDetails returns a Handler that writes all of a report for people. It prints copies of the
// messages that a terminal does not obey (visible.Copy).
func NewDetails(w io.Writer, o TextOptions) Handler { return newTextHandler(w, o) }

func newTextHandler(w io.Writer, o TextOptions) *textHandler {
	if o.Width < 40 {
		o.Width = 100
	}
	h := &textHandler{w: w, o: o,
		head: color.New(color.Bold), bad: color.New(color.FgRed, color.Bold), dim: color.New(color.Faint), loc: color.New(color.FgCyan)}
	for _, c := range []*color.Color{h.head, h.bad, h.dim, h.loc} {
		if o.Color {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return h
}

// Config keeps the level, which the last line names if it is not the highest.
func (h *textHandler) Config(m *Config) error {
	h.level, h.recording = m.Level, m.records()
	return nil
}

func (h *textHandler) Progress(*Progress) error { return nil }

// Warning keeps the warning for the end: what was not covered qualifies the whole report.
func (h *textHandler) Warning(m *Warning) error {
	w := visible.Copy(m)
	// a line of it is none of the report's
	w.Text = strings.ReplaceAll(visible.Text(m.Text), "\n", "\n  ")
	h.warnings = append(h.warnings, w)
	return nil
}

func (h *textHandler) printf(format string, args ...any) {
	if h.err == nil {
		_, h.err = fmt.Fprintf(h.w, format, args...)
	}
}

// Race prints one race: its accesses, what hid it, and its witness.
func (h *textHandler) Race(r *Race) error {
	r = visible.Copy(r)
	h.title(fmt.Sprintf("DATA RACE (%s)", r.Tier), r.Name(), r.ID, r.Count)
	h.access(&r.A)
	h.access(&r.B)
	h.memory(r)
	h.hidden(r)
	h.paths(r)
	if r.Witness != nil {
		h.witness(r)
	}
	h.replayed(r)
	h.printf("\n")
	return h.err
}

// memory prints what is known of the memory of a race.
func (h *textHandler) memory(r *Race) {
	if r.Allocated != nil {
		h.printf("\n  The memory was allocated in\n")
		h.frames([]Frame{*r.Allocated})
	}
	if effect := r.Holds.effect(); effect != "" {
		h.printf("\n  %s\n", effect)
	}
	if r.Fix != nil {
		h.printf("\n  %s\n", r.Fix.text(h.short))
	}
}

// title prints the first two lines of a race or candidate.
func (h *textHandler) title(what, on, id string, count int) {
	h.printf("%s %s\n", h.bad.Sprint(what), h.head.Sprintf("on %s", on))
	h.printf("%s\n", h.dim.Sprintf("id %s%s", id, times(count)))
}

// replayed prints the result of a replay.
func (h *textHandler) replayed(r *Race) {
	if r.Replay != nil {
		h.printf("\n  %s\n", r.replayed())
	}
}

// replayed says what came of the replay of a race.
func (r *Race) replayed() string {
	switch {
	case r.Replay.Report != "":
		return fmt.Sprintf("Replayed: Go's race detector reports these two lines (presage replay %s runs it again).", r.ID)
	case r.Tier == Confirmed:
		return fmt.Sprintf("Replayed: both goroutines were held before their accesses at once (presage replay %s runs it again).", r.ID)
	}
	return "Replayed, not confirmed: " + r.Replay.Why + "."
}

// accessed says what is accessed: the expression, or the function that does it.
func accessed(a *Access) string {
	switch {
	case a.Expr != "":
		return a.Expr
	case a.Func != "":
		return "in " + a.Func
	}
	return "of something without a name here"
}

func times(n int) string {
	if n <= 1 {
		return ""
	}
	return ", " + plural.Of(n, "pair") + " of accesses at these two source lines"
}

func (h *textHandler) access(a *Access) {
	h.printf("\n  %s %s by %s at %s\n", h.head.Sprint(a.Kind), accessed(a), goroutineName(a.Goroutine), h.loc.Sprint(h.short(a.Position))+pick(a.OffPath, ", off the recorded path", ""))
	if a.Source != "" {
		h.printf("      %s\n", h.dim.Sprint(a.Source))
	}
	h.frames(a.Stack)
	switch {
	case len(a.Locks) > 0:
		h.printf("    holding %s\n", h.lockList(a.Locks))
	case a.Locks != nil: // nil: not known
		h.printf("    holding no lock\n")
	}
	if len(a.Goroutine.Created) > 0 {
		h.printf("    started%s at\n", pick(a.Goroutine.Parent > 0, fmt.Sprintf(" by goroutine %d", a.Goroutine.Parent), ""))
		h.frames(a.Goroutine.Created)
	}
}

func (h *textHandler) frames(fs []Frame) {
	for _, f := range fs {
		h.printf("      %s\n          %s\n", f.Func, h.loc.Sprint(h.short(f.Position)))
	}
}

func (h *textHandler) lockList(ls []Lock) string {
	var out []string
	for _, l := range ls {
		out = append(out, fmt.Sprintf("%s (%s at %s)", l.Name, pick(l.Mode == "rlock", "read-locked", "locked"), h.short(l.Position)))
	}
	return strings.Join(out, ", ")
}

// goroutineName is "goroutine 7 (main.worker)", or the name it has in its trace.
func goroutineName(g Goroutine) string {
	switch {
	case g.Name != "":
		return g.Name
	case g.ID == 0:
		return "the runtime"
	case g.ID == 1:
		return "the main goroutine"
	case g.Func != "":
		return fmt.Sprintf("goroutine %d (%s)", g.ID, g.Func)
	}
	return fmt.Sprintf("goroutine %d", g.ID)
}

// hidden explains why -race does not see the race in the recorded run.
func (h *textHandler) hidden(r *Race) {
	switch {
	case r.Proof() == Observed:
		h.printf("\n  No synchronisation orders the two accesses in the recorded run.\n")
	case r.Tier == Replayed:
		h.printf("\n  -race cannot see this race in the recorded run. It reports the two lines in another run, under the\n  schedule below. presage chose that schedule without knowing what code outside the trace would do.\n")
	case r.A.OffPath && r.B.OffPath:
		h.printf("\n  -race cannot see this race in the recorded run: both accesses are off the recorded path.\n")
	case r.A.OffPath || r.B.OffPath:
		h.printf("\n  -race cannot see this race in the recorded run: the %s is off the recorded path.\n", pick(r.A.OffPath, r.A.Kind, r.B.Kind))
	case !r.Hidden.Ordered:
		h.printf("\n  No synchronisation in the trace orders the two accesses in the recorded run. -race may report them,\n  unless code outside the trace orders them.\n")
	default:
		h.printf("\n  -race cannot see this race in the recorded run, because these steps order the two accesses:\n")
		for _, e := range r.Hidden.Edges {
			h.edge(e)
		}
		h.printf("  The schedule below does not keep the order marked *.\n")
	}
}

func (h *textHandler) edge(e Edge) {
	h.printf("   %s goroutine %d %s at %s\n", pick(e.Broken, "*", " "), e.From.Goroutine, e.From.Text, h.loc.Sprint(h.short(e.From.Position)))
	h.printf("       before goroutine %d %s at %s\n", e.To.Goroutine, e.To.Text, h.loc.Sprint(h.short(e.To.Position)))
}

// short makes the file name relative to the directory of the report.
func (h *textHandler) short(p Position) string {
	if h.o.Dir != "" && filepath.IsAbs(p.File) {
		if rel, err := filepath.Rel(h.o.Dir, p.File); err == nil && !strings.HasPrefix(rel, "..") {
			p.File = rel
		}
	}
	return p.String()
}

// Summary prints the warnings and the last line.
func (h *textHandler) Summary(m *Summary) error {
	m = visible.Copy(m)
	for _, w := range h.warnings {
		h.printf("%s %s%s\n", h.head.Sprint("warning:"), w.Text, pick(w.Count > 1 && !strings.Contains(w.Text, strconv.Itoa(w.Count)), fmt.Sprintf(" (%d)", w.Count), ""))
	}
	if h.o.Quiet {
		return h.err
	}
	if m.Vet != nil {
		h.printf("%s", h.limits.text(m, h.recording))
		h.vetted(m)
		return h.err
	}
	if m.OnTheFly != nil {
		h.onTheFly(m)
		return h.err
	}
	if text := m.Paths.lost(); text != "" && !h.brief {
		h.printf("presage: %s\n", text)
	}
	h.recorded(m)
	h.suppressions(m.Suppressed)
	found, but := cmp.Or(m.Coverage.none("races", h.below()), "no races found"+h.below()), ""
	switch {
	case m.Races == 0 && m.Suppressed.Count() > 0:
		found = "no race found besides " + plural.Text(m.Suppressed.Count(), "{{n}} suppressed one{{|s}}") + h.below()
		but = m.Coverage.some()
	case m.Races > 0:
		found = fmt.Sprintf("%s found: %d observed, %d predicted%s", plural.Of(m.Races, "race"), m.Observed, m.Predicted, m.rungs())
		but = m.Coverage.some()
	}
	h.printf("%s", h.limits.text(m, h.recording))
	h.marks(m.Static)
	h.unsearched(m)
	h.printf("presage: %s; %s, %s, analysed in %.1fs%s\n", found, plural.Of(int(m.Events), "event"), plural.Of(m.Goroutines, "goroutine"), m.Seconds, but)
	return h.err
}

// below names a level that leaves races to higher ones.
func (h *textHandler) below() string {
	switch h.level {
	case "hb", "causal", "value":
		return " at level " + h.level
	}
	return ""
}
