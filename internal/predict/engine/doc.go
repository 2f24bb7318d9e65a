// Package engine decides whether a pair of accesses of a window races: whether there
// is a reordering of the window, in the sense of docs/theory/model.md, after which both are
// next. It answers with the reordering, with "no", or, when its budget is spent, with
// "unknown".
//
// # The question
//
// A reordering σ of a window W executes some events of W and not others: what stands
// behind the race need not be executable at all. So the unknowns are the order of the
// events and one more: the place of the race in it. Both are one total order ≤ of the
// events and of a cursor R: event e is executed iff e < R. The pair (a, b) races iff
// there is such an order with
//
//	p < R for the predecessors p of a and b,  R < a,  R < b,
//	all needed reads of a and b intact at R,
//	and the events before R, in that order, an execution of the model.
//
// This is the maximal causality of Huang, Meredith and Roşu (PLDI 2014), without their
// demand that everything in the window is executed, and with the relaxation of RECIPE
// on what is kept: only reads that something needs keep their values.
//
// Order literals "x < y", with x and y events or R, are the language of everything
// below: exclusion of x is the literal R < x.
//
// # The phases
//
// Solve asks four judges, cheap ones first. The second and the fourth can say yes,
// all but the second can say no.
//
// (1) Static (static.go, derive.go). Program order, Go, Join and hard edges (MO1–MO4),
// and what objects force by themselves: the only OnceEnd precedes every OncePass, the
// k-th element of a channel with one sending and one receiving chain orders the two,
// and so on. If this order relates a and b, or either needs an event that can not be
// executed, they do not race. The recorded order need not agree with this one: that of a
// variant window is no reordering. Threads that can not overlap share a chain, so that
// vector clocks have an entry per chain: thousands of short goroutines are a few chains.
//
// (2) Closure (closure.go). The least set of events that contains the predecessors
// of a and b and, with an event, what it used in the recorded run: the write a needed
// read saw, the release before an acquire, earlier operations on other objects. This
// is the sync-preserving closure of Mathur, Pavlogiannis and Viswanathan (POPL 2021),
// with coarser rules where Go has more than locks. If neither a nor b is in it, it is
// executed in recorded order; if that goes well, it is a witness. (It is a proposal, no
// more: in a variant window, which nobody has recorded, it often fails.)
//
// (3) Obligations (obligations.go, partial.go). What every witness contains and which
// order it respects, to a fixed point: predecessors of included events are included;
// a needed read with one possible source follows it, with every other write before the
// source or behind the read; of two critical sections that are included, one ends
// before the other starts. A contradiction means no race. The order is kept closed
// under transitivity in Fenwick trees, one per pair of chains (in the manner of the
// sparse segment trees of Tunç, Deshmukh, Çirisci, Enea and Pavlogiannis, ASPLOS 2024).
//
// (4) Search (search.go). Conflict-driven clause learning over order literals, whose
// theory executes. The solver starts with the recorded order and keeps a total order
// that agrees with every literal it has decided or derived (order.go, the algorithm
// of Pearce and Kelly; a cycle is a conflict). When propagation has nothing more to
// do, it executes that order up to R (machine.go). No violation: the order is the
// witness. Otherwise each violation is explained (explain*.go, reads.go) by facts of
// the order that are enough for it; the negation of these facts is a clause that
// every reordering satisfies and this order does not. The clause is added, and the
// solver decides one of its literals.
//
// # Explanations
//
// Most objects have a state that is a count: a lock's holders, a WaitGroup's counter,
// a channel's elements, the number of OnceEnds. A count that is too high at x stays so
// unless an operation that raised it moves behind x, or one that lowers it moves
// before x; and per chain only the last raising one before x and the first lowering
// one behind x matter. So the clause has two literals per chain at most:
//
//	R < x  ∨  x < up₁ ∨ … ∨ x < upₖ  ∨  down₁ < x ∨ … ∨ downₖ < x
//
// Others are shorter or need more:
//
//	disciplined lock   R < x ∨ R < y ∨ rel(y) < x ∨ rel(x) < y      two critical sections
//	Once               R < x ∨ R < y                               two OnceBegins
//	element of x       the receives before x and the sends before y are the same
//	Cond               no notification since the wait; else the whole order since the last broadcast
//	read r             ¬need(r) ∨ s₁ ∨ … ∨ sₖ,  sᵢ → wᵢ < r,  sᵢ → whole(wᵢ),
//	                   sᵢ → w < wᵢ ∨ r < w (∨ whole(w), if w writes r's value)
//
//	guard g of x   ¬happens(x) ∨ ⋁ "r sees another write than it does", for the reads r of its slice
//
// where sᵢ says that r sees what wᵢ wrote, need(r) that r must be intact (MO6): implied
// by the execution of an event that has r in its Deps, or of r itself if it is strict;
// and whole(w) that w's value is intact: it implies need(d) for the ValDeps d of w.
//
// # Values
//
// Where the window has terms (V: RECIPE's value relaxation), values are not solved for: an order
// determines them, so executing it evaluates them (values.go). A guard that fails, or a read that
// is not intact and must be, rests on a slice of reads: those of its term, and those that the
// values they see were computed from. Which write each of them sees, as literals "r sees w", is
// what the clause is about. So any operator is exact, and the search is over orders alone. It
// starts from what the pair needs, its guards as recorded (closure.go, without what stands behind
// the pair), and decides first that what a failing guard rests on sees what it saw in the recorded
// run (repair.go).
//
// # What pairs share
//
// Clauses hold in every reordering, not just in those of one pair. What a pair adds, it
// adds as assumptions: literals decided first (the five lines above, and what (3)
// found). So clauses learned from one pair serve the following ones. Conditions on the
// pair's own events, which are not executed, hang on the literal racing(x), and a
// compare-and-swap that races with a read on swapping(x).
//
// # Soundness, completeness, determinism
//
// A Race is returned only when the machine has executed its order without violation;
// package witness checks it again with code of its own. NoRace rests on clauses that
// hold in every reordering; tests compare it with exhaustive exploration. Every
// execution either succeeds, or adds a new clause, or is followed by a decision on a
// clause that no order found so far satisfies, so without a budget the search ends.
// The budget counts conflicts, not time; nothing depends on map iteration or schedule.
//
// # Complexity
//
// With n events and k chains: (1) O(nk) space and time per window; (2) O(nk) per
// pair; (3) O(k² log n) per arc and O(k log n) per included read and acquire and round;
// (4) exponential in the worst case, O(n) per execution.
//
// # Names
//
//	a, b     the pair                     c        chain; clause
//	e        event as a model.Event      l        literal
//	x, y, z  events by index; nodes       o        object
//	r, w     read, write                  p        pair
//	R        the cursor (s.cursor)        q        operations of one chain, in order
package engine
