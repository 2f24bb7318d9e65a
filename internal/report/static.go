package report

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// StaticWarning is a pair of accesses that may race in some run, as the static lens finds it
// (presage vet). It has no witness.
type StaticWarning struct {
	ID         string
	A, B       Access   // A is the access that comes first in the source
	Object     string   // the variable, field or element accessed
	Count      int      // pairs that have the access Vet.Common
	Likelihood string   // likely, possible or unlikely
	Reasons    []string // codes of the evidence against it
	Vet        Vet
}

// Vet is what a warning of the static lens has besides its accesses.
type Vet struct {
	Missing    []Reason `json:"missing"`         // evidence that speaks against it
	Rank       int      `json:"rank"`            // 1 is the strongest of the report
	Class      string   `json:"class,omitempty"` // the memory: a field with its type, or a variable
	Guard      string   `json:"guard,omitempty"`
	Held       int      `json:"held,omitempty"` // uses of the memory that hold Guard
	Uses       int      `json:"uses,omitempty"` // all uses
	WriteWrite bool     `json:"write_write"`
	InTest     bool     `json:"in_test,omitempty"` // one of the accesses stands in a file of tests
	Calls      int      `json:"calls"`             // between the starts and the accesses
	Common     string   `json:"common,omitempty"`  // the access that all Count pairs have: a or b

	// Of test and run with -static: the result of comparing it with the recorded run, the race that
	// confirms it, and the reason for the mark.
	Mark    Mark   `json:"mark,omitempty"`
	Race    string `json:"race,omitempty"`
	Because string `json:"because,omitempty"`
	// of presage vet -confirm: the lines of a test that has shown the race
	Test []string `json:"test,omitempty"`
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

// Guard prints a suggestion as go vet would.
func (h *textHandler) Guard(g *Guard) error {
	g = visible.Copy(g)
	h.printf("%s: %s is guarded by %s: +checklocks:%s (%d of %s)\n", h.short(g.Position), h.head.Sprint(g.Memory), g.Lock, g.Lock, g.Held, plural.Of(g.Uses, "use"))
	for _, p := range g.Without {
		h.printf("\tnot held at %s\n", h.loc.Sprint(h.short(p)))
	}
	return h.err
}

// Vetted counts what presage vet has done.
type Vetted struct {
	Warnings int    `json:"warnings"`           // reported
	InTest   int    `json:"in_test,omitempty"`  // of these, with an access in a file of tests
	Lower    int    `json:"lower"`              // of lower tiers
	Ignored  int    `json:"ignored"`            // pairs at a //presage:ignore
	Baseline int    `json:"baseline"`           // pairs of the baseline
	Gone     int    `json:"gone,omitempty"`     // of the baseline, what was not found
	Revision string `json:"revision,omitempty"` // with which the report compares
	Old      int    `json:"old,omitempty"`      // pairs that are there at the revision
	Guards   int    `json:"guards,omitempty"`   // suggestions
	// of -confirm: the warnings whose functions a test can call, the tests, and the warnings that
	// these confirm
	Callable  int   `json:"callable,omitempty"`
	Tests     int   `json:"tests,omitempty"`
	Confirmed int   `json:"confirmed,omitempty"`
	NotRun    int   `json:"not_run,omitempty"` // tests for which there was no time
	Failing   int   `json:"failing,omitempty"` // tests that failed in each run
	Packages  int   `json:"packages"`
	Functions int   `json:"functions"`
	Lines     int64 `json:"lines"`
}

// StaticWarning prints a warning as go vet prints its own, then the two accesses and the evidence.
func (h *textHandler) StaticWarning(w *StaticWarning) error {
	w = visible.Copy(w)
	s := &w.Vet
	h.warned(w)
	for _, a := range []*Access{&w.A, &w.B} {
		h.staticAccess(a)
	}
	if w.Count > 1 {
		a := w.common()
		h.printf("\tand %s with the %s at %s\n", plural.Of(w.Count-1, "more pair"), a.Kind, h.short(a.Position))
	}
	h.mark(s)
	h.printf("\t%s\n", s.strength())
	for _, m := range s.Missing {
		h.printf("\t%s: %s\n", m.Code, m.Text)
	}
	h.printf("\t%s\n", h.dim.Sprintf("id %s, object %s", w.ID, orUnknown(w.Object)))
	return h.err
}

// warned prints the first line of a warning.
func (h *textHandler) warned(w *StaticWarning) {
	h.printf("%s: %s of %s may race with %s at %s%s\n", h.short(w.A.Position), h.head.Sprint(w.A.Kind), orUnknown(w.A.Expr), w.B.Kind, h.short(w.B.Position), w.codes())
}

// common is the access that all pairs of a warning have.
func (w *StaticWarning) common() *Access {
	if w.Vet.Common == "b" {
		return &w.B
	}
	return &w.A
}

// codes ends the first line of a warning with the evidence against it.
func (w *StaticWarning) codes() string {
	if len(w.Reasons) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", w.Likelihood, strings.Join(w.Reasons, ", "))
}

// strength says what the order of the warnings rests on.
func (s *Vet) strength() string {
	var parts []string
	if s.Guard != "" {
		parts = append(parts, fmt.Sprintf("lock %s is held at %d of %s", s.Guard, s.Held, plural.Of(s.Uses, "access")))
	}
	parts = append(parts, pick(s.WriteWrite, "both write", "one writes"), pick(s.Calls == 0, "in the goroutines' first functions", plural.Of(s.Calls, "call")+" below the goroutines' first functions"))
	return strings.Join(parts, ", ")
}

// staticAccess prints an access: goroutine, locks, calls.
func (h *textHandler) staticAccess(a *Access) {
	h.printf("\t%s of %s in %s, in %s, holding %s\n", a.Kind, orUnknown(a.Expr), a.Func, staticGoroutine(&a.Goroutine), heldNames(a.Locks))
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

func staticGoroutine(g *Goroutine) string {
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
	return strings.Join(lockNames(ls), ", ")
}

func lockNames(ls []Lock) (names []string) {
	for _, l := range ls {
		names = append(names, l.Name+pick(l.Mode == "rlock", " (read)", ""))
	}
	return names
}

// vetted prints the last line of a report of the static lens.
func (h *textHandler) vetted(m *Summary) {
	v := m.Vet
	if v.Guards > 0 {
		h.printf("presage: %s; %s\n", plural.Of(v.Guards, "suggestion"), plural.Of(v.Packages, "package"))
		return
	}
	in := pick(h.findings > 0 && h.findings < v.Warnings, " in "+plural.Of(h.findings, "finding"), "")
	h.printf("presage: %s%s%s, and %d of lower tiers", plural.Of(v.Warnings, "warning"), in, pick(v.InTest > 0, fmt.Sprintf(", %d of them in test files", v.InTest), ""), v.Lower)
	for _, c := range []struct {
		n    int
		text string
	}{
		{v.Ignored, plural.Of(v.Ignored, "pair") + " ignored"}, {v.Baseline, plural.Of(v.Baseline, "pair") + " of the baseline"},
		{v.Gone, fmt.Sprintf("%d of the baseline gone", v.Gone)}, {v.Old, plural.Text(v.Old, "{{n}} pair{{|s}} that {{is|are}} there at ") + v.Revision},
	} {
		if c.n > 0 {
			h.printf(", %s", c.text)
		}
	}
	if v.Tests > 0 {
		h.printf("; %d confirmed (%s of two calls, for %s%s%s)", v.Confirmed, plural.Of(v.Tests, "test"), plural.Of(v.Callable, "warning"),
			pick(v.Failing > 0, fmt.Sprintf("; %d failed in each run", v.Failing), ""),
			pick(v.NotRun > 0, fmt.Sprintf("; no time for %d: -confirm=10m allows more", v.NotRun), ""))
	}
	h.printf("; %s, %s, %s\n", plural.Of(v.Packages, "package"), plural.Of(v.Functions, "function"), plural.Of(v.Lines, "line"))
}
