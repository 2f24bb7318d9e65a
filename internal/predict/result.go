package predict

import (
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
			Text: "{{n}} pair{{|s}} of source lines {{is|are}} unordered in the recorded run, but {{has|have}} no witness, and {{is|are}} not reported"})
	}
}

// warnings returns what the analysis left out, as warnings.
func (c *Counts) warnings(opt *Options, meta *trace.Meta, cut int64) []trace.Warning {
	var out []trace.Warning
	add := func(code string, n int64, text string) {
		if n > 0 {
			out = append(out, trace.Warning{Code: code, Count: int(n), Text: text})
		}
	}
	add("witness-rejected", c.Rejected, "the checker rejected {{n}} witness{{|es}}, which {{is|are}} not reported: an error in presage, please report it")
	add("windows-refusing", c.Refusing, "{{n}} window{{|s}} do{{es|}} not admit the recorded order of {{its|their}} events, and races in {{it|them}} may be missed: an error in presage, please report it")
	switch c.Why {
	case Late:
		add("prediction-late", c.Unsearched, "the time for prediction was over: the last {{n}} event{{|s}} {{was|were}} searched only for races of the recorded run; try a longer -time")
	case Full:
		add("prediction-full", c.Unsearched, "prediction had used its memory: the last {{n}} event{{|s}} {{was|were}} searched only for races of the recorded run; try a larger -memory or a smaller -window")
	default:
		add("prediction-stopped", c.Unsearched, "prediction had spent its effort: the last {{n}} event{{|s}} {{was|were}} searched only for races of the recorded run; try a larger -effort")
	}
	add("pairs-apart", c.Apart, "at least {{n}} pair{{|s}} of source lines use{{s|}} the same memory, but with more events in between than a window has, and {{was|were}} not searched; -window 50000 searches more of them and takes longer")
	add("places-crowded", c.Build.Crowded, "there may be more pairs of source lines that are too far apart: {{n}} word{{|s}} of memory or access{{|es}} {{was|were}} not compared, because so many source lines use the same memory")
	add("solver-unknown", c.Unknown, "{{n}} pair{{|s}} of accesses {{was|were}} not decided within the budget; -budget 20000 searches longer")
	add("ways-untried", c.WaysLeft+c.TogetherLeft, "{{n}} untaken branch{{|es}}, or pair{{|s}} of source lines behind several, {{was|were}} not followed, because others had used up the effort for that part of the run; -effort 30000 follows more")
	add("candidates-untried", c.Untried[0]+c.Untried[1], "{{n}} pair{{|s}} of source lines {{was|were}} executed so often that only some of the executions were tried")
	add("candidates-untried-off-path", c.Untried[pathRung], "{{n}} pair{{|s}} of source lines behind an untaken branch {{has|have}} so many executions that only some of them were tried")
	add("threads-cut", c.Build.Cut, "the recorded order does not explain an event of a goroutine ({{n}} time{{|s}}); the goroutine's later events in the window were left out")
	add("hidden-writes", c.Build.Hidden, "{{n}} read{{|s}} returned what code that is not recorded had written; {{it returns|they return}} the same in each predicted schedule")
	add("writers-unknown", c.Build.Uncertain, "the record does not say which write a read returned ({{n}} time{{|s}}); the goroutine's later events in the window were left out")
	c.warnExcluded(add, opt, meta)
	add("hb-races-cut", cut, "the source lines of {{n}} racing pair{{|s}} of the recorded run were not kept, because there are too many")
	return out
}

// warnExcluded adds the warnings about calls of excluded code.
func (c *Counts) warnExcluded(add func(code string, n int64, text string), opt *Options, meta *trace.Meta) {
	if opt.Excluded == excluded.Ignore {
		add("missing-ignored", c.Build.Excluded, "{{n}} call{{|s}} of excluded code {{was|were}} taken to do nothing, so a reported race may be false")
		return
	}
	add("missing-methods", c.Build.Excluded, "{{n}} call{{|s}} of excluded code may access what {{it reaches|they reach}}; the events around {{it keep their order with it|them keep their order with them}}")
	var n int64
	for _, k := range c.Suppressed {
		n += k
	}
	if n > 0 {
		by := suppressedText(meta, c.Suppressed)
		add("missing-suppressed", n, "{{n}} pair{{|s}} of source lines {{is|are}} undecided because of what calls of excluded code may do: "+by+". Trace the code that they call to decide {{it|them}} (presage explain lists the pairs)")
	}
	add("missing-everywhere", c.Build.Everywhere, "{{n}} of these may access everything")
}
