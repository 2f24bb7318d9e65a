// Package summary holds what is known of a function without its callers: guarded accesses, the
// effect on locks and synchronisation, results and stores, and the goroutines that it starts
// (RELAY: Voung, Jhala, Lerner, ESEC/FSE 2007, section 3.3).
//
// # Paths
//
// Everything is written in paths that begin at formals, globals, or sites of the function. A caller
// that instantiates a summary replaces formals by actuals and renames sites. Objects that are made
// inside and that no caller can name are left out, with everything that synchronises on them.
//
// # Accesses
//
// A guarded access is (location, relative lockset, kind), as in the paper, together with the
// synchronisation before it (package order), the goroutine that executes it, and the calls that
// lead to it. An access whose path no longer begins at a formal is settled: no caller can say more
// about its location. It stays with the function where it settled, and package link adds locks and
// roots from callers. Accesses and calls of the function's own text have the flags that their
// goroutine has seen under locks.
//
// # Calls and exits
//
// A call whose target is unknown is a hole: receiver, method, arguments, and the state there. A
// call through a value finds functions and concrete types where the value is read from: by the
// class of that memory, or else by its type. An exit has the results that distinguish it from the
// others: "returns non-nil holding the lock".
package summary

import (
	"cmp"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
)

// Kind is what an access does.
type Kind uint8

const (
	Read Kind = iota
	Write
	AtomicRead
	AtomicWrite
	Append // writes behind the length: conflicts with other appends only
)

func (k Kind) String() string {
	return [...]string{"read", "write", "atomic read", "atomic write", "append"}[k]
}

// Writes reports whether the access changes memory.
func (k Kind) Writes() bool { return k == Write || k == AtomicWrite || k == Append }

// Atomic reports whether the access is one of sync/atomic.
func (k Kind) Atomic() bool { return k == AtomicRead || k == AtomicWrite }

// Pos is a place in the text of a function. Its number counts the places that the function's
// summary names, in the order of the analysis; its lines are in the function's table
// (Function.Places), so that other summaries do not change when text moves in its file.
type Pos struct {
	Func  string
	Place int32
}

// Compare orders places, by function and number.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(strings.Compare(p.Func, q.Func), cmp.Compare(p.Place, q.Place))
}

// Line is where a place is: the file's number in Function.Files, line and column, from 1.
type Line struct{ File, Line, Column int32 }

// Call is one of the calls that lead to an access, innermost last.
type Call struct {
	Pos  Pos
	Func string // called
	Next *Call
}

// Access is a guarded access.
type Access struct {
	Loc    *path.Node // address
	Kind   Kind
	Locks  lockset.Relative
	Sync   order.Sync
	Thread int // 0: the goroutine of the caller; n: Spawns[n-1]
	Pos    Pos
	Func   string       // whose text it stands in
	Via    *Call        // nil: in the function itself
	Round  order.Counts // Tokens that may have been released in this round of the loop
	At     *path.Node   // the path as it is written at Pos
	Sets   bool         // it writes what is certainly not zero
	Flags  []Flag       // what its goroutine has seen before
	// the path from where the function has stored the object (SY3); nil if it
	// has not
	Stored *path.Node
	Back   bool // of an Append: the result goes where the slice was read
	Cuts   bool // it leaves a slice with a part of what it had
	Taken  bool // the memory was taken out of a shared place before (SY3)
	// an object that the function has made, and that has not escaped, leads to the memory (SY3)
	Inside bool
	// of a whole object: only fields that are not exported, by a function seen from outside (SY2)
	Hidden bool
	// the object was made by the function, and only goroutines that were started since can reach it
	Kept bool
}

// Flag says that a field or variable was seen zero since its locks were taken, or, if Set, that it
// was seen not zero, or was set, while they were held.
type Flag struct {
	Addr  *path.Node
	Set   bool
	Locks lockset.Relative // of one that is zero: Plus are those that are held ever since
}

// Spawn is a goroutine that the function starts, itself or in a call.
type Spawn struct {
	Token  *path.Node
	Parent int // thread that starts it
	Many   bool
	Loop   bool // many, because the go statement is in a loop of this function
	Pos    Pos
	Func   string
	Via    *Call
	Locks  lockset.Relative // of the parent at the go statement
	// those that the parent does not give up before it has waited for the goroutine
	Lent  lockset.Set
	Sync  order.Sync   // of the parent at the go statement
	Again *order.Sync  // of the parent where the next round of the loop begins
	Total order.Counts // releases that the goroutine may make in all
	// of what a test does after Parallel: the t of the test that runs it, whose return it waits
	// for; nil of other goroutines
	Late *path.Node
}

// Release is a release of a synchronisation object, and what its goroutine had acquired before.
type Release struct {
	Object *path.Node
	Thread int
	Times  int
	Sync   order.Sync
}

// Truth is a condition on a result.
type Truth uint8

const (
	Any   Truth = iota
	True        // true, or not nil
	False       // false, or nil
)

// Exit is one or several returns of the function.
type Exit struct {
	Results []Truth
	Locks   lockset.Relative
	Sync    order.Sync
}

// Store is a value that the function leaves in memory.
type Store struct{ Addr, Value *path.Node }

// Hole is a call whose target is not known.
type Hole struct {
	Value  *path.Node // function value, or receiver
	Method string     // "": a call of Value itself
	Iface  string     // the interface, by its methods
	Args   []*path.Node
	Locks  lockset.Relative
	Sync   order.Sync
	Thread int
	Go     bool
	Token  *path.Node // of a go statement: what it releases
	Test   *path.Node // Value is the function of a test that this t runs; nil: it is not
	Loop   bool       // the call is in a loop
	Pos    Pos
}

// Edge is a call of a known function, for the link phase.
type Edge struct {
	Callee string
	Args   []*path.Node // receiver and arguments, nil where not known
	Free   []*path.Node // what the closure captured
	Held   []*path.Node // what the captured variables hold
	Owned  Owned        // what no other goroutine can reach
	Stored []Stored     // arguments that the caller has made and stored in the memory of a formal
	// what only goroutines can reach that were started since it was made (SY3)
	Kept   Owned
	Locks  lockset.Relative
	Thread int
	// the callee is a test that may call Parallel; what comes before that call is no goroutine of
	// its own
	Test   bool
	Loop   bool // of a test that package link has found: it is executed several times
	Apart  bool // Parallel may have been called of a t that the caller was given
	Forked bool // a goroutine may have been started before
	// what the caller has waited for and released, of what has a name for its callers too
	Sync    order.Sync
	Started order.Counts // Tokens of those that this goroutine may have started before
	Flags   []Flag       // what this goroutine has seen before
	Pos     Pos
}

// Stored says of an argument that it is stored in the memory of a formal of the caller.
type Stored struct {
	Arg    int
	Formal *path.Node
}

// Owned are objects of a call that no other goroutine can reach, a bit each: those of arguments,
// captured variables, and what the variables hold.
type Owned struct{ Args, Free, Held uint32 }

// Offered precedes the interface in a Flow that only callers of its package can make.
const Offered = "offered "

// Flow says that a function or a concrete type, or what an interface holds, comes to where a call
// through a value may find it: the class of the memory in which it is stored, or the type that it
// is converted to; "" if nothing is known of where. A method comes to the type to which an
// embedded field promotes it.
type Flow struct {
	From, To string
	Same     uint32 // of a closure: the captured variables that no loop makes anew
}

// Within says to which structs a formal, the receiver first, leads by its type.
type Within struct {
	Formal int
	Types  []string // sorted
}

// Methods ends the place to which the names of the methods of an interface come.
const Methods = ".()"

// Function is the summary of one function.
type Function struct {
	Key      string
	Pkg      string
	Files    []string `store:"layout"`
	Places   []Line   `store:"layout"` // the first is the function itself
	Names    *path.Names
	Exported bool
	// boolean parameters that decide which locks it takes: it has a summary for each value of one
	// (Specialised)
	Decides  []int
	Target   bool // what it does is reported
	Whole    bool // seen from outside only: of the standard library, or generated
	Partial  bool // it may have further accesses: beyond a bound, of a callee without a summary
	Accesses []*Access
	Spawns   []*Spawn
	Releases []Release
	Exits    []Exit
	Total    order.Counts // releases that the caller's goroutine may make in all
	Results  [][]*path.Node
	Stores   []Store
	Escaped  []*path.Node // roots that other goroutines may reach
	Leaks    []int        // parameters whose objects other goroutines may reach

	// Of Escaped and Leaks, those that others may reach than the goroutines that were started since
	// the objects were made.
	Published []*path.Node
	Publishes []int

	// locks that the function may give up without having taken them (SY6)
	Gives []*path.Node

	Reveals []int // parameters whose objects code which is not known may get hold of

	// objects of the function that others may ever reach than the goroutines started since they
	// were made; nil once it is exported
	Outside []*path.Node

	Holes []Hole
	Edges []Edge
	Flows []Flow

	// of the initialisation of a package: the types of internal packages that it shows to importers
	Shows []string

	Roomy []string // classes of memory in which the result of an append is stored

	// formals that lead to structs of a few types only (SY3)
	Within struct{ Args, Free []Within }
	Cuts   Cuts // what is beyond the bounds
}
