package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/typo"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// collected is the report of a run.
type collected struct {
	report.Ignore
	run        string
	config     report.Config
	warnings   []*report.Warning
	races      []*report.Race
	candidates []*report.Candidate
	suppressed []*report.Suppressed
	static     int // warnings of the static lens
	summary    report.Summary
}

// Config keeps what made the report.
func (c *collected) Config(m *report.Config) error { c.config = *m; return nil }

// Warning keeps what the report says of a gap.
func (c *collected) Warning(m *report.Warning) error { c.warnings = append(c.warnings, m); return nil }

// Race keeps a race.
func (c *collected) Race(m *report.Race) error { c.races = append(c.races, m); return nil }

// Candidate keeps a candidate.
func (c *collected) Candidate(m *report.Candidate) error {
	c.candidates = append(c.candidates, m)
	return nil
}

// Suppressed keeps a suppressed race or candidate.
func (c *collected) Suppressed(m *report.Suppressed) error {
	c.suppressed = append(c.suppressed, m)
	return nil
}

// StaticWarning counts a warning of the static lens.
func (c *collected) StaticWarning(*report.StaticWarning) error { c.static++; return nil }

// Summary keeps the summary.
func (c *collected) Summary(m *report.Summary) error { c.summary = *m; return nil }

// report reads the report of a run.
func (t *tools) report(ctx context.Context, run string) (*collected, error) {
	c := &collected{}
	id, err := t.kept.Report(ctx, run, c)
	c.run = id
	return c, err
}

// race returns the race with an ID, or an ID that begins with it, and the ID of its run.
func (t *tools) race(ctx context.Context, in raceIn) (f found, run string, err error) {
	c, err := t.report(ctx, in.Run)
	if err != nil {
		return found{}, "", err
	}
	f, err = c.find(in.ID)
	return f, c.run, err
}

// isCandidate reports whether a suppressed message is of a candidate.
func isCandidate(m *report.Suppressed) bool { return m.Race.Tier == tierCandidate }

// tierCandidate is the tier of candidates in lists.
const tierCandidate report.Tier = "candidate"

// found is a race of a report, or a candidate as a race.
type found struct {
	*report.Race
	candidate  *report.Candidate // nil: it is a race
	suppressed bool
}

// all are the races, then those that are suppressed, then the candidates.
func (c *collected) all() (list []found) {
	for _, r := range c.races {
		list = append(list, found{Race: r})
	}
	for _, m := range c.suppressed {
		if !isCandidate(m) {
			list = append(list, found{Race: m.Race, suppressed: true})
		}
	}
	for _, x := range c.candidates {
		list = append(list, found{Race: x.AsRace(), candidate: x})
	}
	return list
}

// find returns the race that has an ID, or whose ID alone begins so. Otherwise the error names the
// IDs that there are.
func (c *collected) find(id string) (found, error) {
	all := c.all()
	if i := slices.IndexFunc(all, func(f found) bool { return f.ID == id }); i >= 0 {
		return all[i], nil
	}
	var begin []found
	for _, f := range all {
		if id != "" && strings.HasPrefix(f.ID, id) {
			begin = append(begin, f)
		}
	}
	switch len(begin) {
	case 0:
		return found{}, c.unknown(id, all)
	case 1:
		return begin[0], nil
	}
	return found{}, fmt.Errorf("%s is the beginning of %s: %s", visible.Line(clip(id, maxName)), plural.Of(len(begin), "ID"), ids(begin))
}

// unknown is the error for an ID that no race has.
func (c *collected) unknown(id string, all []found) error {
	if len(all) == 0 {
		return fmt.Errorf("the report of run %s has no race", c.run)
	}
	id = clip(id, maxName)
	near, least := "", len(id)/3+1
	for _, f := range all {
		if d := typo.Distance(id, f.ID); d < least {
			near, least = f.ID, d
		}
	}
	if near != "" {
		near = "; did you mean " + near + "?"
	}
	return fmt.Errorf("the report of run %s has no race %q%s It has %s. list_races has their source lines", c.run, id, cmp.Or(near, "."), ids(all))
}

// shownIDs bounds the IDs that an error names.
const shownIDs = 20

// ids names races by their IDs.
func ids(list []found) string {
	var names []string
	for _, f := range list[:min(len(list), shownIDs)] {
		names = append(names, visible.Line(f.ID))
	}
	if n := len(list) - shownIDs; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// relative is the name of a file from the working directory, if it is below that. explain_pair
// takes it.
func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
