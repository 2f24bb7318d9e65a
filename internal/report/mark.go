package report

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/plural"
)

// Mark is the result of comparing a static warning with a recorded run (presage test -static).
type Mark string

const (
	// MarkConfirmed: a race with a witness has its accesses at the warning's two places. Vet.Race
	// is its ID.
	MarkConfirmed Mark = "confirmed"
	// MarkExecuted: both accesses were executed, and no race was found between them.
	MarkExecuted Mark = "executed without a race"
	// MarkNotReached: one of the two was not executed.
	MarkNotReached Mark = "not reached"
	// MarkUnwitnessed: nothing orders the two in the recorded run, but no witness was found.
	MarkUnwitnessed Mark = "unwitnessed"
	// MarkNotRecorded: it is unknown whether both were executed.
	MarkNotRecorded Mark = "not recorded"
)

// Marks counts the warnings of static analysis that a report of test or run has.
type Marks struct {
	Tier        string `json:"tier"`        // the lowest that is reported
	Warnings    int    `json:"warnings"`    // reported, the sum of the marks
	Lower       int    `json:"lower"`       // of lower tiers
	Ignored     int    `json:"ignored"`     // pairs at a //presage:ignore
	Confirmed   int    `json:"confirmed"`   //
	Executed    int    `json:"executed"`    //
	NotReached  int    `json:"not_reached"` //
	Unwitnessed int    `json:"unwitnessed"` //
	NotRecorded int    `json:"not_recorded"`
	Unwarned    int    `json:"unwarned"` // races that are no pair of any tier
}

// Add counts a warning.
func (m *Marks) Add(mark Mark) {
	m.Warnings++
	switch mark {
	case MarkConfirmed:
		m.Confirmed++
	case MarkExecuted:
		m.Executed++
	case MarkNotReached:
		m.NotReached++
	case MarkUnwitnessed:
		m.Unwitnessed++
	case MarkNotRecorded:
		m.NotRecorded++
	default:
		panic("report: unknown mark: " + string(mark))
	}
}

// mark prints the mark of a warning.
func (h *textHandler) mark(v *Vet) {
	switch v.Mark {
	case "":
	case MarkConfirmed:
		if v.Test == nil {
			h.printf("\t%s: it is race %s\n", h.bad.Sprint(v.Mark), v.Race)
			return
		}
		h.printf("\t%s: presage explore finds the race in this test\n", h.bad.Sprint(v.Mark))
		for _, line := range v.Test {
			h.printf("\t\t%s\n", h.dim.Sprint(line))
		}
	default:
		h.printf("\t%s: %s\n", h.head.Sprint(v.Mark), v.Because)
	}
}

// marks prints the counts of the marks.
func (h *textHandler) marks(m *Marks) {
	if m == nil {
		return
	}
	var parts []string
	for _, c := range []struct {
		n    int
		mark Mark
	}{{m.Confirmed, MarkConfirmed}, {m.Executed, MarkExecuted}, {m.NotReached, MarkNotReached}, {m.Unwitnessed, MarkUnwitnessed}, {m.NotRecorded, MarkNotRecorded}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.mark))
		}
	}
	if m.Lower > 0 {
		parts = append(parts, fmt.Sprintf("and %d of lower tiers", m.Lower))
	}
	if m.Ignored > 0 {
		parts = append(parts, plural.Of(m.Ignored, "pair")+" ignored")
	}
	h.printf("presage: %s of static analysis (%s)%s", plural.Of(m.Warnings, "warning"), m.Tier, pick(len(parts) > 0, ": "+strings.Join(parts, ", "), ""))
	h.printf("%s\n", pick(m.Unwarned > 0, fmt.Sprintf("; it has none for %s", plural.Of(m.Unwarned, "race")), ""))
}
