// Package scripts runs whole sessions with the command, which are written down as testscript files.
// They are parted by subject, so that each part is a test package with a time limit of its own:
// replay has those of replays, search those of what prediction finds and must not find, reports
// those of reports and warnings, and cmd/presage all others.
package scripts

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/presage-race/presage/internal/cli"
)

// Cache is where the instrumented builds of a test package go: shared, so that Go's build cache
// holds the standard library once.
var Cache string

// Main runs the tests of a package. presage is the command that its scripts call, besides agent.
func Main(m *testing.M, presage func()) {
	testscript.Main(prepared{m}, map[string]func(){"presage": presage, "agent": Agent})
}

// Presage is the command.
func Presage() {
	os.Exit(cli.Main(context.Background(), cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}

// prepared makes what all tests of a package share.
type prepared struct{ m *testing.M }

func (p prepared) Run() int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "presage-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	Cache = dir
	return p.m.Run()
}

// Run runs the scripts of a directory. Those that record a program have a line "# slow:"; they
// build the standard library with the recorder inside, and -short skips them.
func Run(t *testing.T, dir string) {
	skipped := 0
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var run []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && bytes.Contains(data, []byte("# slow:")) {
			skipped++
			continue
		}
		run = append(run, f)
	}
	if skipped > 0 {
		t.Logf("scripts that -short skips, because they record programs: %d of %d", skipped, len(files))
	}
	if len(run) == 0 {
		t.Skip("all of them are")
	}
	testscript.Run(t, testscript.Params{Files: run, RequireExplicitExec: true, Setup: setup})
}

func setup(env *testscript.Env) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	self, err := exec.LookPath("presage")
	if err != nil {
		return err
	}
	own := filepath.Join(Cache, filepath.Base(env.WorkDir))
	if err := shareCompiler(own); err != nil {
		return err
	}
	tools, err := toolsDir()
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, "PRESAGE="+self, "TOOLS="+tools,
		"GOCACHE="+orDefault(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")),
		"GOMODCACHE="+os.Getenv("GOMODCACHE"), "GOPATH="+goPath(),
		"PRESAGE_CACHE="+own,
		"GOFLAGS=", "GOTOOLCHAIN=local", "GOPROXY=off", "NO_COLOR=1")
	return nil
}

// toolsDir is the directory of module tools: beside the go.mod of this module, above the directory
// of each test.
func toolsDir() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		tools := filepath.Join(dir, "tools")
		if _, statErr := os.Stat(filepath.Join(tools, "go.mod")); statErr == nil {
			return tools, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no directory above the test has module tools")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// shareCompiler has a script's cache take the compiler from that of all scripts: it is the same
// one, and takes seconds to link.
func shareCompiler(own string) error {
	shared := filepath.Join(Cache, "compiler")
	if err := errors.Join(os.MkdirAll(shared, 0o777), os.MkdirAll(own, 0o777)); err != nil {
		return err
	}
	return os.Symlink(shared, filepath.Join(own, "compiler"))
}

func orDefault(s, def string) string {
	if s != "" {
		return s
	}
	return def
}

func goPath() string {
	home, _ := os.UserHomeDir()
	return orDefault(os.Getenv("GOPATH"), filepath.Join(home, "go"))
}
