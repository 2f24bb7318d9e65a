package link

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/summary"
)

// Counts says what was compared.
type Counts struct {
	Roots, Contexts, Sites, Classes, Pairs, Locks, Ordered int
	// calls through values, and those whose targets are known
	Holes, Filled int
	Merged        int // contexts beyond the bound
	Processes     int // pairs of different processes (LI6)
	Left          int // sites beyond the bound
}

// Found is what Find returns.
type Found struct {
	Warnings []*pairs.Warning
	Guards   *guard.Table
	// the functions that goroutines begin with, and what makes them roots
	Roots map[string]string
	Calls map[string][]summary.Edge // calls through values, by the function that makes them
}

// Find returns the warnings over all roots, after those that frames have found, as far as they
// stay. judged are pairs of source lines that a frame has found ordered; promises are what the
// packages say.
func Find(sums map[string]*summary.Function, frames []*pairs.Warning, judged map[[2]summary.Pos]bool, promises []*promise.Package, n *Counts) *Found {
	keys := slices.Sorted(maps.Keys(sums))
	prog := newProgram(sums, keys)
	re := newReach(prog, keys)
	targets := &resolver{prog: prog, reach: re}
	targets.fillHoles(keys, n)

	ct := newContextTable(prog, re)
	wait := newWaiting(prog, keys)
	carry := newCarrier(prog, ct, wait, keys)
	finder := newRootFinder(prog, re, targets, ct, wait, carry)
	finder.findRoots(keys)
	finder.entries()
	finder.findCommanded(keys)
	ct.findExpected(keys, promises)
	carry.propagate()
	finder.unreached(keys)

	sites := newSiteTable(prog, re, ct, wait)
	co := &comparison{reach: re, contexts: ct, sites: sites, counts: n,
		flags:   newFlagOrder(prog, ct, sites),
		started: newStarted(prog, ct),
		public:  newPublication(prog, ct),
		tests:   &testOrder{contexts: ct, pairs: map[[2]int]bool{}}}
	sites.gather(keys, n)
	over := co.pairs(judged)

	n.Roots, n.Merged = len(ct.roots), ct.merged
	for _, c := range ct.of {
		n.Contexts += len(c)
	}
	return &Found{Warnings: append(co.frames(frames, n), over...), Guards: sites.guards, Roots: ct.kinds(), Calls: prog.filled}
}
