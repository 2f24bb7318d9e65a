package testing

import _ "unsafe" // for linkname

// presageTest records the name of the test, benchmark or fuzz test that the running goroutine runs.
// The runtime implements it.
//
//go:linkname presageTest
func presageTest(name string)

// presageTested records the path of the package whose tests the process runs.
//
//go:linkname presageTested
func presageTested(path string)

// presageSteered reports whether the process is steered (presage_steer.go of the runtime).
//
//go:linkname presageSteered
func presageSteered() bool
