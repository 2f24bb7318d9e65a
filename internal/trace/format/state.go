package format

// # States
//
// What a process does depends on more than the memory of its goroutines: on the garbage collector,
// on files, on what C code remembers. Such a state has a number, the Obj of an Observe. An
// operation that may change the state has an Observe with FlagWrite before it starts. One that
// looks at it has an Observe with FlagRead when it has returned. One that does both has both, and
// lies between the two.
//
// These operations do not synchronise: the Go memory model has no edge from a write to a file to a
// read of it. But what they return depends on their order, so a prediction keeps it.
//
// All states share one object as far as stamps are concerned. So any two Observe events have the
// order in which they were stamped, also where they are of different states.
const (
	// StateGoroutines is how many goroutines there are. Its writers are the Go and End events.
	StateGoroutines Addr = 1

	// StateProgram is everything: an Observe of it is a cut through the run. What it returns, or
	// does, depends on all that goroutines have done before it. The collector, profiles and
	// statistics are of this kind.
	StateProgram Addr = 2

	// StateFiles is what the kernel keeps for the process: files, descriptors, sockets, pipes,
	// processes, signals.
	StateFiles Addr = 3

	// StateC is the memory of C code. C code makes system calls without records, so StateC
	// meets StateFiles.
	StateC Addr = 4

	maxState = StateC
)

var stateNames = [maxState + 1]string{
	StateGoroutines: "goroutines", StateProgram: "program", StateFiles: "files", StateC: "c",
}

// StateName returns the name of a state in the text form of a trace, "" if there is no such state.
func StateName(state Addr) string {
	if state > maxState {
		return ""
	}
	return stateNames[state]
}

// StateOf returns the state with a name, 0 if there is none.
func StateOf(name string) Addr {
	for s := StateGoroutines; s <= maxState; s++ {
		if stateNames[s] == name {
			return s
		}
	}
	return 0
}

// StatesMeet reports whether an operation on state a can change what one on state b returns.
func StatesMeet(a, b Addr) bool {
	switch {
	case a == b, a == StateProgram, b == StateProgram:
		return true
	}
	return a == StateFiles && b == StateC || a == StateC && b == StateFiles
}
