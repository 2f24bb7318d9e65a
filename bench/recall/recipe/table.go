package recipe

import (
	"fmt"
	"io"
)

// columns are the numbers of a row that are added up.
type columns struct {
	rv, s, recipe, diff, diff2             int
	causal, ours, observed, unmet, unknown int
	rvSeconds, seconds                     float64
	mb                                     int64
}

// of are the numbers of a row.
func (r *row) columns() (c columns) {
	races := func(level string) int { return len(r.found[level].adjacent()) }
	top := r.found["path"]
	c.rv, c.s, c.recipe, c.causal = races("RV"), races("value"), races("path"), races("causal")
	c.diff, c.diff2 = r.diff("path", "RV"), r.diff("RV", "path")
	c.ours = top.count(func(*race) bool { return true })
	c.observed = top.count(func(x *race) bool { return x.Observed })
	c.unmet = top.count(func(x *race) bool { return x.Recorded })
	c.unknown = int(top.Unknown)
	c.rvSeconds, c.seconds, c.mb = r.found["RV"].seconds, top.seconds, top.mb
	return c
}

func (c *columns) add(d columns) {
	c.rv, c.s, c.recipe, c.diff, c.diff2 = c.rv+d.rv, c.s+d.s, c.recipe+d.recipe, c.diff+d.diff, c.diff2+d.diff2
	c.causal, c.ours, c.observed, c.unmet, c.unknown = c.causal+d.causal, c.ours+d.ours, c.observed+d.observed, c.unmet+d.unmet, c.unknown+d.unknown
	c.rvSeconds, c.seconds, c.mb = c.rvSeconds+d.rvSeconds, c.seconds+d.seconds, max(c.mb, d.mb)
}

func (c columns) print(w io.Writer) {
	fmt.Fprintf(w, " %d | %d | %d | %d | %d | %s | %s | %d | %d | %d | %d | %d | %.2f | %.2f | %d |\n", c.rv, c.s, c.recipe, c.diff, c.diff2,
		ratio(c.recipe, c.rv), ratio(c.recipe, c.s), c.causal, c.ours, c.observed, c.unmet, c.unknown, c.rvSeconds, c.seconds, c.mb)
}

func ratio(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// table prints the rows as Table II, and their sums.
func table(w io.Writer, rows []*row) {
	fmt.Fprintln(w, "| program | Th | Reads | Writes | Base | Br | Sync | Total | RV | Recipe-s | Recipe | Diff | Diff' | Recipe/RV | /Recipe-s | causal | ours | observed | unmet | unknown | RV s | s | MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var sum columns
	for _, r := range rows {
		t := r.trace
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d/%d | %d | %d |", r.name, t.threads, t.reads, t.writes, t.base, t.depending, t.branches, t.sync, t.total)
		c := r.columns()
		c.print(w)
		sum.add(c)
	}
	fmt.Fprint(w, "| sum | | | | | | | |")
	sum.print(w)
}

// list prints the races of each level.
func (r *row) list(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", r.name)
	below := make(map[string]bool)
	for _, level := range levels {
		a := r.found[level]
		for i := range a.Races {
			x := &a.Races[i]
			if k := x.key(); !below[k] {
				below[k] = true
				fmt.Fprintf(w, "  %s %s: %v, %v\n", level, x.Tier, x.A, x.B)
			}
		}
	}
}
