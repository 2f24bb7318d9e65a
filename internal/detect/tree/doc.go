// Package tree drops the accesses of a run that cannot add a new pair of sites to what a race
// detector reports.
//
// The idea is TREE (Trace Redundant Event Elimination; Rajagopalan, thesis, Texas A&M 2016, chapter
// 3): an access adds nothing if the same site has accessed the same location before in the same
// *concurrency context*. The filter stands in front of a detector and takes the same events: Drop
// says which accesses the detector need not see. All other events go through.
//
// # Words
//
//	concurrency context Γ    of a goroutine: the locks it holds and the history of its messages
//	concurrency history Θ    of a site and a location: the contexts in which the site has accessed the location, each with
//	                         a stack of at most two goroutines that did (their last accesses are
//	                         the *representatives*)
//	SND, RCV                 messages: a goroutine passes its knowledge on, or gets some
//
// Γ is a path in a trie. Messages are unique, so the part of the trie that they make has no two
// branches in common but their beginning: a number stands for it (segment). The part that locks
// make is package lockset's trie of sets, which is shared. Θ is a table of nodes.
//
// # The thesis
//
// Algorithms 1 and 2, which Rules AsWritten has to the letter:
//
//	(T1) ACQ adds the lock to Γ, REL removes it; acquires of a lock that is held are ignored.
//	(T2) SND and RCV append the message to Γ. (The figures leave out the RCV with which a
//	     goroutine starts: 3.6 has three goroutines in one context.)
//	(T3) An access whose Γ has an empty stack in Θ is new: advanced. One whose goroutine is in the
//	     stack is dropped. One whose stack has one other is advanced and joins it; one whose stack
//	     is full is dropped (Theorem 3.3.1).
//
// # What is wrong with it, and the rules that are used
//
// Theorem 3.3.1 holds for accesses that are concurrent to the same others, before and *after* them.
// Γ knows what was before. So AsWritten loses pairs, on the traces in testdata/lost, each the
// smallest one:
//
//   - join: three goroutines write x, two of them are waited for before main reads it. The third's
//     write is dropped, and is the one that races.
//   - lock-as-edge: for a detector that takes locks as messages, as FastTrack does, Γ after REL is
//     what it was before ACQ, although somebody may know now what came before.
//   - last-access: a detector that keeps one write of a location keeps another one when some are
//     dropped, and names another site.
//   - first-owner: Eraser forgets what the first goroutine held. When its access comes again and
//     counts, it is dropped.
//   - reuse: memory that is allocated again is another location (Java has no such thing).
//   - type: §3.6's Theorem 3.6.1 forgets that a read does not stand for a write.
//
// The rules by detector (Target):
//
//	(T4) Same goroutine: an access is dropped if its goroutine has a representative with the same
//	     Γ, where Γ is the locks held and the number of SND so far. RCV need not be in Γ: what
//	     comes before the representative comes before the access, and what is concurrent with the
//	     access and came between the two would need a SND to be after the representative.
//	(T5) Two goroutines, Target Hybrid: a goroutine that ended and never sent anything after it
//	     was started, nor received, is *lost*: nothing will ever be after what it did. Two lost
//	     goroutines in the stack stand for a third that the same goroutine has started later, as
//	     long as that has sent and received nothing. Not where ended goroutines may be joined
//	     (Options.Joins).
//	(T6) Target Lockset: Γ is the locks alone, and (T3) holds as it is written. The histories of a
//	     location begin anew when a second goroutine comes to it.
//	(T7) Target FastTrack: REL is a SND. But the lock that a goroutine takes again, before anybody
//	     else has and as its next message, gives back the Γ that it had when it released it:
//	     nobody can know of one access and not of the other. Not a shared lock: anybody may
//	     release it, and let in a writer who knows of the first access, while the second has not
//	     been released by who made it (testdata/lost/foreign-unlock).
//	(T8) Target FastTrack: the detector remembers the last write of a location, and the last read
//	     of each goroutine since. So a write is dropped only while its representative is the last
//	     write that was advanced, and all that was advanced since is reads by the same goroutine
//	     in the same Γ; a read only while no write was advanced since its representative, and no
//	     read from another site. Then the detector has the same state with the access as without.
//	(T9) An atomic access is a message, and always advanced. Who sends what is (R1) to (R11) of
//	     package clock; RLock and Lock are different locks in Γ, and a finalizer's Acquire of
//	     everything is a SND of everybody.
//	(T10) Alloc: the locations begin anew.
//	(T11) What does not fit is forgotten (Options.Contexts for each site, Options.Sites: §5.1.2):
//	     the access comes again as if it were new. That costs time and loses no race.
//	(T12) Options.Span, Target FastTrack: an access is dropped if its goroutine has written the
//	     same bytes before in the same Γ and all that was advanced since is its own; a read also
//	     if it has read them. Sites do not matter: it is valid where one race of a location is
//	     enough, and loses pairs of sites. It is refused for the other targets, which have no
//	     first race.
//
// # Soundness
//
// With these rules, the pairs of sites that the detector reports are the same with the filter as
// without it: for Hybrid by (T4), (T5), for Lockset because a dropped access changes neither state
// nor C(v), for FastTrack because it changes nothing but epochs that nobody knows. Judged by
// bench/detectors/tree on random traces, and by tests against detectors that keep everything.
//
// # Complexity
//
// One probe of a table per access, and of a word's record; a lock operation costs the locks held.
// Memory: 40 bytes per history, at most Contexts for each site; 40 bytes per word that was
// accessed.
//
// # Inside a program
//
// As package fasttrack says of itself: no Go maps, nothing but slices; a word's record is shadow
// memory.
//
// # Names
//
//	t, u  goroutines; x  location; e  access; h  history; w  word
package tree
