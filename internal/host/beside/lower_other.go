//go:build !linux

package beside

// lower does nothing: the system has no priority of a thread.
func lower() {}
