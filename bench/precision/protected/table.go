package protected

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// row counts the verdicts of a family.
type row struct {
	programs, dropped, failed, judged, wrong, missing, other int
	// apart forms, and those whose race is reported
	apart, found int

	tiers map[string]int // of the races of twins
}

func (r *row) add(v *verdict) {
	r.programs++
	switch {
	case v.Dropped != "":
		r.dropped++
		return
	case v.Failed != "":
		r.failed++
	case v.Judge != unjudged:
		r.judged++
		if v.Twin == "" {
			r.missing++
		} else {
			r.tiers[v.Twin]++
		}
		if v.Apart != noForm {
			r.apart++
		}
		if v.Apart != noForm && v.Apart != "" {
			r.found++
		}
	}
	if len(v.False) > 0 {
		r.wrong++
	}
	if len(v.Other) > 0 {
		r.other++
	}
}

// tiers are those of twins' races, in the order of the columns.
var tiers = []string{"observed", "predicted", "by-value", "by-path", "replayed"}

// printTable prints the verdicts by family, and returns the exit code.
func printTable(w io.Writer, verdicts []*verdict, verbose bool) (code int) {
	rows := map[string]*row{}
	for _, v := range verdicts {
		for _, name := range []string{v.Family, "total"} {
			if rows[name] == nil {
				rows[name] = &row{tiers: map[string]int{}}
			}
			rows[name].add(v)
		}
	}
	fmt.Fprintf(w, "%-14s %8s %7s %6s %6s  | FALSE | twins: %8s %9s %8s %7s %8s %7s | apart found | other\n", "family", "programs", "dropped", "failed", "judged", tiers[0], tiers[1], tiers[2], tiers[3], tiers[4], "missing")
	last := func(name string) int { return map[bool]int{true: 1}[name == "total"] }
	for _, name := range slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a, b))
	}) {
		r := rows[name]
		fmt.Fprintf(w, "%-14s %8d %7d %6d %6d  | %5d |        %8d %9d %8d %7d %8d %7d | %5d %5d | %5d\n", name, r.programs, r.dropped, r.failed, r.judged, r.wrong,
			r.tiers[tiers[0]], r.tiers[tiers[1]], r.tiers[tiers[2]], r.tiers[tiers[3]], r.tiers[tiers[4]], r.missing, r.apart, r.found, r.other)
	}
	list(w, verdicts, verbose)
	if r := rows["total"]; r != nil && r.wrong > 0 {
		return 1
	}
	return 0
}

// list prints what is to be looked at: false races and failures, and with verbose all else.
func list(w io.Writer, verdicts []*verdict, verbose bool) {
	failed := map[string]int{} // programs by failure
	for _, v := range verdicts {
		failed[v.Failed]++
	}
	for _, v := range verdicts {
		id := v.Family + "/" + v.Name
		for _, f := range v.False {
			fmt.Fprintf(w, "FALSE    %s: %s\n", id, f)
		}
		if n := failed[v.Failed]; v.Failed != "" && n > 0 {
			fmt.Fprintf(w, "failed   %s (%d programs): %s\n", id, n, v.Failed)
			failed[v.Failed] = 0
		}
		if v.Dropped != "" && (verbose || v.Family != "random") {
			fmt.Fprintf(w, "dropped  %s: %s\n", id, v.Dropped)
		}
		if !verbose {
			continue
		}
		for _, o := range v.Other {
			fmt.Fprintf(w, "other    %s: %s\n", id, o)
		}
		if v.Dropped == "" && v.Failed == "" && v.Twin == "" && v.Judge != unjudged {
			fmt.Fprintf(w, "missing  %s\n", id)
		}
	}
}
