package recipe

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/presage-race/presage/internal/report"
)

// table prints the rows as Table II, and their sums.
func table(w io.Writer, rows []*row) {
	fmt.Fprintln(w, "| program | Th | Reads | Writes | Base | Br | Sync | Total | value | path | causal | observed | Diff | Diff' | sec | RV s | MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var sum sums
	for _, r := range rows {
		t := r.trace
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d/%d | %d | %d |", r.name, t.threads, t.reads, t.writes, t.base, t.depending, t.branches, t.sync, t.total)
		r.results(w, &sum)
	}
	fmt.Fprintf(w, "| sum | | | | | | | | %s | %s | %d | %d | %d | %d | %.2f | %.2f | |\n",
		known(sum.value, sum.hasValue), known(sum.path, sum.hasPath), sum.causal, sum.observed, sum.diff, sum.diff2, sum.top, sum.rv)
	if sum.hasPath && sum.causal > 0 {
		fmt.Fprintf(w, "\npath / causal: %.2f\n", float64(sum.path)/float64(sum.causal))
	} else {
		fmt.Fprintln(w, "\npath / causal: this presage has no level path; Diff compares with its highest level")
	}
}

type sums struct {
	value, path, causal, observed, diff, diff2 int
	top, rv                                    float64
	hasValue, hasPath                          bool
}

// results prints the sections Races, Difference and Running time of a row.
func (r *row) results(w io.Writer, sum *sums) {
	causal, value, path, top := r.found["causal"], r.found["value"], r.found["path"], r.top()
	observed := 0
	for _, x := range causal.Races {
		if x.Tier == report.Observed {
			observed++
		}
	}
	diff, diff2 := without(top, causal), without(causal, top)
	fmt.Fprintf(w, " %s | %s | %d | %d | %d | %d | %.2f | %.2f | %d |\n", value.races(), path.races(), len(causal.Races), observed,
		diff, diff2, top.seconds, causal.seconds, top.mb)
	if value != nil {
		sum.value, sum.hasValue = sum.value+len(value.Races), true
	}
	if path != nil {
		sum.path, sum.hasPath = sum.path+len(path.Races), true
	}
	sum.causal += len(causal.Races)
	sum.observed += observed
	sum.diff, sum.diff2 = sum.diff+diff, sum.diff2+diff2
	sum.top, sum.rv = sum.top+top.seconds, sum.rv+causal.seconds
}

func (a *analysis) races() string {
	if a == nil {
		return "no level"
	}
	return fmt.Sprint(len(a.Races))
}

func known(n int, ok bool) string {
	if !ok {
		return "no level"
	}
	return fmt.Sprint(n)
}

// list prints the races and warnings of the highest level.
func (r *row) list(w io.Writer) {
	top := r.top()
	fmt.Fprintf(w, "\n%s\n", r.name)
	for _, x := range top.Races {
		at := func(a *report.Access) string {
			return fmt.Sprintf("%s %s %s:%d", a.Kind, a.Expr, filepath.Base(a.File), a.Line)
		}
		fmt.Fprintf(w, "  %s: %s, %s\n", x.Tier, at(&x.A), at(&x.B))
	}
	for _, x := range top.Warnings {
		fmt.Fprintf(w, "  warning %s (%d): %s\n", x.Code, x.Count, x.Text)
	}
}
