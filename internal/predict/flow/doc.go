// Package flow is the contract between the walk of a trace (package walk) and the builder of
// windows (package window). Neither imports the other. Everything here names events by their number
// in the trace, not by an index in a window.
//
//	           Step(event)                       Add(event, Flow)
//	trace ──────────────────▶ walk.Walker ──────────────────────▶ window.Builder
//	                              │  Fork ▲                              │
//	                              │       │  Explore(Surroundings)       │
//	                              │       └──────────────────────────────┤
//	                              └─────────────▶ []*Alternative ────────▶ window with variants
//
// # What an event depends on
//
// The walk executes the program's SSA along the trace. For each event it returns a Flow: the reads
// that the event needs, the conditions on reads that must hold, and the value that it writes as a
// function of reads. The builder turns these numbers of trace events into events of the window.
//
// # Where a goroutine could have left its path
//
// A *fork* is a point of the recorded path at which the goroutine could have continued differently:
// a branch could have gone to its other side, a pointer or an index could have had another value.
// An *alternative* is what the goroutine does from there on: the events of the program's SSA,
// executed over the values of reads. A *variant* of a window has an alternative in place of what
// the goroutine did after the fork (RECIPE, path relaxation).
//
// The builder decides which forks it explores. It calls Explore with Surroundings, the program's
// state there. Package alternative has the rules.
//
// A Snapshot is the state at a fork, as data: package offpath executes the program from there with
// an interpreter of its own, to check that the alternative is what the program does.
package flow
