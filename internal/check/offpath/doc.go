// Package offpath checks witnesses in which a goroutine leaves its recorded path.
//
// Such a witness (docs/theory/model.md, "Variants") is a schedule of a variant of a window. In the
// variant one goroutine t follows, from a program point called the fork, an alternative path that
// was not recorded. Package alternative has computed the events of that path symbolically. Package
// witness checks that the schedule obeys the rules of windows, but takes these events as given.
// This package checks the events: it executes the program's SSA from the fork, with an interpreter
// of its own, on the values that t's reads return in the witness.
//
// It shares the SSA and package plan (which instruction has which record) with packages walk and
// alternative, and no code.
//
// # What is computed
//
// The alternative is a list of steps. A step is one operation of t, or of a goroutine that t starts
// after the fork: an access, an operation of synchronisation or a go statement. A step has one or
// more events in the variant, one for each location that it covers. Check accepts the witness if
// the interpreter, started at the fork, performs exactly these steps as far as the witness has
// them, and writes what the witness has it write.
//
// # Rules
//
// Check accepts a witness if all of the following rules hold. An error names the rule that is
// broken.
//
// (CP1) The variant is the window with the alternative in place of t's recorded events after the
// fork:
//   - The recorded events of t after the fork cannot be executed, those before it are still t's,
//     and no event of the witness waits for the end of t.
//   - At the fork t is not within an operation: in the queue of a Cond, among the cases of a
//     select, or in an access of several words. If its last event is the return from a call, it is
//     not at that call, unless a loop leads back there.
//   - Each event beyond the recorded ones, except pins, belongs to a step. It has the step's kind,
//     flags, site, goroutine, and location or object. The events of a goroutine are in the order
//     of the steps.
//   - A go statement of the alternative starts a thread that has no recorded events.
//   - If the witness has an event of a step, executed or as an access of the race, it executes all
//     events of the earlier steps of the same goroutine.
//   - A step that may only be an access of the race (MO8) is not executed.
//   - If a timer starts t (the snapshot's Starts), t has no recorded events. The window has the Go
//     of t in the place of the event that has started the timer, if that is in the window. A
//     goroutine that stops or starts the timer later, or is its firing, has none of its events from
//     there on.
//
// (CP2) The interpreter starts from t's state at the fork, with the values of the witness:
//   - The reads that t needs on the way to the fork (the snapshot's Needs) keep their recorded
//     values, and its guards hold.
//   - A value that depends on reads is the value of its term in the witness, as package witness
//     evaluates it.
//   - A read of the alternative returns what its events return in the witness.
//
// (CP3) The program is executed, with Go's own operators on operands of Go's types:
//   - A panic of the program rejects the witness, and so does what is not modelled.
//   - An unknown value stays unknown. It rejects the witness if it decides something: a branch, an
//     address, an index, or the value of an executed write.
//   - A call through a function value enters the function of a closure that the alternative has
//     made, or the one that the snapshot has at that address. A method call, and a type assertion,
//     goes by the type that the alternative has put into the interface, or by the type of the type
//     word in the snapshot. The value in an interface, if it is not a pointer, is known only if
//     the alternative has put it there, or walked code before.
//   - Calls of the library without effect are executed: those of library.go, and those of made.go.
//     There errors.New and fmt.Errorf make new objects, and package fmt calls no method of operands
//     that are nil, of basic types without methods, or such errors.
//   - What is put into a sync.Pool need not be got. Get returns what New returns, or nil; or it
//     takes an object that the recorded run has put, if the next step is an update of its word,
//     and each Get of the recorded run that takes it finds 1 in the word. A sync.Map has for a
//     key what was stored with the number that its word has: in the recorded run, by the
//     goroutine, or by what the steps of other alternatives say. What a step says that it stores
//     is what the program stores, and whatever else writes the number says the same. A timer that
//     the alternative has made, for a known and positive time, fires when a receive waits for it,
//     or where a step says that a select chooses its channel. So does one of the recorded run
//     that t has started before the fork: the window has nothing else that happens to it, but on
//     the path that t has left. A timer that the alternative has made starts a goroutine with its
//     function, or does not, as the next step says. Stop reports whether the timer has run. A
//     Stop of a timer of the recorded run that calls a function has a step that says whether it
//     has fired; the firing of the recorded run has none of its events from there on, and the
//     timer starts the goroutine of no other alternative.
//   - Done of a context whose code is not instrumented returns what the snapshot has. Err returns
//     an error if the step is a receive that finds the channel of Done closed, and nil if it is the
//     default of a select with this channel.
//   - A context that the alternative has made with WithCancel, from one of package context, is
//     cancelled if its function was called, or if its parent is. If the channel of a parent of the
//     recorded run decides that, a step acts on this channel in place of the new one. The new
//     context is not used after the alternative has started a goroutine.
//
// (CP4) What the goroutine does to others is what the steps say:
//   - An access of memory that is not private (CP5), and an operation of synchronisation, is the
//     goroutine's next step: same kind, flags, site, address and size, and for an Add same delta.
//   - A CompareAndSwap has the outcome that the step has. If it is an access of the race, its
//     outcome is open; if the step is an update, its events expect the value that the program
//     compares with.
//   - A select takes the case that the step names. The events name the channels of the other cases,
//     unless the channel of the case has a buffer.
//   - A function that WithCancel has returned closes the channel of its context, or finds it
//     closed. If it closes it, the channel of the parent is open after that, since the function
//     waits for a goroutine that cancels the parent. Then it does the same for each context that is
//     made from its own, and finds these closed if it has found its own closed. If another
//     goroutine makes one in the window, a step reads the word of that (package format), after the
//     channel of its parent was closed: the value is the channel, or 0 if it is not there.
//   - An element of a channel that is empty or larger than a word has no value in the witness. The
//     step says so, and what it receives is unknown.
//   - Each value that the witness has for an executed write or send is what the program computes,
//     byte by byte. Addresses of memory that the alternative allocates may differ by a renaming
//     that is one to one.
//   - What a lookup finds in a map is known if its step has an event that reads the entry of the
//     key (built.Entry), strictly. Then it is what the snapshot has for the key after an event of
//     the trace that has left this number, or what the steps say that have left it. If the entry
//     is only about whether the key is there, a value that is there is unknown. A write changes
//     those entries that the program writes, and each that is about the map as a whole. What the
//     step says that it leaves is what the program leaves, and what the snapshot has where events
//     of the trace have left the same number. If the step does not know it, no recorded event
//     finds the number.
//
// (CP5) Memory that is accessed without a step is private:
//   - The result of a load for which the plan has no record is unknown.
//   - Another load without a step is of bytes that no other goroutine accesses in the window on its
//     recorded path or writes on another alternative, and comes before the alternative starts a
//     goroutine. It returns what the alternative has stored there, else what the alternative
//     assumes to be there at the fork. The assumption agrees, in
//     value and term, with the last access by t to each byte in the window before the fork.
//   - An object that the alternative allocates is stored to only by its goroutine, and only until
//     that goroutine starts another one. (A variable whose address does not leave its invocation
//     stays the goroutine's own.) Another goroutine may load from it only if the object was
//     allocated and complete before that goroutine was started.
//   - A variable of a package that no event has accessed up to the end of the window, and that the
//     program accesses by name alone (plan.Named), is such an object, of unknown content. The
//     alternative does not store to it after it has started a goroutine.
//   - A Mutex or RWMutex in an object that the goroutine may store to, and that is no variable of a
//     package, is locked and unlocked without a step, but not for reading.
//
// (CP6) An address denotes the same object in the witness as at the fork:
//   - Memory that the alternative accesses without a step, and a function value that it calls, is
//     not allocated anew in the window after the fork. A step may be in such memory if no number
//     that the interpreter takes from the snapshot or the assumptions lies in it and is from before
//     the allocation. So the address is from a read in the witness. After the fork means after the
//     last event of the goroutine before it. What the snapshot has of an event is unknown where
//     memory was allocated anew since that event.
//   - A word that a read returns is unknown if it may point to what was at its address before an
//     allocation in the window.
//   - The word of an object in a sync.Pool stands for these two alone: neither is allocated anew
//     since the object was put, and if the window has the first Put, the word is 0 up to that. A
//     plain write to the first word of the pool, which empties it, comes before each Put of the
//     object, by the same goroutine or one that starts it or an ancestor of it later.
//   - The addresses of variables of packages agree with the accesses of the trace that name them.
//
// # Soundness
//
// Claim. Suppose that package witness accepts the schedule, and Check its alternative. Then the
// program has an execution in which t, and the goroutines that it starts after the fork, perform
// the events of the schedule with the values that they have in it.
//
// Argument, by induction over the steps of the interpreter:
//
// Lemma (Start). t reaches the fork in the schedule with the state that the interpreter starts
// from. Up to the fork t executes recorded events (CP1). The branches and addresses on the way
// depend on reads that keep their values, or on guards that hold (CP2, and package witness for the
// events). Every other value of the state is a term over t's reads, and terms are evaluated in the
// witness.
//
// Lemma (Step). Suppose that interpreter and program are in the same state, where some values of
// the interpreter are unknown. The next instruction is the same in both, since no unknown value
// decides it (CP3). If it only computes, the states stay the same. If it accesses memory that
// others can access, or synchronises, it is the next event of its thread in the schedule (CP4). So
// the program returns what the read returns in the schedule, and stores what the schedule has.
//
// Lemma (Private memory). If it loads without an event, no other goroutine can have changed the
// bytes. They were not accessed by others in the window, and not by a goroutine that the
// alternative starts: these are either not started yet, or have only objects that are not stored to
// any more (CP5). So they hold what the alternative has stored, or what they held at the fork.
//
// Lemma (Addresses). Two addresses that the interpreter compares denote the objects that they
// denote in the program. Memory is not reused between the fork and the events (CP6), and new memory
// differs from all other memory, as in the interpreter.
//
// # Trust
//
// The argument takes the following for granted, and Check does not verify it:
//   - t is at the fork as the snapshot says, and the terms of the snapshot are right. Package walk
//     has checked them against every recorded value up to the fork.
//   - Which function a function value of the recorded run is and what it has captured, which Once
//     one of sync.OnceFunc has, which type a type word is, which capacity a channel has, which
//     timer sends to it, which lock a Cond has, and what Done of a context returns: the walk has
//     seen the instruction that made them, or the recorder has looked at the variable that held
//     them. A function value on a stack is known to its own goroutine alone, at the fork.
//   - Which context a function cancels, and which others with it: the recorder has seen each being
//     made. The window has no other ones than the snapshot.
//   - Which objects a sync.Pool has had, and that each was put as a value of one type: the walk has
//     seen instructions that put them, and no write to the pool since, up to the window.
//   - What maps have after each write: the walk has seen the writes, the lookups, and how the map
//     was made. The contract of context.Context.
//   - What memory held before the window.
//   - What excluded code and other code without hooks does to the memory of (CP5). Package window
//     has its records.
//   - Other goroutines perform their recorded events; package witness checks that they can.
//   - Package plan.
//
// # Complexity
//
// The interpreter executes at most maxInstrs instructions. The events of the trace in the window
// are read once; each is compared with the loads of private memory and, if it allocates, with the
// steps.
//
// # Types
//
//	script, queue          the steps with their events; those that a goroutine has not executed yet
//	process, machine       the goroutines of the alternative; one of them: its stack of calls
//	frame, env             an invocation; what it evaluates operands with
//	valuation, renaming    the values of the witness; addresses of new memory, there and here
//	mapWrite               what a write to a map leaves for its keys
//	memory, heap, private  loads and stores: as steps; of new objects; of memory of t alone
//	operations, timers     synchronisation; the timers that run
//	contexts, newContext   calls that make, ask and cancel contexts; a context of the alternative
//	canceller              the steps of a function that cancels a context
//	typeWords, variables   types in interfaces; addresses of variables of packages
//	former                 numbers from the recorded run, and not from the witness
//	surroundings           the trace around the alternative
//	value, texts, std      values; contents of strings; calls of the standard library
//
// # Names
//
//	m  machine     f  frame     x  object or value     s  step     v  value     o  owner
package offpath
