// Package online is FastTrack inside a running program: the detector of presage test -online and
// presage run -online. It is an ordinary package, so that its tests can compare it with package
// fasttrack, its specification, on the same events. In a program it is part of package runtime
// (rt.Config.Online). There, all files but this one and sys.go are added; _online/runtime has the
// counterpart of sys.go. All names begin with ft for that reason.
//
// # Hooks
//
// The compiler inserts its race hooks, as for -race as a flag of the compiler: raceread, racewrite
// and their ranges before each access that escape analysis and SSA do not show to be local to a
// goroutine, in the program and in the standard library. The hooks call access and span.
// Synchronisation arrives at the hooks of the recorder (docs/theory/recording.md), and makes the
// order that package clock describes. There is no cgo, no TSan and no trace.
//
// # Rules
//
// The seven rules of FastTrack's paper, FT1 and FT3 are those of package fasttrack, CL1 to CL8
// those of package clock. The same-epoch rules are the paper's, for any site. A read in the epoch
// of its goroutine's own last write is dropped too: an access that races with the read races with
// the write. The first race of a location is therefore the same, but fewer pairs of sites are
// reported. The history of a location is its accesses that are unordered among themselves, where
// the paper has a read vector clock: reads by several goroutines, and atomic accesses
// (history.go).
//
//   - (ON1) Slots. A goroutine takes a slot, a component of every clock, at its first access. It
//     takes the slot of an ended goroutine if it knows of that one's last access, since the
//     accesses of the two are then a chain in every order. A goroutine that has used up the clocks
//     of its slot moves to another, and knows what it did in the first. Three bounds lose races,
//     and never make a false one, because they only add order or drop accesses. Beyond 4096 slots
//     and two for each living goroutine, slots of ended goroutines are reused although their end
//     is unknown. Beyond 60542 slots, of living goroutines or with all their clocks used up (four
//     million releases each), goroutines are not tracked. A location has at most 62 unordered
//     reads. Each loss is counted and becomes a warning of the report.
//   - (ON2) Locations. A location begins at every byte. The compiler passes the begin of an
//     access, and its length only for structs, arrays and ranges: an access without a length is of
//     the location at its begin, a range is of all locations that begin in it. The cell of a word
//     serves its first byte and all bytes that the last accesses of the whole word covered. The
//     other bytes have cells inside the word from the first access that begins there, until a
//     write of the whole word. Bytes with the same last accesses share a cell, or the word's own;
//     an access of some of them leaves the others unchanged. If all share the word's own, their
//     accesses count as of the whole word. An access inside a word is checked against those of the
//     whole word, and the reverse. If an access of the first byte replaces one of the whole word,
//     the replaced one moves to the cells inside. That is lost if no access of these 64 bytes has
//     begun inside a word yet. Allocated memory has new locations and objects: its cells are
//     cleared on pages in use, and pages of large objects given back if few are in use. If some
//     locations of a word are new, accesses of the whole word stay with the first location only:
//     it was one object.
//   - (ON3) Cells. A cell changes under the lock bit in W of its word, by a goroutine that is not
//     preempted. The same-epoch rules read without the lock. A word with t's own epoch was stored
//     by t, and a cell inside a word is filled before a location refers to it. A read without the
//     lock may lose a race, when it finds t's access to another location in a cell that has just
//     been reassigned. A write replaces R as well as W, even if it knows of R: an access that
//     races with R races with the write. So bytes written one after the other come to share a
//     cell.
//   - (ON4) Whole clocks. An epoch ends with a release, so a goroutine that knows of epoch (s, c)
//     knows all that the goroutine in s knew at the end of c. One component therefore often shows
//     that one of two clocks is their maximum, which is then shared without a comparison. This does
//     not hold between goroutines that used s in turn, if the later one did not know of the earlier
//     one's last release: a slot has the clock from which on it holds (whole). Nor does it hold for
//     an Acquire of everything, which knows of epochs that have not ended: each goroutine begins a
//     new epoch before its next release. As with -race, this loses races with accesses between the
//     Acquire and that release, in an epoch that began before the Acquire.
//   - (ON5) Filter (unless -filter none): TR6 and TR7 of package tree. A goroutine that takes the
//     locks again (not for reading) that it released since its last other message, before another
//     goroutine has, gets back the context in which it released the first of them. The same-epoch
//     rules compare contexts: runs of t's epochs, of which every other goroutine knows all or
//     none. For to know the first of them, it would have acquired t's last release. So an access
//     that races with a dropped one races with the one in the cell, and the first race of a
//     location is the same. Without the filter a context is an epoch. One release in sixteen is
//     noted of a lock that passes between goroutines, until one gives a context back. A lock that
//     t released and no other goroutine acquired brings t nothing new: taking it changes its
//     counts, and releasing it, if t acquired nothing since, one component (kept.go). An Acquire
//     of everything, by a finalizer, knows of t's present epoch but is not ordered with an earlier
//     one of the context, so it cuts all contexts down to the present epoch.
//   - (ON6) Read histories. Two representations keep readers from writing to shared cache lines. A
//     history by processor (split.go; it needs the instruction RDPID) replaces the history of a
//     word's own cell that two processors have used in turn eight times. A read takes its place in
//     its processor's part, exclusively, if W is known and R unchanged, and does not lock the cell.
//     An access that locks the cell for anything else takes all places and merges the parts before
//     it reads R. So of a read and an access that may race with it, one comes first, and the other
//     sees it. A slot's last read replaces its earlier ones in any part. A cell is not split if an
//     access inside the word counts or an atomic write was there. The places of a freed history
//     stay taken, so a late reader fails. Its memory is used only for other split histories; a
//     reader that comes to one of these finds that R has changed. A shared history (shared.go)
//     belongs to several cells and never changes. The R after an access depends on R, the access
//     and t's clock. So t keeps its last steps from one R to the next, and repeats a step for the
//     same R and the same access (epoch, site, whole word or not), if W is known and nothing inside
//     the word counts. A step keeps a reference to its history, so that its address is not reused.
//     An access that locks the cell for anything else, or by a reader in a second epoch, first
//     copies the history into one of the cell's own. Each slot has a fixed place in it; if that is
//     another slot's, there is no step.
//
// # Synchronisation objects
//
// A send reads its channel and a close writes it. The word of the last send is kept with the
// channel's clocks, under the channel's lock; the cell has sends that were not ordered before it.
// No check is needed before the close, since nothing else writes there.
//
// An atomic operation takes effect under the lock of its cell, and the clocks of its object are
// used under that lock (atomic.go): C(t) is made before the checks, the release after them. The
// history refers to the object, or notes under the locks of both that there is none. The lock is
// taken by an exchange of W, which its holder keeps. The clock is raised after the unlock. A
// variable on the goroutine's own stack is left out, since no other goroutine has a pointer to it.
//
// # Stack
//
// The compiler may insert a hook between the declaration of a variable and its initialisation, so
// a hook must neither grow the stack nor let it be scanned. The same-epoch rules are assembly, and
// so are most other cases of a word (W and R known, nothing changes inside). Where a check
// succeeds and no memory is needed (quick.go), code runs on the goroutine's stack without a check
// of its size, within 700 bytes. All else runs on the system stack.
//
// # Soundness
//
// A failed check is of two accesses of this run that are unordered. FastTrack guarantees the first
// one of a location; package internal/online calls later ones candidates. Order that the hooks do
// not see (assembly, C, system calls) would make a false race, as with -race. Not covered are
// accesses by C and assembly, memory other than Go's heap and variables, and a goroutine's own
// stack.
//
// # Memory
//
// A word of the program takes 16 bytes when it is used, and 16 more for each group of bytes inside
// it with other last accesses, plus four for the index of the groups. 24 bits of a word are the
// site (64 MiB of code). Clocks are trees that share equal parts (clock.go): sharing a clock costs
// nothing, raising a component sometimes copies a path, and a maximum reads only leaves of 64
// components that differ. While a process has few slots a clock has a leaf of its own, changed in
// place (few.go). Memory other than shadow is allocated by processor (memory.go).
//
// # Design decisions
//
//   - Hooks keep registers, because calls and the registers that are spilled around them were most
//     of the cost: hence the edited compiler (internal/online/compiler).
//   - Data that two processors share has cache lines of its own: the places of readers (ON6), the
//     histories of atomic accesses, the clock of a slot.
//   - Cells of memory below 1 TiB are found from the address alone; a directory took three loads.
//     A page of cells is written before it is read, because reading it first costs a second fault.
//   - The filter (ON5) is the default, because locks that stay with their goroutine are then free.
//   - A goroutine has two types. ftThread is the paper's thread state, with the context and the
//     counters. The clocks of objects and the histories use this part alone. The rules for accesses
//     are methods of ftG, which also has the steps, the hints and the races found. It begins with
//     its ftThread, so that a pointer to either is the same address.
//
// # Rejected alternatives
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
//	t  goroutine t, by its ftThread; g  the same, by its ftG; c  cell; w, r  W and R; a  the access at hand; o  object; word  an epoch and a site (word.go)
package online
