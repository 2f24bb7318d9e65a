package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A Snapshot is the state of a goroutine at a fork, before an instruction that has not been
// executed yet. Package offpath executes the program from there, to check an alternative.
type Snapshot struct {
	Program *plan.Plan
	Frames  []Frame     // the innermost first; each other frame is at the call of the one before it
	Root    bool        // the goroutine ends with the last frame; else its callers are unknown
	Starts  *Timer      // the timer that starts the goroutine (Fork.Timer); nil: none
	Stacks  [][2]uint64 // where the goroutine's stack has been, which is no shared memory

	// What the goroutine's next event depends on, on every path.
	Needs  []int64
	Guards []Guard

	// Texts has the bytes of the program's string constants, and an address for each of those of
	// which the trace has none.
	Texts *expr.Texts

	// Global returns the address of a variable of a package, and the event of the trace that its
	// address is known from, the first access.
	Global func(g *ssa.Global) (addr uint64, at int64, ok bool)

	// Closure returns the function value at an address right before an event of the trace, if
	// walked code has made or stored it and its memory was not allocated anew since.
	Closure func(addr uint64, before int64) (c Closure, ok bool)

	// Once returns the Once of the function value at an address right before an event of the
	// trace, if sync.OnceFunc or the like has returned it, and its memory was not allocated anew
	// since.
	Once func(addr uint64, before int64) (o OnceFunc, ok bool)

	// Done returns the channel of the context with a type word at an address, right before an event
	// of the trace, if walked code has called its method Done, and its memory was not allocated
	// anew since.
	Done func(word, addr uint64, before int64) (ch uint64, ok bool)

	// Objects returns the objects that walked code has put into the sync.Pool at an address
	// before an event of the trace, and whose memory was not allocated anew since.
	Objects func(pool uint64, before int64) []Pooled

	// Cancel returns what the function value at an address cancels, if context.WithCancel has
	// returned it, with all contexts that were there at any time between two events of the trace.
	Cancel func(addr uint64, since, before int64) (c Cancelled, ok bool)

	// Map returns what the map at an address, with values of size bytes, had for a key right after
	// the event at of the trace, as far as operations before another event have shown it.
	Map func(m uint64, key MapKey, size, at, before int64) MapContent

	// Word returns the address that stands for a key of the sync.Map at an address, if an operation
	// of walked code before an event of the trace has shown it, and the memory of the map was not
	// written or allocated anew since. If all operations on sync.Maps before this event are of
	// walked code and known, a key that none of them has has an address of its own. Stored returns
	// the value that was stored in a sync.Map with a number, and an event at which it was there.
	Word   func(m uint64, key DynamicKey, before int64) (word uint64, ok bool)
	Stored func(number uint64, before int64) (v Datum, at int64, ok bool)

	// Box returns the content, of size bytes, of the interface with a data word, if walked code has
	// made it before an event of the trace, and its memory was not allocated anew since.
	Box func(data uint64, size, before int64) (v Datum, ok bool)

	// Locker returns the lock of the Cond at an address right before an event of the trace, if
	// walked code has made it or waited for it, and its memory was not allocated anew since.
	Locker func(cond uint64, before int64) (l Locker, ok bool)

	// Capacity returns the capacity of the channel at an address right before an event of the
	// trace, if walked code has made it and its memory was not allocated anew since.
	Capacity func(ch uint64, before int64) (n uint64, ok bool)

	// Timer returns the timer whose channel, or time.Timer, is at an address, if walked code has
	// started it for a known and positive time, before the fork, and only the goroutine of the fork
	// starts and stops it.
	Timer func(addr uint64, until int64) (t Timer, ok bool)

	// TypeOf returns the type that a type word of an interface stands for, and the program whose
	// type it is, if walked code has made such an interface before an event of the trace.
	// TypeWord returns the type word of an interface of type i that holds a t.
	TypeOf   func(word uint64, before int64) (t types.Type, prog *ssa.Program, ok bool)
	TypeWord func(i, t types.Type, before int64) (word uint64, ok bool)
}

// A Closure is a function value: the function, what it has captured, and the event from which on it
// has been there.
type Closure struct {
	Fn   *ssa.Function
	Free []Datum
	At   int64
}

// A OnceFunc is a function value with a Once: the first call runs a function, which is at an
// address unless that is 0.
type OnceFunc struct {
	Object uint64
	Runs   Closure
	At     uint64
}

// A MapKey is a key of a map: of an integer, bool, pointer or channel its bits, or the content of a
// string.
type MapKey struct {
	Bits uint64
	Text string
}

// A Pooled is an object in a sync.Pool: the address that stands for both (package format), the
// words of the interface, and the event that has put it for the first time.
type Pooled struct {
	Word, Type, Data uint64
	At               int64
}

// A DynamicKey is a key of a sync.Map: the type word of the interface that has it, and its content.
// A type of which walked code has made no interface has its name in place of the word.
type DynamicKey struct {
	Type uint64
	Name string
	MapKey
}

// MapContent is what a map has for a key, as far as it is known. The value of a key that is not
// there is the zero value.
type MapContent struct {
	Value               Datum
	Present, HasPresent bool // whether the key is there, and whether that is known
}

// A Locker is the lock of a Cond.
type Locker struct {
	Lock   uint64
	Shared bool // for reading
}

// A Timer is a timer that was started and not stopped.
type Timer struct {
	Object uint64     // of its synchronisation
	Armed  int64      // the event that has started it
	By     trace.GoID // who did
	Fired  int64      // the event by which it has fired in the recorded run, -1: it has not

	Long  bool    // it runs for so long that nobody stops it too late
	Calls bool    // it calls a function:
	Runs  Closure // this one, if it is known,
	At    uint64  // which is at an address unless that is 0
}

// A Frame is one invocation.
type Frame struct {
	Func         *ssa.Function
	Block, Instr int
	Values       map[ssa.Value]Datum // of parameters, free variables and instructions

	// Locals are the contents of variables whose address does not leave the function. An address
	// of one, or in one, has its offset as value.
	Locals map[*ssa.Alloc]Datum

	Defers     []Deferred // in the order of their defer statements
	LostDefers bool       // there are more

	Once uint64 // the Once that executes it, whose Do, or a function with it, is called; 0: none
}

// A Deferred is a deferred call, with the values of its arguments, and of the free variables if a
// closure is called.
type Deferred struct {
	Call   *ssa.Defer
	Callee Datum // of a call through a function value
	Args   []Datum
	Free   []Datum
}

// A Datum is a value: its memory image in words.
type Datum struct {
	Words []DatumWord
	Text  *string    // the content of a string, if it is known
	Says  *expr.Expr // the content of a string, if it depends on reads
	// of an error: whether it is nil, if that depends on reads and is not in Words
	Null  *expr.Expr
	Parts []Datum       // of a tuple
	Func  *ssa.Function // of a function value: a function without captures, of unknown address

	// Bound says that SSA has the address of a variable here. Only its content is known, which is
	// the datum. Nothing writes it any more (package plan, PL7).
	Bound bool
}

// A DatumWord is a word of a value: Bits, or a Term. It has neither if it is not Known.
type DatumWord struct {
	Bits  uint64
	Term  *expr.Expr
	Known bool
}

// An Assumption is what an alternative takes to be in memory at the fork: at most a word, which no
// other goroutine accesses in the window.
type Assumption struct {
	Addr uint64
	Size int64
	Bits uint64
	Term *expr.Expr // if it depends on reads
}
