// Package session runs presage as a user would, for the experiments of bench: it
// builds the command once, fetches modules through the module proxy into copies
// that can be written to, and reads reports in their JSON form.
package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/record"
	"golang.org/x/mod/module"

	"github.com/presage-race/presage/internal/report"
)

// Session is a built presage and a scratch directory.
type Session struct {
	Presage string // path of the command
	Dir     string // scratch, kept between runs so that modules are copied once
}

// New builds presage from the checkout it is called in. dir is the scratch
// directory; empty means a fresh one.
func New(ctx context.Context, dir string) (*Session, error) {
	if dir == "" {
		d, err := os.MkdirTemp("", "presage-bench-")
		if err != nil {
			return nil, err
		}
		dir = d
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &Session{Presage: filepath.Join(dir, "presage"), Dir: dir}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", s.Presage, "github.com/presage-race/presage/cmd/presage").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("building presage: %w\n%s", err, out)
	}
	return s, nil
}

// Module returns a writable copy of a module at a version, with its dependencies
// downloaded. The directory has the name of a checkout's, which tests may expect.
func (s *Session) Module(ctx context.Context, path, version string) (string, error) {
	base, _, _ := module.SplitPathVersion(path)
	dir := filepath.Join(s.Dir, strings.NewReplacer("/", "_").Replace(path)+"@"+version, filepath.Base(base))
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return dir, nil
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = s.Dir
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &info); jerr != nil || info.Dir == "" {
		return "", fmt.Errorf("downloading %s@%s: %w %s", path, version, errors.Join(err, jerr), info.Error)
	}
	if err := record.CopyTree(info.Dir, dir); err != nil {
		return "", fmt.Errorf("copying %s@%s: %w", path, version, err)
	}
	return dir, nil
}

// Outcome is what one run of presage reported.
type Outcome struct {
	Races    []*report.Race
	Warnings []*report.Warning
	Summary  report.Summary
	ExitCode int
	Stdout   []byte // the JSON lines, and whatever the program under test printed
	Stderr   []byte
}

// Test runs `presage test -json -confirm=off args...` in dir. A report that cannot be read is an
// error; exit codes are not.
func (s *Session) Test(ctx context.Context, dir string, env []string, args ...string) (*Outcome, error) {
	cmd := exec.CommandContext(ctx, s.Presage, append([]string{"test", "-json", "-confirm=off"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o, err := Read(stdout.Bytes())
	o.ExitCode, o.Stderr = cmd.ProcessState.ExitCode(), stderr.Bytes()
	if err != nil {
		return o, fmt.Errorf("presage test in %s: %w, exit code %d\n%s", dir, err, o.ExitCode, stderr.Bytes())
	}
	return o, nil
}

// Run runs presage with args in dir, and returns its exit code and what was printed.
func (s *Session) Run(ctx context.Context, dir string, env []string, args ...string) (code int, text []byte, err error) {
	cmd := exec.CommandContext(ctx, s.Presage, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	text, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), text, err
}

// Read reads a report among the lines that a program under test printed.
func Read(stdout []byte) (*Outcome, error) {
	o := &Outcome{Stdout: stdout}
	summaries := 0
	for line := range bytes.Lines(stdout) {
		var m report.Message
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
			continue // a line of the program under test
		}
		switch {
		case m.Race != nil:
			o.Races = append(o.Races, m.Race)
		case m.Warning != nil:
			o.Warnings = append(o.Warnings, m.Warning)
		case m.Summary != nil:
			o.Summary = *m.Summary
			summaries++
		}
	}
	if summaries != 1 {
		return o, fmt.Errorf("%d summaries in the report", summaries)
	}
	return o, nil
}
