package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// kept is a report with where it came from.
type kept struct {
	report.Ignore
	config  *report.Config
	races   []*report.Race
	summary *report.Summary
	without []*report.Candidate // they cannot be replayed
	hidden  []*report.Race      // suppressed: not listed, but found by their IDs
	warned  []*report.StaticWarning
	own     bool // it is that of a run in the cache:
	run     *record.RunDir
}

// Config keeps what made the report.
func (k *kept) Config(m *report.Config) error { k.config = m; return nil }

// Race keeps a race.
func (k *kept) Race(m *report.Race) error { k.races = append(k.races, m); return nil }

// Candidate keeps a candidate.
func (k *kept) Candidate(m *report.Candidate) error { k.without = append(k.without, m); return nil }

// StaticWarning keeps a warning of the static lens.
func (k *kept) StaticWarning(m *report.StaticWarning) error {
	k.warned = append(k.warned, m)
	return nil
}

// Suppressed keeps a suppressed race.
func (k *kept) Suppressed(m *report.Suppressed) error {
	if m.Race.Tier != "candidate" {
		k.hidden = append(k.hidden, m.Race)
	}
	return nil
}

// Summary keeps the summary.
func (k *kept) Summary(m *report.Summary) error { k.summary = m; return nil }

// readKept reads a report in JSON form; without a name, that of a run in the cache.
func readKept(name, runID string) (*kept, error) {
	if name != "" && runID != "" {
		return nil, usagef("flags -report and -run-id exclude each other")
	}
	if name != "" {
		return readReport(name)
	}
	run, err := findRun(runID)
	if err != nil {
		return nil, err
	}
	k, err := readReport(filepath.Join(run.Dir, record.ReportFile))
	if err != nil {
		run.Release()
		return nil, damagedRun(run, err)
	}
	k.own, k.run = true, run
	return k, nil
}

func readReport(name string) (*kept, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, underlying(err))
	}
	defer f.Close()
	k := &kept{}
	err = report.HandleJSON(f, k)
	if err == nil {
		err = (&lastSummary{begun: k.config != nil, complete: k.summary != nil}).whole()
	}
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, err)
	}
	return k, nil
}

// hide takes suppressed races out of those that are listed. It returns the number of all that are
// not.
func (k *kept) hide(list []*report.Suppressed) int {
	for _, m := range list {
		k.hidden = append(k.hidden, m.Race)
		k.races = slices.DeleteFunc(k.races, func(r *report.Race) bool { return r == m.Race })
	}
	return len(k.hidden)
}

// list prints what can be replayed.
func (k *kept) list(w io.Writer) error {
	if len(k.races) == 0 {
		fmt.Fprintln(w, "presage: the report has no race to replay")
		return nil
	}
	for _, r := range k.races {
		visible.Fprintf(w, "%s  %-9s %s: %s %s, %s %s\n", r.ID, r.Tier, r.Name(), r.A.Kind, short(r.A.Position), r.B.Kind, short(r.B.Position))
	}
	return nil
}

func short(p report.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
}

// choose finds races by their IDs, which may be cut.
func (k *kept) choose(ids []string, all bool) ([]*report.Race, error) {
	if all {
		return k.races, nil
	}
	var out []*report.Race
	for _, id := range ids {
		races := slices.Concat(k.races, k.hidden)
		i := slices.IndexFunc(races, func(r *report.Race) bool { return r.ID == id })
		if i < 0 {
			i = slices.IndexFunc(races, func(r *report.Race) bool { return strings.HasPrefix(r.ID, id) })
		}
		if i < 0 && id != "" && slices.ContainsFunc(k.without, func(c *report.Candidate) bool { return strings.HasPrefix(c.ID, id) }) {
			return nil, fmt.Errorf("%s is a candidate, which has no witness to replay: analyse its trace without -engine", id)
		}
		if i < 0 || id == "" {
			return nil, usagef("the report has no race %q; presage replay without an ID lists those that it has", id)
		}
		out = append(out, races[i])
	}
	return out, nil
}

// trace finds the trace of a race.
func (k *kept) trace(race *report.Race) (string, error) {
	if race.Trace != "" {
		return race.Trace, nil
	}
	if c := k.config.Command; len(c) > 2 && c[1] != "test" && c[1] != "run" && k.summary.TraceFile == "" {
		// analyze, of one trace
		return c[len(c)-1], nil
	}
	if st, err := os.Stat(k.summary.TraceFile); err == nil && !st.IsDir() {
		return k.summary.TraceFile, nil
	}
	files, _ := filepath.Glob(filepath.Join(k.summary.TraceFile, "*.trace"))
	if len(files) != 1 {
		return "", fmt.Errorf("the trace of the race is not in %s any more: record the program again", k.summary.TraceFile)
	}
	return files[0], nil
}
