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
	"github.com/presage-race/presage/internal/suppress"
)

// replaying is the stage that replays races, until the time for it is over.
type replaying struct {
	// Inputs.
	traces   traces
	config   func() *report.Config
	confirm  time.Duration // the time for replays; confirmRest: what the budget leaves
	budget   *budget
	builder  *builder        // of what is replayed; nil: nothing is
	sieve    *suppress.Sieve // nil: no race is suppressed
	progress *progress
	// Inputs, changed: the races get the results of their replays, or are withdrawn.
	found *findings
}

// run replays the races. Their results are added in the order of the races.
func (s *replaying) run(ctx context.Context) {
	if s.builder == nil {
		return
	}
	s.progress.stages.Begin(stageReplayPrepare)
	s.replay(ctx)
	s.builder.stop()
}

func (s *replaying) replay(ctx context.Context) {
	races := s.wanted()
	if len(races) == 0 {
		return
	}
	slices.SortStableFunc(races, func(a, b *report.Race) int { return cmp.Compare(toRunRank(a), toRunRank(b)) })
	k := &kept{config: s.config(), races: races, summary: &report.Summary{TraceFile: s.traces.from}}
	if len(s.traces.files) == 1 {
		k.summary.TraceFile = s.traces.files[0]
	}
	r := s.builder.r
	r.kept = k
	interrupted := ctx.Err
	begun := time.Now()
	flags := s.prepare(ctx, races)
	limit := s.confirm
	if limit == confirmRest && s.budget != nil {
		s.budget.begun = s.budget.begun.Add(time.Since(begun)) // (CM3): builds do not count
		limit = max(s.budget.left(1, 1), s.budget.total/3)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := time.Now().Add(toRunTime)
	proved := slices.IndexFunc(races, func(r *report.Race) bool { return r.Tier == report.ToRun })
	if proved < 0 {
		proved = len(races)
	}
	c := newReplayers(flags, runtime.GOMAXPROCS(0))
	s.progress.until, _ = ctx.Deadline()
	attempts := r.replayAll(ctx, "replaying races", races[:proved], time.Time{}, c)
	attempts = append(attempts, r.replayAll(ctx, "running candidates", races[proved:], last, c)...)
	s.progress.end()
	for _, damage := range s.builder.healed() {
		s.found.warn(report.Warning{Code: record.HealedCode, Count: 1, Text: record.HealedText(damage)})
	}
	left, byGates := s.found.note(attempts)
	if left > 0 && interrupted() == nil {
		s.found.warn(report.Warning{Code: "replay-budget", Count: left, Text: fmt.Sprintf("{{n}} race{{|s}} {{was|were}} not replayed: the time for replays, %v, was over (-time gives more); presage replay -all replays {{it|them}}", rounded(limit))})
	}
	if n := byGates; n > 0 {
		s.found.warn(report.Warning{Code: "no-race-detector", Count: n, Text: "{{n}} race{{|s}} {{was|were}} replayed without Go's race detector, which needs cgo and a C compiler: the judge was that both goroutines were held before their accesses at once"})
	}
}

// wanted are the races to replay: those with a witness. A suppressed race is not, but for a pair
// that only a replay makes a race.
func (s *replaying) wanted() []*report.Race {
	races := s.found.set.Races()
	hidden := map[*report.Race]bool{}
	if s.sieve != nil {
		for _, m := range s.sieve.Suppressed(races) {
			hidden[m.Race] = m.Race.Tier != report.ToRun
		}
	}
	return slices.DeleteFunc(races, func(r *report.Race) bool { return r.Witness == nil || hidden[r] })
}

// prepare waits for all that the replays of races run. It returns the flags of the builds.
func (s *replaying) prepare(ctx context.Context, races []*report.Race) (flags []string) {
	seen := map[string]bool{}
	for _, race := range races {
		if name, err := s.builder.r.kept.trace(race); err != nil || seen[name] {
			continue
		} else {
			seen[name] = true
		}
		if name, meta, err := s.builder.r.open(ctx, race); err == nil {
			s.builder.want(wanted{name: name, meta: meta})
			flags = meta.BuildFlags
		}
	}
	s.builder.wait()
	return flags
}

// note adds the results of replays. It returns the number of races that had no time, and of those
// that were judged by gates.
func (f *findings) note(attempts []*attempt) (left, byGates int) {
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
			f.warn(notReplayed(at.err))
		default:
			noteReplay(race, out, at.took)
			if contradicted(race, out) {
				withdrawn[race] = true
				continue
			}
			if !out.Confirmed && race.Tier != report.ToRun {
				f.summary.Unconfirmed++
			}
			if out.Judge == replay.ByGates {
				byGates++
			}
		}
	}
	f.withdraw(withdrawn)
	f.summary.Unreplayed = left + failed
	return left, byGates
}

// toRunTime is the time after the first replay in which pairs are taken up that only a run can
// decide.
const toRunTime = 2 * time.Minute

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
func (f *findings) withdraw(races map[*report.Race]bool) {
	if len(races) == 0 {
		return
	}
	var where []string
	f.set.Drop(func(r *report.Race) bool {
		if races[r] {
			where = append(where, fmt.Sprintf("%s and %s", short(r.A.Position), short(r.B.Position)))
		}
		return races[r]
	})
	slices.Sort(where)
	f.warn(report.Warning{Code: "withdrawn", Count: len(where), Text: fmt.Sprintf("{{n}} predicted race{{|s}} {{was|were}} withdrawn (%s): two runs followed {{its schedule|the schedule of each}} to its end, and Go's race detector saw no race. That is an error in presage: please report it, with the program", strings.Join(where, "; "))})
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
func (f *findings) dropToRun() {
	tried, left := 0, 0
	f.set.Drop(func(r *report.Race) bool {
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
		f.warn(report.Warning{Code: "candidates-run", Count: tried, Text: "{{n}} pair{{|s}} of source lines may race if code that is not recorded does something else in another schedule: {{it was|they were}} run under such a schedule, and Go's race detector saw nothing"})
	}
	if left > 0 {
		f.warn(report.Warning{Code: "candidates-to-run", Count: left, Text: "{{n}} pair{{|s}} of source lines may race if code that is not recorded does something else in another schedule, which only a run can show: {{it was|they were}} not run (presage test and presage run do, for two minutes at most, without -confirm=off)"})
	}
}
