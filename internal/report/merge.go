package report

import (
	"errors"
	"slices"
)

// Merged is a Handler that makes one report of several, of shards or of repeated runs: races,
// candidates and warnings with one ID are one. A race is as in the report that proves it best.
type Merged struct {
	Ignore
	config     *Config
	report     string // the name of the one that is read
	reports    int
	races      []*Race
	candidates []*Candidate
	static     []*StaticWarning
	warnings   []*Warning
	sum        Summary
}

// Begin begins the report of a name.
func (g *Merged) Begin(name string) { g.report, g.reports = name, g.reports+1 }

// Config keeps the first one.
func (g *Merged) Config(m *Config) error {
	if g.config == nil {
		g.config = m
	}
	return nil
}

// Race keeps a race, or adds it to the one with its ID.
func (g *Merged) Race(r *Race) error {
	i := slices.IndexFunc(g.races, func(x *Race) bool { return x.ID == r.ID })
	if i < 0 {
		r.Seen = &Occurrence{First: g.report, Last: g.report, Reports: 1}
		g.races = append(g.races, r)
		return nil
	}
	old := g.races[i]
	seen, count := old.Seen, old.Count+r.Count
	if seen.Last != g.report {
		seen.Last, seen.Reports = g.report, seen.Reports+1
	}
	if r.certainty() < old.certainty() {
		g.races[i] = r
	}
	g.races[i].Seen, g.races[i].Count = seen, count
	return nil
}

// Candidate keeps a candidate with a new ID.
func (g *Merged) Candidate(c *Candidate) error {
	if !slices.ContainsFunc(g.candidates, func(x *Candidate) bool { return x.ID == c.ID }) {
		g.candidates = append(g.candidates, c)
	}
	return nil
}

// StaticWarning keeps a warning of the static lens with a new ID.
func (g *Merged) StaticWarning(w *StaticWarning) error {
	if !slices.ContainsFunc(g.static, func(x *StaticWarning) bool { return x.ID == w.ID }) {
		g.static = append(g.static, w)
	}
	return nil
}

// Warning keeps a warning, or adds its count to one with the same text.
func (g *Merged) Warning(m *Warning) error {
	i := slices.IndexFunc(g.warnings, func(x *Warning) bool { return x.Code == m.Code && x.Text == m.Text })
	if i < 0 {
		g.warnings = append(g.warnings, m)
		return nil
	}
	g.warnings[i].Count += m.Count
	return nil
}

// Summary adds to that of all reports.
func (g *Merged) Summary(m *Summary) error {
	g.sum.add(m)
	return nil
}

// Send sends the merged report to h, races in the order of a report.
func (g *Merged) Send(h Handler) error {
	if g.config != nil {
		if err := h.Config(g.config); err != nil {
			return err
		}
	}
	slices.SortStableFunc(g.races, compareRaces)
	s := g.sum
	s.Races, s.Observed, s.Predicted, s.ByValue, s.ByPath, s.Replayed, s.Confirmed = 0, 0, 0, 0, 0, 0, 0
	s.Unconfirmed, s.Unreplayed, s.Warnings = 0, 0, len(g.warnings)
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	for _, w := range g.warnings {
		note(h.Warning(w))
	}
	for _, r := range g.races {
		r.Seen.Of = g.reports
		s.Count(r)
		if r.Replay != nil && r.Tier != Confirmed && r.Tier != Replayed {
			s.Unconfirmed++
		}
		note(h.Race(r))
	}
	for _, c := range g.candidates {
		note(h.Candidate(c))
	}
	for _, w := range g.static {
		note(h.StaticWarning(w))
	}
	note(h.Summary(&s))
	return errors.Join(errs...)
}
