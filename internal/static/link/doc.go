// Package link finds the warnings that no single frame shows: two accesses to memory that different
// roots of the program reach.
//
// # What it computes
//
// A root is where a goroutine begins. A context of a function describes how it is entered: the
// roots that reach it, the locks that are held whenever they do, and what is known of its
// arguments. Package link
//
//  1. finds the targets of calls through values (LI10), and the roots (LI1);
//  2. carries contexts from the roots along the calls, to a fixed point;
//  3. puts each access of a function's own text into the contexts of the function, which makes
//     sites, and groups the sites by the class of their memory (package path);
//  4. compares the sites of a class, two by two (RELAY: Voung, Jhala, Lerner, ESEC/FSE 2007,
//     Figure 7).
//
// A pair is a warning unless no two of its roots run at once, a lock guards both accesses, or one
// comes before the other. Evidence that speaks against a race but does not exclude it is a code of
// the warning (package tier). Of all pairs of roots, the one with the least such evidence counts.
// Warnings of single frames (package pairs) are judged again with the locks that callers hold.
//
// # Which roots run at once
//
// (LI1) Roots are main, package initialisation, tests, and every goroutine. In an open world,
// exported functions and methods of packages that are not commands are roots, and functions that
// only unknown calls reach. A function of an internal package is none if another package calls it,
// not in a test: all that may call it is there. It stays one if it is a method of a type that the
// exported declarations of another package mention, or if it is taken as a value.
//
//   - Main, initialisation and tests run once, one after the other.
//   - A goroutine runs beside every other root. It runs beside itself if its go statement runs
//     several times; otherwise the pair has code one-root. It is also taken to run several times if
//     an exported method starts it under a lock and gives it an argument of the call: it is one for
//     each request. A goroutine that is given only its object is taken to be the only one of it. Of
//     a package-level variable, goroutines of different objects are several.
//   - Two exported functions run at once only if the caller wants it: code open-world. The code is
//     left out if the type of both starts goroutines or has a lock that is taken, and, besides,
//     one of two things holds. One of the accesses holds a lock; or one is a write of a main loop
//     other than Start, beside a method that is none. It is left out, too, if the makers of the
//     type expect many goroutines in both methods; it stays if they expect one (package promise).
//     What commands of the program reach has known callers, so there promises do not count. The
//     code is left out if both methods take a lock of their receiver, at some point, and none is a
//     main loop: methods that lock are called at once, also where they hold no lock. The code is
//     left out, whatever the types of the roots are, if most accesses to the memory hold a lock of
//     its own struct and one of the two holds it. A package-level variable needs a package-level
//     lock for that.
//   - Many goroutines are expected in methods of another package's interface that take a context,
//     if a call there passes the object from which the interface's value is read. Such a method is
//     for several objects (passesHolder).
//   - A method named Run, Start, Serve or Listen, with or without more words, is a main loop: it is
//     called once for each object. Beside itself it has code run-once.
//
// A function that only unknown calls reach may be called before its object is shared, or never. If
// it has no exported name, or commands of the program hand it on, the code is unknown-call.
//
// # Which root comes first
//
// (LI2) Main comes before all other roots until it has started a goroutine. Initialisation comes
// before main, and before all goroutines but those that it starts: code before-start. Main runs
// beside a goroutine only if main, or a goroutine that may have been started, has started it
// before: otherwise the code is not-started. An exported function that starts a goroutine comes
// before that goroutine until it does so. Only a second call for the same object, while the
// goroutine of the first runs, runs beside it: code second-call.
//
// # One object
//
// (LI3) Two locations may be one if their classes agree. A package-level variable is one object. A
// field of two objects needs evidence that the objects are one; without it the code is
// other-instance. The evidence is any of these:
//
//   - a method of the type has started one of the goroutines;
//   - one access holds a lock that lies beside most memory of the class;
//   - both accesses hold a lock of one class for reading, and it lies beside the memory of one;
//   - the memory lies by the same steps below the objects of both roots, and the roots are of one
//     type.
//
// The object of a root is the receiver of its method, or of the method that starts it. If a
// function that is no method starts the goroutine, its object is the receiver of the method that it
// begins with, or what its literal has captured of a type with methods. The function must start
// goroutines for one object of that type only. Contexts carry which formals are the object or lie
// below it.
//
// An exported method that only sets a field without a lock may run before the object is shared, so
// it is no evidence. If a pointer in the object has led a callee to the memory, the memory must
// lie in or below an object whose type shows that it is meant for several goroutines (LI1): an
// object without locks and goroutines may be handed from one goroutine to the next. This is not
// asked where the makers of the type expect many goroutines in both methods.
//
// An access to a part of a struct or array is compared with accesses to the whole, also where only
// a pointer leads to the whole: a copy of *p reads the fields that p.f = x writes. Variables that a
// handler literal has captured (package model, Entries) are named by the function around the
// literal, and are one for all calls; what that function itself does with them is not compared.
//
// # Locks
//
// (LI4) A lock guards both accesses if it is a package-level variable, or if its path has the same
// steps from the same object as the memory: s.mu guards s.x of the same s. If only the classes of
// the locks agree, the code is same-lock-field. Some cases need care:
//
//   - A lock of an object above an argument is named by the steps from the deepest object that the
//     lock and the argument have in common. It guards what lies by the same steps from it. It is no
//     evidence that two objects are one (LI3).
//   - A mutex or Once that is overwritten as a whole, where others may have its object, excludes
//     nothing. Nor does an atomic flag that is set to zero by a goroutine that has not set it.
//     Holding such a lock still shows what it is meant for (LI1, LI3). Results inside one frame do
//     not consider this.
//   - Locks that callers hold in every context of a frame belong to the goroutine that enters it.
//
// # Ownership
//
// (LI5) An access to an object that is owned in the context is no guarded access: it initialises
// the object, or the object was taken out of sharing. A callee owns an argument that its caller
// owns. A closure owns what it has captured if it is called, not started, while no other goroutine
// can reach the variable or the object that the variable holds. Weaker forms are codes: an owned
// object led to the memory through a load (owned-holder); the access is in the function that makes
// the object, before a goroutine is started there (constructor).
//
// A function has at most maxContexts contexts. Further ones are merged into one, with their locks
// joined as package lockset does, unless they hold no locks. That no lock is left in a merged
// context is weak evidence: code merged-contexts.
//
// # Closed programs
//
// (LI6) A program is closed if it has commands, and these reach at least two thirds of the exported
// functions of the packages that are not commands. A command reaches what it calls, mentions or
// stores, and the methods of types that it converts to an interface, transitively. Commands below a
// directory example or examples do not count. In a closed program:
//
//   - A call from outside has code closed-world, and so has what no command and no test reaches.
//     What main and its goroutines do with the function is compared all the same. The code is left
//     out between two exported methods of one object that no command reaches, if one access holds a
//     lock of the object: the type expects such calls.
//   - An exported function to which no known call of a command leads stands for calls with unknown
//     targets. Beside what the program does itself it has no code if both are of one object and one
//     access holds a lock of it. Beside another such function, both must hold one lock for reading.
//     A main loop (LI1) stands for none.
//   - A call that a command makes finds only targets in text that the same command reaches: types
//     that exist for tests are ignored.
//   - Each command is a process, and all tests are another one: two accesses that no one process
//     reaches, with their roots, are not to one memory. A call from outside may be in any.
//   - Exported functions of a package main have no callers outside.
//
// # Order between roots
//
// (LI7) Four orders between accesses of different roots are known:
//
//   - Once. The code after a Do comes after the function of the Do, if the Once is a package-level
//     variable or lies to both accesses as (LI4) says.
//   - Waiting. A goroutine that has yet to release a WaitGroup or channel of an object comes before
//     the code that follows a wait for it in another function of the object. Both must be fields of
//     the object, by the same steps as the memory. Only the goroutines of one go statement outside
//     of loops may send on the channel or close it. Nothing counts how often: a goroutine that is
//     started again after the wait is beside it, so this is only code joined. A channel that a
//     goroutine is given counts also by the name of the field where its starter has stored it.
//   - Lent locks. What a goroutine does before it releases anything by which it is waited for is
//     done under the locks lent to it ((SY6) of package symbolic). A goroutine that holds one of
//     these itself is excluded meanwhile. Two goroutines to which a lock is lent both have it. The
//     text that lends the lock is compared in its frame.
//   - Flags. A flag is a field or variable that is written under one lock only, with a value that
//     is not zero or while it was seen zero under that lock. Once set it stays set. An access under
//     the lock, after the flag was seen zero, comes before an access by a goroutine that has seen
//     the flag set, or set it, under the lock. The flag must lie by the same steps to both
//     memories. Memory that is written once is its own flag.
//
// Memory that is written only inside of Do of some Once is likely set up before its readers start:
// code set-once. For a package-level variable the Onces must be package-level variables. For a
// field the Onces must not be in the same object, and writes where the object is made do not count:
// a Once beside the field is its lazy initialisation.
//
// # Tests
//
// (LI8) A test that may call Parallel is one root before that call and another one after it. Two
// tests that have called it run at once if one t runs both, or if they are functions of one
// package, or if they are subtests, directly or not, of two such tests. Otherwise only goroutines
// run beside a test. Two tests at once make objects of their own. They share package-level
// variables, what these lead to by one path, and what the literal of two subtests has captured
// outside of loops. Everything else has code other-instance, whatever locks are held. A literal in
// a test that no known call reaches is called by the test.
//
// # Publication
//
// (LI9) An object that its maker has not published (SY3), and what it leads to, is reached only by
// goroutines that the maker or its callees have started, and by goroutines that are over before the
// maker returns. If the other access is by none of these, the code is unpublished. The arguments of
// a goroutine that is over before its starter returns are likely unpublished too, if all of them
// are. An argument that cannot lead to a struct, by its type, does not count for the fields of that
// struct.
//
// # Calls through values
//
// (LI10) A call of a value that is read from memory may call whatever any function has stored in
// memory of that class. Failing that, a method of an interface is that of a concrete type that is
// converted to the interface, directly or through other interfaces. If nothing is converted to it,
// in an open world, the exported types of the interface's own package that implement it are taken:
// callers give these, or a type that embeds one. A method that a type has from an embedded field is
// that of the field's type, or a target of the embedded interface. A method value of an interface
// is a function of its own, called where it was stored. With more than ten targets the call stays
// unknown, as does a call of a function that the caller gives: the caller's summary has it (package
// symbolic).
//
// # Soundness
//
// In an open world, targets of unknown calls that nothing else calls are roots. Values that flow
// through any, and unsafe, are missed. A function that a command calls only by reflection or
// through go:linkname is taken to be reached by no command (LI6).
//
// # Parts
//
//	program      summaries and calls        resolver     targets of calls through values
//	reach        what commands reach        rootFinder   the roots
//	contextTable contexts of functions      carrier      carries them along calls
//	siteTable    accesses in contexts       comparison   pairs of sites
//	started      goroutines started before  waiting      WaitGroups and channels
//	flagOrder    flags                      publication  holders of an object
//	testOrder    tests at once              makers       objects of goroutines
package link
