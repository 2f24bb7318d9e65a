// Package offpath checks what a goroutine does off its recorded path: the part of a witness of a
// race by path (docs/theory/model.md, "Variants") that nobody recorded. Package alternative has
// computed it, symbolically; package witness checks that a schedule obeys the rules of windows, and
// takes the alternative's events as they are. This package does not: it has an interpreter of the
// program's SSA, and executes the goroutine from the fork on, under the values that its reads see
// in the witness.
//
// It shares the SSA and package plan (which instruction has which record) with the packages walk
// and alternative, and no code.
//
// # Rules
//
// Check accepts a witness if all of these hold; the number is part of every error.
//
//	(D1) What the goroutine did from the fork on in the recorded run is not executed, what it did
//	     before is its own, and nobody waits for its end.
//	(D2) Each event of the variant beyond the recorded ones stands for a step of the alternative:
//	     the same kind, flags, site, location or object, and the goroutine that the step names; in
//	     the order of the steps. Of each goroutine, the steps before the last one that the witness
//	     has are in it as a whole. A step on which nothing may rest is not executed.
//	(D3) At the fork, a value that rests on reads is what its term amounts to in the witness, as
//	     witness.Execution evaluates it, and what the snapshot takes for granted (reads that keep
//	     their values, guards) holds. A read of the alternative returns what its event saw.
//	(D4) From there on the program is executed: Go's own operators on values of their types;
//	     branches, calls, returns, deferred calls; checks of nil, bounds, division, shifts and
//	     conversions. A panic, and what is not modelled, reject the witness. What is not known
//	     stays unknown, and rejects it only where it decides something: a branch, an address, an
//	     index, what is written.
//	(D5) An access to memory that others may access, and an operation of synchronisation, must be
//	     the goroutine's next step: kind, flags, site, address, size; the delta of an Add, the
//	     operand of a CompareAndSwap. A go statement starts the goroutine that the step names. A
//	     select goes on in the case that the step names, and the events of the variant have the
//	     channels of the others.
//	(D6) What a step writes or sends in the witness is what the interpreter has computed, byte by
//	     byte. An address of what the alternative has allocated is compared up to a renaming that
//	     is one to one.
//	(D7) A load that is no step is of bytes that no other goroutine accesses in the window, before
//	     the alternative starts a goroutine. Its value is what the alternative has stored there,
//	     else what it assumes to be there at the fork: which must be what the goroutine has left
//	     there in the recorded run, bits and term, by the last access in the window before the
//	     fork.
//	(D8) What the alternative has allocated is stored to by the goroutine that has allocated it
//	     alone, and no more once that has started another; others load only what was so before
//	     they were started. A variable of a package that nobody has accessed so far counts as such
//	     memory, of unknown content, if it has no address but its name (plan.Named). A mutex there
//	     is locked and unlocked without a step.
//	(D9) What the alternative accesses is not allocated anew after the fork, and a word that may
//	     be a pointer to what stood at its address before an allocation of the window is not
//	     known. Addresses of variables of packages agree with the trace.
//	(D10) A call through a function value is one of a closure that was made here, or of the
//	      function that the snapshot has at that address.
//	(D11) A method is one of the type that the checker has put into the interface, or of the one
//	     whose type word it has, as the snapshot says; so does a type assertion go by it. What
//	     stands in the box of a value that is not a pointer is known if it was boxed here.
//
// # Trust
//
// Not checked: that the goroutine stands at the fork as the snapshot says, and the terms of what it
// holds there (the walk up to the fork, which package walk checks against every recorded value on
// the way); which function a function value of the recorded run is, and what that had captured, and
// which type a type word is, which the walk has seen when it was made; what was in memory before
// the window began; what code that is not instrumented does to the memory of (D7) (package window
// has its records); that other goroutines do what the recorded events say, which is witness's part.
//
// # Complexity
//
// One step of the interpreter per instruction, at most maxInstrs; one pass over the events of the
// window.
//
// # Files
//
//	stray.go         Check; (D1) to (D3)
//	machine.go, compute.go  the interpreter; the snapshot
//	call.go          calls, builtins, go statements
//	memory.go        loads, stores, objects (D7, D8)
//	selects.go       select
//	interfaces.go    interfaces (D11)
//	sync.go          steps; synchronisation; what was read and written (D5, D6)
//	surroundings.go  the trace around the alternative (D7, D9)
//	value.go, operator.go, convert.go  values and Go's operators
//
// # Names
//
//	c  checker     m  machine, a goroutine     f  frame     o  object     s  step     v, x  values
package offpath
