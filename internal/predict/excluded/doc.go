// Package excluded is RDIT's model of code of which nothing was recorded: which events of a trace
// must keep their order because a missing method may stand between them.
//
// # What it computes
//
// A call of a *missing method* (left out for speed, cgo, assembly) is in the trace as a
// BarrierPair: a MethodBegin with the set D of what the method can reach, and a MethodEnd. What
// happens in between on the same goroutine, a callback say, is *Between*. A BarrierPair stands for
// events that are not known, on anything in D, anywhere between its ends. Given that, Order
// computes from a trace the precedences that every other execution must keep, some of them on a
// condition. They are the edges (M4) and orders on condition (M9) of a window; all the rest of the
// model, docs/theory/model.md, is as it is for a whole trace. So races are those of maximal
// causality over what is known (Algorithm 4 of RDIT: 7 is M1, 8 is M2 and M3, 9 is L, 10 is M6 and
// V; 5 and 6 are this package).
//
// The paper: Arun Krishnakumar Rajagopalan, Jeff Huang, "RDIT: race detection from incomplete
// traces", ESEC/FSE 2015.
//
// # Rules
//
// A *gap* is a piece of a goroutine's time in a BarrierPair, between two of its events: where
// missing events can be. Its D is that of all BarrierPairs around it. A gap *hits* an event that
// acts on something in its D: an access, an operation of a lock or channel; for a goroutine in D
// its Go, Start and End. Two gaps *meet* if their Ds have something in common, and at any moment
// the open gaps that meet, directly or through others, are one *group*.
//
// A gap has *run* in another execution if that has the event that ends it, also as one of the race:
// missing code went all the way. It has run up to an event that shows what it did: a read that
// finds what no traced code wrote (B6), an operation of an object in its D (B7), a read without a
// recorded value; such an event cuts the gap in two. A gap that has run shows that those of its
// group have run as far. Of the others nothing is asked: their code stands still.
//
//	(B1) What begins, ends or cuts a gap comes after what its group did before, one after the
//	     other: what did so itself, and events that its gaps hit. (Algorithms 5 and 6; Caveats 1,
//	     2, 3.) Hit events keep this order only if one of the gaps runs so far, and of what only
//	     reads, only if it is executed at all. An event that ends a gap of one group, and is hit
//	     by the gaps of another, is the former to the one and the latter to the other: it does not
//	     show how far the other has run.
//	(B2) A MethodBegin comes after the last event of each goroutine that its D hits, and after the
//	     MethodEnds whose Ds it meets; after those that only read, if they are executed.
//	(B3) An event comes after the gaps that have ended and hit it, those of them that have run.
//	     Nothing is asked of an access of the race.
//	(B4) Precedences are transitive, with program order and all else that orders. (Caveat 4)
//	(B5) At a MethodBegin, what D holds has the value that it had in the recorded run, if traced
//	     code wrote it. (Strict reads of the calling thread.) What traced code writes there while
//	     a gap is open is computed from reads that keep their values, and so is what the method is
//	     given: arguments, what a callback returns.
//	(B6) What traced code finds, after a gap was open, in its D is what it found in the recorded
//	     run, or nobody knows. (A write of a thread of nobody, after the gap and before the
//	     access. Of a gap that is still open, only if the access finds what it would not find
//	     without.)
//	(B7) Locks, channels and the like that some D holds keep the order of their operations, and
//	     have no state but that order: missing code may have left them locked, or full. A channel
//	     without a buffer, and a select that looks at a channel, end their goroutine in the
//	     window.
//	(B8) Package-level variables that missing code uses are in the D of each of its calls. (Caveat
//	     5: who records D sees to it.)
//	(B9) A goroutine of which the trace has neither a Go nor a Start, and nothing before the first
//	     MethodBegin, comes after everything before it: a missing method may have started it. (One
//	     that has a Start and no Go does so in any trace.)
//	(B10) The recorded run itself is no witness of two accesses if a missing method is under way
//	      between them ((H9) of package witness).
//	(B11) If the synchronisation of a call is recorded by itself (its MethodBegin has FlagSeen),
//	     its D is memory: it hits accesses alone, and (B7) does not concern it. Its operations are
//	     events between its ends, FlagOpaque, and keep their order with all on the same object.
//	(B12) A D need not have what the method touches in order with all that conflicts, in every
//	     execution, by events that are in the trace: program order, a go statement and what the
//	     goroutine does, Dones and a Wait that only returns after them. Before the method's access
//	     stands such an event of its goroutine, or its MethodBegin, and after it another.
//	(B13) A call with a D keeps its order with each other call of code outside: not all that such
//	      code touches is recorded.
//	(B14) Of what traced code reads that missing methods have called back, only that keeps its
//	     value of which one of them can learn, if the walk says what becomes of a read, the read
//	     is no atomic one, and the synchronisation of all methods that the goroutine is in is seen
//	     (B11). They learn by what that code returns, or panics with, and by what it leaves in
//	     memory before it returns, whoever has that memory: its return needs that (F3, F4, F9 of
//	     package walk); and by which way it goes, which its events need. They learn by what it
//	     writes to D, at once (B5). And all that it has read before counts where it synchronises,
//	     and where a method has run by an event that is not of its goroutine, so that the one that
//	     needs it may not be there.
//
// # The caveats
//
//	0  A barrier for every missing call, whatever it reaches: mode Everything. Sound, and misses most.
//	1  Calls that overlap in time can be ordered both ways, piece by piece: B1.
//	2  What is called back is in the middle of the unknown: it begins and ends gaps (B1).
//	3  Ordinary events on something in D are ordered with the call, and while it lasts with its pieces: B1, B2, B3.
//	4  Orders are transitive over calls: B4, and B1 for calls that meet only through others.
//	5  Package-level variables: B8.
//
// # Where this is more than the thesis
//
// Algorithm 5 takes BarrierPairs two by two, and events one by one with a BarrierPair. Three
// precedences escape it, and each makes false alarms (testdata/beyond.txtar has the programs):
//
//   - One call, two events: the method waits for the one that a second goroutine does and then
//     writes what the third reads. Nothing orders the two events in Algorithm 5 but the call's
//     ends, and both are inside. B1 has them in one order. (As soon as something rests on the
//     call.)
//   - Calls that overlap and meet in a row, a with b and b with c: an event that a hits and a later
//     one that c hits. B1 orders by groups.
//   - Two writes of traced code before a call: either may be the last by Algorithm 5, and the
//     method reads it. B5.
//
// Algorithms 5 and 6 as they are written are in this package to be compared with: AsWritten,
// rules (A1) to (A7) of thesis.go. They also ask too much: a read, or an access of the race, that a
// call comes after keeps its order with that in every execution (testdata/rdit/beyond.txtar of
// package predict, "it can do without").
//
// # Soundness
//
// Let τ* be the run with its missing events, τ the trace, and σ a reordering that the model and B1
// to B8 allow. There is an execution σ* whose traced events are σ: of the missing events it has
// those of gaps that have run, as far as they have. Put each such event h of a gap (a, b) after a
// and before b, and all of them, and the traced events that they conflict with, in the order of τ*:
// two events conflict if they act on the same and are not both reads, and two reads stand in any
// order. That this has no cycle: a cycle has a part e, h₁ … hₖ, f of traced e and f, e before f in
// τ*, but not before it in σ. In it each hᵢ conflicts with the one before it or is of the same
// goroutine, and so does f. A gap hits what its events conflict with, and two meet if events of
// theirs conflict, for D has all that a method touches. Follow who may know of e. h₁ is in a gap
// that e begins or that hits e: e is the last event of its group, or an earlier one, and as the gap
// has run, the group's events were executed in that order (B1). From hᵢ to hᵢ₊₁: their gaps meet.
// Both are open at one moment, and then they have the last event of the group in common; or the one
// was closed before the other was opened, and its end comes before the other's beginning (B2; the
// other's beginning is a MethodBegin, or an event in a call that had been open with it before). At
// f: it ends or cuts the gap of hₖ, or the gap hits it, open (B1, and the gap has run) or ended
// (B3), or f is a MethodBegin that hits hₖ's. So e comes before f by B1 to B4, and in σ. All gaps
// of such a chain that are open at one moment are of one group then. So where e or f, an event of a
// goroutine in a missing method, has to do with two groups, the chain is in one of them, and in
// that it is an event like any other: one that ends a gap there, which has run so far if it is
// executed; or one that is hit there, which asks for an order only if a gap of that group has run
// beyond it. Where two of the chain are in order by (B12), events a and b of the trace are: the
// first of the two comes before a, by program order or itself, a before b, and b before the second.
// So e comes before a: a ends the gap that it is behind, or a later one of its goroutine, and has
// happened; and from b on the same holds of b in place of e, for b begins the gap, or an earlier
// one. What h needs has run with it: an earlier missing event that it may depend on is in a gap of
// its group, which has run as far, or in one that ended before (B2), and a traced one that is more
// than a read was executed (B1, B2). An event that only reads does nothing to h; it has to stand on
// the right side of h if it is executed. An access of the race is not executed. The missing events
// do what they did: all they read is either in D, and written by missing events in the order of τ*
// or by traced events of which the last is what it was, with its value (B1, B5), or is nobody
// else's. What it does next, and writes elsewhere, follows from what it reads, as ever. So do the
// traced events what they did: what they see of missing events is B6 and B7. The execution is
// deterministic but for what it reads, as in all of the model.
//
// What is called back may read something else than in the recorded run, where (B14) lets it. Let r
// be such a read, in a call c of traced code by a missing method of goroutine g, and h a missing
// event that depends on r by way of traced code. If that is synchronisation in c behind r, or a gap
// of g that has run without its end, r has kept its value. Else r's value leaves c as it returns or
// panics, or stands in memory. If h is of g, it is behind c, in a gap that has run, so the event
// that ends it, or a later one, is executed, and with it c's return, or the next event of g behind
// a panic: one of these needs r. If h is of another goroutine, what it reads r's value from is in
// D, and is written while its gap is open (B5: the write needs r), or before its method begins,
// which looks at it (B5); or (B12) has it in order with c, by synchronisation behind r or behind
// c's return. If that memory is written by traced code that has read it from c's, it is the same
// for that write. So nothing missing depends on r; what traced code does depends on it as in all of
// the model.
//
// It rests on D. What a method touches that is not in D, by itself or by what it waits for (a file,
// a clock, another process), makes a false race possible. So does memory that missing code frees
// and allocates anew without an Alloc event: then one address is two objects. D has to hold what
// can be reached at any time between the ends, also by pointers that others store meanwhile (the
// recorder looks again: presage_late.go), and what package-level variables reach. A goroutine that
// missing code starts is not in the call that started it: it has to begin with a MethodBegin of its
// own, with the same D, that stays open while it runs missing code. A MethodBegin without an end
// stays open until its goroutine ends. Missed are all races of missing code itself, and those that
// the rules forbid: they forbid too much where the method touches little of its D, or writes little
// of what it may. In the middle of a method nothing races with what is in the middle of another
// that it meets: either may have waited for the other.
//
// # For Go
//
// An opaque call of a trace that presage records (OpaqueBegin, OpaqueEnd) is not a BarrierPair by
// itself: the runtime's hooks have its own synchronisation as events, and what it touches is in the
// trace (docs/theory/model.md, outside code). A call into a package that was left out is one, if
// the recording was made with -reach=kept, full or check: with a D by addresses (B11). Other tools'
// traces have BarrierPairs of which nothing is seen.
//
// # Complexity
//
// With c calls, k of them open at once, n events that some D hits, w words that they access: O(n·k)
// for groups, and O(c·k²) to find which calls meet, of which c·k look at Ds; a MethodBegin looks at
// the words of its D, at those accessed, or at what others accessed since its goroutine last heard
// of them, whichever are fewest, and back through the ends of calls to the first that it meets, for
// each goroutine; a word is held against each ended call once, by each goroutine that accesses it.
// Orders on condition: two for an event and an open gap, and one for an access, by goroutine and
// word, and an ended gap that hits it; from maxTold at once on, one weak edge stands for them.
//
// What comes before an event anyway (Known) is not asked of it again, nor looked at: in a run of
// tests one after the other, each a goroutine, that is nearly all, and neither the size of a D nor
// the number of calls before counts. A set that many calls name is added to a union of Ds once.
//
// # Names
//
//	p     BarrierPair        D, d  what it reaches
//	e, f  events             g     goroutine; gap
package excluded
