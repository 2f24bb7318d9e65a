// Package witness checks that a predicted race can happen. It executes a witness, event by event,
// under the execution model of docs/theory/model.md.
//
// A witness is a sequence σ of events of a window, followed by the two accesses of the race. The
// package shares no code with the engine that found σ, has no solver and searches for nothing.
//
// There are three checkers:
//   - Check, for every witness: is σ an execution of the window, after which both accesses of the
//     race are next?
//   - Crossing, in addition, for traces with excluded code (package excluded): does σ keep the
//     orders that excluded code may rely on? It works on the trace, without the window's edges.
//   - Recorded, for races of the recorded run itself: are the two accesses unordered by
//     happens-before? It shares no code with package hb.
//
// # Check
//
// The rules are those of docs/theory/model.md. An error names the rule that σ breaks:
//
//	MO1  program order       MO7  never executed     L  locks        C  channels
//	MO2  thread start        MO8  may only race      W  WaitGroups   U  unbuffered channels
//	MO3  join                MO9  conditional order  O  Once         S  select and len
//	MO4  hard edges          MO10 racing address       N  Cond         V  guards
//	MO6  needed reads
//
//	R  the pair does not race
//	X  the window is malformed
//	A  another goroutine reads one part of an access of the race while other parts race
//
// MO5, that each event is enabled, appears as one of the lettered rules, and for Join as MO3. Go,
// Start, End and pins are always enabled.
//
// Soundness. No race is reported without the consent of Check or Recorded. So a false race needs a
// wrong rule in the model, a wrong window or a mistake in this package; a mistake in the engine is
// not enough. Check is therefore as plain as the page that it implements. The state is a struct,
// and a rule is a condition on it in one switch.
//
// Complexity. O(events + edges + dependencies of the window). Waking from a Cond is linear in the
// number of its waiters.
//
// # Recorded
//
// The claim is that no path of happens-before edges leads from access A to access B in the recorded
// run. Two conflicting accesses of that kind are a data race by the Go memory model, and the run
// itself is the witness.
//
// There are no clocks. For each pair, Recorded computes the set of goroutines that A happens
// before: at first the goroutine of A, then every goroutine with an edge from one of the set. If
// the goroutine of B is not in the set when B is executed, the accesses are unordered. The sets of
// all pairs are computed at once. For each goroutine and each object, Recorded has a set of pairs:
// those whose A happens before the goroutine's next event, or before what is acquired from the
// object.
//
// (CW1) Edges. An event acquires the set of pairs that the events named here have released. A send
// or receive releases what it had before it acquires.
//   - The first event of a goroutine: the Go that starts it. Start of a goroutine without a Go: all
//     events so far. Join: the events of the goroutine that has ended.
//   - Lock: the last Unlock and every RUnlock of the lock. RLock: the last Unlock.
//   - WGWait: every negative WGAdd. OncePass: OnceEnd. CondWake: every Signal and Broadcast.
//   - Receive number k of a channel: send number k. With capacity c > 0, send number k+c: receive
//     number k. With capacity 0, the sender also acquires from its receiver. A receive that finds
//     the channel closed: the close.
//   - An atomic read or update: the last atomic write or update of the address.
//   - Acquire: the last Release, and each ReleaseMerge since, at the address. At address 0: all
//     events so far.
//
// (CW2) A pair is refused if an excluded call of any goroutine is under way anywhere between the
// two accesses, since it may order them. It is also refused if one of the two is not an access of
// shared memory by a goroutine, or is a read of the content of a string; if both are of one
// goroutine or both atomic; if they do not conflict, have no byte in common, or if their memory was
// allocated in between.
//
// # Crossing
//
// Excluded code leaves no events. The trace has when each excluded call begins and ends, and what
// its code can reach: memory, and goroutines that it can wait for. A call can *act on* an event if
// the event accesses memory that the call reaches, operates on an object there, or starts or ends a
// goroutine that it reaches. A call whose synchronisation is recorded (EX9) can act on accesses
// alone. Two calls *share* if they reach something in common.
//
// A *gap* is the time between two successive events of a goroutine in the window, while it is in
// one or more excluded calls. Excluded code runs in gaps alone. The gap of a callback is cut:
// traced code that an excluded call calls back has events.
//
// A witness runs a gap in full if it has the event that ends it. Otherwise the witness runs the gap
// up to the last event that can only happen after excluded code has run so far. That is an event
// that the gap's calls act on and that is no access, or an access without a recorded value (if the
// trace has no values: one that reads); or a read for which the window has a value that excluded
// code may have left. All gaps that share with a gap have run as far as it has.
//
// An access without an event in the window counts as executed directly after the event of its
// goroutine before it, if the witness has a later one. If it is in a call that can act on it, it is
// part of the gap, and no call acts on it.
//
// An earlier event e of the recorded run *may influence* a gap if
//   - the gap begins at e; or
//   - the gap is open after e, its calls can act on e, and e is not a read that the witness leaves
//     out or only reaches; or
//   - the gap shares with one that e may influence, and is open later.
//
// The rules, for the part of each gap that the witness runs:
//
// (CW3) Order. Suppose that e may influence a gap. Then the witness has e before the event that
// ends the gap, and before every later event that the gap's calls can act on, as far as it has
// these. The former counts also if it is an access of the race. Among the latter, accesses that the
// witness only reaches are exempt, such as those of the race.
//
// (CW4) Values. When a call begins of which the witness runs a part, each byte that it reaches
// holds the value that the last write e of traced code in the window had left there in the recorded
// run. Exempt are bytes that an excluded call may have written since e. If the witness does not
// have e before the call, CW3 applies instead.
//
// (CW5) Objects. Two operations on an object that some call reaches keep their recorded order, and
// the witness has the later one only with the earlier one. So do two operations on one object of
// which one is by code that is not in the trace (FlagOpaque). Exempt are operations of one
// goroutine and, in the first case, two RLocks. In the second case, two operations are exempt if
// each is an atomic read or an operation in shared mode.
//
// (CW6) Reads. A read *differs* if it returns another value than in the recorded run. No excluded
// call may depend on a read that differs:
//   - No event in the call, executed by the witness, needs such a read.
//   - When a call begins of which the witness runs a part, nothing that it reaches was computed
//     from one. Nor does traced code write such a value to what a call reaches, while the call is
//     open and runs on.
//   - If the witness runs a gap without the event that ends it, traced code that its calls have
//     called back before has no such read.
//
// What traced code reads after an excluded call is left to the window and to Check.
//
// Soundness. By CW3 the excluded events that the witness needs can be added to it in their recorded
// order, each in its gap. By CW4, CW5 and CW6 each excluded call starts with what it started with,
// finds objects in the states that it found, and gets from traced code what it got. So it does what
// it did.
//
// Complexity. Gaps in the same calls are one *call set*. CW3 takes, for each event, time in the
// number of pairs of call sets that share, times a logarithm. The other rules take time in the
// product of events and calls, or in the bytes written.
//
// # Names
//
//	s        state             i, e     event, by index; as a value        p  pair
//	c        crossing          d, e, f  events of the trace, by place      x  call set, byte, value
//	k        number of a gap, call or pair
package witness
