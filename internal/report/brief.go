package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// briefHandler writes a few lines for each cause of races. Candidates and warnings of the static
// lens are as in the details.
type briefHandler struct {
	*textHandler
	races  []*Race
	static []*StaticWarning
}

// records reports whether the command of a report has recorded what the report is of.
func (m *Config) records() bool {
	return len(m.Command) > 1 && slices.Contains([]string{"test", "run", "explore"}, m.Command[1])
}

// NewText returns a Handler that writes a report for people: a table of the findings, then each of
// them in a few lines. A finding has all races that have a variable or a source line in common.
func NewText(w io.Writer, o TextOptions) Handler {
	return &briefHandler{textHandler: newTextHandler(w, o)}
}

// Race keeps a race: those of one finding are printed together.
func (h *briefHandler) Race(r *Race) error {
	h.races = append(h.races, visible.Copy(r))
	return nil
}

// Candidate prints the races, then a candidate.
func (h *briefHandler) Candidate(c *Candidate) error {
	h.Flush()
	return h.textHandler.Candidate(c)
}

// StaticWarning prints the races, and keeps a warning of the static lens: those on one memory are
// printed together.
func (h *briefHandler) StaticWarning(w *StaticWarning) error {
	h.flushRaces()
	h.static = append(h.static, visible.Copy(w))
	return h.err
}

// flushStatic prints the warnings of the static lens. Those of one tier on one variable or field
// are one finding, where the first of them stands. A warning for which a run says nothing takes two
// lines.
func (h *briefHandler) flushStatic() {
	list := h.static
	h.static = nil
	for len(list) > 0 {
		w := list[0]
		switch w.Vet.Mark {
		case MarkExecuted, MarkNotReached, MarkNotRecorded:
			h.warned(w)
			h.printf("\t%s: %s %s\n", h.head.Sprint(w.Vet.Mark), w.Vet.Because, h.dim.Sprintf("(id %s)", w.ID))
			list = list[1:]
			continue
		}
		h.findings++
		h.textHandler.StaticWarning(w)
		var others, rest []*StaticWarning
		for _, o := range list[1:] {
			if w.Vet.Class != "" && o.Vet.Class == w.Vet.Class && o.Likelihood == w.Likelihood && o.Vet.Mark == w.Vet.Mark {
				others = append(others, o)
			} else {
				rest = append(rest, o)
			}
		}
		h.others(others)
		list = rest
	}
}

// others prints the further warnings of a finding of the static lens.
func (h *briefHandler) others(list []*StaticWarning) {
	shown := list
	if len(shown) > maxOthers {
		shown = shown[:maxOthers-1]
	}
	for _, w := range shown {
		h.printf("\talso %s at %s, %s at %s %s\n", w.A.Kind, h.loc.Sprint(h.short(w.A.Position)), w.B.Kind, h.loc.Sprint(h.short(w.B.Position)), h.dim.Sprintf("(id %s)", w.ID))
	}
	if n := len(list) - len(shown); n > 0 {
		h.printf("\tand %s of lines (-v has all)\n", plural.Of(n, "more pair"))
	}
}

// Summary prints the races, then what the details have at the end.
func (h *briefHandler) Summary(m *Summary) error {
	h.Flush()
	h.fold()
	return h.textHandler.Summary(m)
}

// Flush prints what there is so far. A report that was cut short has no other message that does so.
func (h *briefHandler) Flush() error {
	h.flushRaces()
	h.flushStatic()
	return h.err
}

func (h *briefHandler) flushRaces() error {
	groups := Group(h.races)
	if h.races = nil; len(groups) == 0 {
		return h.err
	}
	if len(groups) > 1 {
		h.table(groups)
	}
	for _, g := range groups[:min(len(groups), maxFindings)] {
		h.finding(g)
	}
	if n := len(groups) - maxFindings; n > 0 {
		h.printf("%s\n\n", plural.Text(n, "{{n}} more finding{{|s}} {{is|are}} in the table alone."))
	}
	h.printf("%s\n\n", h.further(groups))
	return h.err
}

// Findings returns the text of races alone, without a table: a few lines for each finding, or all
// of each race.
func Findings(races []*Race, o TextOptions, details bool) string {
	var b strings.Builder
	if details {
		h := newTextHandler(&b, o)
		for _, r := range races {
			h.Race(r)
		}
		return b.String()
	}
	h := &briefHandler{textHandler: newTextHandler(&b, o)}
	for _, r := range races {
		h.Race(r)
	}
	for _, g := range Group(h.races) {
		h.finding(g)
	}
	return b.String()
}

// further says where there is more. Only what a command has recorded itself can be explained and
// replayed by its IDs.
func (h *briefHandler) further(groups [][]*Race) string {
	const all = "-v prints all of each race, with stacks and schedules"
	if !h.recording || groups[0][0].Seen != nil {
		return all + "."
	}
	return "presage explain ID says why two accesses race, presage replay ID runs their schedule; " + all + "."
}

// maxFindings bounds the findings that are printed below the table.
const maxFindings = 20

// table prints a line for each finding.
func (h *briefHandler) table(groups [][]*Race) {
	rows := make([][6]string, len(groups))
	var width [5]int
	for i, g := range groups {
		rows[i] = [...]string{fmt.Sprint(i + 1), string(g[0].Tier), string(g[0].Holds), g[0].ID, g[0].Name(), h.short(g[0].A.Position) + more(len(g)-1)}
		for k := range width {
			width[k] = max(width[k], len(rows[i][k]))
		}
	}
	h.printf("%s\n", h.head.Sprint(plural.Of(len(groups), "finding")))
	for _, r := range rows {
		holds := pick(width[2] > 0, fmt.Sprintf("%-*s  ", width[2], r[2]), "")
		h.printf("  %*s  %-*s  %s%-*s  %-*s  %s\n", width[0], r[0], width[1], r[1], holds, width[3], r[3], min(width[4], maxName), r[4], h.loc.Sprint(r[5]))
	}
	h.printf("\n")
}

// maxName bounds the width of the names in the table.
const maxName = 50

func more(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + plural.Of(n, "more pair")
}

// maxOthers bounds the pairs of a finding that have a line of their own.
const maxOthers = 3

// finding prints the first race of a finding, and a line for each other one.
func (h *briefHandler) finding(g []*Race) {
	r := g[0]
	h.title(fmt.Sprintf("DATA RACE (%s)", r.Tier), r.Name(), r.ID, r.Count)
	h.side(&r.A)
	h.side(&r.B)
	tests := r.testNames()
	h.printf("  %s%s%s\n", why(h, r), pick(tests != "", " In "+tests+".", ""), r.allocated(h.short))
	if r.Fix != nil {
		h.printf("  %s\n", r.Fix.text(h.short))
	}
	if r.Seen != nil {
		h.printf("  In %d of %s, the last of them %s.\n", r.Seen.Reports, plural.Of(r.Seen.Of, "report"), r.Seen.Last)
	}
	if r.Replay != nil && r.Tier != Confirmed && r.Replay.Report == "" {
		h.printf("  Replayed, not confirmed: %s.\n", r.Replay.Why)
	}
	others := g[1:]
	if len(others) > maxOthers {
		others = others[:maxOthers-1]
	}
	for _, x := range others {
		h.printf("  also %s: %s at %s, %s at %s %s\n", x.Tier, x.A.Kind, h.loc.Sprint(h.short(x.A.Position)), x.B.Kind, h.loc.Sprint(h.short(x.B.Position)), h.dim.Sprintf("(id %s)", x.ID))
	}
	if n := len(g) - 1 - len(others); n > 0 {
		h.printf("  and %s of lines\n", plural.Of(n, "more pair"))
	}
	h.printf("\n")
}

// allocated says where the memory of a race was allocated, in front of a blank.
func (r *Race) allocated(short func(Position) string) string {
	if r.Allocated == nil {
		return ""
	}
	return " The memory was allocated at " + short(r.Allocated.Position) + "."
}

// side prints an access in two lines.
func (h *briefHandler) side(a *Access) {
	locks := ""
	switch {
	case len(a.Locks) > 0:
		locks = ", holding " + heldNames(a.Locks)
	case a.Locks != nil: // nil: not known
		locks = ", holding no lock"
	}
	h.printf("  %s %s by %s at %s%s%s\n", h.head.Sprint(a.Kind), accessed(a), briefName(a.Goroutine), h.loc.Sprint(h.short(a.Position)), locks, pick(a.OffPath, ", off the recorded path", ""))
	switch {
	case a.Source != "":
		h.printf("      %s\n", h.dim.Sprint(a.Source))
	case a.caller() != nil:
		h.printf("      called at %s by %s\n", h.loc.Sprint(h.short(a.caller().Position)), briefFunc(a.caller().Func))
	}
}

// briefFunc is the name of a function without the directory of its package.
func briefFunc(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// briefName is the name of a goroutine without the directory of its function's package.
func briefName(g Goroutine) string {
	g.Func = briefFunc(g.Func)
	return goroutineName(g)
}

// why says in one sentence why -race does not see a race in the recorded run.
func why(h *briefHandler, r *Race) string {
	const unseen = "-race cannot see it in this run: "
	switch {
	case r.Proof() == Observed:
		return "No synchronisation orders the two in this run."
	case r.Tier == Replayed:
		return "-race reports it under another schedule."
	case r.A.OffPath && r.B.OffPath:
		return unseen + "both are off the recorded path."
	case r.A.OffPath || r.B.OffPath:
		return unseen + "the " + pick(r.A.OffPath, r.A.Kind, r.B.Kind) + " is off the recorded path."
	}
	for _, e := range r.Hidden.Edges {
		if e.Broken {
			return fmt.Sprintf("%sgoroutine %d %s at %s before goroutine %d %s at %s.", unseen, e.From.Goroutine, e.From.Text, h.short(e.From.Position), e.To.Goroutine, e.To.Text, h.short(e.To.Position))
		}
	}
	return "Nothing in the trace orders the two in this run."
}
