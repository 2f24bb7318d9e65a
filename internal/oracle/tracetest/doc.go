// Package tracetest generates traces and windows for tests, and computes what is true of them by
// other means than presage does.
//
//	Builder         event slices
//	Generate        a window recorded from a small random program (RandomWindow: number n of a seed)
//	RandomVariant   a window whose recorded order is no reordering, as path relaxation makes them
//	NewExecution    such a window as a trace, with its races
//	Hide            a trace with excluded code in place of pieces of it
//	CausallyPrecedes, WeaklyCausallyPrecedes  the pairs that a relation leaves unordered, by definition
//	Trace           the trace that a generated window could be cut from
//	Validate        is the recorded order a reordering of the window?
//	Explore         all races of a window, by exhaustive search
//	Replay          one witness, by the explorer's rules
//	Compare         a predictor (the engine) with the explorer and the checker
//	Shrink          the smallest window with the same difference
//	Faults          misreadings of the model that Compare has to find
//	Format, Parse   the text form of a window
//
// # Independence
//
// The execution model, docs/theory/model.md, is implemented four times. Two implementations are the
// engine and package witness. The other two are here: the scheduler of the generator, which runs
// programs forward and knows all values (operate.go), and the explorer (step.go). The four share
// the page and no code. TestGenerate, TestCheckAgainstExplorer in package witness, and TestEngine
// compare them. The races of truth.tsv and testdata/model were found by other means.
//
// # Exploration
//
// A state is the place of every thread in its events, the contents of the objects, and which reads
// are intact, as far as later events depend on them. Equal states have equal futures, so each state
// is visited once. There is no partial-order reduction, which could hide errors.
//
// The number of states is at most the product of the threads' lengths times the number of reachable
// contents. That is some hundreds for the windows of Generate, and half a million for a trace of
// 600 events of two threads.
//
// # Data
//
//	testdata/model      a window for each rule, made by hand, with exactly the pairs that race
//	testdata/variant    the same for windows whose recorded order is no reordering
//	testdata/disagree   windows on which engine and explorer once differed, shrunk
//
// Each case is a file. The text form is described at Format.
package tracetest
