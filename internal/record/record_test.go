package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/source/plan"
)

// TestBuildFlags: of the user's flags, those that decide what is built go to the other
// calls of the go command; -C does not, because those start in its directory.
func TestBuildFlags(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 "",
		"-v -run TestA -count=2":           "",
		"-tags a,b -v -mod=mod -run -tags": "-tags a,b -mod=mod",
		"-C dir -short --tags x":           "--tags x",
		"-C=dir -trimpath -ldflags -s":     "-trimpath -ldflags -s",
		"-run=-tags -modfile=alt.mod -p 2": "-modfile=alt.mod -p 2",
	} {
		c := Config{Flags: strings.Fields(line)}
		if got := strings.Join(c.loadFlags(), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestTestArgs: what is added to the user's go test, and what is left alone.
func TestTestArgs(t *testing.T) {
	b := &build{Overlay: "o.json", in: &inputs{}}
	for _, test := range []struct{ flags, want string }{
		{"-v", "test -v -overlay=o.json -vet=off -count=1 ./a -args x"},
		{"-count 3", "test -count 3 -overlay=o.json -vet=off ./a -args x"},
		{"--test.count=3", "test --test.count=3 -overlay=o.json -vet=off ./a -args x"},
	} {
		c := Config{Test: true, Flags: strings.Fields(test.flags), Packages: []string{"./a"}, Args: []string{"-args", "x"}}
		if got := strings.Join(c.testArgs(b), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.flags, got, test.want)
		}
	}
}

// TestSetAside: go test tests the packages that do not compile, and not those that go vet refuses.
func TestSetAside(t *testing.T) {
	in := &inputs{key: "k", patterns: []string{"a", "b", "c", "d"}, roots: []string{"a", "b", "c", "d"}, tested: []string{"a", "b", "c"}}
	if !in.leave(&plan.BuildError{Packages: []string{"d"}, Tests: []string{"c"}}) || in.key == "k" {
		t.Error("the inputs are as before")
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, in.patterns); diff != "" {
		t.Error(diff)
	}
	if in.setAside([]string{"a", "b"}) || !in.setAside([]string{"b"}) {
		t.Error("a run without tests, or no run with some")
	}
	c := Config{Test: true, Packages: []string{"./..."}}
	want := "test -overlay= -vet=off -count=1 a c d"
	if got := strings.Join(c.testArgs(&build{in: in}), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if in.leave(&plan.BuildError{Packages: []string{"d"}}) || in.leave(&plan.BuildError{Packages: []string{"a", "b"}}) {
		t.Error("a package is left twice, or those with tests are")
	}
}

func TestFailures(t *testing.T) {
	out := `{"ImportPath":"a"}
{"ImportPath":"b","Error":{"Err":"# b\n./b.go:3:1: no"}}
{"ImportPath":"b [b.test]","DepsErrors":[{"Err":"# b\n./b.go:3:1: no"}],"Error":{"Err":"other"}}
`
	got, err := failures(strings.NewReader(out))
	if want := "# b\n./b.go:3:1: no\nother\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := failures(strings.NewReader(`{"ImportPath":`)); err == nil {
		t.Error("half a message is no error")
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, e.Name())
		}
	}
	return all
}

// TestPruneBuilds: those used last stay, and so does one that is in use.
func TestPruneBuilds(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"oldest", "old", "new", "newest"} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1e9+i), 0)
		if err := os.Chtimes(sub, at, at); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := cache.LockDir(filepath.Join(dir, "oldest"))
	if err != nil {
		t.Fatal(err)
	}
	pruneBuilds(dir, 2)
	if diff := cmp.Diff([]string{"new", "newest", "oldest"}, names(t, dir)); diff != "" {
		t.Errorf("in use (-want +got):\n%s", diff)
	}
	lock.Release()
	pruneBuilds(dir, 2)
	if diff := cmp.Diff([]string{"new", "newest"}, names(t, dir)); diff != "" {
		t.Errorf("released (-want +got):\n%s", diff)
	}
}

// TestNoPlace: errors of the place to write to are distinguished from all others.
func TestNoPlace(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("instrumenting: no"), false},
		{fmt.Errorf("making: %w", &fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EACCES}), true},
		{disk.Explain(fmt.Errorf("writing: %w", &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC})), false},
		{&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EROFS}, true},
		{&fs.PathError{Op: "open", Path: "/x.go", Err: syscall.ENOENT}, false},
	} {
		if got := noPlace(test.err); got != test.want {
			t.Errorf("%v: %v", test.err, got)
		}
	}
}

func TestBeneath(t *testing.T) {
	for _, test := range []struct {
		name, dir string
		want      bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/a/..b", "/a", true}, {"/", "/a", false}, {"/a", "", false}} {
		if got := beneath(test.name, test.dir); got != test.want {
			t.Errorf("%s beneath %s: %v", test.name, test.dir, got)
		}
	}
}

// TestOnlineDirectory: the detector lies in a directory of this build of presage, and what another
// process may be building from is not written again.
func TestOnlineDirectory(t *testing.T) {
	t.Setenv(EnvCompiler, "plain") // the other has a directory of its own
	cache := t.TempDir()
	other := filepath.Join(cache, "online", "other", "go.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(other), 0o777), os.WriteFile(other, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	written := func() map[string]time.Time {
		c := Config{Dir: "."}
		b, err := c.buildOnline(t.Context(), cache)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(cache, "online", toolID()); filepath.Dir(b.Overlay) != want {
			t.Errorf("the overlay is %s, want it in %s", b.Overlay, want)
		}
		times := map[string]time.Time{}
		err = filepath.WalkDir(cache, func(name string, d fs.DirEntry, err error) error {
			if info, err := d.Info(); err == nil && !d.IsDir() && filepath.Ext(name) != ".lock" {
				times[name] = info.ModTime()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return times
	}
	first := written()
	if len(first) < 10 || first[other].IsZero() {
		t.Errorf("%d files, and that of another build from %v", len(first), first[other])
	}
	if diff := cmp.Diff(first, written()); diff != "" {
		t.Errorf("written again (-first +second):\n%s", diff)
	}
}

// TestPattern: import paths match as the go command has it.
func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"a.b/c", "a.b/c", true},
		{"a.b/c", "a.b/c/d", false},
		{"a.b/c", "axb/c", false},
		{"a.b/c...", "a.b/cd", true},
		{"a.b/c/...", "a.b/c", true},
		{"a.b/c/...", "a.b/c/d/e", true},
		{"a.b/c/...", "a.b/cd", false},
		{"a.../d", "a.b/c/d", true},
		{"...", "net/http", true},
		{"...", "vendor/golang.org/x/net/dns", false},
		{"golang.org/x/...", "vendor/golang.org/x/net/dns", false},
		{"a+b(", "a+b(", true},
		{"", "a", false},
	} {
		n := pattern{text: test.pattern, path: compilePattern(test.pattern)}
		if got := n.matchPath(test.path); got != test.want {
			t.Errorf("%q, %q: %t", test.pattern, test.path, got)
		}
	}
}
