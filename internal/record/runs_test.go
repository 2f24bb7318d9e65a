package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dead is the number of no process.
const dead = 1 << 30

// moduleAt makes a module, and returns its root.
func moduleAt(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cacheAt makes a cache of the test's own.
func cacheAt(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	return cache
}

func beginRun(t *testing.T, cache, dir string) *RunDir {
	t.Helper()
	c := &Config{Dir: dir, Test: true}
	r, err := c.newRun(cache, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reportOf(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// finishedRun is a run whose report is its ID.
func finishedRun(t *testing.T, cache, dir string) *RunDir {
	t.Helper()
	r := beginRun(t, cache, dir)
	if err := r.Keep(reportOf(r.ID)); err != nil {
		t.Fatal(err)
	}
	return r
}

func ids(runs []*RunDir) (all []string) {
	for _, r := range runs {
		all = append(all, r.ID)
	}
	return all
}

func runsOf(t *testing.T, root string) []string {
	t.Helper()
	all, err := Runs(root)
	if err != nil {
		t.Fatal(err)
	}
	return ids(all)
}

// TestModuleRoot: (RE1).
func TestModuleRoot(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := moduleAt(t, filepath.Join(top, "a"))
	inner := moduleAt(t, filepath.Join(a, "inner"))
	work := filepath.Join(top, "work")
	for _, dir := range []string{filepath.Join(a, "x", "y"), filepath.Join(work, "docs"), filepath.Join(top, "none")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(work, "go.work"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	of := moduleAt(t, filepath.Join(work, "m"))
	if err := os.Symlink(filepath.Join(a, "x"), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, gowork, want string }{
		{"root", a, "", a},
		{"below", filepath.Join(a, "x", "y"), "", a},
		{"a module inside", inner, "", inner},
		{"link", filepath.Join(top, "link", "y"), "", a},
		{"a module of a workspace", of, "", of},
		{"a workspace", filepath.Join(work, "docs"), "", work},
		{"a workspace, off", filepath.Join(work, "docs"), "off", filepath.Join(work, "docs")},
		{"a workspace elsewhere", filepath.Join(top, "none"), filepath.Join(work, "go.work"), work},
		{"neither", filepath.Join(top, "none"), "", filepath.Join(top, "none")},
	} {
		t.Setenv("GOWORK", c.gowork)
		if got, err := ModuleRoot(c.dir); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	if _, err := ModuleRoot(filepath.Join(top, "missing")); err == nil {
		t.Error("a directory that is not there has a module")
	}
}

// TestLastRun: each module has its own last run (RE1), (RE2).
func TestLastRun(t *testing.T) {
	cache := cacheAt(t)
	a, b := moduleAt(t, filepath.Join(t.TempDir(), "a")), moduleAt(t, filepath.Join(t.TempDir(), "b"))
	t.Chdir(a)
	if _, err := LastRun(); err == nil || !strings.Contains(err.Error(), "no run of the module in "+a+" is kept: use presage test") {
		t.Error(err)
	}
	ofA := finishedRun(t, cache, a)
	ofB := finishedRun(t, cache, b)
	beginRun(t, cache, a) // is not finished
	for dir, want := range map[string]*RunDir{a: ofA, b: ofB} {
		t.Chdir(dir)
		got, err := LastRun()
		if err != nil || got.ID != want.ID || got.Root != dir {
			t.Errorf("%s: %+v, %v", dir, got, err)
		}
		got.Release()
	}
	for id, want := range map[string]string{ofA.ID: "", ofA.ID[:4]: "is the beginning of the IDs of 3 runs", "2": "is the beginning", "x": `no run "x"`, "": `no run ""`} {
		if _, err := FindRun(id); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestSurplus: a module keeps KeepRuns finished runs, and all modules keepAllRuns (RE3).
func TestSurplus(t *testing.T) {
	var runs []*RunDir
	add := func(n int, root string, s RunState) {
		for range n {
			runs = append(runs, &RunDir{ID: fmt.Sprint(len(runs)), Root: root, State: s})
		}
	}
	add(1, "a", Running)
	add(1, "a", Unfinished)
	add(KeepRuns+1, "a", Finished)
	add(KeepRuns, "b", Finished)
	if got, want := ids(surplus(runs)), []string{"1", fmt.Sprint(1 + KeepRuns + 1)}; !slices.Equal(got, want) {
		t.Errorf("removed %v, want %v", got, want)
	}
	runs = nil
	for i := range keepAllRuns + 2 {
		add(1, fmt.Sprint(i), Finished)
	}
	if got, want := ids(surplus(runs)), []string{fmt.Sprint(keepAllRuns), fmt.Sprint(keepAllRuns + 1)}; !slices.Equal(got, want) {
		t.Errorf("removed %v, want %v", got, want)
	}
}

// TestKilledRun: a run that was killed takes the place of no other, whenever that was; what it left
// is removed when the next one begins (RE2), (RE3).
func TestKilledRun(t *testing.T) {
	cache, dir := cacheAt(t), moduleAt(t, t.TempDir())
	var want []string
	for range KeepRuns {
		want = append([]string{finishedRun(t, cache, dir).ID}, want...)
	}
	alive := beginRun(t, cache, dir)
	for range 3 {
		killed := beginRun(t, cache, dir)
		killed.Release() // as the kernel does
		if err := os.WriteFile(filepath.Join(killed.Dir, ReportFile+".new"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := runsOf(t, ""); !slices.Equal(got, append([]string{killed.ID, alive.ID}, want...)) {
			t.Errorf("killed: %v", got)
		}
	}
	// Before it had a lock, and while it was being removed.
	for _, name := range []string{fmt.Sprintf("20260101T000000.000-%d", dead), "20260101T000000.000-1" + goneSuffix} {
		if err := os.Mkdir(filepath.Join(cache, "runs", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	next := beginRun(t, cache, dir)
	if got := runsOf(t, ""); !slices.Equal(got, append([]string{next.ID, alive.ID}, want...)) {
		t.Errorf("the next one: %v", got)
	}
	if err := next.Drop(); err != nil { // no test ran
		t.Fatal(err)
	}
	if got := runsOf(t, ""); !slices.Equal(got, append([]string{alive.ID}, want...)) {
		t.Errorf("dropped: %v", got)
	}
	if err := alive.Keep(reportOf("x")); err != nil {
		t.Fatal(err)
	}
	if got := runsOf(t, ""); !slices.Equal(got, append([]string{alive.ID}, want[:KeepRuns-1]...)) {
		t.Errorf("kept: %v", got)
	}
	if got := names(t, filepath.Join(cache, "runs")); len(got) != KeepRuns {
		t.Errorf("left: %v", got)
	}
}

// TestKeepFails: a report that cannot be written is none.
func TestKeepFails(t *testing.T) {
	cache, dir := cacheAt(t), moduleAt(t, t.TempDir())
	r := beginRun(t, cache, dir)
	full := errors.New("full")
	if err := r.Keep(func(w io.Writer) error { io.WriteString(w, "half"); return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	if got := readRun(r.Dir); got.State != Unfinished {
		t.Errorf("it is %s", got.State)
	}
}

// TestReadRun: a run that is read is not removed (RE2).
func TestReadRun(t *testing.T) {
	cache, dir := cacheAt(t), moduleAt(t, t.TempDir())
	first := finishedRun(t, cache, dir)
	t.Chdir(dir)
	read, err := LastRun()
	if err != nil {
		t.Fatal(err)
	}
	for range KeepRuns + 1 {
		finishedRun(t, cache, dir)
	}
	if got := runsOf(t, ""); len(got) != KeepRuns+1 || got[KeepRuns] != first.ID {
		t.Errorf("while it is read: %v", got)
	}
	read.Release()
	finishedRun(t, cache, dir)
	if got := runsOf(t, ""); len(got) != KeepRuns || slices.Contains(got, first.ID) {
		t.Errorf("afterwards: %v", got)
	}
}

// TestOldRuns: directories of an earlier presage belong to the module that their report names
// (RE1).
func TestOldRuns(t *testing.T) {
	cache, dir := cacheAt(t), moduleAt(t, t.TempDir())
	for name, report := range map[string]string{
		fmt.Sprintf("20260101T000000.000-%d", dead):        fmt.Sprintf(`{"config":{"dir":%q,"command":["presage","test"]}}`, dir),
		fmt.Sprintf("20260101T000001.000-%d", dead):        "", // killed
		fmt.Sprintf("20260101T000002.000-%d", os.Getpid()): "", // recording
		fmt.Sprintf("20260101T000003.000-%d", dead):        "no report",
	} {
		of := filepath.Join(cache, "runs", name)
		if err := os.MkdirAll(of, 0o700); err != nil {
			t.Fatal(err)
		}
		if report != "" {
			if err := os.WriteFile(filepath.Join(of, ReportFile), []byte(report), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := Runs("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all {
		got = append(got, fmt.Sprint(r.ID[14:15], " ", r.State, " ", r.Root == dir, " ", r.Command))
	}
	want := []string{"3 finished false []", "2 running false []", "1 unfinished false []", "0 finished true [presage test]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	t.Chdir(dir)
	if r, err := LastRun(); err != nil || r.Begun.Year() != 2026 {
		t.Errorf("%+v, %v", r, err)
	}
	finishedRun(t, cache, dir)
	if got := len(runsOf(t, "")); got != 4 {
		t.Errorf("%d runs stay", got)
	}
}

// TestRunsAtOnce: runs of one module and of others that begin and end at once have each their own
// directory, and their own report.
func TestRunsAtOnce(t *testing.T) {
	cache := cacheAt(t)
	dirs := []string{moduleAt(t, t.TempDir()), moduleAt(t, t.TempDir())}
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() { finishedRun(t, cache, dirs[i%2]) })
	}
	all.Wait()
	runs, err := Runs("")
	if err != nil || len(runs) != 2*KeepRuns {
		t.Errorf("%v, %v", ids(runs), err)
	}
	for _, r := range runs {
		if data, err := os.ReadFile(filepath.Join(r.Dir, ReportFile)); err != nil || string(data) != r.ID {
			t.Errorf("%s has the report %q, %v", r.ID, data, err)
		}
	}
}
