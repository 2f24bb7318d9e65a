// Package window builds windows: it cuts a trace into stretches and reduces each one to the events
// that matter for races (package model says what a window means). A Builder takes the events of a
// trace in order, each with what the walk found out about it (package flow), and emits a
// built.Window whenever enough events have come.
//
//	Add(event, Flow)
//	      │
//	      ▼
//	  state ──────── buffer     records from the start of the next window on
//	      │          carry      memory and objects before the buffer
//	      │          stacks     calls of outside code that goroutines are in
//	      │          miss       calls of excluded code and what they reach
//	      │  full?
//	      ▼
//	  promise        can there be a race at all? If not, no window is made
//	      ▼
//	  make           the passes below
//	      ▼
//	  emit(built.Window), then slide: the first half of the buffer goes to carry
//
// # The passes
//
// make (make.go) runs them in this order. Each is a value whose fields are its inputs. It can not
// reach the passes after it.
//
//	layout         records     → words, atoms, objects, allocations of the buffer
//	alternatives   forks       → records of paths off the recorded one, behind the buffer's
//	sharing        layout      → which atoms are shared; initial values (I1 to I3);
//	                             turns of outside code; where a goroutine's record ends (E3)
//	appends        layout      → which appends are open, and which arrays they hit (J1 to J5)
//	quietness      layout      → which accesses need no event (K1 to K4)
//	graph          layout      → an empty model.Window with threads, to which the next passes
//	                             add events, hard edges, names of objects
//	producer       all above   → the events of the recorded run, record by record
//	wayProducer    all above   → the events of the alternatives
//	graph.finish               → initial states of objects, names, semantics
//
// The producer executes the model in the recorded order. An event that this order does not enable
// ends its goroutine in this window. It has helpers, each with a part of the state:
//
//	resolver       what a read of the trace is in the window: events that must be intact, a term
//	accesses       events of reads and writes, one for each atom
//	turnOrder      the order with turns of outside code (E4, E7)
//	trusting       events of open appends (J2, J3)
//	exclusions     the order with calls of excluded code (rules B of package excluded)
//	syncs          events of locks, channels, goroutines and what is no memory (S1 to S3)
//
// # Atoms
//
// A word of memory is cut into atoms: the coarsest partition of its bytes in which every access
// covers whole atoms. Each atom that several goroutines access, one of them writing, is a location
// of the window. Accesses to other atoms have no event; what they read is passed on to what depends
// on it.
//
// # What is shared between windows
//
// Successive windows overlap: the second half of one is the first half of the next. The buffer's
// records, the table of records of a built.Window and the numbers of words (wordUse) are re-used.
// So a built.Window is valid until emit returns, but for the parts that package built names.
package window
