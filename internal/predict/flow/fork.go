package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// A Fork is a point of the recorded path, right before the event that its Flow belongs to.
type Fork interface {
	// Goroutine is the goroutine that could have continued differently.
	Goroutine() trace.GoID

	// Reads are the reads of the trace that the choice depends on, ascending.
	Reads() []int64

	// Site is where the choice is made. Base reports that it is the choice of a pointer or index,
	// not of a branch.
	Site() trace.Site
	Base() bool

	// Ended reports that there is no choice: the recorded run ended before the goroutine did, and
	// the alternatives are what the goroutine does next. The fork comes after its last event.
	Ended() bool

	// Outcome reports that an operation of synchronisation could have had another outcome: a
	// CompareAndSwap, a TryLock, a select, a receive, a Once. The fork comes before its events.
	Outcome() bool

	// Timer returns the timer that starts the goroutine of the fork, which the recorded run has
	// not: the function of time.AfterFunc is called in it. ok is false for other forks.
	Timer() (t Timer, ok bool)

	// Where describes the choice for the report. If there is none, it has a site only.
	Where() Where

	// Explore executes the alternatives, in a fixed order. If bounded is set, it has left some out
	// because they were many.
	Explore(s Surroundings) (list []*Alternative, bounded bool)

	// Snapshot is the state in which they start.
	Snapshot() *Snapshot
}

// A Rester is a Walker that knows how the goroutines would go on that have not ended. Rest is
// called after the last event of the trace.
type Rester interface {
	Rest() []Fork
}

// Where is what is chosen at a fork, in the source: the condition of the branch, or the pointer or
// index.
type Where struct {
	Site      trace.Site // of its function
	Line, Col int32
	Expr      string
	Type      string // as regcode.Shape prints it
}

// An Alternative is one path that a goroutine can take from a fork.
type Alternative struct {
	// Steps are its events in program order. The events of a goroutine that it starts follow
	// those of the goroutine that starts it.
	Steps []Step
	// Chosen are the guards that only hold off the recorded path: on the values that the branch
	// or pointer has.
	Chosen []Guard
	// Assumes is what it has taken from Surroundings.Content.
	Assumes []Assumption
	// Unseen reports that it uses a variable of a package that has no access in the trace yet.
	Unseen bool
	// Unfired are timers that have fired in the recorded run, and do not on it. Halted are the
	// timers, by their object, that do not run any more: they were stopped, or have fired on it.
	Unfired []Timer
	Halted  []uint64
	// End is the reason why it goes no further, for counts.
	End string
	// Executed is the number of instructions that were executed.
	Executed int
}

// A Step is an event of an alternative. Its Flow names reads of the trace by their index, and reads
// of the alternative by AlternativeBase plus the number of their step.
type Step struct {
	Event trace.Event
	Flow  Flow

	// Left is how many of the functions that the goroutine was in at the fork have returned.
	// Calls are those that it has entered since and is in, the innermost first.
	Left  int
	Calls []Call

	// Unknown marks a write of a value that is not known. Nothing can depend on what a read finds
	// of it.
	Unknown bool

	// Last marks the last step of an alternative that can race but not be executed.
	Last bool

	// Compares marks a CompareAndSwap that succeeds: it finds Event.Val, or does not take place.
	Compares bool

	// Decides marks the OnceEnd of a function of sync.OnceFunc or the like. Whatever the recorded
	// function has returned, or that it has panicked, the calls of others find what this one has.
	Decides bool

	// Stored is what an operation stores in a sync.Map, nil if that is not known.
	Stored *Stored

	// Keys is, of an operation that may change the keys of a sync.Map, the state that stands for
	// them (package format), 0 if it is not known.
	Keys trace.Addr

	// Case is the number of the case of a select that a ChanSend or ChanRecv is. Cases are the
	// other cases; of a SelectDefault they are all cases.
	Case  int
	Cases []StepCase
}

// Stored is a value of a basic type in an interface. Its number in sync.Maps (package format)
// stands for the type and the value: whatever is stored with it is the same to the program.
type Stored struct {
	Number uint64
	Type   types.Type // with a name that is the same in all programs
	Prog   *ssa.Program
	Is     MapValue
}

// Same reports whether two operations store the same.
func (x *Stored) Same(y *Stored) bool {
	return x.Number == y.Number && x.Is == y.Is && types.Identical(x.Type, y.Type)
}

// StepCase is a case of a select that an alternative does not choose.
type StepCase struct {
	Chan     uint64
	Capacity uint64
	Send     bool
}

// Call is an invocation: the function, by its site, and the site of the call in its caller.
type Call struct{ Fn, Site trace.Site }

// AlternativeBase is the number by which the first step of an alternative is named. No trace has as
// many events.
const AlternativeBase = int64(1) << 56

// A Word is a stretch of memory of at most a word. If its Size is 0, it is the constant Fixed.
type Word struct {
	Addr  uint64
	Size  int64
	Fixed uint64
}

// Surroundings is the program's state around a fork, as a window has it. The window's builder
// implements it for package alternative.
type Surroundings interface {
	// At returns the address and size of a read of the trace. ok is false if the read came before
	// the window: it returns what it returned.
	At(read int64) (addr uint64, size uint8, ok bool)

	// Foreign reports whether another goroutine accesses one of the bytes in the window on its
	// recorded path, or, as far as that is known, writes one on an alternative.
	Foreign(addr uint64, size int64) bool

	// Used is Foreign as a hint: nothing may rest on it.
	Used(addr uint64, size int64) bool

	// Values returns the words that may be at addr: what is there at the start, and what is
	// written there in the window, on recorded paths or on known alternatives of other goroutines.
	// What is there at the fork comes first.
	Values(addr uint64, size int64) []uint64

	// Sent returns the words that are sent on a channel in the window, on recorded paths.
	Sent(ch uint64) []uint64

	// Together returns the words that were in several places at one time, as recorded, for each
	// time after a write to one of them.
	Together(places []Word) [][]uint64

	// Content returns what the read e finds if it happens at the fork and no other goroutine
	// accesses the bytes: bits, or a term.
	Content(e *trace.Event) (bits uint64, term *expr.Expr, ok bool)

	// Settled reports whether addr belongs to one object from the last event of the goroutine
	// before the fork to the end of the window. Stays reports whether it does so from an event of
	// the trace on. Allocation returns the number of the allocation to whose memory addr belongs at
	// the end, 0 if it is Settled.
	Settled(addr uint64) bool
	Stays(addr uint64, event int64) bool
	Allocation(addr uint64) int

	// InPool reports whether the word of an object that was put into a sync.Pool, if it is not 0,
	// says that the object is there. It may also stand for an object at the same address, or a
	// pool, that was there before: if the window has the first Put, the word has to be 0 up to
	// that, and if the window overwrites the pool, that has to come before each Put. The result is
	// false, too, if an operation of the recorded run has found something else than the last one
	// before it has left: of an object that was put twice, a second Get finds 0.
	InPool(pool uint64, x Pooled) bool

	// Object reports whether the model knows all operations in the window on the lock, WaitGroup
	// or channel that e acts on, as it is at the end of the window.
	Object(e *trace.Event) bool

	// Capacity returns the capacity of a channel.
	Capacity(ch uint64) (n uint64, ok bool)

	// Versions returns when a map has got what it has for a key in the window, in time order:
	// each by the event of the trace that has left it. The first one is the event before the
	// window. It is empty if a write of the window may be of any key.
	Versions(m uint64, key MapKey) []int64

	// Entries returns what known alternatives of other goroutines leave in a map for a key.
	Entries(m uint64, key MapKey) []MapValue

	// Stored returns what known alternatives of other goroutines store in a sync.Map for the key
	// with a word.
	Stored(word uint64) []*Stored

	// Closes reports whether a channel is closed in the window, or before, also by alternatives of
	// other goroutines as far as they are known.
	Closes(ch uint64) bool

	// Opaque reports whether a call of code that was not instrumented may access the memory of e: a
	// call by another goroutine in the window, or, if e reads, by the same one before the fork.
	Opaque(e *trace.Event) bool

	// Recorded reports whether the operation at the fork had the outcome of an event in the
	// recorded run.
	Recorded(first *trace.Event) bool

	// Long reports whether an alternative may be long. Few alternatives of a window may.
	Long() bool

	// Number is the number of the fork in its window. What alternatives of different forks allocate
	// has different addresses.
	Number() uint64

	// Goroutine numbers a goroutine that the alternative starts.
	Goroutine() trace.GoID

	// From is the index of the first event of the trace in the window, Until that of the first one
	// after it.
	From() int64
	Until() int64
}
