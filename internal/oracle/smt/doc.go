// Package smt puts the question "does this pair of the window race?" to an SMT solver: it writes
// docs/theory/model.md as a formula of SMT-LIB 2.6, has z3 or cvc5, a program found on PATH, look
// for a model of it, and reads the reordering σ from the model. This is the way of RVPredict and
// RECIPE (RECIPE, section III.B). The engine of package engine, which does without a solver, is
// faster; this package is its second opinion (bench/crosscheck/smt), and the flag -solver of the
// command. They share no code.
//
// # Encoding
//
// The theory is that of bit vectors, and of floating point where a term has floats (QF_BV,
// QF_BVFP). There are unknowns for the order and for what reads see; all else is a function of
// them. A condition "of e" is one that holds if σ contains e, or if e is an access of the pair;
// "before e" of an access of the pair is in σ.
//
//	(order) Every event that may be in σ has a position, a word. Also unknown is the cut: σ is
//	what has a smaller
//	     position. So if σ contains e, what is before e is in σ, and "f before e" is one
//	     comparison. Events that are compared anywhere have different positions; where others
//	     coincide, either order will do. An event of which nothing asks when or whether it is
//	     executed, but what follows it in its thread, has the position of the next (σ need not end
//	     with it). What follows an access of the pair in its thread is not in σ, nor is the pair:
//	     they have no positions, and nothing of them is before anything.
//	(M1) Positions grow along a thread. An access of the pair has its predecessor in σ.
//	(M2) The Go event that starts a thread is before the first of its events, and before an access
//	     of the pair.
//	(M3) Of a Join: the other thread's last event is before it, and the thread is not blocked
//	     then.
//	(M4) For a hard edge (f,e), of e: f is before e; nothing of an access of the pair, if it is
//	     weak.
//	(M5) Of every event: its rule below.
//	(M6) Of every event: its Deps are intact; of a Strict read: it is intact.
//	(M7) Of an event that is marked never: false.
//	(M9) For an order (i,e,f) on condition, of e: if i and f are in σ, e is before f.
//	(M10) Of an access of the pair: the reads that its place rests on are intact.
//	(V)  A read r sees (v,k), a word and whether it is known; both are unknowns. It is intact if k and v = r.Val. A write stores a
//	     pair as well: its Val if its ValDeps are intact, else what its term amounts to. Of a
//	     read: the position m of the last write before it, an unknown, is no less than that of any
//	     write before it, and is that of one of them if there is one; the read sees what a write
//	     at m has stored, or the initial value. Of every event: its guards' terms are known and
//	     amount to what they should. Terms are those of package expr, node by node, each with a
//	     word and whether it has a value; what window.Names says of pointers is two functions of a
//	     word.
//	(L)  A lock is held for writing if the Locks before are not as many as the Unlocks before, and likewise for reading: the
//	     state is counted, not followed. (Every event of σ is enabled, so the counts say what the
//	     state is.)
//	(W)  The counter is the sum of the deltas before, in a width in which no sum overflows.
//	(O)  The state is the number of OnceBegins and OnceEnds before.
//	(N)  Waiters have tickets, numbered in the order of the queue: the number of CondWaits before. Each Signal and Broadcast has an
//	     unknown d, the tickets below which are notified after it: one more than before, but no
//	     more than there are tickets, or all of them. A CondWake needs a Signal or Broadcast
//	     before it whose d is above its ticket. (Those that leave the queue have been notified, so
//	     the order of the others does not change.)
//	(C)  The numbers of elements sent and received before, and whether a ChanClose is before. A receive takes the element with
//	     the number of receives before it, a send sends the one with the number of sends before
//	     it.
//	(U)  The slot is a queue for one. The event after a send needs more receives before it than the number of its
//	     element. A non-blocking send needs its Partner to be next: what precedes it there is
//	     before, it is not; no other receive takes the element. Of a receive that takes the
//	     element of a send: one of the two is patient, its cases being judged where the receive
//	     is.
//	(S)  Readiness of a case, and lengths, by the same numbers.
//	(G)  (P) nothing.
//	(Race) The conditions of reaching both accesses: M1, M2, M4, M6, V, U; and for an AtomicRMW
//	     with a Read, what the location holds after σ, encoded as what a read there would see, is
//	     the value to be met.
//
// # Soundness
//
// The encoding leaves nothing out but what it says it does: then there is no query, and the answer
// is Unknown, with a reason that callers count: terms with strings, calls or complex quotients; a
// goroutine that waits twice on one Cond; more events than the limit. A query that exceeds the time
// limit is Unknown as well, so what is Unknown depends on the machine, unlike everything else that
// presage says. No race rests on the solver: package witness checks every σ.
//
// # Complexity
//
// A query has a size of O(n²) for n events, on one object mostly; it is written anew for each pair.
// Tens of events take milliseconds.
//
// # Names
//
//	p_e      position of e          v_r k_r  what read r sees        d_e db_e  notified after and before e
//	m_e_o    last write of o        i_r      r is intact             s_o_e     sent on o before e
//	mv mk    what it has stored     wv wk    what a write stores     r_o_e     received from o before e
//	t_n tk_n node n of the terms    f_n fw_n a float and its image
//	plain ambiguous   of window.Names
package smt
