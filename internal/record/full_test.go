package record

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/host/disk"
)

// TestExecGo: what the go command prints is passed on as it is, and heard on standard error alone:
// a test may print what it likes.
func TestExecGo(t *testing.T) {
	for _, test := range []struct {
		script string
		full   bool
	}{
		{"echo out; printf 'a\\nwrite /a/b: no space'; echo ' left on device'; exit 1", false},
		{"echo out; (printf 'a\\nwrite /a/b: no space'; sleep 0.05; echo ' left on device') >&2; exit 1", true},
		{"echo out; echo 'write /a/b: no space left on device' >&2", false}, // it could do without
	} {
		var out, errs bytes.Buffer
		c := Config{Stdout: &out, Stderr: &errs}
		code, err := c.execGo(context.Background(), exec.Command("sh", "-c", test.script))
		if disk.Full(err) != test.full || (code == 0) == strings.HasSuffix(test.script, "exit 1") {
			t.Errorf("%s: code %d, %v", test.script, code, err)
		}
		if test.full && !strings.Contains(err.Error(), "on the disk: /a, on the disk mounted at /") {
			t.Error(err)
		}
		if got := out.String() + errs.String(); !strings.HasPrefix(got, "out\n") || !strings.HasSuffix(got, "write /a/b: no space left on device\n") {
			t.Errorf("%s: printed %q", test.script, got)
		}
	}
}

// TestExecGoKilled: a go command, or a tool of it, that a signal has ended is no failure of the
// build; a test that a signal has ended is its own.
func TestExecGoKilled(t *testing.T) {
	for script, want := range map[string]string{
		"kill -9 $$": "sh was ended by a signal (killed)",
		"echo 'm: /tool/compile: signal: killed' >&2; exit 1": "compile, which the go command runs, was ended by a signal",
		"echo 'signal: killed'; exit 1":                       "",
		"echo 'm: /tool/compile: signal: killed'; exit 1":     "", // printed by a test
		"echo 'm: /tool/compile: signal: killed' >&2":         "", // it could do without
	} {
		var out, errs bytes.Buffer
		c := Config{Stdout: &out, Stderr: &errs}
		_, err := c.execGo(context.Background(), exec.Command("sh", "-c", script))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !outside(err)) {
			t.Errorf("%s: %v", script, err)
		}
	}
}
