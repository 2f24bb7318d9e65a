// Package predict runs over a trace and finds its races: those of the recorded order,
// and those that another execution of the same code could have.
//
// # What it computes
//
// The trace is read once. Package hb finds the conflicting accesses that the recorded
// order leaves unordered. Package window cuts the trace into windows; in each, pairs of
// conflicting accesses are *candidates*. Package engine looks for a reordering after
// which both accesses of a candidate are next, package witness checks what it finds.
//
//	(A1) A race is reported only with a witness that the checker accepts, and one off the recorded
//	     path only if package offpath accepts the path as well. A witness that one of them rejects
//	     is an error of presage, counted in Counts.Rejected.
//	(A2) Races are one for each pair of sites. Of the candidates of a pair of sites, those that hb
//	     found unordered are tried first, then those nearest to each other in the trace, until one
//	     races or Options.Tries (per window) or Options.Total (per trace) is spent. A pair that
//	     the engine gives up counts for 16, one that is decided without a search for none. The
//	     searches of a pair of sites may cost at most a 200th of Options.Effort on each rung: few
//	     pairs of sites are hard, and without it they took the effort of the whole trace. So much
//	     may a single search cost, or leastSteps executions, unless Options.Conflicts says what it
//	     may. The highest rung is asked first: what it refutes, no rung has a witness for. Where
//	     two sites have more pairs in a window than are kept, those that the window's order fixes
//	     are dropped first.
//	(A3) Two accesses under one common lock do not race. (Not for locks that a
//	     goroutine that does not hold them unlocks.)
//	(A4) A race is *observed* if hb found its two accesses unordered, otherwise *predicted*.
//	(A5) Nothing depends on time or on the order of maps, but for what Options.Over cuts.
//	(A6) Where hb found two accesses unordered and there is no such witness, because what comes
//	     between them can not be left out, the recorded run is one, if the checker finds them
//	     unordered as well (Confirm).
//	(A7) Prediction on a trace ends when Options.Effort is spent, counted in work and not in
//	     time, or when Options.Over says so. The happens-before pass goes on.
//	(A8) Of the pairs of accesses of a candidate, the best by (A2) of every two classes is tried,
//	     and all that hb found unordered. Accesses are of one class if their thread, site, kind,
//	     location, locks and number of messages sent are (package tree, TR3). What is left out is
//	     counted in Counts.Thinned. It is no theorem: they may rest on different reads. No race is
//	     known that it loses (docs/results.md).
//	(A9) Each window has to admit what was recorded: the checker executes its events in the order
//	     of the trace. Where it does not, the window is wrong about the run, and races of it may
//	     be missed: an error of presage, counted in Counts.Refusing.
//
// # Soundness
//
// No false race, under docs/theory/model.md. Missed are races between accesses that no window holds
// both, candidates on which a budget was spent, candidates not tried (A2) and what stands behind
// the end of prediction (A7): all four are counted in Counts and said in Warnings.
//
// Every level reports the pairs of sites that the levels below it report, unless a budget was
// spent. It is tested and not proved: TestLevelsOfText, TestLevelsOfRandom and
// TestLevelsOfPrograms, TestExamples of package cmd/presage, and `go -C bench run ./recorder
// thinned -levels`.
//
// # Names
//
//	w  window; a, b  the two accesses of a candidate; σ  a witness
package predict
