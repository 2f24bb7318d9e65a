// Package window builds windows. It cuts a trace into stretches and reduces each one to the events
// that matter for races. Package model says what a window means.
//
// A Builder takes the events of a trace in order, each with its Flow: what package walk found out
// about it. Such a pair is a record. Whenever the buffer of records is full, the Builder emits a
// built.Window. Successive windows overlap: the second half of one is the first half of the next.
// So accesses up to about half a window apart share a window.
//
//	Add(event, Flow)
//	      ▼
//	  buffer         records from the start of the next window on (buffer.go)
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
// # Terms
//
//	Flow           for example the reads that the event needs to occur as recorded, or what it
//	               writes as a function of reads (package flow)
//	event          a model.Event; a record has none, one or several
//	thread         a goroutine in the window
//	intact         of a read: it returns its recorded value, and that is no unknown value. Of a
//	               write: all reads that its value was computed from are intact, so a write
//	               without any is. The initial value is, unless it is unknown
//	strict         of a read: it is executed only if intact
//	term, guard    a value as a function of reads; a condition on reads
//	hard edge      two events whose order every reordering keeps
//	outside code   compiled with access hooks only: records without values; the rest is inside
//	excluded code  code without records; its calls have, with all that they can reach
//	hidden         of an operation: it only orders others (timers, sync.Pool, files)
//	fork           a point where a goroutine could have left its recorded path: its choice depends
//	               on what others do, maybe by way of the goroutine's own memory (opened.go)
//	alternative    what it does from there, by package alternative; check/offpath verifies it
//	variant        a window with an alternative in place of the recorded path
//
// docs/theory/model.md has definitions. A goroutine *ends* where the window has no more of it.
//
// # The buffer
//
// It is full at Size events that matter or at Raw records. What matters is synchronisation,
// accesses to words that several goroutines access and one writes, and what depends on these. Slide
// removes the records up to the middle of the window's events, and at least half of the records if
// Raw was reached or nothing new conflicts.
//
// A window has no promise if each new pair of conflicting accesses has a common lock, or an order
// that go statements, closes, Onces, channels and WaitGroups force. Every reordering keeps these,
// so the pair is no race. Alternatives that may be taken are a promise too.
//
// # From a record to events
//
// make has four steps of one or more passes. The fields of a pass are its inputs.
//
//	name        layout        the words, atoms, objects and allocations that records act on
//	            alternatives  the steps of alternatives, as records behind those of the buffer
//	classify    sharing       shared atoms, initial values, turns and uncertain reads (WI2, WI3)
//	            appends       open appends, and the arrays that they may write (WI6)
//	            quietness     accesses that need no event next to excluded calls (WI9)
//	produce     graph         an empty model.Window with its threads
//	            producer      the events of the recorded run
//	branch off  altProducer   the events of the alternatives
//
// The producer executes the model in the recorded order. An event that the model does not enable
// ends its goroutine: for example a Lock, if the goroutine that held the lock has ended. The
// producers share helpers:
//
//	resolver      which events must be intact for a read of the trace to be intact, and its term
//	accesses      events of reads and writes, one for each atom
//	turnOrder     the order of accesses with turns of outside code
//	trusting      events of open appends, and of what they may write (WI6, WI7)
//	exclusions    the order of events with excluded calls
//	syncs         events of locks, channels, goroutines, and of state outside memory (WI5)
//
// # Atoms
//
// A word of memory is cut into *atoms*: the coarsest partition of its bytes in which every access
// covers whole atoms. An atom that several goroutines access, at least one of them writing, is a
// location of the window.
//
//	access    Write [0,8)    Read [0,4)    Write [4,8)
//	atoms     ████████  →    [0,4) and [4,8): the first write becomes two events
//
// Accesses to other atoms have no event. If y is such an atom and x is shared, then after y = x+1
// an event that needs a read of y needs the read of x instead (resolver). A word that is allocated
// anew within the window is a new word, with new atoms.
//
// # Rules
//
//	outside code (outside.go, turns.go)
//	WI1   An outside read is strict; an outside write leaves what the next inside read finds.
//	WI2   If it is unknown which write a read saw (it is uncertain), the goroutine ends there. Bytes
//	      without a meaning, as the padding of a struct, need no write, if no other goroutine uses
//	      the memory in the window.
//	WI3   No conflicting access of another goroutine comes within a turn not all recorded. A turn
//	      of a goroutine at an atom begins with its first access there, in the window or since a
//	      conflicting access of another one, and ends before the next such access; if there is
//	      none in the window, it does not end.
//	WI4   What a turn leaves between its records is unknown.
//	state outside memory: files, memory of C, the number of goroutines (observe.go)
//	WI5   Observations keep their order with changes, a garbage collection with everything.
//	open appends: they may be executed on another slice than the recorded one (appends.go)
//	WI6   The arrays that they may write have a location, trust: intact while all is as recorded.
//	WI7   A goroutine that accesses such an array reads trust strictly.
//	WI8   An access of an open append needs the reads of the slice to be intact if it is one of
//	      the two of a race, since its address depends on them, but not to be executed.
//	excluded code (quiet.go; rules EX of package excluded)
//	WI9   An access that is ordered with all excluded calls that reach it needs no event.
//	strings that unsafe code makes over writable memory (texts.go)
//	WI10  Reads of their bytes are events, but in no race.
//	maps (entries.go): if the keys of all writes to one are known, an access acts on the entry of
//	      its key, else on the contents as a whole
//
// # Soundness
//
// Each window must satisfy what docs/theory/model.md assumes: every reordering of it, which may
// leave events out, is a prefix of an execution. An event may be dropped only if no other goroutine
// can observe it. Where the trace does not say what happened, the builder allows fewer reorderings:
// it adds an edge, makes a read strict, or ends the goroutine. Such losses are counted
// (BuildCounts). WI2 needs the races of the recorded run: FindRaces finds them in a pass of its
// own, for Builder.Races, or Builder.Unordered takes them one by one.
//
// # Complexity
//
// With n records, w words and g goroutines, the passes take O(n + w) for most windows. Hidden
// operations take O(g) each; turns and excluded calls are bounded by the constants next to them. At
// most Size events and Raw records are in memory at one time. They are used again for the next
// window, so a built.Window is valid until emit returns (see package built).
//
// # Adding a kind of event
//
// Packages format and model come first. A kind that acts on an object of synchronisation needs
//
//   - its class in classOf, a case in object.infer and one in object.step, which executes it
//     (object.go); graph.state copies new fields of the state;
//   - a case in modeOf (edges.go), if two such operations need no order next to outside code;
//   - a case in forced.step (promise.go), if it forces an order in every reordering, as a barrier
//     of several rounds does not. Otherwise it is ignored there.
//
// syncs.syncEvent and carry.apply need a case only for what step does not do, as for channels. A
// kind without an object needs a case in producer.event (produce.go), and in Builder.wants if it
// does not always matter. An access needs that format.Kind.IsAccess and IsWrite are right. The
// ranges of kinds in synchronises and noteAlone must hold for the new number.
package window
