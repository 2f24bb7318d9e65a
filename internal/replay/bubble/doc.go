// Package bubble writes a race of a test as a plain Go test that needs no presage.
//
// The test has the body of the one that raced, in a bubble of package testing/synctest. There, time
// passes only when every goroutine of the bubble waits. So a call of time.Sleep before a statement
// puts it behind everything that the other goroutines can do without it, and orders nothing: the
// race detector does not take a Sleep for synchronisation. The two statements of interest are those
// of the test's body that are on the stacks of the two accesses. A Candidate delays one of them,
// both, or neither. Whether it shows the race, a run under the race detector says.
//
//	func TestRace(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			c := New()
//			go c.Flush()
//			time.Sleep(time.Second) // the access at cache.go:41 comes later
//			c.Put("a", 1)
//		})
//	}
//
// # Limits
//
// A bubble has no network and no child process, t.Run and t.Deadline panic in it, and a goroutine
// that waits for a mutex does not let time pass. Calls of t.Parallel are left out. A test with
// subtests, and a race in which neither access is below a call in the body of the test, have no
// such test.
package bubble
