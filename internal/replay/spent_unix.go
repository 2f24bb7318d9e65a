//go:build unix

package replay

import (
	"os"
	"syscall"
	"time"
)

// spent is what a process that has ended used: CPU time, and most bytes of memory.
func spent(st *os.ProcessState) (cpu time.Duration, peak int64) {
	if st == nil {
		return 0, 0
	}
	if use, ok := st.SysUsage().(*syscall.Rusage); ok {
		peak = int64(use.Maxrss) << 10 // kilobytes, as Linux has it
	}
	return st.UserTime() + st.SystemTime(), peak
}
