//go:build unix

package stage

import (
	"runtime"
	"syscall"
	"time"
)

// processCPU returns the CPU time of this process and of the processes that it has waited for.
func processCPU() time.Duration {
	return used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN)
}

func used(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the most memory that this process had so far, in bytes.
func peak() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // in bytes; elsewhere in KiB
	}
	return int64(u.Maxrss) << 10
}
