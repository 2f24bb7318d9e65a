package model

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Thread is a dense thread number within one window.
type Thread int32

// Obj is a dense number within one window of a memory location, lock, WaitGroup, Once, Cond or
// channel. Every Obj is of one class only.
type Obj int32

// Event is one event of a window. Kinds are those of package format, with one addition: Pin.
type Event struct {
	Kind  format.Kind
	Flags format.Flags

	// Strict marks a read that must be intact whenever it is executed (MO6).
	Strict bool

	// Bare marks an access whose value was not recorded. Pairs race on it. The next event, an
	// access to the version of the contents, says what it sees.
	Bare bool

	Thread Thread
	Obj    Obj    // of Go and Join: the other Thread
	Val    uint64 // as in package format
	Aux    uint64

	// Partner is the recorded receiver of a non-blocking ChanSend on an unbuffered channel, or
	// Anyone (MO14); otherwise -1.
	Partner int32

	// Deps are the earlier reads of the same thread, as event indexes, that must be intact for
	// this event to happen as recorded (MO6). At the beginning of a call of excluded code, they may
	// be reads of other threads that come before it by hard edges. Reads of guards are not.
	Deps []int32

	// Where are the earlier reads of the same thread that only the address of an access depends
	// on. The event needs them as an access of a race (MO10). In a reordering it may have taken
	// place elsewhere.
	Where []int32

	// ValDeps are the earlier reads of the same thread that the value written or sent is
	// computed from.
	ValDeps []int32

	// Guards are conditions on earlier reads of the same thread that must hold for this event to
	// happen as recorded, whatever these reads see (MO11).
	Guards []Guard

	// Value is what is written or sent when ValDeps are not all intact; nil: unknown. That of an
	// AtomicRMW may depend on its own read.
	Value *Term

	// Never marks an event that is in no reordering (MO7): what a goroutine did after the fork at
	// which a variant has it leave its recorded path.
	Never bool

	// Last marks an event that is in no reordering, but can be one of the two of a race (MO8): an
	// access of an alternative whose result or effect is unknown, or a non-blocking send without
	// a receive in the window. No event of its thread follows.
	Last bool

	// Cases are the cases of a SelectDefault. Of a ChanSend or ChanRecv on an unbuffered channel
	// that belongs to a select without default, they are the cases that were not chosen (MO14).
	Cases []Case

	// Index is the event's number in the trace.
	Index int64
	Site  trace.Site
}

// IsText reports whether the event reads the bytes of a string that unsafe code has made. Later
// events depend on it, and it is in no race (WI10).
func (e *Event) IsText() bool { return e.Kind == format.Read && e.Flags&format.FlagText != 0 }

// Anyone is the Partner of a send that was not recorded: any receive may take its element (MO14).
const Anyone = -2

// Pin is the kind of an event that exists for its Deps and Guards (MO6): a branch, a dereferenced
// address, an argument of an opaque call. It occurs in windows, not in traces.
const Pin format.Kind = 128

// Case is one communication that a select did not choose (MO14, MO15).
type Case struct {
	Chan Obj
	Send bool
}

// Edge is a hard order between two events, given by their indexes (MO4).
type Edge struct {
	From, To int32
	Weak     bool // the edge does not apply when To is one of the two racing accesses
}

// A Conditional is an order that a reordering keeps if it has all three events: From comes before
// To (MO9). If may be From.
type Conditional struct{ If, From, To int32 }

// ObjState is the state of one object at the start of a window. Only the fields of the object's
// class are used. The zero value is a zero location, a free lock, a counter of zero, a fresh Once,
// an empty open channel.
type ObjState struct {
	Val     uint64 // memory: value
	Unknown bool   // memory: Val stands for an unknown value (MO12)
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

// OnceState is the state of a Once.
type OnceState uint8

const (
	OnceFresh OnceState = iota
	OnceRunning
	OnceDone
)

// Waiter is a thread in the queue of a Cond.
type Waiter struct {
	Thread   Thread
	Notified bool
}

// Window is a stretch of a trace. Events are in trace order, which is itself a reordering of the
// window, the recorded one. The order of a variant (path relaxation) need not be a reordering.
type Window struct {
	Events  []Event
	Edges   []Edge
	Orders  []Conditional // From < To in trace order
	Init    []ObjState    // by Obj
	Threads []trace.GoID  // by Thread: the goroutine it stands for

	// Names translate the values that stand for an object or a writer.
	Names Names

	// Semantics says which reads must keep their values.
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
	// EvaluatedReads: reads may take other values as long as branches and pinned expressions,
	// evaluated, come out as recorded (RECIPE's value relaxation).
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

// Causal returns the window with the semantics of maximal causality: it has no terms, and all
// reads of a guard must be intact.
func (w *Window) Causal() *Window {
	c := *w
	c.Semantics = NeededReads
	c.Events = slices.Clone(w.Events)
	for i := range c.Events {
		e := &c.Events[i]
		for _, g := range e.Guards {
			e.Deps = Union(e.Deps, g.Term.Reads())
		}
		e.Guards, e.Value = nil, nil
	}
	return &c
}
