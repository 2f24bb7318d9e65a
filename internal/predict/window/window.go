// Package window holds the unit of prediction: a stretch of a trace, reduced to the
// events that matter for races, with the state it starts from.
//
// What a window means, and which reorderings of it are possible executions, is
// docs/model.md; its rules are cited here and in engine, witness and tracetest.
package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Thread is a dense thread number within one window.
type Thread int32

// Obj is a dense number within one window of a memory location, lock, WaitGroup,
// Once, Cond, or channel. Every Obj is of one class only.
type Obj int32

// Event is one event of a window. Kinds are those of package format, with one
// addition: Pin.
type Event struct {
	Kind   format.Kind
	Flags  format.Flags
	Strict bool   // a read that must be intact whenever it is executed (M6)
	Bare   bool   // an access whose value was not recorded: pairs race on it, and the next event, to the version of what is there, says what it sees
	Thread Thread //
	Obj    Obj    // for Go and Join: the other Thread
	Val    uint64 // as in package format
	Aux    uint64

	// Partner is the recorded receiver of a non-blocking ChanSend on an
	// unbuffered channel (U); otherwise -1.
	Partner int32

	// Deps are the earlier reads of the same thread, as event indexes, that must be
	// intact for this event to happen as recorded (M6). Those of the beginning of a missing method, and its Guards, may be
	// of other threads, if it comes after them by hard edges (build_quiet.go).
	Deps []int32

	// Where are the earlier reads of the same thread that the place of an access rests on, and nothing else: as an access of a
	// race it needs them (M10), in a reordering it may have taken place elsewhere.
	Where []int32

	// ValDeps are the earlier reads of the same thread that the value written or
	// sent is computed from.
	ValDeps []int32

	// Guards are conditions on earlier reads of the same thread that must hold for this
	// event to happen as recorded, whatever these reads see (V).
	Guards []Guard

	// Value is what is written or sent when ValDeps are not all intact; nil: unknown. That
	// of an AtomicRMW may depend on its own read.
	Value *Term

	// Never says that the event is in no reordering (V of "Variants" in docs/model.md): it is what a
	// goroutine did after the fork at which a variant has it go another way.
	Never bool

	// Last says that the event is in no reordering, but can be one of the two of a race (M8): an access of an alternative
	// of which it is not known what it sees or does. No event of its thread follows. A non-blocking send of which nobody in the window receives is such an event as well.
	Last bool

	// Cases are the cases of a SelectDefault, or the cases not chosen of the select
	// without default that a ChanSend or ChanRecv on an unbuffered channel belongs to (U).
	Cases []Case

	// Index is the event's number in the trace.
	Index int64
	Site  trace.Site
}

// IsText reports whether the event is a read of what a string says that unsafe code has made: others depend on it, and it is in no race (T1).
func (e *Event) IsText() bool { return e.Kind == format.Read && e.Flags&format.FlagText != 0 }

// Pin is the kind of an event that only needs its Deps: a branch, a dereferenced
// address, an argument of an opaque call (P). It occurs in windows, not in traces.
const Pin format.Kind = 128

// Case is one communication that a select did not choose (S, U).
type Case struct {
	Chan Obj
	Send bool
}

// Edge is a hard order between two events, given by their indexes (M4).
type Edge struct {
	From, To int32
	Weak     bool // if To is an access of the race, nothing is asked
}

// A Conditional is an order between two events that is kept by reorderings that have a third as well (M9): if If, From and To are
// in σ, From is before To. If may be From.
type Conditional struct{ If, From, To int32 }

// ObjState is the state of one object at the start of a window. Only the fields of
// the object's class are used; the zero value is a zero location, a free lock, a
// counter of zero, a fresh Once, an empty open channel.
type ObjState struct {
	Val     uint64 // memory: value
	Unknown bool   // memory: Val stands for a value that nothing tells (V)
	Writer  bool   // lock
	Readers int32  // lock
	Counter int64  // WaitGroup
	Once    OnceState
	Cap     int32    // channel
	Closed  bool     // channel
	Queue   []uint64 // channel: elements, oldest first
	SlotOf  Thread   // unbuffered channel with a full slot (len(Queue)==1): the blocked sender
	Waiters []Waiter // Cond: queue, oldest first
}

// OnceState is the state of a Once (O).
type OnceState uint8

const (
	OnceFresh OnceState = iota
	OnceRunning
	OnceDone
)

// Waiter is a thread in the queue of a Cond (N).
type Waiter struct {
	Thread   Thread
	Notified bool
}

// Window is a stretch of a trace. Events are in trace order, which is itself a
// reordering of the window, the recorded one; of a variant (path relaxation) it need not be.
type Window struct {
	Events  []Event
	Edges   []Edge
	Orders  []Conditional // From < To in trace order
	Init    []ObjState    // by Obj
	Threads []trace.GoID  // by Thread: the goroutine it stands for

	// Names are the values that stand for something else than themselves.
	Names Names

	// Semantics names what the judgement of reads rests on.
	Semantics Semantics
}

// Semantics says how reads are judged in a window.
type Semantics uint8

const (
	// StrictReads: no values, no walk; every read of a reordering keeps its writer.
	StrictReads Semantics = iota
	// ValueReads: every read keeps its value, from whichever write.
	ValueReads
	// NeededReads: only reads that a branch or a pinned expression needs keep their values.
	NeededReads
	// EvaluatedReads: reads may take other values as long as branches and pinned
	// expressions, evaluated, come out as recorded (RECIPE's value relaxation).
	EvaluatedReads
)

func (s Semantics) String() string {
	switch s {
	case StrictReads:
		return "strict"
	case ValueReads:
		return "value"
	case NeededReads:
		return "needed"
	case EvaluatedReads:
		return "evaluated"
	}
	return "semantics?"
}

// Pair is a candidate: two conflicting accesses, as event indexes.
type Pair struct{ A, B int32 }
