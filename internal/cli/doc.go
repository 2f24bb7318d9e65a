// Package cli is the command line: commands, flags, exit codes, and the stages that a command runs.
// It is the only package that knows all stages.
//
// # Commands and stages
//
// Each command has a file of its own name. test, run and analyze run the stages that type analysis
// lists, from traces to a report. test and run record the traces first (type recording).
//
// # Exit codes
//
//	0  no race was found in what was searched
//	1  presage failed, or the program under test did; or the search was not what was asked for:
//	   a loss (CM1), or nothing was searched (CM2)
//	2  the command line is wrong
//	3  races were found, or candidates where candidates are asked for (vet, analyze -engine)
//
// Races that are suppressed (package suppress) have no part in it. Code 3 takes precedence over
// code 1: a test that fails for another reason must not hide a report.
//
// # The last line
//
// The last line of a report says "no races found" only if the whole run was recorded and searched.
// Of a search in part it names the gaps. The summary has the same as fields (report.Coverage).
//
// (CM1) Each code of a warning has one effect on the answer (table gaps). A warning that keeps the
// answer has a cause that hides no race: a replay, a name, the program as it was built, a bound
// that another warning counts, or an unknown value, where the read keeps its recorded value. A gap
// may hide a race: functions or accesses without records, events that were not searched, pairs that
// were not decided within a limit. A code without an entry in the table is a gap. A loss is a gap
// because recording or analysis ended early: the recording was cut, a trace is damaged, the
// analysis was interrupted. Then the exit code is 1. Packages that the user excludes and a lower
// level are no gap: the report names them.
//
// (CM2) Nothing was searched if nothing was recorded, or if go test ran no test. The exit code
// is 1. At level none nothing is searched either, but that was asked for: the exit code is 0.
//
// # Limits
//
// (CM3) The time after the tests or the program is limited by -time: by default three times the
// time of the tests, at least leastTime; analyze has no default. The merge of records may take a
// third of it, prediction two thirds, or all of it if nothing is replayed. Replays have the rest,
// and at least a third. Each of several processes or traces gets its share of the rest, by size.
// Builds for replays do not count. Passes that are linear in the trace always run: those that find
// the races of the recorded run and their source lines. Prediction also ends when the live heap
// exceeds -memory, and a second search begins beside others only below half of it. Each cut is a
// warning.
//
// # Interrupts
//
// (CM4) The first interrupt ends the analysis, not the command. The report has the races found
// until then, in each of the traces that were searched side by side. All recorded traces are
// counted, as far as they give their length. They are kept, and a warning has the command that
// analyses them from the beginning. The second interrupt ends the process.
//
// # Streams
//
// The report goes to standard output, progress to standard error: a bar on a terminal, lines
// elsewhere. The program under test writes to both streams. With -json its standard output goes to
// standard error, so that standard output has JSON only.
package cli
