package window

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// Path relaxation (RECIPE, seed 000 section IV). At a *fork* of the recorded path a goroutine could have gone on in
// another way: a branch could have gone to its other side, a pointer could have been another. An *alternative* is such a way: what the
// goroutine does from there on, executed through the program's SSA over the values of reads. A *variant* of a window has an alternative in
// place of what the goroutine did from the fork on (variant.go).
//
// What a window's builder and a fork say to each other is in this file; package walk makes forks, package
// alternative explores them (rules A1–A9 there).

// A Fork is a point of the recorded path, right before the event that its Flow belongs to.
type Fork interface {
	// Reads are the reads of the trace that the choice rests on, ascending.
	Reads() []int64

	// Site is where the choice is made; Base reports that it is not of a branch, but of what a pointer or index is.
	Site() trace.Site
	Base() bool

	// Where says it precisely, for people.
	Where() Where

	// Explore executes the other ways, in a fixed order. It is called at most once.
	Explore(s Surroundings) []*Alternative

	// Snapshot is where they start.
	Snapshot() *Snapshot
}

// Where is what is chosen at a fork, in the source: the condition of the branch, or the pointer or index.
type Where struct {
	Site      trace.Site // of its function
	Line, Col int32
	Expr      string
	Type      string // as program.Shape says it
}

// An Alternative is one way to go on from a fork.
type Alternative struct {
	// Steps are its events in program order; those of the goroutines that it starts follow those
	// of the goroutine that starts them.
	Steps []Step
	// Chosen are the guards that only hold off the recorded path: the values of the branch or pointer.
	Chosen []FlowGuard
	// Assumes is what it takes from Surroundings.Content.
	Assumes []Assumption
	// End says why it goes no further, for counts.
	End string
	// Executed is the number of instructions that it took.
	Executed int
}

// A Step is an event of an alternative. Its Flow names reads of the trace by their index, and reads of the alternative
// by AlternativeBase plus the number of their step.
type Step struct {
	Event trace.Event
	Flow  Flow

	// Left is how many of the functions that the goroutine was in at the fork have returned; Calls are those that it is in instead,
	// the innermost first.
	Left  int
	Calls []Call

	// Last says that nothing rests on the execution of the step: it can race, and the alternative ends with it.
	Last bool

	// Compares says that the step is a CompareAndSwap that succeeds: it finds Event.Val, or does not take place.
	Compares bool

	// Case is which case of its select a ChanSend or ChanRecv is, Cases are the others that it could have been, of SelectDefault all.
	Case  int
	Cases []StepCase
}

// StepCase is a case of a select that an alternative does not choose.
type StepCase struct {
	Chan     uint64
	Capacity uint64
	Send     bool
}

// Call is an invocation: the function, by its site, and the site of the call in its caller.
type Call struct{ Fn, Site trace.Site }

// AlternativeBase is the number of the first step of an alternative, where reads are named: no trace has as many events.
const AlternativeBase = int64(1) << 56

// A Word is a place of memory, or a word that does not change if its Size is 0.
type Word struct {
	Addr  uint64
	Size  int64
	Fixed uint64
}

// Surroundings is what a window knows of the program's state around a fork.
type Surroundings interface {
	// At returns the address and size of a read of the trace; ok is false if it came before the window: it is what it was.
	At(read int64) (addr uint64, size uint8, ok bool)

	// Foreign reports whether another goroutine accesses one of the bytes in the window.
	Foreign(addr uint64, size int64) bool

	// Values are the words that may stand at addr: what is there at the start, and what is written there in the window, as recorded. What is there at the
	// fork comes first.
	Values(addr uint64, size int64) []uint64

	// Together are the words that stood in several places at one time, one of the times that a write to one of them had ended, as recorded.
	Together(places []Word) [][]uint64

	// Content is what the read e meets if it happens at the fork, and no other goroutine accesses the bytes: bits, or a term.
	Content(e *trace.Event) (bits uint64, term *expr.Expr, ok bool)

	// Settled reports whether what is at addr is one object from the fork to the end of the window.
	Settled(addr uint64) bool

	// Object reports whether the model knows all that happens to the lock, WaitGroup or channel at addr.
	Object(e *trace.Event) bool

	// Capacity is that of a channel.
	Capacity(ch uint64) (n uint64, ok bool)

	// Closes reports whether a channel is closed in the window, or before.
	Closes(ch uint64) bool

	// Opaque reports whether a call of code that was not instrumented may have to do with the access e: one of another goroutine in the window, or,
	// if e reads, one of the same goroutine before the fork.
	Opaque(e *trace.Event) bool

	// Goroutine numbers a goroutine that the alternative starts.
	Goroutine() trace.GoID

	// Until is the index of the first event of the trace after the window.
	Until() int64
}
