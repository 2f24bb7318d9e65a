// Package engine decides whether a pair of accesses of a window races: whether there is a
// reordering of the window (docs/theory/model.md) after which both are next. It answers with the
// reordering, with "no", or, when its budget is spent, with "unknown".
//
// # The question
//
// A reordering σ of a window W executes some events of W and not others: the events after the race
// need not be executable at all. So there are two unknowns, the order of the events and the place
// of the race in it. Both are one total order ≤ of the events and of a cursor R: event e is
// executed iff e < R. The pair (a, b) races iff there is such an order with
//
//	p < R for the predecessors p of a and b,  R < a,  R < b,
//	all needed reads of a and b intact at R,
//	and the events before R, in that order, an execution of the model.
//
// This is the maximal causality of Huang, Meredith and Roşu (PLDI 2014), with two relaxations: not
// all events of the window need be executed, and only reads that something needs keep their values
// (RECIPE, PLDI 2016).
//
// Everything below is in order literals "x < y", with x and y events or R. The literal R < x says
// that x is not executed.
//
// # The phases
//
// Solve runs four phases, cheap ones first. The second and the fourth can answer "race". All but
// the second can answer "no race".
//
// (1) *Static* (static.go, objects.go, derive.go). It collects the orders that hold in every
// reordering. These are program order, Go, Join and hard edges (MO1 to MO4), and orders that an
// object forces by itself. For example, the only OnceEnd precedes every OncePass, and the k-th
// element of a channel with one sending and one receiving chain orders its send and its receive. If
// this order relates a and b, or one of them needs an event that can not be executed, they do not
// race. Threads that can not overlap share a *chain*, so that vector clocks have an entry per
// chain: thousands of short goroutines are a few chains.
//
// (2) *Closure* (closure.go). It computes the least set of events that contains the predecessors of
// a and b and, with an event, what the event used in the recorded run: the write that a needed read
// saw, the release before an acquire, earlier operations on other objects. This is the
// sync-preserving closure of Mathur, Pavlogiannis and Viswanathan (POPL 2021), with coarser rules
// where Go has more than locks. If neither a nor b is in the set, it is executed in recorded order.
// If that has no violation, it is a witness. In a variant window, whose order was not recorded, it
// often has one.
//
// (3) *Obligations* (obligations.go, partial.go). It computes, to a fixed point, events that every
// witness contains and orders that every witness respects. Predecessors of contained events are
// contained. A needed read with one possible source comes after it, and every other write comes
// before the source or after the read. Of two critical sections that are contained, one ends before
// the other starts. A contradiction means no race. The order is kept closed under transitivity in
// Fenwick trees, one per pair of chains, similar to the sparse segment trees of Tunç, Deshmukh,
// Çirisci, Enea and Pavlogiannis (ASPLOS 2024).
//
// (4) *Search* (search.go). This is conflict-driven clause learning over order literals. The solver
// starts with the recorded order and keeps a total order, the *candidate*, that agrees with every
// literal it has decided or derived. The candidate is maintained by the algorithm of Pearce and
// Kelly (order.go); a cycle is a conflict. When propagation is complete, the machine executes the
// candidate up to R. Without a violation, it is the witness. Otherwise each violation is explained
// by facts of the candidate that are enough for it. The negation of these facts is a clause that
// every reordering satisfies and the candidate does not. The clause is added, and the solver
// decides one of its literals.
//
// # The types
//
// Solver controls the phases. Each type below refers only to types above it.
//
//	static       (1) the order that every reordering keeps; chains and clocks
//	objects      (1) the operations on each object, by chain
//	closure      (2)
//	obligations  (3) with partial, its order
//	order        (4) the candidate
//	sat          (4) literals, clauses, propagation, learning
//	reads        (4) literals "read r sees write w" and "read r is intact", without terms
//	readFrom     (4) literals "read r sees write w" with terms
//	values       (4) evaluation of terms
//	machine      (4) execution of the candidate
//	facts        (4) parts of clauses
//	slicer       (4) explanations that depend on values, with terms
//	explainer    (4) all other explanations
//
// # Explanations
//
// The state of most objects is a count: a lock's holders, a WaitGroup's counter, a channel's
// elements, the number of OnceEnds. A count that is too high at x stays so unless an operation that
// raised it moves behind x, or one that lowers it moves before x. Per chain, only the last raising
// operation before x and the first lowering one behind x matter. So the clause has at most two
// literals per chain:
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
// Here sᵢ says that r sees what wᵢ wrote. need(r) says that r must be intact (MO6): it is implied
// by the execution of an event that has r in its Deps, or of r itself if r is strict. whole(w) says
// that w's value is intact: it implies need(d) for the ValDeps d of w.
//
// # Values
//
// If the window has terms (MO11), values are not solved for. An order determines them, so executing
// it evaluates them (values.go). A guard that fails, or a read that must be intact and is not,
// depends on a *slice* of reads: those of its term, and those that the values they see were
// computed from. The clause says that one of them sees another write, in literals "r sees w". So
// every operator is exact, and the search is over orders alone. The search starts from the closure
// of the pair, without the events that come after the pair. For a failing guard, it decides first
// that the reads of its slice see what they saw in the recorded run (repair.go).
//
// # What pairs share
//
// Clauses hold in every reordering, not only in those of one pair. What a pair adds is assumed:
// literals that are decided first, for the five lines above and for the results of (3). So clauses
// learned from one pair serve the following pairs. Conditions on the pair's own events, which are
// not executed, depend on the literal racing(x). Those on a compare-and-swap that races with a read
// depend on swapping(x).
//
// # Soundness, completeness, determinism
//
// A Race is returned only if the machine has executed its order without violation. Package witness
// checks it again with code of its own. NoRace is derived from clauses that hold in every
// reordering; tests compare it with exhaustive exploration. Every execution succeeds, or adds a new
// clause, or is followed by a decision on a clause that no order found so far satisfies. So without
// a budget the search ends. The budget counts conflicts, not time, and nothing depends on map
// iteration or schedule.
//
// # Adding a kind of event
//
// A new kind needs a case in machine.step, which executes it and reports a violation (machine*.go);
// a rule for that violation, with its explanation in explainer.explain; its role for the count of
// its object in roleOf (objects.go); and, if the recorded order of its operations matters, a case
// in closure.scan. Orders that it forces in every reordering go into static.derive (derive.go).
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
