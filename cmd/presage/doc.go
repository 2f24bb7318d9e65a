/*
Presage predicts data races in Go programs from one recorded run, and proves each one.

	presage test [flags] [packages]      record tests, predict races, replay them
	presage run [flags] package [args]   the same for a program
	presage analyze trace...             search traces recorded earlier, or by other tools
	presage report, runs, explain        read results
	presage mcp                          the same for a coding agent
	presage replay [ID... | file...]     run the program again under the witness of a race
	presage trace dump|stat|convert      look inside a trace
	presage vet [packages]               warn of accesses that may race in some run

presage help lists the commands, and presage help command explains one with its flags. Flags come
before packages, as with the go command; -args ends the flags of test.

# Exit codes

	0   no races found in what was searched
	1   presage or the program under test failed; nothing was searched, because nothing was
	    recorded or no test ran; or a part of the run was lost: its recording was cut, a trace is
	    damaged, the analysis was interrupted. And no race was found. Of vet, a package did not load
	    completely
	2   the command line is wrong
	3   races found; of vet, warnings

A program that fails and has races gives 3; its own output comes before the report, which names its
exit code. presage replay file gives 3 if the race is confirmed, 0 if its schedule is not feasible
any more, and 1 if neither can be shown.

An interrupt ends the analysis, not the command. The report has what was found until then, and the
command that analyses the traces from the beginning. A second interrupt ends presage.

# What is reported

A race is two accesses to one location by two goroutines, at least one a write and not both atomic,
that no synchronisation orders in some execution that the recorded code can have. Every predicted
race has a witness: an order of events that leads to it. A checker that shares no code with the
search has replayed it. The report names the lowest level that proves the race: observed,
predicted, by-value or by-path. For the last two it also shows which reads see other values, where
these come from, where a goroutine leaves its recorded path, and what it does there (marked +).

The recorded run decides what can be found. Of code that did not run, the untaken branches of the
recorded path are explored, as far as presage can model them. The end of the report says what was
not recorded, not searched, or not decided within a limit. The last line says "no races found" only
if the whole run was recorded and searched. Otherwise it says "searched only in part", below a line
that names the gaps, or "nothing was searched" and the reason.

# Files

Instrumented sources, traces and reports of the last runs are kept in the directory presage of the
user's cache directory (os.UserCacheDir). Only replay -keep writes into the module.

A run belongs to the module in which it was started: the directory of go.mod or go.work, or the
working directory if there is none. The last three finished runs of a module are kept, and 24 of all
modules. A run in which no test ran or nothing was recorded is not kept.
*/
package main
