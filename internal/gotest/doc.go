// Package gotest puts the races of a report into the stream of go test -json (go doc test2json),
// for programs that read that stream: each race is output and failure of the tests that raced.
//
// # Order
//
// Races are known only when all tests are over and the recording is analysed. But a test has one
// end, pass, fail or skip, and nothing of it comes behind that. So the events of a package are
// passed on up to the first end of a test or of the package. From there on they are held until the
// races are known. Then they follow as go test has printed them, in the same order and with the
// same times: readers need not know that they were held. What is no event of a package is passed on
// at once, like the output of builds.
//
// # Races
//
// The text of a race stands in front of the line "--- PASS: …" of its test, as output of the test.
// That line, the end of the test, those of the tests around it, and those of its package become
// failures, also if the test was skipped. A race between two tests is in both. If a test ran
// several times (-count), the recording says which run raced.
//
// A test without an end raced in a benchmark, or its process has died. Text and failure of such a
// test stand in front of the end of the package. There is also the text of races that are of no
// test: of package initialisation, of TestMain, of a process that a test has started and whose
// tests the stream does not have. They fail the package alone. A race of a package that is not in
// the stream makes a package of its own there.
//
// # Text
//
// A text begins with "WARNING: DATA RACE", by which readers know the reports of -race. A line "===
// NAME  Test" stands in front if another test was the last one with output: package testing prints
// such lines, and readers that turn the stream into text again need them.
package gotest
