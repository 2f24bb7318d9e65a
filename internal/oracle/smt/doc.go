// Package smt decides whether a pair of accesses of a window races, with an SMT solver.
//
// It writes the execution model of docs/theory/model.md as a formula of SMT-LIB 2.6. z3 or cvc5, a
// program on PATH, looks for a model of the formula, from which the package reads the reordering σ.
// This is the method of RVPredict and of RECIPE ("RECIPE: Relaxed Sound Predictive Analysis",
// section III.B). Package engine is faster and has no solver; this package is a second opinion
// (bench/crosscheck/smt, and the flag -solver). The two share no code.
//
// # Encoding
//
// The theory is that of bit vectors, and of floating point where a term has floats (QF_BV,
// QF_BVFP). The unknowns are the order of the events and what reads return; all else is a function
// of them. A condition *of e* must hold if σ contains e, or if e is an access of the pair. *Before
// e*, for an access e of the pair, means in σ.
//
// Order. Every event that σ may contain has a position, a word. The cut is a word as well: σ has
// the events whose positions are less. So if σ contains e, it contains all events before e, and "f
// before e" is one comparison. Events that are compared have different positions; where others
// coincide, either order will do. An event that is compared with nothing has the position of the
// next event of its thread: σ need not end with it. The pair, and what follows an access of the
// pair in its thread, are not in σ and have no positions.
//
// Each rule of the model is a set of conditions:
//
//	MO1   positions grow along a thread; σ has the predecessor of an access of the pair
//	MO2   of the first event of a thread, and of an access of the pair: the Go event is before it
//	MO3   of a Join: the last event of the other thread is before it, and that thread is not blocked
//	MO4   of the target of a hard edge: the source is before it; a weak edge does not concern the pair
//	MO5   of every event: it is enabled (below)
//	MO6   of every event: its Deps are intact; of a Strict read: it is intact
//	MO7   of an event that is marked never: false
//	MO8   of an event that is marked last: it is an access of the pair
//	MO9   of e in a conditional order (i,e,f): if i and f are in σ, e is before f
//	MO10  of an access of the pair: the reads that its address depends on are intact
//
// Memory and values (V). What a read returns is a word and whether it is known; both are unknowns.
// The read is intact if the word is known and equals its Val. A write stores such a pair as well:
// its Val if its ValDeps are intact, else the value of its term. A read has one more unknown, the
// position of the last write before it. It is at least that of every write before the read, and is
// that of one of them, if any. The read returns what that write has stored, or the initial value.
// The terms of the guards of an event are known and have their recorded values. Terms are encoded
// node by node, each with a word and whether it has a value. model.Names becomes two functions of a
// word.
//
// Locks (L), WaitGroups (W), Once (O). The state is counted: the Locks and Unlocks before, the sum
// of the deltas before, the OnceBegins and OnceEnds before. Every event of σ is enabled, so the
// counts determine the state.
//
// Cond (N). A waiter has a ticket: the number of CondWaits before. Each Signal and Broadcast has an
// unknown d: the tickets below d are notified after it. A Signal raises d by one if there is a
// ticket, a Broadcast to the number of tickets. A CondWake needs a Signal or Broadcast before it
// whose d is above its ticket. A waiter that leaves has been notified, so the order of the others
// stays.
//
// Channels (C), (U), (S). The state is the numbers of elements sent and received before, and
// whether a ChanClose is before. A receive takes the element with the number of receives before it.
// The slot of an unbuffered channel is a queue for one: the event after a send needs more receives
// before it than the number of its element. A non-blocking send needs its Partner to be the next
// event of its thread, and no other receive takes the element. If a receive takes the element of a
// send, one of the two is patient, at the time of the receive.
//
// Race. Both accesses satisfy MO1, MO2, MO4, MO6, MO10, V and U. If an AtomicRMW races with a Read,
// the location holds after σ the value that the AtomicRMW expects.
//
// # Soundness
//
// No race rests on the solver: package witness checks every σ. A pair that is not encoded is
// Unknown, with a reason that callers count: terms with strings, calls or complex quotients, a
// goroutine that waits twice on one Cond, more events than the limit. A query that exceeds the time
// limit is Unknown too, so unlike all else in presage this depends on the machine.
//
// # Complexity
//
// A query has a size of O(n²) for n events, mostly those on one object. It is written anew for each
// pair. Tens of events take milliseconds.
//
// # Types
//
//	query      the conditions               reads    what reads return
//	events     which events σ may contain   memory   what locations hold
//	positions  their order                  terms    expressions
//	script     the text of the query        channels, conds  states of channels and Conds
//
// # Names
//
//	p_e      position of e          v_r k_r  what read r returns    d_e db_e  notified after and before e
//	m_e_o    last write of o        i_r      r is intact            s_o_e     sent on o before e
//	mv mk    what it has stored     wv wk    what a write stores    r_o_e     received from o before e
//	t_n tk_n node n of the terms    f_n fw_n a float and its image
//	plain ambiguous   of model.Names
package smt
