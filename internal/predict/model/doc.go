// Package model holds the data of a window: a stretch of a trace, reduced to the events that
// matter for races, with the state it starts from. Package window builds windows, package engine
// searches them for races, and the judges check what the engine finds. These packages share the
// types of this one and no code.
//
// # A window
//
//	trace     1 g1 Lock(m)   2 g1 Write(x)  3 g1 Unlock(m)
//	          4 g2 Lock(m)   5 g2 Read(y)   6 g2 Unlock(m)  7 g2 Write(x)
//	              │
//	              │  package window: cut, drop what only one goroutine accesses
//	              ▼
//	window    index    0          1           2            3          4           5
//	          ┌───────────────────────────────────────────────────────────────────────────┐
//	thread 0  │ Lock(m) ── Write(x) ── Unlock(m)                                          │
//	thread 1  │                                      Lock(m) ── Unlock(m) ── Write(x)     │
//	          └───────────────────────────────────────────────────────────────────────────┘
//	Init      m: free   x: 0          state of each object before event 0
//	Edges     none                    pairs of events with a fixed order
//	Orders    none                    pairs of events whose order is fixed on a condition
//	              │
//	              │  package engine: is there a reordering that leads to the pair (1, 5)?
//	              ▼
//	σ         3 Lock(m)  4 Unlock(m)  0 Lock(m)      yes: after σ, thread 0 is at Write(x)
//	                                                 and thread 1 is at Write(x)
//
// The read of y has no event, since only g2 accesses y. The events of a thread, in the order of
// their indexes, are its *program order*.
//
// # Reorderings and races
//
// A *reordering* σ of a window is a sequence of distinct events for which the rules below hold. If
// the window is a faithful record of the run, then each reordering is a prefix of a possible
// execution of the program. Two conflicting accesses of different threads *race* if some reordering
// without them ends where both are next.
//
// # The rules
//
// This is a summary. The reference, with all conditions, is docs/theory/model.md.
//
//	MO1   Of each thread, σ has a prefix of its events, in program order.
//	MO2   A thread that a Go event of the window starts has no event before that Go.
//	MO3   A Join comes after all events of the thread that it waits for.
//	MO4   The source of a hard edge (Edge) comes before its target.
//	MO5   Each event is enabled in the state in which it occurs: a Lock finds the lock free.
//	MO6   The reads that an event needs (Deps) return their recorded values; its Guards hold;
//	      a Strict read returns its recorded value whenever it is executed.
//	MO7   An event marked Never is in no σ and in no race.
//	MO8   An event marked Last is in no σ, but may be one of the two events of a race.
//	MO9   Of a Conditional: if all three events are in σ, From comes before To.
//	MO10  An access needs the reads in Where only as one of the two events of a race.
//	MO11  Guards and terms are evaluated on what their reads return in σ.
//	MO12  The initial value of a location is what the trace shows, or unknown.
//
// MO13 to MO15 say when operations on locks, WaitGroups, Onces, Conds and channels are enabled.
// MO16 is about code that is compiled with access hooks only.
//
// # Values
//
// A read is *intact* in σ if it returns what it returned in the recorded run. A write stores an
// intact value if the reads in its ValDeps are intact. Otherwise it stores what its Value, a Term
// over reads, evaluates to, or an unknown value.
//
// The value of an event is a number. Equal numbers mean equal behaviour, so some numbers are not
// what the program sees: a pointer into memory that the window allocates stands for the object,
// and a value that was not recorded stands for its writer. Names translates them.
//
// # Adding a kind of event
//
// A kind is declared in internal/trace/format. docs/theory/model.md then says when such an event is
// enabled and what it changes; the state that it acts on is a field of ObjState. Package window
// makes the event, package engine executes it, and package witness judges it. The docs of these
// packages name the functions.
package model
