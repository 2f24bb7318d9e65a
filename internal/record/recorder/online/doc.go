// Package online is FastTrack inside a running program: the detector of presage test -online and
// presage run -online.
//
// It is an ordinary package so that its tests can hold it against package fasttrack, its
// specification, on the same events. In a program it is part of package runtime (rt.Config.Online):
// every file but this one and sys.go is put there, sys.go has its counterpart in _online/runtime,
// and the names begin with ft for that reason.
//
// # How it is called
//
// The compiler puts the hooks, as for the race detector (-race as a flag of the compiler, not of
// the go command): raceread, racewrite and their ranges in front of every access that its escape
// analysis and its SSA cannot show to be a goroutine's own, in the program and in the standard
// library. They go to access and span. Synchronisation comes by the hook points of the recorder
// (docs/theory/recording.md), and makes the order that package clock describes. There is no cgo, no
// TSan, and no trace.
//
// # Rules
//
// The seven rules of the paper, FT1 and FT3 are those of package fasttrack, and CL1 to CL8 those of
// package clock. The rules of the same epoch are the paper's: whatever the site. A read in the
// epoch of its own goroutine's last write is left out as well: who races with the read races with
// the write. So the first race of a location is the same, while of its pairs of sites fewer are
// told. Besides:
//
//	(R12) Slots. A goroutine takes one at its first access: that of one that has ended and of
//	      whose last access it knows, since the accesses of the two are then one chain in every
//	      order. So goroutines that have not begun cost nothing, and those that have ended are
//	      followed at once by who was told of what they did. A goroutine that has used up the
//	      clocks of its slot moves to another, and knows what it did in the first.
//	(R13) Bounds. Where more than 4096 slots and two for every living goroutine are taken, those
//	      of ended goroutines are used again although nobody knows of their end; beyond 60542
//	      slots, of living goroutines or with all their clocks used up (four million releases
//	      each), goroutines are not seen; a location remembers 62 unordered reads. Each is
//	      counted, and a warning of the report. It may cost races, and never makes a false one:
//	      all three only add order or forget.
//	(R14) Reuse. What is allocated is new locations and new objects. The pages of shadow of large
//	      objects are given back where few are in use (release.go). Cells are cleared where a page
//	      has been used at all. Where some locations of a word are new, what was of the whole word
//	      is of none but the first: it was one object then.
//	(R15) Locations. One begins at every byte; the compiler says where an access begins, and how
//	      long it is only for structs, arrays and ranges. So one without a length is of the
//	      location that begins there, and a range is one of all that begin in it. The cell of a
//	      word stands for its first byte, and for all that the last accesses of the whole word
//	      covered; the other bytes have cells inside the word from an access on that begins there,
//	      until the whole word is written to. Those whose last accesses are the same share one, or
//	      the word's own (groups.go); who accesses some of them leaves the others what they have,
//	      and where all share the word's own, the accesses are of the whole word. Who accesses
//	      what is inside checks against the whole word too, and who accesses the whole word
//	      against what is inside. What an access of the first byte replaces that was of the whole
//	      word goes to the cells inside. A loss: not where no access of these 64 bytes began
//	      inside a word yet.
//	(R16) A cell is changed under the lock bit of W of its word, by a goroutine that is not
//	      preempted; the rules of the same epoch read without it: a word that has t's own epoch
//	      was put there by t, and a cell inside is filled before it is a location's. A loss: who
//	      reads without the lock may meet, in the cell that a location had a moment ago, what t
//	      did to another.
//	(R17) Whole clocks. An epoch ends with a release, so who knows of epoch (s, c) knows all that
//	      the goroutine in s knew at the end of c. Of two clocks one is therefore often seen to be
//	      the other's maximum by one component, and is taken as it is. This does not hold between
//	      goroutines that have had s one after the other, where the later one did not know of the
//	      last release of the earlier one: a slot says from which clock on it holds (whole). Nor
//	      of an Acquire of everything, which knows of epochs that have not ended: everybody begins
//	      another before the next release. A loss, as with -race: what somebody does after it and
//	      before his next release, in an epoch that had begun before it, is taken for known to who
//	      acquired.
//	(R18) The filter of package tree (unless -filter none), TR6 and TR7 alone: a goroutine that
//	      takes the locks again (not for reading) that it released since its last other message,
//	      before anybody else has, has the context again in which it released the first of them.
//	      The rules of the same epoch ask for the same context: a run of t's epochs, of which
//	      everybody else knows all or none. For if somebody came to know of the first of them, t's
//	      last release would have been acquired. So who races with an access that is left out
//	      races with the one in the cell, and the first race of a location is the same. It needs
//	      no memory but sixteen releases a goroutine, and without it a context is an epoch. Of a
//	      lock that goroutines pass on, one release in sixteen is noted, until one gives a context
//	      back. A lock that t released since and nobody else acquired tells t nothing, and has the
//	      clocks that t gave it: to take it again changes its counts, and, if t was told of
//	      nothing since, to release it one component (kept.go). Who is told of everything, a
//	      finalizer, knows of t's present epoch, which an earlier one of the context has no part
//	      in: he cuts all contexts down to that (cut).
//	(R19) What the compiler calls may stand where a variable is declared and not yet filled, so
//	      nothing there may let a stack grow or be looked at: the rules of the same epoch are
//	      assembly, and so is what most others of a word need (W and R known, nothing inside that
//	      changes); where a check succeeds and no memory is needed (quick.go) they run on the
//	      goroutine's stack without a look at its size, within 700 bytes; all else runs on the
//	      system's. What of C(t) has been asked for is kept by slot (known), since clocks only
//	      grow.
//	(R20) A send reads its channel and a close writes it. The word of a send is kept with the
//	      channel's clocks, under the channel's lock; in the cell are those of senders that did
//	      not know of it. No check is needed before the close: nothing else writes there.
//	(R21) An atomic operation takes effect under the lock of its cell, and its object's clocks are
//	      used under it (atomic.go): C(t) is made before the checks, the release after them. The
//	      crowd knows the object, or that there is none, which is noted under the locks of both.
//	      The lock is taken with W away, which who holds it has; counting up comes after it. A
//	      variable on the goroutine's own stack is left out: nobody else has a pointer to it.
//	(R22) A write takes the place of R as well as of W, also where it knows of R: who races with R
//	      then races with the write. So what is written one byte after the other comes to share a
//	      cell.
//
//	(R23) Many readers. The crowd of a word's own cell to which two processors have come in turn
//	      eight times is split (split.go): a read takes its place in the part of its processor,
//	      which nobody else has meanwhile, if W is known and R still the same; it does not lock
//	      the cell. Who locks the cell for anything else takes all places and makes one crowd of
//	      them again, before he looks at R. So of a read and an access that it may race with one
//	      has the cell or the place first, and the other sees it. The last read of a slot stands
//	      for its earlier ones, wherever they are. Nothing inside the word counts while it is
//	      split, and nothing atomic was written: else it is not. The places of one that is
//	      nobody's stay taken, and its memory is never anything else: who comes late to it fails.
//	      It needs an instruction that tells the processor (RDPID); without it there is none.
//	(R24) Shared crowds. What an access makes of R depends on R, the access and what t knows, of
//	      which R alone is the cell's. So t keeps its last steps from one R to another: where it
//	      comes to the same R with the same access (epoch, site, and whether of the whole word), W
//	      is known, and nothing inside the word counts, R is what it was then (shared.go). Of what
//	      t knew nothing is lost since. The crowd of a step is of all its cells and does not
//	      change; a step has a reference to the one that it is from, so that it is the same one
//	      still. Whoever locks a cell for anything else, a second epoch of a reader among it,
//	      makes the crowd its own first. A read has the place of its slot in it, and where that is
//	      another's there is no step.
//
// # Soundness
//
// A check that fails is of two accesses of this run that nothing orders. Of one location the first
// is what FastTrack vouches for; package internal/online calls later ones candidates. Order that
// the hook points do not see (assembly, C, system calls) would make a false race, as with -race.
// Not seen: accesses by C and assembly, memory that is not Go's heap or variables, and a
// goroutine's own stack, into which nobody else has a pointer.
//
// # Memory
//
// 16 bytes for eight of the program's where they are used, and as much again for each group of
// bytes inside a word that differ in their last accesses, with four for which it is; 24 bits of a
// word say where in the code an access was (64 MiB of code). Clocks are trees that share what they
// agree on (clock.go): to take one whole costs nothing, to raise a component a path now and then,
// and a maximum looks only at leaves of 64 components that differ. While a process has few slots a
// clock keeps a leaf of its own, and components are put into it (few.go). What is not shadow is
// taken and given back by processor (memory.go).
//
// # Design decisions
//
//   - Hooks keep registers, because calls and the registers that are spilled around them were most
//     of the cost: hence the edited compiler (internal/online/compiler).
//   - Data that two processors share has cache lines of its own: the places of readers (R23), the
//     crowds of atomic accesses, the clock of a slot.
//   - Cells of memory below 1 TiB are found from the address alone; a directory took three loads.
//     A page of cells is written before it is read, because reading it first costs a second fault.
//   - The filter (R18) is the default, because locks that stay with their goroutine are then free.
//
// # Tried, and not kept
//
//   - Four bytes for a word whose page has one epoch: it costs a lookup in each hook, and only data
//     that a program has not begun to share looks like that.
//   - W and R in separate planes: less shadow, but a second cache line where both are needed.
//   - Cells inside words that are allocated four at a time: less memory for text that is appended
//     piece by piece, but the assembly knows the layout.
//   - Cells that are reset when the sweeper frees a span: less memory, but the sweeper often runs
//     on another processor than the allocator, so cells move between their caches.
//   - Shadow that is given back with what Go's scavenger gives back: less memory in one program.
//   - Reads of shared locations in assembly, a function for locations of one group, hooks that go
//     on without a jump, and a merge of loads that only checks keep apart: no measurable gain.
//   - No counters of accesses of the same epoch: little gain, and the report promises them.
//   - Inlined checks (not tried): each saves a call and a return, for 14 times as much code.
//
// # Names
//
//	g  goroutine t; c  cell; w, r  W and R; a  the access at hand; o  object; word  an epoch and a site (word.go)
package online
