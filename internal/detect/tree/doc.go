// Package tree drops the accesses of a run that cannot add a pair of sites to what a race detector
// reports.
//
// The idea is TREE, Trace Redundant Event Elimination (A. K. Rajagopalan, "Fast and Precise
// On-the-Fly Data Race Detection", M.S. thesis, Texas A&M University 2016, chapter 3). An access
// adds nothing if the same site has accessed the same location before in the same concurrency
// context. The filter takes the events before a detector does; Drop reports which accesses the
// detector need not process. All other events go to the detector.
//
// # Terms
//
//	concurrency context Γ  of a goroutine: the locks that it holds and the history of its messages
//	concurrency history Θ  of a site and a location: the contexts of the site's accesses to it
//	representatives        of a context in Θ: the last accesses of at most two goroutines in it
//	SND, RCV               messages: a goroutine releases its clock, or acquires one
//	advanced               not dropped
//
// Γ is a path in a trie. Messages are unique, so two paths of messages have only their beginning in
// common; a number stands for such a path (segment). The paths of locks are in package lockset's
// trie of sets. Θ is a table.
//
// # The rules of the thesis
//
// Target AsWritten has Algorithms 1 and 2 as written:
//
// (TR1) ACQ adds the lock to Γ, REL removes it, and acquires of a lock that is held have no effect.
// SND and RCV append the message to Γ. The figures leave out the RCV at the start of a goroutine:
// in figure 3.6 three goroutines have one context.
//
// (TR2) An access whose context has no representative in Θ is advanced. If its goroutine has one,
// it is dropped. If one other goroutine has one, it is advanced and becomes the second. If two
// others have, it is dropped (Theorem 3.3.1).
//
// # Where these rules lose pairs
//
// Theorem 3.3.1 holds for accesses that are concurrent with the same accesses before and after
// them, but Γ only has what was before. Each directory entry of testdata/lost is the smallest trace
// of an error:
//
//   - join: three goroutines write x, and main waits for two of them before it reads x. The write
//     of the third is dropped, and is the one that races.
//   - lock-as-edge: FastTrack treats locks as messages. Γ after REL equals Γ before ACQ, although
//     another goroutine may have acquired the lock in between.
//   - last-access: a detector that keeps the last write of a location keeps another one if some are
//     dropped, and reports another site.
//   - first-owner: Eraser does not keep the locks of the first goroutine's accesses. When such an
//     access is repeated and counts, it is dropped.
//   - reuse: memory that is allocated again is another location. Java has no such thing.
//   - type: Theorem 3.6.1 (section 3.6) lets a read represent a write.
//
// # The rules by detector
//
// (TR3) Target Hybrid, same goroutine: an access is dropped if its goroutine has a representative
// with the same Γ, where Γ is the locks held and the number of SND so far. RCV is not part of Γ.
// What is before the representative is before the access. An access between the two that is
// concurrent with the later one would need a SND to be after the representative.
//
// (TR4) Target Hybrid, two goroutines: a goroutine is lost if it has ended, and has neither sent
// nor received since it was started. Nothing is ever after its accesses. Two lost representatives
// stand for a third goroutine that was started later by the same goroutine, as long as the third
// has neither sent nor received. The rule does not apply if ended goroutines may be joined
// (Options.Joins).
//
// (TR5) The histories of a location begin anew when its memory is allocated. For target Lockset
// they also begin anew when a second goroutine accesses the location; there Γ is the locks alone,
// and TR2 holds as written.
//
// (TR6) Target FastTrack: REL is a SND. But suppose that a goroutine takes a lock again before any
// other goroutine has, and that this is its next message. Then it has the Γ again with which it
// released the lock, since no goroutine can be after one of the accesses and not after the other.
// This does not hold for a shared lock. Any goroutine may release it, and so admit a writer that is
// after the first access while the holder has not yet released the second
// (testdata/lost/foreign-unlock).
//
// (TR7) Target FastTrack: the detector keeps the last write of a location and the last read of each
// goroutine since. A write is dropped only while its representative is the last write that was
// advanced, and all accesses advanced since are reads by the same goroutine in the same Γ. A read
// is dropped only if since its representative no write was advanced, and no read of another site.
// Then the detector has the same state with the access and without it.
//
// (TR8) An atomic access is a message and is always advanced. Which operation sends and which
// receives follows CL1 to CL8 of package clock. RLock and Lock are different locks in Γ. The
// Acquire of object 0 by a finalizer is a SND of every goroutine.
//
// (TR9) Histories beyond Options.Contexts for a site, or Options.Sites (section 5.1.2), are
// removed. An access is then advanced as if it were new. That costs time and loses no race.
//
// (TR10) Options.Span, target FastTrack: an access is dropped if its goroutine has written the same
// bytes before in the same Γ, and all accesses advanced since are its own; a read also if the
// goroutine has read them. Sites do not matter. The rule keeps one race of each location, and loses
// pairs of sites. Targets without a first race of a location refuse it.
//
// # Soundness
//
// With the rules by detector, the detector reports the same pairs of sites with the filter as
// without it. For Hybrid this follows from TR3 and TR4. For Lockset, a dropped access changes
// neither the state nor C(v). For FastTrack it changes nothing but epochs that no other goroutine
// has acquired. The claim is tested by bench/detectors/tree on random traces, and against detectors
// that keep everything. With AsWritten it does not hold.
//
// # Complexity
//
// An access takes one look-up in a table and one of its word. A lock operation takes time in the
// number of locks held. A history takes 40 bytes, at most Contexts for each site; a word that was
// accessed takes 40 bytes.
//
// # Names
//
//	t, u  goroutines     x  location     e  access     h  history     w  word
package tree
