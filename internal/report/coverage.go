package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// Searched is the part of a run that was searched.
type Searched string

// The extents of a search. Only Whole may be printed as "no races found".
const (
	Whole   Searched = "whole"   // the run was recorded, and searched as far as the level goes
	Part    Searched = "part"    // some of it was not: Gaps has the rest
	Nothing Searched = "nothing" // none of it was: Why has the reason
)

// Coverage is the part of a run that was recorded and searched.
type Coverage struct {
	Searched  Searched `json:"searched"`
	Why       string   `json:"why,omitempty"`      // of Nothing
	Processes int      `json:"processes"`          // that were recorded
	Assembly  int      `json:"assembly,omitempty"` // functions without a body in Go
	LeftOut   int      `json:"left_out"`           // calls of packages that the user left out
	Gaps      []Gap    `json:"gaps,omitempty"`
}

// Gap is a part of the run that was not recorded or not searched: a race in it may be missed.
type Gap struct {
	Code  string `json:"code"` // of the warning that has the details
	Count int    `json:"count"`
	Text  string `json:"text"` // a few words, with the count
	Lost  bool   `json:"lost"` // recording or searching it ended early
}

// Lost reports whether a part of the run was lost.
func (c *Coverage) Lost() bool {
	for _, g := range c.Gaps {
		if g.Lost {
			return true
		}
	}
	return false
}

// shownGaps is the number of gaps that the last line names.
const shownGaps = 4

// gaps names the gaps in a few words.
func (c *Coverage) gaps() string {
	var parts []string
	for i, g := range c.Gaps {
		if i == shownGaps {
			parts = append(parts, fmt.Sprintf("and %d more", len(c.Gaps)-i))
			break
		}
		parts = append(parts, g.Text)
	}
	return strings.Join(parts, ", ")
}

// none is the answer if no race was found. level names a level below the highest. The answer of a
// whole search is "", for the caller to print.
func (c *Coverage) none(what, level string) string {
	switch {
	case c == nil:
		return "no " + what + " in a report that does not say how much was searched"
	case c.Searched == Nothing:
		return "nothing was searched: " + c.Why
	case c.Searched == Part:
		return "searched only in part, without finding " + pick(what == "races", "a race", "anything") + level
	}
	return ""
}

// some qualifies an answer that names races.
func (c *Coverage) some() string {
	switch {
	case c == nil || c.Searched == Whole:
		return ""
	case c.Searched == Nothing:
		return "; " + c.Why
	}
	return "; searched only in part"
}

// recorded prints how much of the program was recorded, and what was not covered.
func (h *textHandler) recorded(m *Summary) {
	c := m.Coverage
	if c == nil || m.Events == 0 {
		return
	}
	parts := []string{plural.Of(c.Processes, "process")}
	if m.Functions > 0 {
		parts = append([]string{fmt.Sprintf("%d of %s", m.Instrumented, plural.Of(m.Functions, "function"))}, parts...)
	}
	if m.Settled < m.Promising && !h.brief {
		h.printf("presage: %s of source lines had neither a common lock nor a fixed order; %d decided in full\n", plural.Of(m.Promising, "pair"), m.Settled)
	}
	h.printf("presage: recorded %s, %s and %s%s\n", strings.Join(parts, ", "), plural.Of(m.Goroutines, "goroutine"), plural.Of(int(m.Events), "event"), m.uncovered())
}

// uncovered lists functions and calls without records, and losses unless the line about what was
// not searched has them.
func (s *Summary) uncovered() string {
	var parts []string
	if n := s.Functions - s.Instrumented; n > 0 {
		parts = append(parts, fmt.Sprintf("%s left as written", plural.Of(n, "function")))
	}
	if n := s.Coverage.Assembly; n > 0 {
		parts = append(parts, fmt.Sprintf("%s in assembly", plural.Of(n, "function")))
	}
	if n := s.Coverage.LeftOut; n > 0 {
		parts = append(parts, fmt.Sprintf("%s of packages that were left out", plural.Of(n, "call")))
	}
	for _, g := range s.Coverage.Gaps {
		if g.Lost && s.Coverage.Searched != Part {
			parts = append(parts, g.Text)
		}
	}
	if parts == nil {
		return ""
	}
	return "; not covered: " + strings.Join(parts, ", ")
}

// ofSearch are the warnings about how far the search went. The brief text counts them in its last
// line; the form coverage has them in full.
var ofSearch = []string{
	"pairs-apart", "places-crowded", "candidates-untried", "candidates-untried-off-path", "ways-untried", "threads-cut",
	"writers-unknown", "unexplained-read", "hidden-writes", "solver-unknown", "candidates-run", "candidates-to-run",
}

// ofAnalysis reports whether the code of a warning is that of something that static analysis did
// not follow, or of a bound that it came to. The brief text has these in one line, the form
// coverage has them in full.
func ofAnalysis(code string) bool {
	return strings.HasPrefix(code, "bound-") || ofUnfollowed(code) != ""
}

// ofUnfollowed names what static analysis does not follow, by the code of the warning; "" of other
// codes.
func ofUnfollowed(code string) string {
	switch code {
	case "unknown-call":
		return "{{n}} call{{|s}} of a function that is not known"
	case "no-body":
		return "{{n}} function{{|s}} without Go code"
	case "cgo":
		return "{{n}} file{{|s}} with cgo"
	case "unsafe":
		return "{{n}} conversion{{|s}} of unsafe.Pointer"
	case "reflect":
		return "{{n}} call{{|s}} by reflection"
	}
	return ""
}

// coverageHandler writes what was not recorded or not searched.
type coverageHandler struct{ *textHandler }

// NewCoverage returns a Handler that writes what was not recorded or not searched, what that means,
// and what to do: all warnings, and the last lines of the text form.
func NewCoverage(w io.Writer, o TextOptions) Handler { return coverageHandler{newTextHandler(w, o)} }

// Race does nothing.
func (coverageHandler) Race(*Race) error { return nil }

// Candidate does nothing.
func (coverageHandler) Candidate(*Candidate) error { return nil }

// StaticWarning does nothing.
func (coverageHandler) StaticWarning(*StaticWarning) error { return nil }

// Guard does nothing.
func (coverageHandler) Guard(*Guard) error { return nil }

// Suppressed keeps a suppressed race: a line at the end names it.
func (h coverageHandler) Suppressed(m *Suppressed) error {
	h.keep(m)
	return nil
}

// fold takes the warnings about the search and about static analysis out of the text.
func (h *briefHandler) fold() {
	h.brief, h.folded = true, false
	h.warnings = slices.DeleteFunc(h.warnings, func(w *Warning) bool {
		if code := strings.TrimPrefix(w.Code, "static-"); ofUnfollowed(code) != "" {
			h.limits.unfollowed = append(h.limits.unfollowed, plural.Text(w.Count, ofUnfollowed(code)))
			return true
		} else if ofAnalysis(code) {
			h.limits.cut += w.Count
			return true
		}
		folded := slices.Contains(ofSearch, w.Code)
		// reads that keep their values are part of the model: nothing can be done about them
		h.folded = h.folded || folded && w.Code != "hidden-writes" && w.Code != "unexplained-read"
		return folded
	})
}

// limits are those of static analysis.
type limits struct {
	unfollowed []string // what it did not follow, with counts
	cut        int      // how often it came to one of its bounds
}

// text names the limits; "" if the analysis came to none.
func (l *limits) text(m *Summary, recording bool) string {
	var parts []string
	if l.unfollowed != nil {
		parts = append(parts, "did not follow "+strings.Join(l.unfollowed, ", "))
	}
	if l.cut > 0 {
		parts = append(parts, "came to its bounds "+plural.Of(l.cut, "time"))
	}
	if parts == nil {
		return ""
	}
	command := pick(m.Vet != nil, "presage vet -format coverage", coverageCommand(recording))
	return fmt.Sprintf("presage: static analysis %s; %s says what that means\n", strings.Join(parts, ", and "), command)
}

// coverageCommand says how to get the form coverage.
func coverageCommand(recording bool) string {
	return pick(recording, "presage report -coverage", "-format coverage")
}

// unsearched names what was not searched, and says where the text is that the brief form leaves
// out.
func (h *textHandler) unsearched(m *Summary) {
	command := coverageCommand(h.recording)
	early, _, at := m.Paths.early()
	switch {
	case m.Coverage != nil && m.Coverage.Searched == Part:
		h.printf("presage: not searched: %s%s\n", m.Coverage.gaps(), pick(h.brief, "; "+command+" says what to do about it", ""))
	case !h.brief:
	case m.Races == 0 && early > 0:
		h.printf("presage: %d of %s of untaken branches %s early, most at %s: presage explore may run them; %s has the rest\n", early, plural.Of(m.Paths.Ways, "path"), pick(early == 1, "ends", "end"), at[0], command)
	case h.folded || m.Coverage != nil && m.Settled < m.Promising:
		h.printf("presage: %s lists what was not searched, and what to do about it\n", command)
	case m.Paths.lost() != "":
		h.printf("presage: %s says how far untaken branches were followed\n", command)
	}
}
