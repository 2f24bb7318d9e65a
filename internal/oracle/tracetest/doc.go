// Package tracetest makes traces and windows for tests, and judges what is found in
// them by other means than the product does.
//
//	Builder         event slices
//	Generate        a window recorded from a random little program (RandomWindow: the n-th of a seed)
//	RandomVariant   a window whose recorded order is no reordering, as path relaxation makes them
//	NewExecution    such a window as a trace, and what races in it
//	Hide            a trace with missing methods in place of pieces of it
//	CausallyPrecedes, WeaklyCausallyPrecedes  what they leave unordered, by definition
//	Trace           the trace that a generated window could be cut from
//	Validate        is the recorded order a reordering of the window?
//	Explore         all races of a window, by exhaustive search
//	Replay          one witness, by the explorer's rules
//	Compare         a predictor (the engine) against the explorer and the checker
//	Shrink          the smallest window with the same difference
//	Faults          misreadings of the model that Compare has to notice
//	Format, Parse   the text form of a window
//
// # Independence
//
// The execution model, docs/theory/model.md, is implemented four times: in engine, in
// witness, and here twice, by the scheduler of the generator, which runs programs
// forward and knows all values (operate.go), and by the explorer (step.go). The four
// share the page and no code. TestGenerate, TestCheckAgainstExplorer in witness and
// TestEngine hold them against each other; truth.tsv and testdata/model, whose races
// were found by other means, hold all against something else.
//
// # Exploration
//
// A state is the position of every thread, the contents of the objects, and which
// reads kept their values, as far as events not yet executed depend on them. Equal
// states have equal futures, so each is visited once. There is no partial-order
// reduction: it would be one more thing to be wrong. The number of states is at
// most the product of the threads' lengths times the contents reachable, some
// hundreds for the windows of Generate, half a million for a trace of 600 events
// of two threads.
//
// # Data
//
//	testdata/model      a window per rule, hand-made, with exactly the pairs that race
//	testdata/variant    the same for windows whose recorded order is no reordering
//	testdata/disagree   windows on which engine and explorer differed, shrunk; they must agree now
//
// One file adds one case. The text form is described at Format.
package tracetest
