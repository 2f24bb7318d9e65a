//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/host/stage"
)

// A profiled process that SIGTERM ends says in which stage it was, and leaves the profile.
func TestEnded(t *testing.T) {
	if os.Getenv("TEST_ENDED") != "" {
		if _, err := profile(os.Stderr); err != nil {
			t.Fatal(err)
		}
		new(stage.List).Begin(stageMerge)
		syscall.Kill(os.Getpid(), syscall.SIGINT) // ends nothing here
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(time.Minute)
		return
	}
	name := filepath.Join(t.TempDir(), "cpu")
	cmd := exec.Command(os.Args[0], "-test.run=^TestEnded$")
	cmd.Env = append(os.Environ(), "TEST_ENDED=1", envProfile+"="+name)
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "presage: ended in stage merge\n") {
		t.Errorf("%v: %s", cmd.ProcessState, out)
	}
	if data, err := os.ReadFile(name); err != nil || len(data) == 0 {
		t.Errorf("no profile: %v", err)
	}
}
