//go:build unix

package record

import (
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether the process that made the run with this name still exists. It is asked only
// of a run without a lock, which an earlier presage made.
func alive(run string) bool {
	pid, err := strconv.Atoi(run[strings.LastIndexByte(run, '-')+1:])
	return err == nil && syscall.Kill(pid, 0) != syscall.ESRCH
}
