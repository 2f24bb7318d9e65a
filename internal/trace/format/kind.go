// Package format is the event table: the kinds of event a trace can hold, their names, and the
// meaning of their operands. It imports nothing. The program under test has its numbers, which
// package recorder writes (constants in overlay.go).
//
// # Operands
//
// An event has four operands besides its goroutine and its site: Obj, Val, Aux
// and Size. The table in this file says what each kind keeps in them; an operand
// that the table does not mention is zero.
//
// # Adding a kind of event
//
// Its way from the operation to `presage trace dump` is, below internal,
//
//   - trace/format/kind.go: the kind, at the end of its group's range, its operands and its name
//   - trace/format/raw.go: the words of its record, in the table and in RawLen
//   - record/recorder/overlay.go: its name in the recorder, in constants
//   - record/recorder/_std/runtime: the function that writes the record; where the stack must not
//     grow, on the system's stack, as presageObserve does
//   - record/goversion/patches: the call of that function, in states.diff if only the recorder has
//     it. Or, if emitted code makes the record: a hook of package plan, which package instrument
//     writes and package walk expects
//   - record/merge/event.go: its operands, in emit; endsContext, if it is synchronisation
//
// An event of which only the trace and its text form know is control (IsControl), and nothing else
// has to be changed for it. It has no site and no FlagOpaque: with a site the walk expects a hook
// of package plan, and with the flag it shows that outside code runs. It is not left out between
// walk and window: an event may carry what its goroutine's next one needs.
//
// For all other kinds, CONTRIBUTING.md says how to go on; the uses of the kind that is most like it
// are the lists that it belongs to.
//
// # Names
//
//	Obj   what the event acts on: a memory address, a lock, a channel, a goroutine
//	Val   the value read, written, sent or received, or the kind's one number
//	Aux   a second number
//	Size  bytes accessed, 1 to 8 within one aligned word, or a kind's small number
package format

// Kind says what a goroutine did in one event.
type Kind uint8

// The kinds. Their numbers are part of the trace format: they are never reused, and a new kind is
// added at the end of its group's range. A group is more than its heading: all other packages ask
// for ranges of it. So a kind from Lock to SelectDefault is an operation on the object Obj, and one
// behind Word is control (IsControl), which has no effect in any model.
const (
	Invalid Kind = 0

	// Memory. Obj: address; Size: 1..8 bytes, never across an aligned 8-byte word
	// (larger accesses are recorded as several events with FlagMore on all but the
	// last, which is the goroutine's next event); Val: the value, zero-extended little-endian.
	Read        Kind = 1
	Write       Kind = 2
	AtomicRead  Kind = 3
	AtomicWrite Kind = 4
	// Val: value read; Aux: value written. A failed CAS is an AtomicRead with FlagTry.
	AtomicRMW Kind = 5

	// Locks. Obj: lock. FlagRead marks the shared mode of an RWMutex.
	// FlagTry marks success of TryLock or TryRLock.
	Lock    Kind = 10
	Unlock  Kind = 11
	TryFail Kind = 12 // TryLock or TryRLock returned false

	// WaitGroup. Obj: the WaitGroup.
	WGAdd  Kind = 15 // Val: delta as two's complement; Aux: counter after. Done is Add(-1).
	WGWait Kind = 16 // Wait returned

	// Once. Obj: the Once. OnceFunc and OnceValue are built on it.
	OnceBegin Kind = 18 // this goroutine won and starts f
	OnceEnd   Kind = 19 // f returned or panicked
	OncePass  Kind = 20 // Do returned without running f

	// Cond. Obj: the Cond. The lock is released and re-acquired by events of its own.
	CondWait      Kind = 22 // the goroutine joins the queue of waiters
	CondWake      Kind = 23 // it was notified and goes on (before it locks again)
	CondSignal    Kind = 24
	CondBroadcast Kind = 25

	// Channels. Obj: channel; Aux: capacity. Val: identity of the element (the value
	// itself when it fits in a word and was recorded, else the send's number).
	// FlagNonBlocking: the operation was a case of a select with a default.
	// FlagClosed on a ChanRecv: it returned the zero value because of a close.
	ChanSend  Kind = 28
	ChanRecv  Kind = 29
	ChanClose Kind = 30
	ChanLen   Kind = 31 // Val: the length seen
	// a case that was not chosen; FlagWrite: a send. Precedes the SelectDefault, or the ChanSend or
	// ChanRecv of a select on several channels. Val, in the trace of a steered run: the number of
	// the case, from 1, and above 16 bits that of the chosen one
	SelectCase    Kind = 32
	SelectDefault Kind = 33

	// Goroutines. Obj: the other goroutine.
	Go    Kind = 36 // starts goroutine Obj
	Start Kind = 37 // first event of a goroutine; Obj: its parent
	End   Kind = 38 // last event of a goroutine
	Join  Kind = 39 // waited for the end of goroutine Obj (other tools' traces)

	// Happens-before edges whose operation is not known: synchronisation inside
	// code that was not instrumented. Obj: address. As in the Go runtime's race hooks.
	Acquire      Kind = 42
	Release      Kind = 43 // overwrites the object's clock
	ReleaseMerge Kind = 44 // adds to the object's clock

	// A state of the process that is not memory of Go. Obj: the state (StateFiles and the others).
	// FlagRead: the goroutine has looked at it, FlagWrite: it may be about to change it; one of
	// them is set. FlagNoValue: it may write memory without a record. No happens-before edge.
	// (state.go.)
	Observe Kind = 45

	// Code that was not instrumented. Site: the call.
	OpaqueBegin Kind = 48
	OpaqueEnd   Kind = 49

	// A call of code of which nothing is recorded but what it can reach: RDIT's BarrierPair. Obj:
	// the method; Site: the call. The Reach and ReachGo events right behind a MethodBegin are its
	// D. FlagAll: it reaches everything. The pairs of a goroutine nest; what the goroutine does in
	// between was called back. (Package excluded.) What many Ds have in common is listed once, as a
	// set with a number, and named by ReachSet events among the others of a D.
	MethodBegin Kind = 50
	MethodEnd   Kind = 51
	// Obj: the set, from 1; Val: how many Reach events follow at once that are the set, 0: it is
	// one that was listed before; Aux: another set, of which they make it: first come those that
	// take something away (FlagGone)
	ReachSet Kind = 53
	// Obj: address; Val: bytes, 0: a word. Also a lock, WaitGroup, Once, Cond or channel at that
	// address.
	Reach   Kind = 54
	ReachGo Kind = 55 // Obj: a goroutine: whether it runs

	// Heap. Alloc: Obj: address; Val: size in bytes. From here on the addresses
	// Obj..Obj+Val-1 are new locations. FlagZero: the allocator left them zero, and what the
	// code that asked for them writes into them is recorded, if that code is.
	Alloc Kind = 52

	// Control and data for the walk of package walk: no memory, no synchronisation, no Obj.
	// function entered. Site: the function; Val: site of the call, 0 if the caller is opaque; Aux:
	// depth
	Enter Kind = 56
	// function left. Site: the function; Aux: depth. FlagPanic: by a panic or Goexit
	Exit  Kind = 57
	Block Kind = 58 // basic block entered. Site: the block
	// value of an instruction. Site: the instruction; Size: bytes; Val: the first word
	Value Kind = 59
	Word  Kind = 60 // the next word of the previous Value

	Max Kind = 61
)

// Flags refine an event.
type Flags uint8

const (
	FlagRead Flags = 1 << 0 // lock: shared mode; Observe: has looked at the state
	// memory: a read whose value no recorded write before it explains
	FlagUnexplained Flags = 1 << 0
	FlagAll         Flags = 1 << 0 // MethodBegin: D is everything
	// MethodBegin: what it does with locks, channels and goroutines is recorded by itself; D is
	// memory
	FlagSeen Flags = 1 << 2
	// Reach, behind a ReachSet with another set: of what that has this is not in the set
	FlagGone Flags = 1 << 2
	// Alloc: new, make or a variable, not memory that the runtime fills (append, conversions)
	FlagZero Flags = 1 << 0
	// Alloc: instrumented code has asked for it, and the first read and write of each byte by
	// outside code is in the trace
	FlagFirst Flags = 1 << 1
	// Alloc: the program has mapped it, a file for example. The same memory may be at other
	// addresses as well
	FlagShared Flags = 1 << 2
	// OpaqueBegin: of a call through a function value or an interface that enters an instrumented
	// function at once; Enter: by such a call
	FlagDirect Flags = 1 << 0
	// lock: by TryLock or TryRLock; AtomicRead: a CompareAndSwap that failed
	FlagTry Flags = 1 << 1
	// Acquire, ReleaseMerge: of an object that is got from a sync.Pool, or put there
	FlagPool        Flags = 1 << 1
	FlagNonBlocking Flags = 1 << 1 // channel: case of a select with a default
	FlagClosed      Flags = 1 << 2 // receive: the channel was closed and empty
	// memory, of outside code (Event.Outside): at some moment between the goroutine's operations of
	// synchronisation around it
	FlagLate Flags = 1 << 2
	// memory, of outside code, as raw records: every access has such a record, if the recorder is
	// asked for them
	FlagFull Flags = 1 << 1
	// ReleaseMerge: a timer is armed or stopped, and whether it was active depends on the
	// goroutines that did so before; Block, off the recorded path: a timer is stopped
	FlagTimer Flags = 1 << 3
	FlagWrite Flags = 1 << 3 // SelectCase: a send; Observe: may change the state
	// Exit: each deferred call of code outside was of a typed operation
	FlagTyped Flags = 1 << 0
	// Read: of what a string says that unsafe code has made. The program reads it later, if at all:
	// others depend on it, and it is in no race
	FlagText    Flags = 1 << 3
	FlagMore    Flags = 1 << 4 // memory: the next event belongs to the same access
	FlagNoValue Flags = 1 << 5 // Val was not recorded
	FlagOpaque  Flags = 1 << 6 // executed by code that was not instrumented
	FlagPanic   Flags = 1 << 7 // Exit: by a panic or Goexit
	FlagStack   Flags = 1 << 7 // memory: on the goroutine's own stack, cannot be shared
)

var names = [Max]string{
	Invalid: "invalid",
	Read:    "read", Write: "write", AtomicRead: "aread", AtomicWrite: "awrite", AtomicRMW: "armw",
	Lock: "lock", Unlock: "unlock", TryFail: "tryfail",
	WGAdd: "wgadd", WGWait: "wgwait",
	OnceBegin: "oncebegin", OnceEnd: "onceend", OncePass: "oncepass",
	CondWait: "condwait", CondWake: "condwake", CondSignal: "signal", CondBroadcast: "broadcast",
	ChanSend: "send", ChanRecv: "recv", ChanClose: "close", ChanLen: "len",
	SelectCase: "case", SelectDefault: "default",
	Go: "go", Start: "start", End: "end", Join: "join",
	Acquire: "acquire", Release: "release", ReleaseMerge: "relmerge",
	Observe:     "observe",
	OpaqueBegin: "opaque", OpaqueEnd: "opaqueend",
	MethodBegin: "methodbegin", MethodEnd: "methodend", Reach: "reach", ReachGo: "reachgo", ReachSet: "reachset",
	Alloc: "alloc",
	Enter: "enter", Exit: "exit", Block: "block", Value: "value", Word: "word",
}

// String returns the kind's name in the text form of a trace.
func (k Kind) String() string {
	if k < Max && names[k] != "" {
		return names[k]
	}
	return "kind?"
}

// Valid reports whether k is a kind of this version of the format.
func (k Kind) Valid() bool { return k > Invalid && k < Max && names[k] != "" }

// IsAccess reports whether k reads or writes memory.
func (k Kind) IsAccess() bool { return k >= Read && k <= AtomicRMW }

// IsWrite reports whether k may change memory.
func (k Kind) IsWrite() bool { return k == Write || k == AtomicWrite || k == AtomicRMW }

// IsControl reports whether k says where a goroutine is in the program and what it has computed,
// not what it has done to something that others see.
func (k Kind) IsControl() bool {
	return k >= Enter && k < Max || k == OpaqueBegin || k == OpaqueEnd
}

// IsAtomic reports whether k is an operation of sync/atomic.
func (k Kind) IsAtomic() bool { return k >= AtomicRead && k <= AtomicRMW }
