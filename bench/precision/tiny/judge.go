package tiny

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
)

// levels are the rungs of the ladder, lowest first. An analysis of one contains those before it.
var levels = [...]struct{ name string }{{"observed"}, {"causal"}, {"value"}, {"path"}}

const (
	observed = iota
	causal
	value
	path
)

// found is what an analysis reports, by level: each set contains the one before.
type found struct {
	pairs      [len(levels)]map[progtest.Pair]bool
	mismatches []walk.Mismatch
	rejected   int64
	why        []error // the first of these
	unknown    int64
	base       int // of the path level, because a base object is another one
	counts     predict.Counts
}

// analyseRun is the pipeline as the command has it, without analyse.Confirm: what that adds are
// races by the definition of the Go memory model, of which no execution need have the accesses next
// to each other (docs/theory/model.md, "The recorded run as a witness").
func analyseRun(ctx context.Context, p *progtest.Program, run *progtest.Run) (*found, error) {
	f := &found{}
	for l := range f.pairs {
		f.pairs[l] = map[progtest.Pair]bool{}
	}
	w := walk.NewBranching(p.Plan)
	w.Read(run.Meta)
	res, err := predict.Run(ctx, run.Source(), run.Meta, predict.Options{Level: predict.Paths, Walker: w})
	if err != nil {
		return nil, err
	}
	for _, r := range res.Races {
		q := progtest.PairOf(r.A.Site, r.B.Site)
		f.pairs[path][q] = true
		if slices.ContainsFunc(r.Paths, func(p *predict.Path) bool { return p.Base }) {
			f.base++
		}
		if r.Tier == predict.ByPath {
			continue
		}
		f.pairs[value][q] = true
		if r.Tier == predict.ByValue {
			continue
		}
		f.pairs[causal][q] = true
		if r.Tier == predict.Observed {
			f.pairs[observed][q] = true
		}
	}
	f.mismatches, f.rejected, f.unknown = w.Mismatches(), res.Counts.Rejected, res.Counts.Unknown
	f.counts, f.why = res.Counts, res.Rejected
	return f, nil
}

// figures prints what was reported and found.
func (b *bench) figures(f *command.Figures) {
	for l, lv := range levels {
		f.Print("level="+lv.name, command.Count(b.reported[l], "reported"), command.Count(b.false[l], "false"), command.Count(b.found[every][l], "found"), command.Count(b.pairs, "races"))
	}
	f.Print("all", command.Count(b.programs, "programs"), command.Count(b.rejected, "rejected"), command.Count(b.differ, "differ"))
}

// print writes the table.
func (b *bench) print(w io.Writer, wall time.Duration) {
	fmt.Fprintf(w, "programs %d, states %d, not exhausted %d, runs given up %d, events %d\n", b.programs, b.total, b.open, b.limits, b.events)
	fmt.Fprintf(w, "walk and trace differ in %d runs; witnesses rejected %d; unknown %d\n", b.differ, b.rejected, b.unknown)
	for l, lv := range levels {
		fmt.Fprintf(w, "%-10s reported %d, false %d\n", lv.name, b.reported[l], b.false[l])
	}
	for c, name := range classes {
		fmt.Fprintf(w, "true races, %s: %d; found", name, b.classes[c])
		for l, lv := range levels {
			fmt.Fprintf(w, " %s %d (%.1f %%)", lv.name, b.found[c][l], 100*float64(b.found[c][l])/float64(max(b.classes[c], 1)))
		}
		fmt.Fprintln(w)
	}
	for o, name := range progtest.OutcomeNames {
		fmt.Fprintf(w, "true races, a goroutine off its recorded path at %s: %d; found path %d (%.1f %%)\n",
			name, b.outcomes[o], b.foundAt[o], 100*float64(b.foundAt[o])/float64(max(b.outcomes[o], 1)))
	}
	fmt.Fprintf(w, "of path, because a base object is another one: %d\nforks %d, not explored %d, ways tried %d; alternatives by how they end: %v\n", b.base, b.forks, b.unexplored, b.ways, b.ends)
	fmt.Fprintf(w, "reported beyond an exploration that is not exhausted: %d\n", b.unjudged)
	fmt.Fprintf(w, "load %v, explore %v, record %v, analyse %v; %.0f programs/s\n", b.load.Round(time.Millisecond), b.explore.Round(time.Millisecond),
		b.recording.Round(time.Millisecond), b.analysis.Round(time.Millisecond), float64(b.programs)/wall.Seconds())
}
