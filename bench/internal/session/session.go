// Package session runs presage as a user would. It builds the command once, copies modules from the
// module proxy to where they can be written, and reads reports in their JSON form.
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

// Root is the directory of presage's own module, as the commands of bench see it.
const Root = ".."

// Place returns the module that has a package, as the directory to run in, and the package's
// pattern there. A pattern with ../ in front is of presage's own module, any other of bench.
func Place(pattern string) (dir, in string) {
	if rest, ok := strings.CutPrefix(pattern, "../"); ok {
		return Root, "./" + rest
	}
	return ".", pattern
}

// New builds presage and returns a session with it. Dir is the scratch directory; empty means a
// fresh one.
func New(ctx context.Context, dir string) (*Session, error) {
	dir, err := Scratch(dir)
	if err != nil {
		return nil, err
	}
	s := &Session{Presage: filepath.Join(dir, "presage"), Dir: dir}
	return s, Build(ctx, s.Presage)
}

// With is New with a presage that is built already; empty means that it is built.
func With(ctx context.Context, dir, presage string) (*Session, error) {
	if presage == "" {
		return New(ctx, dir)
	}
	dir, err := Scratch(dir)
	if err != nil {
		return nil, err
	}
	presage, err = filepath.Abs(presage)
	return &Session{Presage: presage, Dir: dir}, err
}

// Scratch makes the scratch directory and returns its absolute path. Empty means a fresh one.
func Scratch(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "presage-bench-")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}

// presage is the path of presage's own module, which go.mod of bench replaces by this checkout.
const presage = "github.com/presage-race/presage"

// Build builds the command presage of this checkout in its own module, as a user has it.
func Build(ctx context.Context, out string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", presage).Output()
	if err != nil {
		return fmt.Errorf("finding module presage: %w", err)
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "./cmd/presage")
	cmd.Dir = strings.TrimSpace(string(root))
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building presage: %w\n%s", err, text)
	}
	return nil
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
	Races      []*report.Race
	Candidates []*report.Candidate // of -online and -engine
	Warnings   []*report.Warning
	Summary    report.Summary
	ExitCode   int
	Stdout     []byte // the JSON lines, and whatever the program under test printed
	Stderr     []byte
}

// Test runs `presage test -format=json -confirm=off args...` in dir. A report that cannot be read
// is an error; exit codes are not.
func (s *Session) Test(ctx context.Context, dir string, env []string, args ...string) (*Outcome, error) {
	cmd := exec.CommandContext(ctx, s.Presage, append([]string{"test", "-format=json", "-confirm=off"}, args...)...)
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
		case m.Candidate != nil:
			o.Candidates = append(o.Candidates, m.Candidate)
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
