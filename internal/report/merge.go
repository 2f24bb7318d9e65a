package report

import (
	"errors"
	"slices"
	"strings"
)

// Merged is a Handler that makes one report of several, of shards or of repeated runs. What is the
// same race in several of them is one race, as in the report that proves it best. It takes O(n²)
// for n races.
type Merged struct {
	Ignore
	config   *Config
	report   string // the name of the one that is read
	reports  int
	fresh    []*Race // of that one
	races    []*Race
	hidden   map[*Race]*Suppressed // of both
	warnings []*Warning
	sum      Summary
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

// Race keeps a race of the report.
func (g *Merged) Race(r *Race) error {
	r.Seen = &Occurrence{First: g.report, Last: g.report, Reports: 1}
	g.fresh = append(g.fresh, r)
	return nil
}

// Suppressed keeps a suppressed race of the report.
func (g *Merged) Suppressed(m *Suppressed) error {
	if m.Race.Tier == tierCandidate {
		return nil // as others are
	}
	if g.hidden == nil {
		g.hidden = map[*Race]*Suppressed{}
	}
	g.hidden[m.Race] = m
	return g.Race(m.Race)
}

// absorb adds the races of a report that ends to those of the reports before. Two races with one
// fingerprint are the same if their accesses are at the same places, or if neither side has another
// race with it: then lines have moved.
func (g *Merged) absorb() {
	alike := func(list []*Race, r *Race) []*Race {
		return slices.DeleteFunc(slices.Clone(list), func(x *Race) bool { return x.fingerprint() != r.fingerprint() })
	}
	before := slices.Clone(g.races)
	for _, r := range g.fresh {
		was := alike(before, r)
		i := slices.IndexFunc(was, func(x *Race) bool { return pairKey(&x.A, &x.B, x.Object) == pairKey(&r.A, &r.B, r.Object) })
		if i < 0 && len(was) == 1 && len(alike(g.fresh, r)) == 1 {
			i = 0
		}
		if i < 0 {
			g.races = append(g.races, r)
			continue
		}
		old := was[i]
		r.Seen = &Occurrence{First: old.Seen.First, Last: g.report, Reports: old.Seen.Reports + 1}
		count := old.Count + r.Count
		if g.hidden[r] == nil { // a report has it as a race
			delete(g.hidden, old)
		}
		r.addTests(old.Tests)
		if tests := r.Tests; better(r, old) {
			*old = *r
		} else {
			old.Tests = tests
		}
		old.Seen, old.Count = r.Seen, count
	}
	g.fresh = nil
}

// fingerprint is the ID without the number that tells races of one report apart.
func (r *Race) fingerprint() string {
	id, _, _ := strings.Cut(r.ID, "-")
	return id
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

// Summary ends a report, and adds to that of all. It is an error if the report has no recorded
// runs, but warnings of the source or of a detector of one pass.
func (g *Merged) Summary(m *Summary) error {
	if m.Vet != nil || m.OnTheFly != nil {
		return errors.New("only reports of test, run, explore and analyze can be merged, without -online and -engine")
	}
	g.absorb()
	g.sum.add(m)
	return nil
}

// ExitCode is that of a command whose report this is.
func (g *Merged) ExitCode() int { return g.sum.ExitCode }

// Send sends the merged report to h, races in the order of a report.
func (g *Merged) Send(h Handler) error {
	if g.config != nil {
		if err := h.Config(g.config); err != nil {
			return err
		}
	}
	slices.SortStableFunc(g.races, compareRaces)
	seen := map[string]int{}
	s := g.sum
	s.Races, s.Observed, s.Predicted, s.ByValue, s.ByPath, s.Replayed, s.Confirmed = 0, 0, 0, 0, 0, 0, 0
	s.Unconfirmed, s.Unreplayed, s.Warnings = 0, 0, len(g.warnings)
	if s.Suppressed != nil {
		kept := *s.Suppressed
		kept.Ignored, kept.Baseline, kept.Unchanged = 0, 0, 0
		// an entry that one report lacks may be in another
		kept.Gone = slices.DeleteFunc(slices.Clone(kept.Gone), func(id string) bool {
			return slices.ContainsFunc(g.races, func(r *Race) bool { return r.ID == id })
		})
		s.Suppressed = &kept
	}
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	for _, w := range g.warnings {
		note(h.Warning(w))
	}
	for _, r := range g.races {
		r.Seen.Of = g.reports
		if r.ID != "" {
			r.ID = distinct(seen, r.fingerprint())
		}
		if m := g.hidden[r]; m != nil {
			if s.Suppressed == nil {
				s.Suppressed = &Suppressions{}
			}
			m.Race = r
			s.Suppressed.Add(m)
			note(h.Suppressed(m))
			continue
		}
		s.Count(r)
		if r.Replay != nil && r.Tier != Confirmed && r.Tier != Replayed {
			s.Unconfirmed++
		}
		note(h.Race(r))
	}
	note(h.Summary(&s))
	return errors.Join(errs...)
}
