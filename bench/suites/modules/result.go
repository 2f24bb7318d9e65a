package modules

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// result is what one module showed. What its stage did not reach is nil.
type result struct {
	*module
	traces   string // where they are kept while the module is tested
	plain    map[key]string
	differ   []difference
	flaky    []string
	recorded *session.Outcome
	written  []string           // functions left as written
	walked   []*session.Walked  // by part
	analysed []*session.Outcome // by part
	err      error
}

const header = `| module | tests | fail plain | differ | flaky | functions | events walked | unexplained | mismatches | races | analysed |
|---|---|---|---|---|---|---|---|---|---|---|`

// print prints a row, and below it what a reader must know.
func (r *result) print() {
	functions, events, unexplained, mismatches, races, analysed := "", "", "", "", "", ""
	if r.recorded != nil {
		functions = fmt.Sprintf("%d of %d", r.recorded.Summary.Instrumented, r.recorded.Summary.Functions)
	}
	if w := r.walks(); w != nil {
		events, unexplained, mismatches = fmt.Sprint(w.Events), fmt.Sprint(w.Unexplained), fmt.Sprint(w.Mismatches)
	}
	if n, seconds := r.races(); len(r.analysed) > 0 {
		races, analysed = fmt.Sprint(n), fmt.Sprintf("%.0f s", seconds)
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s |\n", r.name(), count(r.plain, ""), count(r.plain, "FAIL"),
		len(r.differ), len(r.flaky), functions, events, unexplained, mismatches, races, analysed)
	for _, d := range r.differ {
		fmt.Println("    differs:", d)
	}
	for _, d := range r.flaky {
		fmt.Println("    flaky:", d)
	}
	for k, o := range r.plain {
		if o == notBuilt {
			fmt.Println("    does not build without presage, not compared:", k.pkg)
		}
	}
	if r.err != nil {
		fmt.Println("    failed:", r.err)
	}
	if r.reason != "" {
		for _, part := range r.walk {
			fmt.Println("    walked:", strings.Join(part, " "))
		}
		fmt.Println("    because", r.reason)
	}
	r.details()
}

// details prints what the walk and the analysis say one by one.
func (r *result) details() {
	if r.recorded != nil {
		warnings(r.recorded)
	}
	for _, f := range r.written {
		fmt.Println("    left as written:", f)
	}
	if w := r.walks(); w != nil {
		for _, m := range w.First[:min(20, len(w.First))] {
			fmt.Println("    mismatch:", m)
		}
	}
	for _, o := range r.analysed {
		warnings(o)
		for _, race := range o.Races {
			fmt.Printf("    race (%s): %s, %s: %s\n", race.Tier, place(race.A), place(race.B), race.Object)
		}
	}
}

// walks puts the walks of the parts together; nil if there was none.
func (r *result) walks() *session.Walked {
	var all *session.Walked
	for _, w := range r.walked {
		if all == nil {
			all = &session.Walked{}
		}
		all.Add(w)
	}
	return all
}

func (r *result) races() (n int, seconds float64) {
	for _, o := range r.analysed {
		n, seconds = n+len(o.Races), seconds+o.Summary.Seconds
	}
	return n, seconds
}

func warnings(o *session.Outcome) {
	for _, w := range o.Warnings {
		fmt.Printf("    warning %s %d: %s\n", w.Code, w.Count, w.Text)
	}
}

func place(a report.Access) string {
	return fmt.Sprintf("%s of %s at %s:%d", a.Kind, a.Expr, filepath.Base(a.File), a.Line)
}

// total prints the last line and reports whether all was as asked.
func total(all []*result, figures *command.Figures) bool {
	var tests, differ, flaky, instrumented, functions, races, failed int
	var events, mismatches int64
	for _, r := range all {
		tests, differ, flaky = tests+count(r.plain, ""), differ+len(r.differ), flaky+len(r.flaky)
		if r.err != nil {
			failed++
		}
		if r.recorded != nil {
			instrumented, functions = instrumented+r.recorded.Summary.Instrumented, functions+r.recorded.Summary.Functions
		}
		if w := r.walks(); w != nil {
			events, mismatches = events+w.Events, mismatches+w.Mismatches
		}
		n, _ := r.races()
		races += n
	}
	share := 100 * float64(instrumented) / float64(max(1, functions))
	fmt.Printf("| total | %d | | %d | %d | %d of %d (%.2f %%) | %d | | %d | %d | %d of %d without failure |\n",
		tests, differ, flaky, instrumented, functions, share, events, mismatches, races, len(all)-failed, len(all))
	figures.Print("all", command.Count(tests, "tests"), command.Count(differ, "differ"), command.Count(flaky, "flaky"), command.Count(instrumented, "instrumented"),
		command.Count(functions, "functions"), command.Count(events, "events"), command.Count(mismatches, "mismatches"), command.Count(races, "races"), command.Count(failed, "failed"))
	return differ == 0 && mismatches == 0 && failed == 0 && share >= 99
}
