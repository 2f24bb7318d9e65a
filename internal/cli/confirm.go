package cli

import (
	"context"
	"fmt"
	"time"

	"presage/internal/plan"
	"presage/internal/replay"
	"presage/internal/report"
)

// replay replays what was found, one race after the other, until the time for it is over.
func (a *analysis) replay(ctx context.Context) {
	races := a.set.Races()
	k := &kept{config: a.config(), races: races, summary: &report.Summary{TraceFile: a.traceFile}}
	if len(a.files) == 1 {
		k.summary.TraceFile = a.files[0]
	}
	r := replayer{env: a.env, kept: k, args: replayArgs{limit: time.Second, timeout: time.Minute}, progress: a.progress, programs: map[string]*replay.Program{}, plans: map[string]*plan.Plan{}}
	ctx, cancel := context.WithTimeout(ctx, a.options.confirm)
	defer cancel()
	left := 0
	for _, race := range races {
		if ctx.Err() != nil {
			left++
			continue
		}
		begun := time.Now()
		out, err := r.replay(ctx, race)
		switch {
		case ctx.Err() != nil:
			left++
		case err != nil:
			a.warn(report.Warning{Code: "not-replayed", Count: 1, Text: fmt.Sprintf("a race was not replayed: %v", err)})
		default:
			noteReplay(race, out, time.Since(begun))
		}
	}
	a.progress.end()
	if left > 0 {
		a.warn(report.Warning{Code: "replay-budget", Count: left, Text: fmt.Sprintf("%d races were not replayed: the time of -confirm was over (presage replay -all replays them)", left)})
	}
}

// noteReplay writes the outcome into the race.
func noteReplay(race *report.Race, out *replay.Outcome, took time.Duration) {
	last := out.Tries[len(out.Tries)-1]
	race.Replay = &report.Replay{Tier: race.Tier, Tries: len(out.Tries), Judge: string(out.Judge), Report: last.Report, Why: out.Tries[0].Why, Sec: took.Round(time.Millisecond).Seconds()}
	if out.Confirmed {
		race.Tier, race.Replay.Why = report.Confirmed, ""
	}
}
