package reach

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCounted: what a child process does is counted, by a counter that every Linux has (it counts
// nanoseconds).
func TestCounted(t *testing.T) {
	fd, err := counter(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
	if err != nil {
		t.Skip("perf_event_open:", err)
	}
	unix.Close(fd)
	cmd := exec.Command("go", "version")
	n, err := countedAs(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK, cmd.Run)
	if err != nil {
		t.Fatal(err)
	}
	if took := float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()); n < took/2 || n < 1e6 {
		t.Errorf("%.0f ns of the counter, %.0f ns of CPU time", n, took)
	}
}
