// Package polling: no race. A select with a default looks whether the work is done, and
// reads the result only if it is.
package polling

import "time"

// Run polls for a result.
func Run() int {
	done := make(chan struct{})
	var result int
	go func() {
		result = 42
		close(done)
	}()
	for {
		select {
		case <-done:
			return result
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
