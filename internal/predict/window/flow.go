package window

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// Flow is what the walk of a trace through the program's SSA found out about one
// trace event. Package walk computes it, the window builder consumes it, both
// in trace order and in one pass.
type Flow struct {
	// Walked reports that the event belongs to a function invocation that was walked
	// and agreed with the trace up to here. Reads of other invocations are Strict.
	Walked bool

	// Needs are the reads (trace indexes, same goroutine) that must keep their values
	// for the event to happen as recorded: those that feed its address, its branch
	// condition, its implicit checks, or the arguments it passes to code that was not
	// walked. On a format.Block event they are the reads the branch into the block
	// depends on. When a walk fails, the event at which it failed needs every
	// earlier read of the invocation.
	Needs []int64

	// Guards are conditions for the event to happen as recorded, of a symbolic walk: what would
	// otherwise be in Needs because a branch or an address rests on it.
	Guards []FlowGuard

	// Where are the reads (trace indexes, same goroutine) that the place of an access by append rests on, and, of a write, the elements that were
	// moved: append goes on with whatever they return, elsewhere. Those that a walk did not find to be needed anyway. Of the first write, Appended says what.
	Where    []int64
	Appended *Appended

	// Value is the value written or sent, as a function of words that earlier Read events of its goroutine return (by
	// trace index), and an atomic update also of its own; nil: not known.
	Value *expr.Expr

	// Forks are where the goroutine could have left its recorded path since its last event, of a
	// walk that looks for them, in program order. None of them includes what this event does.
	Forks []Fork

	// From are the reads (trace indexes, same goroutine) that the value written or
	// sent is computed from.
	From []int64
}

// Walker annotates the events of a trace, in order. The slices of the result are
// valid until the next call.
type Walker interface {
	Step(index int64, e *trace.Event) Flow
}

// FlowGuard is a condition: the term, over trace indexes of reads, has the value that it had in the recorded run.
type FlowGuard struct {
	Term *expr.Expr
	Want uint64
}

// Appended is what an append of the recorded run has returned.
type Appended struct {
	Array, Bytes uint64 // its array
	Elem         uint64 // size of an element
	Moved        []int64
}
