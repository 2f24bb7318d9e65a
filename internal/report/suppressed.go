package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// By says why a race is suppressed.
type By string

const (
	// ByComment is a comment //presage:ignore at one of the accesses.
	ByComment By = "ignore"
	// ByPattern is a regular expression (-ignore) that matches a file, a function or the memory.
	ByPattern By = "pattern"
	// ByBaseline is an entry of a baseline.
	ByBaseline By = "baseline"
	// ByRevision: no function with one of the accesses has changed since a revision.
	ByRevision By = "revision"
)

// Suppressed is a race or candidate that was found, and that the user wants counted and named, but
// not printed in full. It has no part in the exit code.
type Suppressed struct {
	Race    *Race     // of a candidate: with the tier of one
	By      By        //
	Comment *Position // of ByComment
	Reason  string    // of ByComment; of ByPattern: the regular expression
}

// Suppressions counts what is suppressed, and has what the report was compared with.
type Suppressions struct {
	Ignored   int      `json:"ignored"`             // by comments
	Baseline  int      `json:"baseline"`            // by the baseline
	Patterns  int      `json:"patterns,omitempty"`  // by regular expressions
	Unchanged int      `json:"unchanged,omitempty"` // since the revision
	File      string   `json:"file,omitempty"`      // the baseline
	Revision  string   `json:"revision,omitempty"`
	Gone      []string `json:"gone,omitempty"` // entries of the baseline that were not found
}

// Add counts a suppressed race.
func (s *Suppressions) Add(m *Suppressed) {
	switch m.By {
	case ByComment:
		s.Ignored++
	case ByPattern:
		s.Patterns++
	case ByBaseline:
		s.Baseline++
	default:
		s.Unchanged++
	}
}

// Count is the number of suppressed races.
func (s *Suppressions) Count() int {
	if s == nil {
		return 0
	}
	return s.Ignored + s.Baseline + s.Patterns + s.Unchanged
}

// add adds the counts of another report.
func (s *Suppressions) add(m *Suppressions) {
	s.Ignored, s.Baseline, s.Patterns, s.Unchanged = s.Ignored+m.Ignored, s.Baseline+m.Baseline, s.Patterns+m.Patterns, s.Unchanged+m.Unchanged
	if m.File != "" {
		s.File = m.File
	}
	if m.Revision != "" {
		s.Revision = m.Revision
	}
	for _, id := range m.Gone {
		if !slices.Contains(s.Gone, id) {
			s.Gone = append(s.Gone, id)
		}
	}
}

// AsRace is a candidate as a suppressed message has it.
func (c *Candidate) AsRace() *Race { return &c.finding().Race }

// suppressedLine is the JSON form of a Suppressed.
type suppressedLine struct {
	Race    *finding  `json:"race"`
	By      By        `json:"by"`
	Comment *Position `json:"comment,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

func (m *Suppressed) line() *suppressedLine {
	return &suppressedLine{m.Race.finding(), m.By, m.Comment, m.Reason}
}

// suppressed returns the message; nil if the line has no race.
func (l *suppressedLine) suppressed() *Suppressed {
	if l == nil || l.Race == nil {
		return nil
	}
	return &Suppressed{l.Race.race(), l.By, l.Comment, l.Reason}
}

// why says what suppresses a race.
func (m *Suppressed) why(short func(Position) string) string {
	switch {
	case m.By == ByComment && m.Comment != nil:
		return "//presage:ignore at " + short(*m.Comment) + ": " + m.Reason
	case m.By == ByPattern:
		return "-ignore " + m.Reason
	case m.By == ByBaseline:
		return "the baseline"
	}
	return "-new: no function with one of the accesses has changed"
}

// Suppressed prints a suppressed race in a few lines, and keeps it for the end.
func (h *textHandler) Suppressed(m *Suppressed) error {
	h.keep(m)
	r := visible.Copy(m.Race)
	h.printf("SUPPRESSED %s %s by %s\n", pick(r.Tier == tierCandidate, "CANDIDATE", fmt.Sprintf("RACE (%s)", r.Tier)), h.head.Sprintf("on %s", r.Name()), visible.Line(m.why(h.short)))
	h.printf("%s\n", h.dim.Sprintf("id %s%s", r.ID, times(r.Count)))
	for _, a := range []*Access{&r.A, &r.B} {
		h.printf("  %s %s by %s at %s\n", a.Kind, accessed(a), goroutineName(a.Goroutine), h.loc.Sprint(h.short(a.Position)))
	}
	h.printf("\n")
	return h.err
}

// Suppressed keeps a suppressed race: a line at the end names it.
func (h *briefHandler) Suppressed(m *Suppressed) error {
	h.keep(m)
	return h.err
}

func (h *textHandler) keep(m *Suppressed) { h.suppressed = append(h.suppressed, visible.Copy(m)) }

// suppressions prints a line for each kind of suppressed races, which names all of them.
func (h *textHandler) suppressions(s *Suppressions) {
	if s == nil {
		return
	}
	names, noun := map[By][]string{}, map[By]string{ByComment: "race", ByPattern: "race", ByBaseline: "race", ByRevision: "race"}
	for _, m := range h.suppressed {
		name := m.Race.ID
		if m.Race.Tier == tierCandidate {
			noun[m.By] = "pair"
		}
		if m.By == ByComment && m.Comment != nil {
			name += " at " + h.short(*m.Comment) + ": " + m.Reason
		}
		if m.By == ByPattern {
			name += " by " + m.Reason
		}
		names[m.By] = append(names[m.By], visible.Line(name))
	}
	for _, c := range []struct {
		n    int
		by   By
		sep  string
		text string
	}{
		{s.Ignored, ByComment, "; ", plural.Of(s.Ignored, noun[ByComment]) + " suppressed by //presage:ignore"},
		{s.Patterns, ByPattern, ", ", plural.Of(s.Patterns, noun[ByPattern]) + " suppressed by -ignore"},
		{s.Baseline, ByBaseline, ", ", plural.Of(s.Baseline, noun[ByBaseline]) + " of the baseline " + s.File},
		{s.Unchanged, ByRevision, ", ", plural.Of(s.Unchanged, noun[ByRevision]) + " in functions that have not changed since " + s.Revision},
	} {
		if c.n > 0 {
			text := strings.TrimRight(c.text, " ")
			if len(names[c.by]) > 0 {
				text += ": " + strings.Join(names[c.by], c.sep)
			}
			h.printf("presage: %s\n", text)
		}
	}
	if n := len(s.Gone); n > 0 {
		h.printf("presage: %s: %s\n", plural.Text(n, "{{n}} {{entry|entries}} of the baseline {{is|are}} gone"), strings.Join(s.Gone, ", "))
	}
}
