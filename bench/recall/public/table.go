package public

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/presage-race/presage/internal/report"
)

// columns of the table.
var columns = []string{
	// under -race: runs with a report, and pairs of the open form
	"case", "-race open", "hidden", "pairs",
	"open: observed", "found", "confirmed", // presage: pairs
	"hidden", "confirmed",
	"fixed", "other", "", // races
}

// cells are the columns of an outcome.
func (out *outcome) cells() []string {
	n := len(out.Open.Pairs)
	cells := []string{out.Name, fmt.Sprintf("%d/%d", out.Open.Racy, out.Open.Runs), fmt.Sprintf("%d/%d", out.Hidden.Racy, out.Hidden.Runs), fmt.Sprint(n)}
	if out.POpen != nil {
		cells = append(cells,
			fmt.Sprint(out.POpen.of(n, observed)), fmt.Sprint(out.POpen.of(n, always)), fmt.Sprint(out.POpen.of(n, confirmed)),
			out.hidden(), fmt.Sprint(out.PHidden.of(n, confirmed)),
			fmt.Sprint(len(out.POpenFixed.Found)+len(out.PHiddenFixed.Found)),
			fmt.Sprint(len(out.POpen.Other)+len(out.PHidden.Other)+len(out.POpenFixed.Other)+len(out.PHiddenFixed.Other)))
	}
	return append(cells, out.complaint())
}

func always(found) bool      { return true }
func observed(f found) bool  { return f.Tier == report.Observed }
func replayed(f found) bool  { return f.Tier == report.Replayed }
func confirmed(f found) bool { return f.Confirmed || replayed(f) }

// hidden says what presage makes of the hidden form.
func (out *outcome) hidden() string {
	n := len(out.Open.Pairs)
	if len(out.PHidden.Found) == 0 {
		return "missing"
	}
	return fmt.Sprintf("%d of %d %s", out.PHidden.of(n, always), n, out.PHidden.tiers())
}

// line is an outcome in one line.
func (out *outcome) line() string { return strings.Join(out.cells(), "  ") }

// sums counts cases.
type sums struct{ cases, observed, open, predicted, replayed, missing, confirmed, fixed, wrong int }

func (s *sums) add(out *outcome) {
	s.cases++
	if out.complaint() != "" {
		s.wrong++
	}
	if out.POpen == nil {
		return
	}
	n := len(out.Open.Pairs)
	s.observed += min(1, out.POpen.of(n, observed))
	s.open += min(1, out.POpen.of(n, always))
	some := func(ok func(found) bool) bool { return out.PHidden.of(n, ok) > 0 }
	switch {
	case some(func(f found) bool { return !replayed(f) }):
		s.predicted++
	case some(replayed):
		s.replayed++
	default:
		s.missing++
	}
	if some(confirmed) {
		s.confirmed++
	}
	s.fixed += len(out.POpenFixed.Found) + len(out.PHiddenFixed.Found)
}

// printTable prints the outcomes, and returns the exit code.
func printTable(w io.Writer, all []*outcome, o *options) (code int) {
	s := &sums{}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for _, out := range all {
		fmt.Fprintln(t, strings.Join(out.cells(), "\t"))
		s.add(out)
	}
	t.Flush()
	for _, out := range all {
		out.details(w, o.verbose)
	}
	if !o.check {
		fmt.Fprintf(w, "open: a pair observed in %d of %d cases, found in %d\n", s.observed, s.cases, s.open)
		fmt.Fprintf(w, "hidden: predicted in %d of %d cases, only replayed in %d, missing in %d; confirmed by a replay in %d\n", s.predicted, s.cases, s.replayed, s.missing, s.confirmed)
		fmt.Fprintf(w, "fixed versions: %d races on the same memory\n", s.fixed)
	}
	if s.wrong > 0 {
		fmt.Fprintf(w, "%d cases are not as expected\n", s.wrong)
		return 1
	}
	return 0
}

// details prints why a hidden form is missing; with verbose the pairs and all warnings, too.
func (out *outcome) details(w io.Writer, verbose bool) {
	if verbose {
		for _, p := range out.Open.Pairs {
			fmt.Fprintf(w, "%s: pair %v, %v\n", out.Name, p[0], p[1])
		}
	}
	if out.PHidden == nil {
		return
	}
	if verbose || len(out.PHidden.Found) == 0 {
		fmt.Fprintf(w, "%s hidden: %d events, %d undecided; warnings: %s\n", out.Name, out.PHidden.Events, out.PHidden.Undecided, strings.Join(out.PHidden.Warnings, ", "))
	}
	for _, form := range []struct {
		name string
		*predicted
	}{{"open", out.POpen}, {"hidden", out.PHidden}, {"open, fixed", out.POpenFixed}, {"hidden, fixed", out.PHiddenFixed}} {
		if form.Failed != "" {
			fmt.Fprintf(w, "%s %s: %s\n", out.Name, form.name, form.Failed)
		}
		for _, other := range form.Other {
			fmt.Fprintf(w, "%s %s: a race of no pair: %s\n", out.Name, form.name, other)
		}
		for _, f := range form.Found {
			if f.Why != "" || verbose {
				fmt.Fprintf(w, "%s %s: %s %s %v, %v %s\n", out.Name, form.name, f.Tier, f.ID, f.A, f.B, f.Why)
			}
		}
	}
}
