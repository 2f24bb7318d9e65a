package replay

import (
	"os"
	"time"
)

// spent is the CPU time of a process that has ended. How much memory it had is not known.
func spent(st *os.ProcessState) (cpu time.Duration, peak int64) {
	if st == nil {
		return 0, 0
	}
	return st.UserTime() + st.SystemTime(), 0
}
