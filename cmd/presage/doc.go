/*
Presage predicts data races in Go programs from one recorded run, and proves each one.

	presage test [go test flags] [packages]    record the tests' run, predict, report
	presage run [build flags] package [-- arguments]
	                                           the package, or files of Go as go run takes them; not package@version
	presage analyze trace...                   analyse traces recorded earlier, or by other tools
	presage analyze -engine fasttrack|lockset|hybrid trace...
	                                           one pass by a detector that works on the fly, in place of prediction (docs/theory/tree.md)
	presage vet [packages]                     warn of accesses that may race in some run, without running anything (docs/using/vet.md)
	presage report                             print the report of the last run of this module again
	presage runs                               list the runs of this module that are kept, newest first; -all: of all modules; -json
	presage explain [ID | position position]   say why two accesses race, or what keeps them in order; without either, list the pairs of
	                                           positions that calls into packages that were left out keep from being decided
	presage replay [ID...]                     run the program again under the witness of a race; without an ID, list the races
	presage replay file...                     replay kept schedules (docs/using/replay.md)
	presage trace dump|stat|convert file       look inside a trace
	presage version

Flags of test and run, besides those of the go command, which pass through:

	-json                the report as JSON, one object a line (docs/using/report.md);
	                     what the program prints to its standard output goes to standard error
	-o file              keep the trace; a directory if the run had several processes
	-instrument pattern  instrument these packages of other modules too; may be repeated. A pattern
	                     that names none, or the standard library, is a warning.
	                     Without it, the packages of the main module are instrumented
	-exclude pattern     leave these packages out of the trace, for speed or focus; may be repeated. What they touch is recorded as of
	                     code outside: only what others touch too (docs/using/excluded.md)
	-only pattern        leave out all others; may be repeated
	-reach how           what is recorded of them: touched (the default), their accesses; kept: of each call all that it can reach, which is
	                     found once for each object, and kept up to date; full: the same, found anew at every call; check: kept, and the
	                     program stops if full has more. With the last three fewer races are found: they are there to compare with
	-disk size           what the recording may take of the disk, as 500M or 2G, or as a part of what is free when the run begins, as 25%; 50% is
	                     the default. A program that has more to record runs on, and the report says so (docs/theory/recording.md)
	-level level         how far to look; each level finds what the ones before it find:
	                     none: only record
	                     hb: races of the recorded run itself
	                     causal: and of executions in which reads that branches and addresses rest on see what they saw
	                     value: and of executions in which they see other values, and every branch goes the way it went
	                     path (the default): and of executions in which a goroutine leaves its recorded path at a branch, or
	                     with another pointer or index, and goes on through code that the run need not have executed
	-window n            events per window of prediction
	-budget n            conflicts the engine may spend on a pair of accesses
	-effort n            work that prediction may do on one trace: 3000, the default, is about ten minutes.
	                     What stands behind is searched for races of the recorded run only
	-solver name         what decides whether a pair of accesses races: engine (the default), presage's own search; or z3 or cvc5, a program
	                     found on PATH, which is slower and leaves large windows undecided (-window makes them smaller)
	-time time           how long what comes behind the tests may take, as 10m, but for builds: to put the events in order, to search
	                     them and to replay what is found. The default is three times what the tests took, and at least five minutes.
	                     What is left out is counted. analyze has the flag too, without a default.
	                     What ends while other tests run is searched beside them, and takes none of
	                     this time; PRESAGE_EARLY=off does all behind the tests (docs/theory/recording.md)
	-memory size         what the analysis may hold in memory, as 2G, or a part of what is free when it begins, as 25%; 50% is the default.
	                     Traces are searched side by side, one for each processor, as far as there is
	                     room
	-confirm=time        how long what is found may be replayed, builds aside, in place of what -time leaves; off is not at all. A race
	                     that Go's race detector then reports is of tier confirmed
	-static              run presage vet on the packages as well, and mark each of its warnings: confirmed (by a race), ordered in this run,
	                     not reached, unwitnessed, or not recorded. -static=tier: likely (the default), possible, unlikely or all. Warnings do not
	                     change the exit code (docs/using/vet.md)
	-online              FastTrack inside the running program, in place of recording and prediction: no trace, the standard library included, races
	                     at once on standard error and in the report (docs/using/online.md). With it: -halt ends the program at its first race,
	                     -filter none looks at accesses too that cannot add a first race (tree is the default), -on-race command runs a command
	                     for each race, with PRESAGE_RACE in its environment. The program is built with an edited copy of Go's compiler, which is
	                     made once for each version of Go (about a minute); PRESAGE_COMPILER=plain builds it with Go's own
	-q                   no progress

Flags of replay, which come before the IDs:

	-all             every race of the report
	-keep            write the schedule into the module, as presage/ID.presage: to commit, and to replay without a trace (docs/using/replay.md)
	-report file     a report in JSON form; without it, that of the last run of this module
	-run-id id       a run of presage runs, or as much of its ID as names it. report and explain have the flag, too
	-v               all of the schedule as it happened, not its last steps alone
	-dlv             run the program under delve, up to where both goroutines are before their accesses (docs/using/replay.md)
	-limit time      how long the schedule waits for an event before it is loosened (1s)
	-timeout time    how long a run of the program may take (1m)
	-trust           use flags, arguments and directories that a file names, although they can name or run a program (docs/using/replay.md)
	-json            the outcome as JSON, one object a line (docs/using/replay.md)

Flags of explain:

	-trace file      a trace, or a directory of traces; without it, those of the last run of this module
	-report file     the report that an ID is of; without it, that of the last run of this module
	-json            as JSON, one object a line (docs/using/report.md)
	-level, -window, -budget, -effort, -missing: as of the analysis that is to be explained

A position is file:line or file:line:column, as much of the file's path as it takes.

Flags of vet:

	-json            the warnings as JSON, in the schema of the report: tier warning
	-tier name       likely (the default), possible, unlikely or all: how much may speak against a warning
	-new revision    only what is not there at a git revision, which is analysed in a directory of its own
	-baseline file   only what is not in the file; with -write-baseline, write it anew
	-guards          instead of warnings, suggest which lock guards which field and variable
	-tests=false     without the packages' tests
	-store dir       where summaries are kept for later runs (off: nowhere); -shard only makes them, beside other processes
	                 with the same directory, -link makes none; go vet -vettool=presage makes them, too
	-tags list, -C directory, -q

A comment //presage:ignore with a reason behind it, on the line of an access or alone on the line above, silences a warning.

As with the go command, flags come before packages, and -args ends the flags of test.

# Exit codes

	0   no races found in what was searched
	1   presage failed, or the program under test did; nothing was searched, because nothing was recorded or no test ran; or a part of the run
	    was lost: its recording was cut, a trace is damaged, the analysis was interrupted. And no race was found. Of vet, a package did not
	    load whole
	2   the command line is wrong
	3   races found; of vet, warnings

An interrupt ends the analysis, not the command: what was found is reported, with the command that
analyses the traces from the beginning. A second one ends presage.

A program that fails and has races gives 3; its own output comes before the report, which names its code. presage replay file gives 3 if the race is
confirmed, 0 if its schedule is no longer feasible, 1 if nothing can be said.

# What is reported

Two accesses of one location by two goroutines, at least one of them a write and not both atomic, that no synchronisation
orders in some execution that the recorded code could have had. Every predicted race has a witness: an
order of events that leads to it, replayed by a checker that shares no code with the search. A report has the lowest rung of the
ladder that proves its race: observed, predicted, by-value, by-path; and for the upper two which reads see which other values, who wrote these,
where a goroutine leaves its recorded path, and what it does there (marked +).

The recorded run decides what can be found: of code that did not run, the ways off the recorded path are looked at, as far as they can be
modelled. What could not be, what was not recorded, not decided within a budget or not instrumented is said at the end of the report. The
last line says "no races found" only if the run was recorded and searched whole; if not, it says "searched only in part", and names what is
missing, or "nothing was searched", and why. The line before it says how much of the program was recorded.

# Files

Instrumented sources, the last runs' traces and reports are kept below the user's cache directory
(os.UserCacheDir), in presage. Nothing is written into the module, but by replay -keep.

A run belongs to the module that it was started in, which is the directory of go.mod (of go.work, or the directory itself, where there
is none). The last three finished runs of a module are kept, and 24 of all modules. A run in which no test ran, or nothing was recorded, is
not kept.
*/
package main
