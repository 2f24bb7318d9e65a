// Package predict finds the races of a trace: those of the recorded run, and those of other
// executions of the same code.
//
// # What it computes
//
// The trace is read once. Package hb finds the conflicting accesses that happens-before leaves
// unordered in the recorded run. Package window cuts the trace into windows. In each window, the
// pairs of conflicting accesses at two sites are a candidate. Package engine looks for a reordering
// after which both accesses of a pair are next. Packages witness and offpath check what it finds.
//
// A window has up to three rungs: maximal causality, value relaxation and path relaxation
// ("RECIPE: Relaxed Sound Predictive Analysis", sections III and IV). The highest rung of the
// recorded path is searched first, because what it refutes has no witness on a lower rung. A race
// has the lowest rung that has a witness. Then the alternatives of the window are searched, within
// the effort that the window has taken so far.
//
// # Rules
//
// (PR1) Witnesses. A race is reported only with a witness that the checker accepts, and one off the
// recorded path only if package offpath accepts the path as well. A witness that one of them
// rejects is an error of presage, counted in Counts.Rejected. The checker also executes the events
// of each window in the order of the trace. A window that does not admit this order is wrong about
// the run, and races in it may be missed. This is an error of presage, counted in Counts.Refusing.
//
// (PR2) Tries. There is one race for each pair of sites. Of the pairs of accesses at two
// sites, those that hb found unordered are tried first, then those nearest to each other in the
// trace. It ends when one of them races, or when Options.Tries (per window) or Options.Total (per
// trace) is spent. A pair that the engine gives up counts for 16, one that is decided without a
// search for none. The searches of two sites may cost at most a 200th of Options.Effort on each
// rung, because a few hard pairs of sites would otherwise take the effort of the whole trace. A
// single search may cost as much; Options.Conflicts replaces
// this limit. Where two sites have more pairs in a window than are kept, pairs whose order is fixed
// are dropped first.
//
// (PR3) Thinning. Accesses are of one class if they have the same thread, site, kind, location,
// locks, and number of messages that the thread has sent (package tree). Of the pairs of a
// candidate, the best of every two classes is tried, and all pairs that hb found unordered. The
// others are counted in Counts.Thinned. This is no theorem, since accesses of one class may depend
// on different reads. No race is known that it loses (docs/results.md).
//
// (PR4) Locks. Two accesses under a common lock do not race. A lock that a goroutine unlocks
// without holding it does not count.
//
// (PR5) Observed races. A race is observed if hb found its two accesses unordered, otherwise
// predicted. Two accesses that hb found unordered may have no such witness, because what lies
// between them cannot be left out. Then the recorded run is the witness, if the checker finds
// them unordered as well ([Confirm]).
//
// (PR6) Effort. Prediction on a trace ends when Options.Effort is spent, which counts work and not
// time. Nothing depends on time or on the order of maps, except that Options.Over can end
// prediction earlier. The happens-before pass goes on to the end of the trace.
//
// # Soundness
//
// No false race, under docs/theory/model.md. Four kinds of races are missed:
//
//   - accesses that no window holds both;
//   - candidates on which a budget was spent;
//   - candidates that were not tried (PR2, PR3);
//   - what comes after the end of prediction (PR6).
//
// Each is counted in Counts and has a warning.
//
// Every level reports the pairs of sites that the levels below it report, unless a budget was
// spent. This is tested and not proved: TestLevelsOfText, TestLevelsOfRandom and
// TestLevelsOfPrograms, TestExamples of package cmd/presage, and `go -C bench run ./recorder
// thinned -levels`.
//
// # Files
//
//	run.go, feed.go               options and results; the analysis; reading and walking beside it
//	candidates.go, groups.go      what to try in a window, and in which order
//	thin.go, locks.go             classes and locksets of accesses
//	pairs.go, unordered.go        what is known of a pair of sites; pairs that hb found
//	ladder.go, path.go            rungs of the recorded path; alternatives
//	solver.go, effort.go          solvers of windows; budgets
//	explain.go, chains.go         why two accesses do not race
//	suppressed.go, torun.go       pairs that excluded code keeps in order; schedules to be tried
//	sights.go                     reads of a witness that return other values
//	result.go, confirm.go         result and warnings; races of the recorded run
//	recheck.go                    a witness that was found earlier, checked again
//
// # Names
//
//	w  window; a, b  the two accesses of a pair; σ  a witness
package predict
