package flow

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// Flow is what the walk found about one event of the trace. Package walk computes it and the
// window's builder consumes it, both in trace order and in one pass.
type Flow struct {
	// Walked reports that the event belongs to a function invocation that was walked and agreed
	// with the trace up to here. Reads of other invocations are Strict.
	Walked bool

	// Needs are the reads (trace indexes, same goroutine) that must keep their values for the
	// event to happen as recorded: those that its address, its branch condition, its implicit
	// checks, or the arguments it passes to code that was not walked depend on. On a format.Block
	// event they are the reads that the branch into the block depends on. When a walk fails, the
	// event at which it failed needs every earlier read of the invocation.
	Needs []int64

	// Guards are conditions for the event to happen as recorded, of a symbolic walk. Without it,
	// their reads are in Needs.
	Guards []Guard

	// Where are the reads (trace indexes, same goroutine) that the address of an access by append
	// depends on, and of a write the reads of the elements that were moved, without those in
	// Needs. Append works with whatever they return, on another array. Appended is set on the
	// append's first write.
	Where    []int64
	Appended *Appended

	// Value is the value written or sent, as a function of the words that earlier reads of the
	// goroutine return (by trace index), and of an atomic update also its own; nil: unknown.
	Value *expr.Expr

	// Forks are the points since its last event where the goroutine could have left its recorded
	// path, in program order, of a walk that looks for them. All come before this event.
	Forks []Fork

	// From are the reads (trace indexes, same goroutine) that the value written or sent is
	// computed from.
	From []int64

	// Entry is what an access to a map is about; nil: its key is not known.
	Entry *Entry

	// Version says what a lookup of an alternative finds: what the event Version-2 of the trace has
	// left for the key, or, if it is OwnVersion, what Entry says; 0: anything.
	Version int64

	// Padding are the bytes of an access without a meaning, bit k that k bytes up from its address:
	// padding of a struct and blank fields, whose content is by chance. It is 0 but for reads with
	// format.FlagUnexplained.
	Padding uint8

	// Own marks a write that only one call of outside code reads, which does the same whatever it
	// finds there, or whose results are terms. So nothing depends on the value.
	Own bool
}

// OwnVersion is the Version of a lookup that finds what an alternative has written.
const OwnVersion = -1

// Walker annotates the events of a trace, in order. The slices of the result are valid until the
// next call.
type Walker interface {
	Step(index int64, e *trace.Event) Flow
}

// Guard is a condition: the term, over trace indexes of reads, has the value Want, which it had in
// the recorded run.
type Guard struct {
	Term *expr.Expr
	Want uint64
}

// Appended is what an append of the recorded run has returned.
type Appended struct {
	Array, Bytes uint64  // address and size of its array
	Elem         uint64  // size of an element
	Moved        []int64 // the reads of elements that were moved to a new array
}
