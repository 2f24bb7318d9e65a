package alternative

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
)

// A Fork is the state of a goroutine right before an instruction that could have had another
// outcome. An operand that must keep its value (WA2) depends on reads that may have other values.
// It implements [flow.Fork]. A fork and all that it refers to are immutable.
type Fork struct {
	Program *regcode.Program
	Facts   Facts
	G       trace.GoID
	Frame   *Frame      // the innermost one
	Args    []int       // the operands that may have other values; none with Rest and Other
	Rest    bool        // the recorded run has ended here: what follows is no choice
	Starts  *flow.Timer // with Rest: the timer that starts the goroutine; nil: none
	Other   bool        // the instruction synchronises and may have another outcome (AL3)
	Took    bool        // with Other: a Get of a sync.Pool that has taken an object
	At      trace.Site  // of the instruction
	Event   int64       // of the trace, that the goroutine has next
	Stacks  [][2]uint64 // addresses of the goroutine's stacks, which are no locations

	// Needs and Guards are what the goroutine's next event depends on, on every path.
	Needs  []int64
	Guards []flow.Guard

	reads []int64 // of Args; nil: not computed
}

// Facts looks up the function values, channels and type words that the walk has seen. The answer is
// what was known right before an event of the trace, which the walk has passed. Several goroutines
// may look up facts while the walk continues.
type Facts interface {
	// FunctionAt returns the function value at an address, with what it has captured.
	FunctionAt(addr uint64, before int64) (fn *ssa.Function, free []goval.Value, ok bool)

	// MadeAt returns the event from which on the function value of FunctionAt has been there.
	MadeAt(addr uint64, before int64) int64

	// CapacityAt returns the capacity of the channel at an address.
	CapacityAt(addr uint64, before int64) (n uint64, ok bool)

	// OnceAt returns the Once of the function value at an address, if sync.OnceFunc or the like has
	// returned it, and the function that its first call runs.
	OnceAt(addr uint64, before int64) (object uint64, runs goval.Value, ok bool)

	// DoneAt returns the channel of the context with a type word at an address: what its method
	// Done has returned.
	DoneAt(word, addr uint64, before int64) (ch uint64, ok bool)

	// ObjectsAt returns the objects that were put into the sync.Pool at an address, and whose
	// memory was not allocated anew since.
	ObjectsAt(pool uint64, before int64) []flow.Pooled

	// CancelAt returns what the function value at an address cancels, if context.WithCancel has
	// returned it, with all contexts that were there at any time between two events of the trace.
	CancelAt(addr uint64, since, before int64) (c flow.Cancelled, ok bool)

	// MapAt returns what the map at an address had for a key right after an event of the trace, as
	// far as operations show it, all of them before another event.
	MapAt(m uint64, key flow.MapKey, at, before int64) MapContent
	flow.MapFacts

	// WordAt returns the address that stands for a key of the sync.Map at an address, KeysAt the
	// state of its keys, 0 if it is not known, and StoredAt the value that a sync.Map has with a
	// number (package format), and an event at which it was there.
	WordAt(m uint64, key flow.DynamicKey, before int64) (word uint64, ok bool)
	KeysAt(m uint64, before int64) trace.Addr
	StoredAt(number uint64, before int64) (v goval.Value, at int64, ok bool)

	// BoxAt returns the content, of size bytes, of the interface with a data word.
	BoxAt(data uint64, size, before int64) (v goval.Value, ok bool)

	// LockerAt returns the lock of the Cond at an address.
	LockerAt(addr uint64, before int64) (l flow.Locker, ok bool)

	// TimerAt returns the timer whose channel, or time.Timer, is at an address, and the function
	// that it calls. ok is false unless it was started before a fork of g, an event of the trace,
	// and not stopped since, and no other goroutine starts or stops it up to the event until.
	TimerAt(addr uint64, g trace.GoID, fork, until int64) (t flow.Timer, runs goval.Value, ok bool)

	// FreeTimers reports whether timers may fire at any time after their start. In a bubble of
	// package testing/synctest they may not.
	FreeTimers() bool

	// TypeOf returns the type that a type word of an interface stands for.
	TypeOf(word uint64, before int64) (goval.Dynamic, bool)

	// TypeWord returns the type word of an interface of type i that holds a t.
	TypeWord(i, t types.Type, before int64) (word uint64, ok bool)
}

// Goroutine implements [flow.Fork].
func (x *Fork) Goroutine() trace.GoID { return x.G }

// Reads implements [flow.Fork].
func (x *Fork) Reads() []int64 {
	if x.reads == nil {
		x.reads = []int64{}
		in := x.Frame.instr()
		for _, i := range x.Args {
			for _, r := range goval.ReadsOf(x.Frame.Regs[in.Args[i].Reg].term()) {
				x.reads = append(x.reads, r.Number())
			}
		}
		slices.Sort(x.reads)
		x.reads = slices.Compact(x.reads)
	}
	return x.reads
}

// Base implements [flow.Fork].
func (x *Fork) Base() bool { return !x.Rest && !x.Other && x.Frame.instr().Op != regcode.OpIf }

// Ended implements [flow.Fork].
func (x *Fork) Ended() bool { return x.Rest }

// Site implements [flow.Fork].
func (x *Fork) Site() trace.Site { return x.At }

// Outcome implements [flow.Fork].
func (x *Fork) Outcome() bool { return x.Other }

// Timer implements [flow.Fork].
func (x *Fork) Timer() (t flow.Timer, ok bool) {
	if x.Starts == nil {
		return t, false
	}
	return *x.Starts, true
}

// Where implements [flow.Fork].
func (x *Fork) Where() flow.Where {
	in := x.Frame.instr()
	if x.Rest {
		return flow.Where{Site: x.At}
	}
	v, ok := in.SSA.(ssa.Value)
	if !x.Other {
		v, ok = *in.SSA.Operands(nil)[x.Args[0]], true
	}
	if !ok {
		return flow.Where{Site: x.At}
	}
	at, expr := x.Frame.Code.Plan.Written(in.SSA, v)
	return flow.Where{Site: x.Frame.Code.Plan.Site, Line: int32(at.Line), Col: int32(at.Column), Expr: expr, Type: regcode.Shape(v.Type())}
}
