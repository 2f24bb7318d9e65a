package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
)

// TestGrantTrace: what a trace asks for is refused, each with its name, unless it is the user's
// own.
func TestGrantTrace(t *testing.T) {
	cache, wd := t.TempDir(), t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	t.Chdir(wd)
	if err := os.MkdirAll(filepath.Join(cache, "build", "1"), 0o700); err != nil {
		t.Fatal(err)
	}
	own := &grant{own: &goArgs{flags: []string{"-toolexec=./x"}, packages: []string{"."}, args: []string{"-args", "a"}}, ownIn: wd}
	in := func(edit func(*trace.Meta)) *trace.Meta {
		m := &trace.Meta{Dir: wd, Command: []string{"go", "test", "."}, Packages: []string{"example.com/a"}, BuildFlags: []string{"-tags=x"}}
		edit(m)
		return m
	}
	for _, c := range []struct {
		name  string
		edit  func(*trace.Meta)
		asked string // "": nothing
		own   bool   // but not in the user's own run
	}{
		{"nothing", func(m *trace.Meta) {}, "", true},
		{"a flag that runs", func(m *trace.Meta) { m.BuildFlags = []string{"-toolexec=./x"} }, "-toolexec=./x", true},
		{"another", func(m *trace.Meta) { m.BuildFlags = []string{"-toolexec=./y"} }, "-toolexec=./y", false},
		{"GOFLAGS", func(m *trace.Meta) { m.BuildEnv = []string{"GOFLAGS=-toolexec=./x"} }, "environment GOFLAGS", false},
		{"CC", func(m *trace.Meta) { m.BuildEnv = []string{"CC=./x"} }, "environment CC=./x", false},
		{"modfile elsewhere", func(m *trace.Meta) { m.BuildFlags = []string{"-modfile=" + wd + "/go.mod"} }, "-modfile", false},
		{"modfile of the cache", func(m *trace.Meta) { m.BuildFlags = []string{"-modfile=" + cache + "/build/1/go.mod"} }, "", true},
		{"workspace of the cache", func(m *trace.Meta) { m.BuildEnv = []string{"GOWORK=" + cache + "/build/1/go.work"} }, "", true},
		{"argument", func(m *trace.Meta) { m.Command = append(m.Command, "-args", "a") }, "argument a", true},
		{"another argument", func(m *trace.Meta) { m.Command = append(m.Command, "-args", "b") }, "argument b", false},
		{"a package that is a flag", func(m *trace.Meta) { m.Packages = []string{"-toolexec=./x"} }, "package -toolexec=./x", false},
		{"a file", func(m *trace.Meta) { m.GoFiles = []string{"./x.go", "y.go"} }, "", true},
		{"a file that is a flag", func(m *trace.Meta) { m.GoFiles = []string{"-toolexec=./x.go"} }, "file -toolexec=./x.go", false},
		{"a file elsewhere", func(m *trace.Meta) { m.GoFiles = []string{"../x.go"} }, "file ../x.go", false},
		{"directory", func(m *trace.Meta) { m.Dir = cache }, "directory " + cache, false},
		{"directory of a test", func(m *trace.Meta) { m.Files = []trace.File{{Name: cache + "/x_test.go"}} }, "directory " + cache, false},
	} {
		m := in(c.edit)
		for _, x := range []struct {
			name  string
			g     *grant
			file  string
			taken bool
		}{
			{"somebody's", &grant{}, "x.trace", c.asked == ""},
			{"own", own, "x.trace", c.own || c.asked == ""},
			{"-trust", &grant{all: true}, "x.trace", true},
		} {
			x.g.done = nil
			err := x.g.trace(context.Background(), x.file, m)
			if (err == nil) != x.taken || err != nil && !strings.Contains(err.Error(), c.asked) {
				t.Errorf("%s, %s: %v", c.name, x.name, err)
			}
		}
	}
}

// TestGrantCache: a trace in the cache is of a run of the user's; one beside it is not.
func TestGrantCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	run := filepath.Join(cache, "runs", "1")
	if err := os.MkdirAll(run, 0o700); err != nil {
		t.Fatal(err)
	}
	m := &trace.Meta{Dir: cache, BuildFlags: []string{"-toolexec=./x"}}
	if err := new(grant).trace(context.Background(), filepath.Join(run, "1.trace"), m); err != nil {
		t.Error(err)
	}
	for _, name := range []string{filepath.Join(cache, "1.trace"), filepath.Join(run, "..", "..", "1.trace"), "1.trace"} {
		if err := new(grant).trace(context.Background(), name, m); err == nil {
			t.Errorf("%s is taken for the user's own", name)
		}
	}
}

// TestGrantKept: a kept schedule has no owner.
func TestGrantKept(t *testing.T) {
	plain := &replay.Kept{Command: replay.Command{Build: []string{"-tags=x"}, Flags: []string{"-run=^Test$"}}}
	if err := new(grant).kept("f", plain); err != nil {
		t.Error(err)
	}
	for _, c := range []replay.Command{{Build: []string{"-toolexec=./x"}}, {Flags: []string{"-exec=./x"}}, {Args: []string{"x"}}} {
		k := &replay.Kept{Command: c}
		if err := new(grant).kept("f", k); err == nil || !strings.Contains(err.Error(), "use -trust") {
			t.Errorf("%+v: %v", c, err)
		}
		if err := (&grant{all: true}).kept("f", k); err != nil {
			t.Errorf("%+v with -trust: %v", c, err)
		}
	}
}

// TestGrantReport: only the report of the last run is the user's own.
func TestGrantReport(t *testing.T) {
	k := &kept{config: &report.Config{Command: []string{"presage", "test", "-toolexec=./x", "."}, Dir: "/d"}}
	if g := k.grant(); g.own != nil {
		t.Error("the command line of somebody's report is taken")
	}
	k.own = true
	if g := k.grant(); g.own == nil || g.ownIn != "/d" || len(g.own.flags) != 1 {
		t.Errorf("%+v", g)
	}
}
