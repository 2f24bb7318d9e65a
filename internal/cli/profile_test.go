package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/host/stage"
)

// The profile is written, and the variable does not reach what presage starts.
func TestProfile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cpu")
	t.Setenv(envProfile, name)
	var out, errs bytes.Buffer
	if code := Main(context.Background(), Env{Args: []string{"version"}, Stdout: &out, Stderr: &errs}); code != exitNone {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	if data, err := os.ReadFile(name); err != nil || len(data) == 0 {
		t.Errorf("no profile: %v", err)
	}
	if _, ok := os.LookupEnv(envProfile); ok {
		t.Errorf("%s is still set", envProfile)
	}
	t.Setenv(envProfile, filepath.Join(name, "cpu"))
	if code := Main(context.Background(), Env{Args: []string{"version"}, Stdout: &out, Stderr: &errs}); code != exitFailed {
		t.Errorf("code %d for a file that cannot be made", code)
	}
}

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
