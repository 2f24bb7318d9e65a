package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/untrusted/visible"
)

// gathered is the part of a Handler that keeps all messages, for forms that are written at the end.
type gathered struct {
	Ignore
	w          io.Writer
	o          TextOptions
	config     Config
	warnings   []*Warning
	findings   []*finding
	suppressed []*Suppressed
}

// Config keeps what made the report.
func (g *gathered) Config(m *Config) error {
	if g.config = *m; g.o.Dir == "" {
		g.o.Dir = m.Dir
	}
	return nil
}

// Warning keeps a warning.
func (g *gathered) Warning(m *Warning) error {
	g.warnings = append(g.warnings, visible.Copy(m))
	return nil
}

// Race keeps a race.
func (g *gathered) Race(m *Race) error { return g.keep(m.finding()) }

// Candidate keeps a candidate.
func (g *gathered) Candidate(m *Candidate) error { return g.keep(m.finding()) }

// StaticWarning keeps a warning of the static lens.
func (g *gathered) StaticWarning(m *StaticWarning) error { return g.keep(m.finding()) }

// Suppressed keeps a suppressed race.
func (g *gathered) Suppressed(m *Suppressed) error {
	g.suppressed = append(g.suppressed, visible.Copy(m))
	return nil
}

func (g *gathered) keep(f *finding) error {
	g.findings = append(g.findings, visible.Copy(f))
	return nil
}

// relative is the name of a file below the directory of the report, with slashes. ok is false for
// another file.
func (g *gathered) relative(file string) (name string, ok bool) {
	if rel, err := filepath.Rel(g.o.Dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	return filepath.ToSlash(file), false
}

// place is where an access is, shortened.
func (g *gathered) place(p Position) string {
	p.File, _ = g.relative(p.File)
	return p.String()
}

// sentence says what a finding is, in one line.
func (g *gathered) sentence(f *finding) string {
	what := "data race"
	switch f.Tier {
	case tierCandidate:
		what = "unordered accesses"
	case tierWarning:
		what = "accesses that may race"
	}
	one := func(a *Access) string { return strings.TrimSpace(a.Kind + " " + a.Expr) }
	return fmt.Sprintf("%s (%s) on %s: %s at %s, %s at %s", what, f.level(), nameOf(f.Object, &f.A), one(&f.A), g.place(f.A.Position), one(&f.B), g.place(f.B.Position))
}

// level says how sure a finding is.
func (f *finding) level() string {
	if f.Tier == tierWarning {
		return f.Likelihood
	}
	return string(f.Tier)
}

// whole is all that the text form says of a finding.
func (g *gathered) whole(f *finding) string {
	var b bytes.Buffer
	h := NewDetails(&b, TextOptions{Dir: g.o.Dir, Width: g.o.Width})
	switch f.Tier {
	case tierCandidate:
		h.Candidate(f.candidate())
	case tierWarning:
		h.StaticWarning(f.staticWarning())
	default:
		h.Race(f.race())
	}
	return strings.TrimRight(b.String(), "\n")
}

// outcome is the last line of the text form, which says what the report covers.
func (g *gathered) outcome(m *Summary) string {
	var b bytes.Buffer
	h := newTextHandler(&b, TextOptions{Dir: g.o.Dir})
	h.suppressed = g.suppressed
	h.Config(&g.config)
	h.Summary(m)
	return strings.TrimSpace(b.String())
}

// Outcome returns the last lines of a report as text: how many races there are, what was not
// searched, and what is suppressed.
func Outcome(c *Config, suppressed []*Suppressed, m *Summary, o TextOptions) string {
	g := gathered{o: o, config: *c}
	for _, s := range suppressed {
		g.Suppressed(s)
	}
	return g.outcome(m)
}
