// Package link finds the warnings that no single frame sees: two accesses that meet in memory
// reached from different roots of the program.
//
// # What it computes
//
// Contexts are carried from the roots down the call graph: which roots reach a function, which
// locks are held whenever they do, which arguments are still owned. The guarded accesses of every
// function's own text are then grouped by class, and pairs of a group are compared (RELAY, ESEC/FSE
// 2007, Figure 7).
//
// # Rules
//
// (R1) Roots are main, package initialisation, every goroutine, tests; and in an open world the
// exported functions and methods of packages that are not commands, and functions that only unknown
// calls reach.
//
// (R2) Main, initialisation and tests run once and one after the other. A goroutine may run beside
// every other root; beside itself if there are many of it (else code one-root). Two exported
// functions run at once if the caller wants it: code open-world, unless the type they belong to
// shows that it is meant for that, it starts goroutines, or it has a lock; and one of the two holds
// a lock, or is a main loop that writes.
//
// (R3) Main comes before all else until it has started a goroutine; initialisation comes before
// main, and before all goroutines but those that it starts: code before-start.
//
// (R4) Two locations may be one if their classes agree. Of a package-level variable that is
// certain; of a field of two objects it needs evidence: a goroutine that a method of the type has
// started, that the other access holds a lock that lies beside most memory of the class, that both
// hold one lock for reading that lies beside it (R5), or (R7). Without it: code other-instance. An
// access to a part of a struct or an array is compared with those to the whole.
//
// (R5) A lock guards both accesses if it is a package-level variable, or if its path has the same
// steps from the same object as the accessed memory: s.mu guards s.x of the same s. If only the
// classes of the locks agree: code same-lock-field.
//
// (R6) An access to an object that is owned in the context is none (initialisation, unsharing).
//
// (R7) The object of a root is the receiver of its method, or of the method that starts it. Of a
// goroutine that a function, no method, starts it is the receiver of the method that the goroutine
// begins with, or what its literal has captured of a type with methods, if the function starts its
// goroutines for one object of the type only. Contexts carry which formals it is, and which lie
// below it. Of two roots of one type, what lies the same steps below their objects is one, but for
// an exported method that only sets a field without a lock: it may be meant for the time before
// others have the object. What a pointer in the object has led a callee to has to be, or to lie
// below, an object of a type that shows that it is meant for several goroutines (R2): one without
// locks and goroutines may be handed from one to the other.
//
// (R8) There are several of a goroutine, too, if it is given an argument of the call that starts
// it, under a lock, from an exported method: it is one for each request, and the type expects such
// calls at once. A goroutine that is given only its object is taken to be the only one of it. Of
// package-level variables, the goroutines of different objects are several.
//
// (R9) What a frame has found is judged again with the locks that its callers hold: they belong to
// the goroutine that enters the frame.
//
// (R10) What an owned object leads to through a load is likely owned, too: code owned-holder.
//
// (R11) A function that only unknown calls reach, and that has no exported name or that commands of
// the program hand on, may be called before its object is shared, or by nobody: code unknown-call.
//
// (R12) What comes after a Once.Do comes after what its function does, if the Once is a
// package-level variable or lies to both as (R5) says.
//
// (R13) Main runs beside a goroutine that it, or a goroutine that may have been started, has
// started before; if no known start is one of these: code not-started.
//
// (R14) An access to an object in the text that makes it, before a goroutine is started there, is
// likely initialisation, though the object has escaped: code constructor.
//
// (R15) Methods named Run, Start, Serve or Listen, with or without more words, are called once for
// each object: beside itself such a method has code run-once.
//
// (R16) A package-level variable that is written inside of Do of package-level Onces only is
// registered before its readers start, if the program is as it should be: code set-once. So is a
// field that is written, but for where its object is made, inside of Do of Onces only that are not
// in the same object: another object sets it up. A Once beside the field is its lazy
// initialisation, and who reads the field without it is wrong.
//
// (R17) In a closed program (R20) a call from outside is weak: code closed-world. What main and its
// goroutines do with the function is compared all the same. If no known call leads to an exported
// function from a command, the call from outside stands for those whose targets are not known: it
// is not weak if the other side is of the same object and one of the two holds a lock of it, unless
// it is a main loop (R15). Of two such functions both have to hold one lock for reading. Commands
// of a library, which show its use or measure it, make no call from outside weak. Commands below a
// directory example or examples do not count.
//
// (R18) An exported function that starts a goroutine comes, until it does so, before that
// goroutine; that it is called a second time for the same object, while the goroutine of the first
// call runs, is weak: code second-call.
//
// (R19) What a closure has captured is owned as an argument is (R6), if it is called, not started,
// while no other goroutine can reach the variable: the variable itself, and the object that it
// holds there. A closure that a callee keeps, or starts, has let its variables escape (X5).
//
// (R20) A program is closed if its commands reach at least two thirds of the exported functions of
// the packages that are no commands: these packages are there for the commands. What a command
// reaches is what is called, mentioned or stored in what it reaches, with the methods of what is
// converted to an interface there. In a closed program calls from outside are weak, as is all that
// no command and no test reaches: code closed-world; but not of two methods of one object that no
// command reaches, if one of the two holds a lock of the object: then the type expects such calls.
// A call that a command makes finds only what text that the command reaches makes: not what is
// there for tests. What a package main exports nobody calls from outside.
//
// (R21) Each command is a process: in a closed program two accesses that no one command reaches
// both, with their roots, are not made in one memory.
//
// (R22) A goroutine that is still to release a WaitGroup or a channel of an object comes before
// what another function of the object does after it has waited for that: both are a field of the
// object, by the same steps from it as the memory (R5). Only the goroutines of one go statement,
// outside of a loop, may send to the channel or close it; a goroutine that is given the channel has
// it by the field in which its starter has stored it, too. Nothing counts how often: one that is
// started anew after the wait is beside it, so that this is code joined.
//
// (R23) What a goroutine does before it releases anything by which it is waited for is done under
// the locks that are lent to it (X23 of package symbolic): who holds one of them itself is not
// there meanwhile. Two goroutines to which a lock is lent have it both; and what the text that
// lends it does, its frame compares.
//
// (R24) A flag is a field or variable that is written under one lock only, and then what is not
// zero, or while it was seen zero under that lock: once set it stays set. What is done under the
// lock after the flag was seen zero comes before what is done by who has seen it set, or set it,
// under the lock, lying alike to the memory: its critical section is a later one. Memory that is
// written once is its own flag.
//
// (R26) A test that may call Parallel is one root before that call, and one after it. Two that have
// called it run at once if they are run by one t, or are functions of one package; or if they are
// subtests, directly or not, of two such tests. Nothing else runs at once with a test but
// goroutines. A literal in a test that no known call reaches is called by the test.
//
// (R27) Two tests that run at once make objects of their own: one is what a package-level variable
// is, or leads to by one path, and what the literal of two subtests has captured, if no loop makes
// it anew; all else has code other-instance, whatever locks are held.
//
// (R28) What makers say counts for more than locks and goroutines: two methods of one type in which
// they expect many goroutines (package promise) run at once, whatever they hold, and none is meant
// for the time before others have the object (R7). Two in which they expect one run at once by an
// error of the caller only: code open-world. What commands of the program reach (R17) has callers
// that are known: what makers say is not asked.
//
// (R29) Callbacks are expected to be called by many goroutines: methods of an interface of another
// package that take a context, if a call there hands on the object from which the interface's value
// is read. One that is told which object calls is one for several of them (rule D4 of package
// promise).
//
// (R30) A lock in an object above what a function is given is named by the steps from the deepest
// object that the two have in common: it guards what lies the same steps from it, as (R5) says.
// That memory of the class lies beside it says nothing of objects of the type that are elsewhere
// (R4).
//
// (R32) An object that its maker has not published (X32 of package symbolic), and what it leads to,
// is reached by goroutines only that the maker, or what it calls, has started; and by those that
// are over before the maker returns. If the other access is by none of these: code unpublished.
// What a goroutine reaches that is given nothing else, and is over before its starter returns, is
// likely not published, too. What it is given besides and cannot lead to a struct, by its type
// (X34), does not count for the fields of that.
//
// (R33) A mutex or Once that is written as a whole, where others may have its object, keeps nobody
// apart, nor does an atomic flag that is set to zero by who has not set it. That both sides hold
// such a lock still shows what it is meant for (R2, R4). What a frame has found ordered or locked
// by these stays so.
//
// (R34) What literals that a library calls for requests and events have captured is named by the
// function around them and the variable: it is one for all of its calls. What that function itself
// does with it is not compared.
//
// (H1) A call through a value that is read from memory may call what is stored in memory of that
// class, by whatever function.
//
// (H2) Else, a method of an interface is one of the concrete types that are converted to this
// interface, or to one that is converted to it.
//
// (H3) With more than ten targets a call stays unknown, as does one of a function that the caller
// gives: the caller fills that (package symbolic).
//
// (H4) A method of an interface that a type has from an embedded field is that of the field's type,
// or one that comes to the interface that is embedded.
//
// (H5) A method value of an interface is a function of its own, which calls the method: it is
// called where it was stored, and by nobody else.
//
// (H6) An interface to which nothing is converted in the packages is, in an open world, one of the
// exported types of its own package that implement it: callers give these, or a type that embeds
// one.
//
// # Soundness
//
// Targets of unknown calls that nothing else calls are roots of an open world. Missed are values
// that flow through any, and unsafe. What a command calls by reflection or through go:linkname
// alone is taken to be reached by none (R20, R21).
package link

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/summary"
)

// Counts says what was compared.
type Counts struct {
	Roots, Contexts, Sites, Classes, Pairs, Locks, Ordered int
	// calls through values, and those whose targets are known
	Holes, Filled int
	Merged        int // contexts beyond the bound
	Processes     int // pairs of different processes (R21)
	Left          int // sites beyond the bound
}

// Found is what Find returns.
type Found struct {
	Warnings []*pairs.Warning
	Guards   *guard.Table
	// the functions that goroutines begin with, and what makes them roots
	Roots map[string]string
	Calls map[string][]summary.Edge // calls through values, by the function that makes them
}

// Find returns the warnings over all roots, after those that frames have found, as far as they
// stay. judged are pairs of positions that a frame has found ordered; promises are what the
// packages say.
func Find(sums map[string]*summary.Function, frames []*pairs.Warning, judged map[[2]summary.Pos]bool, promises []*promise.Package, n *Counts) *Found {
	keys := slices.Sorted(maps.Keys(sums))
	prog := newProgram(sums, keys)
	re := newReach(prog, keys)
	targets := &resolver{prog: prog, reach: re}
	targets.fillHoles(keys, n)

	ct := newContextTable(prog, re)
	wait := newWaiting(prog, keys)
	carry := newCarrier(prog, re, ct, wait, keys)
	finder := newRootFinder(prog, re, targets, ct, wait, carry)
	finder.findRoots(keys)
	finder.entries()
	finder.findCommanded(keys)
	ct.findExpected(keys, promises)
	carry.propagate()
	finder.unreached(keys)

	sites := newSiteTable(prog, re, ct, wait)
	co := &comparison{prog: prog, reach: re, contexts: ct, sites: sites, counts: n,
		flags:   newFlagOrder(prog, ct, sites),
		started: newStarted(prog, ct),
		public:  newPublication(prog, ct),
		tests:   &testOrder{contexts: ct, pairs: map[[2]int]bool{}}}
	sites.gather(keys, n)
	over := co.pairs(judged)

	n.Roots, n.Merged = len(ct.roots), ct.merged
	for _, c := range ct.of {
		n.Contexts += len(c)
	}
	return &Found{Warnings: append(co.frames(frames, n), over...), Guards: sites.guards, Roots: ct.kinds(), Calls: prog.filled}
}
