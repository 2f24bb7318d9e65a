// Package engine decides whether a pair of accesses of a window races: whether there is a
// reordering of the window (docs/theory/model.md) after which both are next. It answers with the
// reordering, with "no", or, when its budget is spent, with "unknown".
//
// # Terms
//
// Package model has the details, and the rules MO1 to MO16 in a line each.
//
//	intact      of a read: it returns its recorded value, and that is no unknown value. Of a write:
//	            the reads that its value was computed from (ValDeps) are intact; so a write
//	            without any is. The initial value is, unless the window has it as unknown. A write
//	            that is not intact leaves the value of its term, or an unknown value if it has
//	            none.
//	need        an event needs the reads in its Deps to be intact in order to occur as recorded
//	strict      a read that needs itself to be intact
//	term        a value as a function of reads; guard: a term that must have a given value
//	hard edge   two events whose order every reordering keeps
//	variant     a window in which one goroutine leaves its recorded path: it has unrecorded events
//	last        an event that is in no reordering but may be an access of the pair
//
// # The question
//
// A reordering σ of a window W executes some events of W and not others: the events after the race
// need not be executable at all. So there are two unknowns, the order of the events and the place
// of the race in it. Both are one total order ≤ of the events and of a cursor R: event e is
// executed iff e < R. The pair (a, b) races iff there is such an order, a *witness*, with
//
//	p < R for each p that comes before a or b in every reordering,  R < a,  R < b,
//	the reads that a and b need are intact, and their guards hold,
//	and the events before R, in that order, are an execution of the model.
//
// This is the maximal causality of Huang, Meredith and Roşu (PLDI 2014), with two relaxations: not
// all events of the window need be executed, and only reads that something needs keep their values
// ("RECIPE: Relaxed Sound Predictive Analysis", section III).
//
// Everything below is in order literals "x < y", with x and y events or R. The literal R < x says
// that x is not executed.
//
// # The phases
//
// Solve runs four phases, cheap ones first. The second and the fourth can answer "race". All but
// the second can answer "no race". Result.Layer names the phase that decided: LayerStatic,
// LayerClosure, LayerMust (phase 3) or LayerSearch.
//
// (1) *Static* (static.go, objects.go, derive.go). It collects the orders that hold in every
// reordering. These are program order, Go before what it starts, Join after what it waits for, hard
// edges, and orders that an object forces by itself. For example, the only OnceEnd precedes every
// OncePass. Threads that can not overlap share a *chain*, whose events are totally ordered. So
// vector clocks have an entry per chain: thousands of short goroutines are a few chains. The k-th
// element of a channel with one sending and one receiving chain orders its send and its receive.
//
// If this order relates a and b, they do not race. Nor if one of them can not be executed, as what
// the goroutine of a variant did after it left its path, and what depends on that.
//
// (2) *Closure* (closure.go). It computes the least set of events that contains the predecessors of
// a and b by (1) and, with an event, what the event used in the recorded run: the write that a
// needed read saw, the release before an acquire, the previous operation on any object but a
// location or a disciplined lock (see below). This is the sync-preserving closure of Mathur,
// Pavlogiannis and Viswanathan (POPL 2021), with coarser rules where Go has more than locks. The
// set is executed in recorded order. If that has no violation, it is a witness. If the set would
// contain a or b, or an event that (1) puts after one of them, there is no proposal: that says
// nothing of the pair, and phase 3 follows. A variant was not recorded: its events are in an order
// that agrees with (1), and a violation is common.
//
// (3) *Obligations* (obligations.go, partial.go). It computes, to a fixed point, events that every
// witness contains and orders that every witness respects. Predecessors of contained events are
// contained. A needed read with one possible source comes after it, and every other write comes
// before the source or after the read. Of two critical sections that are contained, one ends before
// the other starts. A contradiction means no race. The order is kept closed under transitivity in
// Fenwick trees, one per pair of chains, similar to the sparse segment trees of Tunç, Deshmukh,
// Çirisci, Enea and Pavlogiannis (ASPLOS 2024). It only grows, and is
// cleared for the next pair.
//
// (4) *Search* (search.go). This is conflict-driven clause learning over order literals. The solver
// starts with the recorded order and keeps a total order, the *candidate*, that agrees with every
// literal it has decided or derived. The candidate is maintained by the algorithm of Pearce and
// Kelly (order.go); a cycle is a conflict. When propagation is complete, the machine executes the
// candidate up to R. Without a violation, it is the witness. Otherwise each violation is explained
// by facts of the candidate that are enough for it. The negation of these facts is a clause that
// every reordering satisfies and the candidate does not. The clause is added. The candidate orders
// all events, but the solver has decided few of its orders, so most literals of the clause are
// open. The solver decides one of them, unless the clause is already a conflict or forces one.
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
//	reads        (4) literals need, whole, racing (below); "r sees write w", without terms
//	readFrom     (4) literals "r sees write w", in a window with terms
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
// raised it moves behind x, or one that lowers it moves before x. Of chain i, only the last raising
// operation before x, upᵢ, and the first lowering one behind x, downᵢ, matter. So the clause has at
// most two literals per chain:
//
//	R < x  ∨  x < up₁ ∨ … ∨ x < upₖ  ∨  down₁ < x ∨ … ∨ downₖ < x
//
// Others are shorter or need more:
//
//	lock           R < x ∨ R < y ∨ rel(y) < x ∨ rel(x) < y     Locks x, y; rel(x): the Unlock of x
//	Once           R < x ∨ R < y                               two OnceBegins
//	element        ¬need(x) ∨ moved(receives, x) ∨ moved(sends, y) (∨ whole(y), if y sends x's value)
//	Cond, silent   R < x ∨ z₁ < x ∨ … ∨ zₖ < x ∨ w < y₁ ∨ … ∨ w < yₖ
//	Cond, queue    R < x ∨ y₂ < y₁ ∨ … ∨ x < yₖ ∨ "another operation is among them"
//	read r         ¬need(r) ∨ s₁ ∨ … ∨ sₖ,  sᵢ → wᵢ < r,  sᵢ → whole(wᵢ),
//	               sᵢ → w < wᵢ ∨ r < w (∨ whole(w), if w writes r's value)
//	guard g of x   ¬happens(x) ∨ ⋁ "r sees another write than it does", for the reads r of its slice
//
// The lock must be *disciplined*: its holders release it themselves. Another lock is a count.
//
// *Element.* A receive takes the element of its own number, and the number of an operation is how
// many of its kind come before it. Receive x has taken the element that y sent, which is not the
// recorded one, or not intact. That stays so as long as the same receives come before x, and the
// same sends before y. moved(sends, y) says that other sends come before y: it has, per chain, the
// literals that the last one before y moves behind it, or the first one behind y before it. An
// element that was in the channel at the start has no y.
//
// *Cond.* The wake x has no notification. If its thread is not in the queue, the clause is R < x
// alone. Let w be the CondWait that put the thread there. If no Signal or Broadcast stands between
// w and x, the clause is the first one: yᵢ is the last notification of a chain before x, which
// stands before w too, and zᵢ is the first one behind x. If the thread was in the queue at the
// start, there is no w, and no yᵢ either. Otherwise notifications after w went to others. Which
// ones depends on the queue, so the clause keeps the whole history: y₁ … yₖ are the waits and
// notifications before x in their order, from the last Broadcast on, which notifies all. Wakes do
// not count, since they do not change which wait is next. One of two neighbours has to change
// places, or an operation has to enter or leave: per chain, the last one before the Broadcast moves
// behind it, or the first one behind x moves before x.
//
// *Read.* Here w₁ … wₖ are the possible sources of r's recorded value: the writes of it, and the
// initial value. sᵢ says that r gets its value from wᵢ: wᵢ comes before r and is intact, and no
// write w between them changes the value. If w writes the same number, r is intact all the same,
// provided that w is intact: hence whole(w). For the initial value, sᵢ → wᵢ < r, sᵢ → whole(wᵢ) and
// the literal w < wᵢ are left out. A read with one source has need(r) in place of s₁. In a window
// with terms (Values), "r sees w" is stricter: w is the last write before r, whatever its value.
//
// need(r) says that r must be intact (MO6). It is implied by the execution of an event that has r
// in its Deps, or of r itself if r is strict. whole(w) says that w is intact: it implies need(d)
// for the ValDeps d of w. happens(x) says that x is executed or, literal racing(x), is an access of
// the pair.
//
// # Values
//
// If the window has terms (MO11), values are not solved for. An order determines them, so executing
// it evaluates them (values.go). A guard that fails, or a read that must be intact and is not,
// depends on a *slice* of reads: those of its term, and those that the values they see were
// computed from. The clause says that one of them sees another write, in literals "r sees w". So
// every operator is exact, and the search is over orders alone. The search starts from the closure
// of the pair, without the events that (1) puts after a or b. For a failing guard, it decides first
// that the reads of its slice see what they saw in the recorded run (repair.go).
//
// # What pairs share
//
// Clauses hold in every reordering, not only in those of one pair. What a pair adds is assumed, as
// literals that are decided first: the conditions of section The question, and the results of (3).
// So clauses learned from one pair serve the following pairs. Conditions on the pair's own events,
// which are not executed, depend on the literal racing(x). An AtomicRMW x of the pair, where the
// other access is a read, must find its recorded value at R: literal swapping(x). For x may be a
// compare-and-swap. With another value that writes nothing, and two reads do not race. If the other
// access is a write, x races with it whether or not it writes itself, so its value does not matter.
//
// # Soundness, completeness, determinism
//
// A Race is returned only if the machine has executed its order without violation. Package witness
// checks it again with code of its own. NoRace is derived from clauses that hold in every
// reordering; tests compare it with exhaustive exploration.
//
// Without a budget the search ends. There are finitely many literals, so finitely many clauses. An
// execution that fails adds a new clause, or the solver decides an open literal that the candidate
// does not satisfy. When no literal is open, the next failure is a conflict, from which it learns a
// clause. Learned clauses are dropped only between pairs. The budget counts conflicts and
// executions, not time, and nothing depends on map iteration or schedule.
//
// # Adding a kind of event
//
// A new kind needs a case in machine.step, which executes it and reports a violation (machine*.go);
// a rule for that violation, with its explanation in explainer.explain (explain.go); and its role
// in roleOf (objects.go). The role says what the kind does to the count of its object, as roleLock
// or rolePlus; noRole is for a kind that does not change it. Without these, the engine panics.
//
// An order that the kind forces in every reordering goes into static.derive (derive.go). To leave
// one out there, or in (3), is sound and only costs time. The machine judges what (2) proposes, so
// closure.scan needs a case only for a kind without an object, or to propose less.
//
// # Complexity
//
// With n events and k chains: (1) O(nk) space and time per window; (2) O(nk) per
// pair; (3) O(k² log n) per arc and O(k log n) per included read and acquire and round;
// (4) exponential in the worst case, O(n) per execution.
//
// # Names
//
//	a, b     the pair                     c        chain in (1) to (3); clause in (4)
//	e        event as a model.Event      l        literal
//	x, y, z  events by index; nodes       o        object
//	r, w     read, write                  p        pair
//	R        the cursor (s.cursor)        q        operations of one chain, in order
package engine
