package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
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
