// Package report holds the result of presage: races, candidates and warnings of the static lens,
// and messages about what the result does not cover. It writes them as text for people and as JSON,
// one object a line, for programs.
//
// # Types
//
//	Race           has a witness, or is unordered in the recorded run itself
//	Candidate      a pair that a detector of one pass reports; it need not be a race
//	StaticWarning  a pair that may race in some run, from the source alone
//	Warning        a counted statement of what the result does not cover
//
// A Handler receives them. Those of Formats write. HandleJSON reads the JSON form and calls a
// handler, so every other form of a report can be made from its JSON form at any time.
// docs/using/report.md is the schema. The member race of the JSON form has races, candidates and
// static warnings; its tier says which.
//
// # From events to source lines
//
// The analysis knows events by number. A Locator reads the trace once and finds call stacks, the
// stacks that started the goroutines, the locks held, and why the recorded run hides the race. A
// frame of depth d ends when an Enter or Exit of depth at most d arrives. A goroutine holds a lock
// from its Lock to the next Unlock in the same mode, by any goroutine. A stack lacks the frames of
// functions that were not instrumented.
//
// (RT1) A race is hidden in the recorded run if a chain of synchronisation leads from its first
// access to its second one: release, acquire, program order, and so on. Releases and acquires pair
// as in the Go memory model: unlock→lock, Done→Wait, end of Once.Do→return of Do, send k→receive k,
// receive k→send k+capacity, receive k→completion of send k without a buffer, close→receive of a
// closed channel, go→start, atomic write→atomic read. The report shows the chain that ends first.
// The witness breaks at least one of its edges. Without a chain in the trace the report says so.
//
// (RT2) The steps of a race off the recorded path were not recorded. Those of all its goroutines
// have the numbers −1, −2, and so on. Their stack is the one at which the goroutine leaves its
// path, without the functions that have returned since, and with those that were called. The same
// holds for locks. If the goroutine had not ended when the recorded run did, it leaves its path
// there. A goroutine that starts off the recorded path gets a number after the recorded ones, as
// does one that a timer starts.
//
// (RT3) A report has one race or candidate per pair of source positions; Count is the number of
// pairs of accesses. Its ID is made of what edits elsewhere keep: for each access the declared
// function, its kind, the variable or field, and a key that tells accesses of one function apart
// (trace.SiteInfo.Key). A trace without keys has expressions in their place, and the number of a
// function literal.
//
// A value that a read of a witness sees from before the witness is explained by the last earlier
// write since the memory was allocated. Without one, it is the initial value.
package report
