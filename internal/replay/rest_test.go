package replay

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestRest: a process that sleeps rests, one that computes does not, nor one whose schedule moves.
func TestRest(t *testing.T) {
	if _, ok := ticksOf("/proc/self/stat"); !ok {
		t.Skip("the system does not say what a process uses")
	}
	still := filepath.Join(t.TempDir(), "schedule")
	moves := filepath.Join(t.TempDir(), "schedule")
	for _, f := range []string{still, moves} {
		if err := os.WriteFile(f, make([]byte, 8*hdrWords), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, script, schedule string
		rests                  bool
	}{
		{"sleeps", "sleep 60", still, true},
		{"computes", "while :; do :; done", still, false},
		{"moves", "sleep 60", moves, false},
	} {
		cmd := exec.Command("sh", "-c", "exec "+test.script)
		if test.name == "computes" {
			cmd = exec.Command("sh", "-c", test.script)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := restOf(cmd.Process.Pid, test.schedule)
		longest := time.Duration(0)
		for n := range 150 {
			if f, err := os.OpenFile(moves, os.O_WRONLY, 0); err == nil {
				f.WriteAt([]byte{byte(n), 1}, 8*hdrMoved)
				f.Close()
			}
			longest = max(longest, r.since())
			time.Sleep(10 * time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		if rests := longest > time.Second; rests != test.rests {
			t.Errorf("%s: has rested for %v", test.name, longest)
		}
	}
}
