// Package window builds windows. It cuts a trace into stretches and reduces each one to the events
// that matter for races. Package model says what a window means.
//
// A Builder takes the events of a trace in order, each with what the walk found out about it
// (package flow). Whenever its buffer is full, it emits a built.Window. Successive windows overlap:
// the second half of one is the first half of the next, so that each pair of near accesses is in
// some window.
//
//	Add(event, Flow)
//	      │
//	      ▼
//	  buffer         records of trace events from the start of the next window on (buffer.go)
//	      │  full?
//	      ▼
//	  promise        can this window have a race at all? If not, it is not made (promise.go)
//	      ▼
//	  make           the passes below (make.go)
//	      ▼
//	  emit(built.Window)
//	      ▼
//	  slide          the first half of the buffer leaves it
//	      │
//	      ▼
//	  carry          the state of memory and objects before the buffer (carry.go, memory.go)
//	  past           the accesses that left it, for warnings about pairs too far apart (past.go)
//
// # From a record to events
//
// make reduces the records of the buffer in four steps.
//
//  1. *Name.* Which word, object and allocation does each record act on? (layout)
//  2. *Classify.* Which words do several goroutines access? Where does a goroutine have to end,
//     because the trace does not say what it read? Which accesses need no event? (sharing, appends,
//     quietness)
//  3. *Produce.* Execute the model in the recorded order and make the events, record by record.
//     (producer) An event that the model does not enable ends its goroutine in this window.
//  4. *Branch off.* Make the events of the alternatives, which are what goroutines could do off
//     their recorded paths. (altProducer)
//
// Each pass is a value whose fields are its inputs; it cannot reach later passes.
//
//	pass          reads        finds
//	layout        records      words, atoms, objects, allocations
//	alternatives  forks        records of untaken branches, appended to those of the buffer
//	sharing       layout       shared atoms, initial values, turns of outside code, uncertain reads
//	appends       layout       open appends, and the arrays that they may write
//	quietness     layout       accesses that need no event next to excluded calls
//	graph         layout       an empty model.Window with its threads, which the producers fill
//	producer      all above    the events of the recorded run
//	altProducer   all above    the events of the alternatives
//
// The producers share helpers, each with a part of the state:
//
//	resolver      which events must be intact for a read of the trace to be intact, and its term
//	accesses      events of reads and writes, one for each atom
//	turnOrder     the order of accesses with turns of outside code
//	trusting      events of open appends
//	exclusions    the order of events with excluded calls
//	syncs         events of locks, channels, goroutines, and of state outside memory
//
// # Atoms
//
// Accesses of different sizes overlap. So a word of memory is cut into *atoms*: the coarsest
// partition of its bytes in which every access covers whole atoms. An atom that several goroutines
// access, at least one of them writing, is a location of the window. Accesses to other atoms have
// no event: what they read passes on to what depends on it (resolver).
//
//	access    Write [0,8)    Read [0,4)    Write [4,8)
//	atoms     ████████  →    [0,4) and [4,8): the first write becomes two events
//
// A word that is allocated anew within the window is a new word, with new atoms.
//
// # Rules
//
// The rules about code and state of which the trace does not say everything are next to their code.
//
//	outside code          WI1 to WI4    outside.go, turns.go
//	state outside memory  WI5           observe.go
//	append                WI6 to WI8    appends.go
//	excluded code         WI9           quiet.go; rules EX of package excluded
//	strings over memory   WI10          texts.go
//
// # Soundness
//
// Each window must satisfy what docs/theory/model.md assumes: every reordering of it is a prefix of
// an execution. An event may be dropped only if no other goroutine can observe it. Where the trace
// does not say what happened, the builder errs to the side of fewer reorderings: it adds an edge,
// makes a read strict, or ends the goroutine in this window. Each such loss is counted
// (BuildCounts).
//
// # Complexity
//
// Let a window have n records, w words and g goroutines. The passes take O(n + w) for most windows.
// Hidden synchronisation takes O(g) for each operation; turns and excluded calls are bounded by the
// constants next to them. At most Size events and Raw records are in memory at one time.
//
// # Adding a kind of event
//
// A kind that acts on an object of synchronisation needs
//
//   - its class in classOf, and a case in object.step that executes it (object.go);
//   - a case in modeOf (edges.go), if another operation on the object may be unknown;
//   - a case in forced.step (promise.go), if it always forces an order; otherwise it is ignored
//     there.
//
// producer.event then passes it to syncs.syncEvent. A kind that acts on no such object needs a case
// in producer.event (produce.go), and in Builder.wants if it does not always matter. An access
// needs no more than that format.Kind.IsAccess and IsWrite are right.
//
// # What is shared between windows
//
// The buffer's records, the table of records of a built.Window and the numbers of words (wordUse)
// are used again. So a built.Window is valid until emit returns, except for the parts that package
// built names.
package window
