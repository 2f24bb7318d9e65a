package report

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Vet is what a warning of the static lens has besides its accesses.
type Vet struct {
	Missing    []Reason `json:"missing"` // evidence that speaks against it
	Rank       int      `json:"rank"`    // 1 is the strongest of the report
	Guard      string   `json:"guard,omitempty"`
	Held       int      `json:"held,omitempty"` // uses of the memory that hold Guard
	Uses       int      `json:"uses,omitempty"` // all uses
	WriteWrite bool     `json:"write_write"`
	Calls      int      `json:"calls"`            // between the goroutines' starts and the accesses
	Common     string   `json:"common,omitempty"` // the access that all Count pairs have: a or b

	// Of test and run with -static: what the recorded run says, the race that confirms it, or why
	// it has the mark.
	Mark    Mark   `json:"mark,omitempty"`
	Race    string `json:"race,omitempty"`
	Because string `json:"because,omitempty"`
}

// Reason is a piece of evidence against a warning.
type Reason struct {
	Code string `json:"code"` // stable, kebab-case
	Text string `json:"text"`
}

// Guard is a suggestion: a lock that guards a field or a variable, as most of its uses hold it.
type Guard struct {
	Position            // of the declaration, or of a use if that is not known
	Memory   string     `json:"memory"` // pkg.T.f or pkg.v
	Lock     string     `json:"lock"`
	Held     int        `json:"held"`
	Uses     int        `json:"uses"`
	Without  []Position `json:"without"` // the uses that do not hold it
}

// GuardHandler is a Handler that is told of suggestions, too.
type GuardHandler interface {
	Handler
	Guard(*Guard) error
}

func (h *jsonHandler) Guard(m *Guard) error { return h.enc.Encode(Message{Guard: m}) }

// Guard prints a suggestion as go vet would.
func (h *textHandler) Guard(g *Guard) error {
	g = visible.Copy(g)
	h.printf("%s: %s is guarded by %s: +checklocks:%s (%d of %s)\n", h.short(g.Position), h.head.Sprint(g.Memory), g.Lock, g.Lock, g.Held, plural(g.Uses, "use"))
	for _, p := range g.Without {
		h.printf("\tnot held at %s\n", h.loc.Sprint(h.short(p)))
	}
	return h.err
}

// Vetted counts what presage vet has done.
type Vetted struct {
	Warnings  int    `json:"warnings"`           // reported
	Lower     int    `json:"lower"`              // of lower tiers
	Ignored   int    `json:"ignored"`            // pairs at a //presage:ignore
	Baseline  int    `json:"baseline"`           // pairs of the baseline
	Gone      int    `json:"gone,omitempty"`     // of the baseline, what was not found
	Revision  string `json:"revision,omitempty"` // with which the report compares
	Old       int    `json:"old,omitempty"`      // pairs that are there at the revision
	Guards    int    `json:"guards,omitempty"`   // suggestions
	Packages  int    `json:"packages"`
	Functions int    `json:"functions"`
	Lines     int64  `json:"lines"`
}

// static prints a warning as go vet prints its own, then the two accesses and what is said for and
// against it.
func (h *textHandler) static(r *Race) {
	s := r.Vet
	h.printf("%s: %s of %s may race with %s at %s%s\n", h.short(r.A.Position), h.head.Sprint(r.A.Kind), orUnknown(r.A.Expr), r.B.Kind, h.short(r.B.Position), r.codes())
	for _, a := range []*Access{&r.A, &r.B} {
		h.staticAccess(a)
	}
	if r.Count > 1 {
		a := &r.A
		if s.Common == "b" {
			a = &r.B
		}
		h.printf("\tand %s with the %s at %s\n", plural(r.Count-1, "more pair"), a.Kind, h.short(a.Position))
	}
	h.mark(s)
	h.printf("\t%s\n", s.strength())
	for _, m := range s.Missing {
		h.printf("\t%s: %s\n", m.Code, m.Text)
	}
	h.printf("\t%s\n", h.dim.Sprintf("id %s, object %s", r.ID, orUnknown(r.Object)))
}

// codes is what stands behind the message of a warning that something speaks against.
func (r *Race) codes() string {
	if len(r.Reasons) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", r.Likelihood, strings.Join(r.Reasons, ", "))
}

// strength says what the rank rests on.
func (s *Vet) strength() string {
	var parts []string
	if s.Guard != "" {
		parts = append(parts, fmt.Sprintf("%s is held at %d of %s", s.Guard, s.Held, plural(s.Uses, "use")))
	}
	parts = append(parts, pick(s.WriteWrite, "both write", "one writes"), plural(s.Calls, "call")+" from the goroutines' starts")
	return fmt.Sprintf("rank %d: %s", s.Rank, strings.Join(parts, ", "))
}

// staticAccess prints an access: goroutine, locks, calls.
func (h *textHandler) staticAccess(a *Access) {
	h.printf("\t%s of %s in %s, in %s, holding %s\n", a.Kind, orUnknown(a.Expr), a.Func, h.staticGoroutine(&a.Goroutine), heldNames(a.Locks))
	for _, f := range a.Stack[min(1, len(a.Stack)):] {
		h.printf("\t\tcalled by %s at %s\n", f.Func, h.loc.Sprint(h.short(f.Position)))
	}
	if n := len(a.Stack); n > 0 && a.Goroutine.Func != "" && a.Stack[n-1].Func != a.Goroutine.Func {
		h.printf("\t\treached from %s by calls through values\n", a.Goroutine.Func)
	}
	for i, f := range a.Goroutine.Created {
		h.printf("\t\t%s by %s at %s\n", pick(i == 0, "started", "called"), f.Func, h.loc.Sprint(h.short(f.Position)))
	}
}

func (h *textHandler) staticGoroutine(g *Goroutine) string {
	name := ""
	switch g.Origin {
	case "main":
		name = "main"
	case "init":
		name = "package initialisation"
	case "test":
		name = "the test " + g.Func
	case "parallel":
		name = pick(g.Many, "parallel runs of the test ", "the parallel test ") + g.Func
	case "exported":
		name = "a caller of " + g.Func
	case "unknown":
		name = "a goroutine with an unknown call of " + g.Func
	case "goroutine":
		name = pick(g.Many, "goroutines", "the goroutine") + " of " + g.Func
	}
	switch {
	case g.Starter && name != "":
		return "the goroutine that starts the other (" + name + ")"
	case g.Starter:
		return "the goroutine that starts the other"
	}
	return pick(name != "", name, "a goroutine that is not known")
}

func heldNames(ls []Lock) string {
	if len(ls) == 0 {
		return "no lock"
	}
	var out []string
	for _, l := range ls {
		out = append(out, l.Name+pick(l.Mode == "rlock", " (read)", ""))
	}
	return strings.Join(out, ", ")
}

// vetted prints the last line of a report of the static lens.
func (h *textHandler) vetted(m *Summary) {
	v := m.Vet
	if v.Guards > 0 {
		h.printf("presage: %s; %s\n", plural(v.Guards, "suggestion"), plural(v.Packages, "package"))
		return
	}
	h.printf("presage: %s, and %d of lower tiers", plural(v.Warnings, "warning"), v.Lower)
	for _, c := range []struct {
		n    int
		text string
	}{
		{v.Ignored, plural(v.Ignored, "pair") + " ignored"}, {v.Baseline, plural(v.Baseline, "pair") + " of the baseline"},
		{v.Gone, fmt.Sprintf("%d of the baseline gone", v.Gone)}, {v.Old, plural(v.Old, "pair") + " that are there at " + v.Revision},
	} {
		if c.n > 0 {
			h.printf(", %s", c.text)
		}
	}
	h.printf("; %s, %s, %d lines\n", plural(v.Packages, "package"), plural(v.Functions, "function"), v.Lines)
}
