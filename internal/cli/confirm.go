package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// replay replays what was found, until the time for it is over. The checker has just judged the
// witnesses. What comes of it goes into the report in the order of the races.
func (a *analysis) replay(ctx context.Context) {
	races := slices.DeleteFunc(a.set.Races(), func(r *report.Race) bool { return r.Witness == nil })
	if len(races) == 0 {
		return
	}
	slices.SortStableFunc(races, func(a, b *report.Race) int { return cmp.Compare(toRunRank(a), toRunRank(b)) })
	k := &kept{config: a.config(), races: races, summary: &report.Summary{TraceFile: a.traceFile}}
	if len(a.files) == 1 {
		k.summary.TraceFile = a.files[0]
	}
	r := a.builder.r
	r.kept = k
	interrupted := ctx.Err
	begun := time.Now()
	flags := a.prepareReplays(ctx, races)
	limit := a.options.confirm
	if limit == confirmRest && a.budget != nil {
		a.budget.begun = a.budget.begun.Add(time.Since(begun)) // (T4)
		a.progress.until = a.budget.end()
		limit = max(a.budget.left(1, 1), a.budget.total/3)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := time.Now().Add(toRunTime)
	proved := slices.IndexFunc(races, func(r *report.Race) bool { return r.Tier == report.ToRun })
	if proved < 0 {
		proved = len(races)
	}
	c := newCrowd(flags, runtime.GOMAXPROCS(0))
	attempts := r.replayAll(ctx, races[:proved], time.Time{}, c)
	attempts = append(attempts, r.replayAll(ctx, races[proved:], last, c)...)
	a.progress.end()
	for _, damage := range a.builder.healed() {
		a.warn(report.Warning{Code: record.HealedCode, Count: 1, Text: record.HealedText(damage)})
	}
	left, byGates := a.note(attempts)
	if left > 0 && interrupted() == nil {
		a.warn(report.Warning{Code: "replay-budget", Count: left, Text: fmt.Sprintf("%s not replayed: the time for replays, %v, was over (-time gives more); presage replay -all replays them", wasOrWere(left), rounded(limit))})
	}
	if n := byGates; n > 0 {
		a.warn(report.Warning{Code: "no-race-detector", Count: n, Text: fmt.Sprintf("%s replayed without Go's race detector, which needs cgo and a C compiler: the judge was that both goroutines were held before their accesses at once", wasOrWere(n))})
	}
}

// prepareReplays waits for all that the replays of races run. It returns the flags of the builds.
func (a *analysis) prepareReplays(ctx context.Context, races []*report.Race) (flags []string) {
	seen := map[string]bool{}
	for _, race := range races {
		if name, err := a.builder.r.kept.trace(race); err != nil || seen[name] {
			continue
		} else {
			seen[name] = true
		}
		if name, meta, err := a.builder.r.open(ctx, race); err == nil {
			a.builder.want(wanted{name: name, meta: meta})
			flags = meta.BuildFlags
		}
	}
	a.builder.wait()
	return flags
}

// note takes what has come of replays into the report. It returns how many races had no time, and
// how many were judged by gates.
func (a *analysis) note(attempts []*attempt) (left, byGates int) {
	failed := 0
	withdrawn := map[*report.Race]bool{}
	for _, at := range attempts {
		race, out := at.race, at.out
		nothing := out == nil || !out.Confirmed
		switch {
		case race.Tier == report.ToRun && (!at.done || at.err != nil || out == nil || at.cut && nothing):
		case !at.done, at.cut && nothing:
			left++
		case at.err != nil:
			failed++
			a.warn(notReplayed(at.err))
		default:
			noteReplay(race, out, at.took)
			if contradicted(race, out) {
				withdrawn[race] = true
				continue
			}
			if !out.Confirmed && race.Tier != report.ToRun {
				a.summary.Unconfirmed++
			}
			if out.Judge == replay.ByGates {
				byGates++
			}
		}
	}
	a.withdraw(withdrawn)
	a.summary.Unreplayed = left + failed
	return left, byGates
}

// toRunTime is the time after the first replay in which pairs are taken up that only a run can
// decide.
const toRunTime = 2 * time.Minute

func wasOrWere(n int) string {
	if n == 1 {
		return "1 race was"
	}
	return fmt.Sprintf("%d races were", n)
}

// notReplayed says so. What goes wrong with the program goes wrong with each of its races: it is
// said once.
func notReplayed(err error) report.Warning {
	text, _, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if more {
		text += " …"
	}
	return report.Warning{Code: "not-replayed", Count: 1, Text: fmt.Sprintf("race not replayed: %s", text)}
}

// noteReplay writes the outcome into the race.
func noteReplay(race *report.Race, out *replay.Outcome, took time.Duration) {
	last := out.Tries[len(out.Tries)-1]
	race.Replay = &report.Replay{Tier: race.Tier, Tries: len(out.Tries), Judge: string(out.Judge), Report: last.Report, Why: out.Tries[0].Why, Sec: took.Round(time.Millisecond).Seconds()}
	switch {
	case out.Confirmed && race.Tier == report.ToRun && last.Report != "":
		race.Tier, race.Replay.Tier, race.Replay.Why = report.Replayed, report.Replayed, ""
	case race.Tier == report.ToRun:
	case out.Confirmed:
		race.Tier, race.Replay.Why = report.Confirmed, ""
	}
}

// contradicted reports whether replays have shown that a predicted race is none.
func contradicted(race *report.Race, out *replay.Outcome) bool {
	return race.Tier != report.Observed && race.Tier != report.ToRun && out.Contradicts()
}

// withdraw takes races out of the report.
func (a *analysis) withdraw(races map[*report.Race]bool) {
	if len(races) == 0 {
		return
	}
	var where []string
	a.set.Drop(func(r *report.Race) bool {
		if races[r] {
			where = append(where, fmt.Sprintf("%s and %s", short(r.A.Position), short(r.B.Position)))
		}
		return races[r]
	})
	slices.Sort(where)
	a.warn(report.Warning{Code: "withdrawn", Count: len(where), Text: fmt.Sprintf("%d predicted races were withdrawn (%s): two runs followed the schedule of each to its end, and Go's race detector saw no race. That is an error in presage: please report it, with the program", len(where), strings.Join(where, "; "))})
}

// toRunRank orders what is replayed: races first, then pairs that are to be tried, those of the
// user's code before others.
func toRunRank(r *report.Race) int {
	rank := 0
	if r.Tier == report.ToRun {
		for _, a := range []*report.Access{&r.A, &r.B} {
			if rank++; a.Expr == "" {
				rank += 2
			}
		}
	}
	return rank
}

// dropToRun takes what was to be tried, and has shown nothing, out of the report.
func (a *analysis) dropToRun() {
	tried, left := 0, 0
	a.set.Drop(func(r *report.Race) bool {
		switch {
		case r.Tier != report.ToRun:
			return false
		case r.Replay != nil:
			tried++
		default:
			left++
		}
		return true
	})
	if tried > 0 {
		a.warn(report.Warning{Code: "candidates-run", Count: tried, Text: fmt.Sprintf("%d pairs of positions may race if code outside the trace reads something else than in the recorded run: they were tried under such a schedule, and Go's race detector saw nothing", tried)})
	}
	if left > 0 {
		a.warn(report.Warning{Code: "candidates-to-run", Count: left, Text: fmt.Sprintf("%d pairs of positions may race if code outside the trace reads something else than in the recorded run, which only a run can tell: they were not tried (test and run do, for two minutes at most)", left)})
	}
}
