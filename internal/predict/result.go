package predict

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
)

// result returns the result so far.
func (r *run) result() *Result {
	r.counts.Events = r.events
	if r.counts.Stopped > 0 {
		r.counts.Unsearched = r.events - r.counts.Stopped
	}
	pairs, cut := r.hb.Total()
	r.counts.HBPairs = pairs
	res := &Result{HB: r.hb.Races(), Rejected: r.reject, Kept: r.pairs.kept()}
	r.counts.HBSites = len(res.HB)
	if r.builder != nil {
		r.counts.Build = r.builder.Counts()
		for p := range r.builder.Apart() {
			if r.pairs[sitePair{p[0], p[1]}] == nil {
				r.counts.Apart++
			}
		}
	}
	if !r.opt.EveryPair {
		for _, s := range r.pairs {
			if s.race != 0 {
				r.races[s.race-1].Count = s.count
			}
		}
	}
	r.counts.Promising, r.counts.Settled = r.pairs.settled()
	r.counts.Suppressed = r.pairs.suppressed()
	res.Explained = r.explainer.list()
	for _, h := range res.HB {
		if s := r.pairs[pairOf(h.A.Site, h.B.Site)]; s == nil || s.race == 0 {
			res.Unwitnessed = append(res.Unwitnessed, h)
		}
	}
	res.Races, res.Counts, res.ToRun = r.races, r.counts, r.pairs.toRun(res.HB)
	res.sort()
	res.Warnings = r.counts.warnings(&r.opt, r.meta, cut)
	res.warnUnwitnessed()
	return res
}

// UnwitnessedCode is the code of the warning that counts Result.Unwitnessed.
const UnwitnessedCode = "hb-unwitnessed"

func (res *Result) warnUnwitnessed() {
	if n := len(res.Unwitnessed); n > 0 {
		res.Warnings = append(res.Warnings, trace.Warning{Code: UnwitnessedCode, Count: n,
			Text: fmt.Sprintf("%d pairs of positions are unordered in the recorded run, but no witness was found for them; they are not reported", n)})
	}
}

// warnings returns what the analysis left out, as warnings.
func (c *Counts) warnings(opt *Options, meta *trace.Meta, cut int64) []trace.Warning {
	var out []trace.Warning
	add := func(code string, n int64, text string) {
		if n > 0 {
			out = append(out, trace.Warning{Code: code, Count: int(n), Text: fmt.Sprintf(text, n)})
		}
	}
	add("witness-rejected", c.Rejected, "%d witnesses were not accepted by the checker and are not reported: an error in presage, please report it")
	add("windows-refusing", c.Refusing, "%d windows do not admit the order in which their events were recorded, and races in them may be missed: an error in presage, please report it")
	switch c.Why {
	case Late:
		add("prediction-late", c.Unsearched, "the time for prediction was over: the last %d events were searched for races of the recorded run only (-time gives it more)")
	case Full:
		add("prediction-full", c.Unsearched, "prediction had taken as much memory as it may: the last %d events were searched for races of the recorded run only (-memory gives it more, -window makes windows smaller)")
	default:
		add("prediction-stopped", c.Unsearched, "prediction had spent its effort: the last %d events were searched for races of the recorded run only (-effort raises the limit)")
	}
	add("pairs-apart", c.Apart, "at least %d pairs of positions access the same memory only at a distance larger than a window, and were not considered (-window makes windows larger)")
	add("places-crowded", c.Build.Crowded, "%d times more accesses of a word were made than are remembered for finding pairs that are too far apart: their number is a lower bound")
	add("solver-unknown", c.Unknown, "%d candidates were given up when the search had spent its budget")
	add("ways-untried", c.WaysLeft, "%d ways off the recorded path were not tried, because those before them in their windows had cost too much")
	add("candidates-untried", c.Untried[0]+c.Untried[1], "in %d cases not all pairs of accesses at two positions of a window were tried")
	add("candidates-untried-off-path", c.Untried[pathRung], "in %d cases not all pairs of accesses at two positions were tried on a way off the recorded path")
	add("threads-cut", c.Build.Cut, "%d times the rest of a goroutine's events in a window was left out, because the recorded order does not explain them")
	add("hidden-writes", c.Build.Hidden, "%d reads returned what no recorded write wrote: code that was not instrumented wrote it")
	add("writers-unknown", c.Build.Uncertain, "%d times the rest of a goroutine's events in a window was left out, because the record does not say who wrote what it read")
	if missing := c.Build.Missing; opt.Missing == excluded.Ignore {
		add("missing-ignored", missing, "%d calls of missing methods were taken to do nothing: what is reported as a race may be none")
	} else {
		add("missing-methods", missing, "%d calls of missing methods may touch what they reach; what surrounds them keeps its order with them")
		if n := int64(0); len(c.Suppressed) > 0 {
			for _, k := range c.Suppressed {
				n += k
			}
			add("missing-suppressed", n, "%d pairs of positions have no witness because of what calls of missing methods may do: "+strings.ReplaceAll(suppressedText(meta, c.Suppressed), "%", "%%")+". What they call has to be traced to decide them (presage explain lists them)")
		}
		add("missing-everywhere", c.Build.Everywhere, "%d of these may touch everything")
	}
	add("hb-races-cut", cut, "%d racing pairs of the recorded order have positions that were not kept, because there are too many")
	return out
}
