//go:build unix

package engine

import (
	"syscall"
	"time"
)

// cpuTime is the time this process has computed; on a busy machine it says more than
// wall time.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
