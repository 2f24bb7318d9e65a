// Package suppress decides which races of a report are only counted and named: those at which the
// user has written a comment, those that a pattern names, those of a baseline, and those of code
// that has not changed. A race is never withheld: a suppressed one is a message of the report, with
// what suppresses it, and the last lines of a text name it. It has no part in the exit code.
//
// # Comments
//
// A comment //presage:ignore with a reason suppresses a race if it is at the line of one of its
// accesses, in a Go file of the user's own: below the root of the module or workspace, and not in a
// vendor directory. A comment of a dependency has no effect. The line has to be the one that was
// recorded, apart from the comment: in an edited file it might be about another access.
//
// # Baselines
//
// A race is known if the baseline has its ID. Races whose IDs differ in their numbers alone (-2,
// -3) are known only if the baseline has as many: else it is open which of them is new.
//
// An entry of the baseline is gone if its race was not found, and all packages of the entry were
// run, recorded and searched whole: those of its accesses, and of the test that showed it.
//
// # Patterns
//
// A regular expression suppresses a race if it matches the name of a file of one of the accesses,
// from the root of the module, the name of one of their functions, or that of the memory.
//
// # Revisions
//
// A race is new since a revision if a line of a function with one of its accesses has changed
// since, or is gone: the line may have been a lock. Where that is not known, the race is new.
//
// # Files of others
//
// Names of files come from traces and reports, which others may have written. Only regular files
// below the root are read, with a bound on their size.
package suppress
