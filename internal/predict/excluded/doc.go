// Package excluded is RDIT's model of excluded code: code of which the trace has no events. It
// computes which recorded events must keep their order in every other execution, because an
// excluded call may have acted between them.
//
// The paper: Arun Krishnakumar Rajagopalan, Jeff Huang, "RDIT: race detection from incomplete
// traces", ESEC/FSE 2015. The thesis: Arun Krishnakumar Rajagopalan, "Fast and Precise On-the-Fly
// Data Race Detection", Texas A&M University 2016, chapter 4.
//
// # What it computes
//
// A function is *excluded* if its events are not recorded: its package was left out for speed, or
// it is C or assembly. The trace has each call of excluded code from traced code as a BarrierPair:
//
//	g1  Write(x)  MethodBegin(D) ........ callback: Read(y) ........ MethodEnd  Write(z)
//	                            └─ gap ─┘                  └─ gap ─┘
//
// MethodBegin carries D, the set of all memory and objects that the call can reach. Between
// MethodBegin and MethodEnd, the excluded code may do anything, but only to what is in D. It may
// also call traced code back, whose events are recorded as usual.
//
// Order takes the events of a trace one after the other. For each event it returns the earlier
// events that must come before it in every execution, some of them on a condition. Package window
// makes hard edges (MO4) and conditional orders (MO9) of them. All other rules are those for a
// complete trace (docs/theory/model.md). So the races found are those of maximal causality over
// what is known: Algorithm 4 of RDIT, where this package stands for Algorithms 5 and 6.
//
// # Terms
//
//   - A *gap* is a part of an excluded call between two consecutive events of its goroutine.
//     Excluded events can only be in gaps. The D of a gap is the union of the Ds of all excluded
//     calls that its goroutine is in.
//   - A gap *hits* an event if the event acts on something in the gap's D: an access to memory, an
//     operation on a lock or channel. If D has a goroutine, the gap hits its Go, Start and End.
//   - Two gaps *meet* if their Ds intersect. At any moment of the recorded run, the open gaps that
//     meet, directly or through others, are one *group*.
//   - A gap *has run* in another execution if that execution has the event that ends the gap, or
//     has reached it as one of the two racing accesses. The excluded code of the gap was then
//     executed completely.
//   - An event *cuts* a gap in two if it shows what the excluded code of the gap has done: a read
//     of a value that no traced code wrote (EX5), an operation on an object in D (EX6), the Go,
//     Start or End of a goroutine in D, an access to memory whose values are not recorded. The
//     first part has run if the cutting event was executed.
//
// If a gap has run, all gaps of its group have run up to that moment. A gap that has not run
// imposes no order: its excluded code is taken to have stopped before.
//
// # Rules
//
// (EX1) *Order within a group.* An event that begins, ends or cuts a gap comes after all earlier
// events of the gap's group: those that began, ended or cut one of its gaps, and those that one of
// its gaps hit. These earlier events also keep their order among each other. There are three
// exceptions. Events that were only hit keep their order only if one of the gaps has run beyond
// them. An event that only reads is ordered only if it is executed. An event that ends a gap of
// one group and is hit by a gap of another counts as hit in the second group: it does not show how
// far that group has run. (Algorithms 5 and 6; Caveats 1, 2 and 3.)
//
// (EX2) *What comes before a call.* A MethodBegin comes after the last event of each other
// goroutine that its D hits, and after the MethodEnds of the calls whose Ds meet its D. It comes
// after an event that only reads only if that event is executed.
//
// (EX3) *What comes after a call.* An event comes after each ended gap that hits it, if that gap
// has run. An event of a kind that cuts gaps, except a read by EX5, is executed only if the gap has
// run. An access of the race is exempt.
//
// (EX4) *What excluded code reads.* At a MethodBegin, memory in D that traced code has written
// holds its recorded value: the calling thread reads it strictly. What traced code writes to D
// while a gap is open is computed from reads that keep their values. So is what the call is given:
// its arguments, and what a callback returns (but see EX12).
//
// (EX5) *What excluded code writes.* What traced code finds in D after a gap was open is its
// recorded value, or unknown. The window has a write of a separate thread for it, after the gap and
// before the access. A read that finds what traced code left there has no such write. For a gap
// that is still open, only a read that finds another value has one.
//
// (EX6) *Objects.* Operations on a lock, channel or other object in some D keep their order. The
// object has no other state in the window, since excluded code may have locked or filled it. An
// operation on an unbuffered channel, and a select that looks at a channel in D, end their
// goroutine in the window.
//
// (EX7) *Goroutines without a start.* Excluded code may have started a goroutine that has neither a
// Go nor a Start in the trace, and no event before the first MethodBegin. Its first event comes
// after everything before it.
//
// (EX8) *The recorded run.* It is no witness for two accesses if an excluded call is under way
// between them.
//
// (EX9) *Recorded synchronisation.* If a MethodBegin has FlagSeen, the trace has the operations of
// the call on locks, channels and goroutines, with FlagOpaque. Its D is then memory only: it hits
// accesses only, and EX6 does not apply. The recorded operations keep their order with all
// operations on the same object.
//
// (EX10) *What D may omit.* D may omit memory that the call touches if, in every execution, traced
// events order the call's access with all conflicting accesses. The events are program order, a go
// statement and what its goroutine does, and Dones with a Wait that returns only after them. On the
// side of the call, one such event, or its MethodBegin, comes before the access in the call's
// goroutine, and another one after it.
//
// (EX11) *Outside code.* An excluded call with a D keeps its order with each call of outside code
// by another goroutine, because not all that outside code touches is recorded.
//
// (EX12) *Callbacks.* Traced code that excluded code calls back may read other values than
// recorded, as long as no excluded code can learn of it. This holds for a read that is not atomic,
// if the walk knows what depends on it, and if the synchronisation of all excluded calls of the
// goroutine is recorded (EX9). Excluded code can learn of a read
//   - by a value that the callback returns or panics with, and by memory that it leaves behind: the
//     event of its return needs the read (package walk);
//   - by the branch that the callback takes: the events behind the branch need the read;
//   - by what the callback writes to D: the write needs the read at once (EX4).
//
// All reads of the callback so far keep their values where it synchronises, and where an event of
// another goroutine shows that the call has run, since the event that needs a read may then not be
// executed.
//
// Orders are transitive, together with program order and all other orders (Caveat 4).
// Package-level variables that excluded code uses are in the D of each of its calls; the recorder
// provides for it (Caveat 5).
//
// # The caveats of the paper
//
//	0  each call reaches everything                   mode Everything: sound, and misses most races
//	1  calls that overlap can be ordered both ways    EX1, gap by gap
//	2  callbacks are in the middle of the unknown     EX1: they begin and end gaps
//	3  ordinary events on something in D              EX1, EX2, EX3
//	4  orders are transitive over calls               EX1 for calls that meet only through others
//	5  package-level variables                        in D
//
// # Differences from the thesis
//
// Algorithm 5 compares BarrierPairs two by two, and each event with one BarrierPair. It misses
// three orders, so it is unsound (testdata/rdit/beyond.txtar of package predict has a program for
// each):
//
//   - Two events hit by one call. The call waits for the event of a second goroutine, and then
//     writes what a third one reads. Algorithm 5 orders both with the ends of the call only, and
//     both are inside. EX1 orders them, if the call has run beyond them.
//   - Calls that overlap in a chain, a with b and b with c: an event that a hits and a later event
//     that c hits. EX1 orders by groups.
//   - Two traced writes before a call. Algorithm 5 allows either to be the last, but the call reads
//     it. EX4 keeps the value.
//
// Algorithm 5 also orders too much: it keeps a read, or an access of the race, in order with an
// earlier call in every execution. AsWritten (thesis.go) is Algorithms 5 and 6 to the letter, for
// comparison.
//
// # Soundness
//
// Let τ* be the complete run with its excluded events, τ the recorded trace, and σ a reordering
// that the model and these rules allow.
//
// *Theorem.* There is an execution σ* whose traced events are σ.
//
// *Construction.* σ* has the excluded events of all gaps that have run in σ, as far as they have
// run. An excluded event of a gap (a, b) comes after a and before b. Conflicting events, of which
// at least one is excluded, are in the order of τ*. Two events conflict if they act on the same
// thing and are not both reads.
//
// *Lemma 1 (Order).* These requirements have no cycle. Suppose they have one. It contains traced
// events e and f, with excluded events h₁ … hₖ between them, where e is before f in τ* but not in
// σ. Each hᵢ conflicts with its predecessor in the chain, or is of the same goroutine; so does f. D
// has everything that a call touches. So a gap hits the events that its excluded events conflict
// with, and two gaps meet if their excluded events conflict. Follow the chain:
//   - From e to h₁. The gap of h₁ begins with e, or hits e. So e is an event of the gap's group,
//     and the events of that group were executed in the order of τ*, since the gap has run (EX1).
//   - From hᵢ to hᵢ₊₁. Their gaps meet. If both are open at one moment, they share the last event
//     of their group. Otherwise one ended before the other began, and its end comes before the
//     other's beginning (EX2). If that beginning is no MethodBegin, it is an event within a call
//     that was open together with the first gap.
//   - From hₖ to f. Either f ends or cuts the gap of hₖ, or the gap is open and hits f (EX1); or
//     the gap has ended and hits f (EX3); or f is a MethodBegin whose D meets the gap (EX2).
//
// So e comes before f in σ, a contradiction. Two cases remain. First, e or f may concern two
// groups. All gaps of the chain that are open at one moment are of one group, and in that group the
// event counts like any other. Either it ends a gap there, which has run so far; or it is hit
// there, and is ordered only if a gap of that group has run beyond it. Second, two neighbours of
// the chain may be in order by EX10. Then traced events a and b are in order in every execution,
// where the first neighbour is a or comes before it, and the second comes after b. So e comes
// before a, which ends the first neighbour's gap or a later gap of its goroutine, and was executed.
// From b on, the argument holds with b in place of e, because b begins the second neighbour's gap
// or an earlier one.
//
// *Lemma 2 (Premises).* All that an excluded event h may depend on has happened. An earlier
// excluded event is in a gap of the same group, which has run as far, or in a gap that ended before
// (EX2). A traced event that is more than a read was executed (EX1, EX2). A traced read has no
// effect on h; if it is executed, it is on its side of h. An access of the race is not executed.
//
// *Lemma 3 (Excluded events).* They do what they did in τ*. What they read is in D, or no other
// goroutine has it. If it is in D, excluded events wrote it, in the order of τ*, or traced events
// wrote it, of which the last is the recorded one, with its value (EX1, EX4).
//
// *Lemma 4 (Traced events).* They do what they did: what they find of excluded events is the
// recorded value or unknown (EX5), and objects in D keep their order (EX6).
//
// *Lemma 5 (Callbacks).* Nothing excluded depends on a read r that EX12 frees. Let c be the
// callback with r, g its goroutine, and h an excluded event that depends on r through traced code.
// If c synchronises after r, or if a gap of g has run without its end event, then r kept its value.
// So r's value leaves c when it returns or panics, or by memory. If h is of g, it is after c in a
// gap that has run. Then an event that needs r was executed: the return of c, or the next event of
// g after the panic. If h is of another goroutine, it reads memory in D that was written while its
// gap was open, and that write needs r (EX4); or that was written before its MethodBegin, which
// reads it strictly (EX4); or EX10 orders it with c by an event after r. The same holds for a write
// that passes the value on.
//
// # What the proof rests on
//
// D has everything that a call reaches at any time between its ends, also through pointers that
// other goroutines store meanwhile. The recorder looks again at such moments (presage_late.go).
// Something outside D makes a false race possible: a file, a clock, another process, or memory that
// excluded code frees and allocates anew without an Alloc event. A goroutine that excluded code
// starts is not part of the call that started it. It has to begin with a MethodBegin of its own,
// with the same D, which stays open while the goroutine runs excluded code. A MethodBegin without
// an end is open until its goroutine ends.
//
// Not found are races of excluded code itself, and races that the rules forbid although the call
// touches little of its D. Two traced events inside calls that meet do not race, since one call may
// have waited for the other.
//
// # For Go
//
// An opaque call (OpaqueBegin, OpaqueEnd) is no BarrierPair: its synchronisation and accesses are
// in the trace (docs/theory/model.md, outside code). A call into an excluded package is one if the
// run was recorded with -reach=kept, full or check: then its D is a set of addresses (EX9). Traces
// of other tools have BarrierPairs without recorded synchronisation.
//
// # Files
//
//	pairs.go, sets.go       Pairs: the calls of a trace, and their Ds as the trace lists them
//	set.go, spans.go        Set: a D; Touch: what an event acts on
//	later.go                Later: a union of many Ds
//	order.go                Order: the rules EX1 to EX3, event by event
//	group.go                groups of open gaps (EX1)
//	past.go                 what goroutines did (EX2), and which gaps have ended (EX3)
//	known.go                orders that hold in any case, which need not be stated again
//	quiet.go                accesses that need no event
//	edges.go, thesis.go     the orders of a whole trace: by these rules, and by Algorithm 5
//
// Package window applies EX4 to EX7, EX11 and EX12 (exclusions.go); package witness has EX8 and
// judges the whole. A new kind of event needs a case in TouchOf (pairs.go), which says what it acts
// on; Order does not distinguish kinds.
//
// # Complexity
//
// Let there be c calls, at most k of them open at once, n events that some D hits, and w words that
// these events access. Groups take O(n·k). Finding which calls meet takes O(c·k²), with c·k
// comparisons of Ds. A MethodBegin looks at the words of its D, at the words accessed, or at what
// others accessed since its goroutine last knew of it, whichever is least. For each goroutine it
// also looks back through the ended calls to the first that it meets. Each word is compared once
// with each ended call, for each goroutine that accesses it.
//
// There are two conditional orders for an event and an open gap. There is one for an access, by
// goroutine and word, and an ended gap that hits it. From maxOrders of these on, one weak edge
// takes their place. An order that holds in any case (Known) is neither looked for nor stated. A
// set that many calls name is added to a union of Ds once.
//
// # Names
//
//	p     BarrierPair        D, d  what a call can reach
//	e, f  events             g     goroutine; gap
package excluded
