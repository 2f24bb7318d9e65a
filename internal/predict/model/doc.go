// Package model holds the data of a window: a stretch of a trace, reduced to the events that
// matter for races, with the state it starts from. It is data alone. Package window builds
// windows, package engine searches them for races, and the judges check what the engine finds.
// These share this package and no code.
//
// # From a trace to a race
//
//	trace    g1: ... Lock Write(x) Unlock ...        one recorded run, in one order
//	         g2: ...      Lock Read(y) Unlock Write(x) ...
//	                 |
//	                 |  package window cuts it, and leaves out what no other goroutine sees
//	                 v
//	window   thread 0:  Lock  Write(x)  Unlock       events by thread, in program order
//	         thread 1:  Lock  Read(y)   Unlock  Write(x)
//	         Init: m is free, x = 0, y = 0           the state it starts from
//	         Edges, Orders                           order that the model does not explain
//	                 |
//	                 |  package engine looks for a reordering
//	                 v
//	σ        Lock Read(y) Unlock Lock                a sequence of events of the window
//	                 |                               that the program could have executed
//	                 v
//	race     Write(x) | Write(x)                     next in both threads after σ
//
// A *reordering* σ of a window is a sequence of distinct events for which the rules below hold.
// Each one is a prefix of a possible execution of the program, if the window is a faithful record
// of the run. Two conflicting accesses of different threads *race* if a reordering without them
// ends where both are next.
//
// # The rules
//
// This is a summary. The reference is docs/theory/model.md, with its numbers.
//
//	M1   Of each thread, σ has a prefix of its events, in program order.
//	M2   A thread that a Go event of the window starts has no event before that Go.
//	M3   A Join comes after all events of the thread that it waits for.
//	M4   The source of a hard edge (Edge) comes before its target.
//	M5   Each event is enabled in the state that it meets: a Lock finds the lock free.
//	M6   The reads that an event needs (Deps) return their recorded values; its Guards hold;
//	     a Strict read returns its recorded value whenever it is executed.
//	M7   An event marked Never is in no σ and in no race.
//	M8   An event marked Last is in no σ, but may be one of the two of a race.
//	M9   Of a Conditional: if all three events are in σ, From comes before To.
//	M10  An access needs the reads of Where only as one of the two of a race.
//
// A read is *intact* in σ if it returns what it returned in the recorded run. A write stores an
// intact value if the reads in its ValDeps are intact. Otherwise it stores what its Value, a Term
// over reads, evaluates to, or something unknown. The rules of states (M5) have letters: L for
// locks, W for WaitGroups, O for Once, N for Cond, C for channels with a buffer and U for those
// without, S for select, G for goroutines and P for Pins. V is evaluation, I the initial value.
//
// # Values
//
// The value of an event is a number. Equal numbers mean equal behaviour, so some numbers are not
// what the program sees: a pointer into memory that the window allocates stands for the object,
// and a value that was not recorded stands for its writer. Names translates them.
package model
