// Package suppress decides which races of a report are only counted and named: those at which the
// user has written a comment, those of a baseline, and those of code that has not changed.
//
// # Rules
//
// (SU1) A race is never withheld. A suppressed one is a message of the report, with what suppresses
// it, and the last lines of a text name it. It has no part in the exit code.
//
// (SU2) A comment //presage:ignore with a reason suppresses a race if it is at the line of one of
// its accesses, in a Go file of the user's own: below the root of the module or workspace, and not
// in a vendor directory. A comment of a dependency has no effect. The line has to be the one that
// was recorded, apart from the comment: in an edited file it might be about another access.
//
// (SU3) A race is known if the baseline has its ID. If races of a report have a fingerprint in
// common (their IDs end in -2, -3), they are known only if the baseline has as many: else it is
// open which of them is new.
//
// (SU4) A race is new since a revision if a line of a function with one of its accesses has changed
// since, or is gone: a race may come from a lock that is gone. Where that is not known, it is new.
//
// (SU5) An entry of the baseline is gone if its race was not found, and all packages of the entry
// were run, recorded and searched whole: those of its accesses, and of the test that showed it.
//
// Names of files come from traces and reports, which others may have written. Only regular files
// below the root are read, with a bound on their size.
package suppress
