package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/plural"
)

// KeepRuns is the number of finished runs of one module that stay in the cache, and keepAllRuns of
// all modules (RE3).
const (
	KeepRuns    = 3
	keepAllRuns = 24
)

// Files in the directory of a run.
const (
	// the report, in its JSON form: it is there if the run has finished (RE2)
	ReportFile = "report.jsonl"
	runFile    = "run.json" // the RunDir, but for its state
	lockFile   = "lock"     // locked by the process that makes the run (RE2)
)

// A RunDir is one run of test or run in the cache.
type RunDir struct {
	ID      string    `json:"id"` // the name of its directory, which begins with the time
	Dir     string    `json:"dir"`
	Root    string    `json:"root"` // of its module (RE1)
	Command []string  `json:"command"`
	Begun   time.Time `json:"begun"`

	State RunState `json:"state"`

	lock *cache.Lock
}

// RunState says what became of a run.
type RunState string

// The states of a run.
const (
	Finished   RunState = "finished"   // it has a report
	Running    RunState = "running"    // its presage process lives
	Unfinished RunState = "unfinished" // that was killed, or failed
)

// idLayout is the time in an ID.
const idLayout = "20060102T150405.000"

var runID = regexp.MustCompile(`^\d{8}T\d{6}\.\d{3}-\d+$`)

// ModuleRoot is the key of the runs of the module that dir lies in (RE1).
func ModuleRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	if root := above(dir, "go.mod"); root != "" {
		return root, nil
	}
	switch work := os.Getenv("GOWORK"); work {
	case "":
		if root := above(dir, "go.work"); root != "" {
			return root, nil
		}
	case "off":
	default:
		if root, err := filepath.EvalSymlinks(filepath.Dir(work)); err == nil {
			return root, nil
		}
	}
	return dir, nil
}

// above is the nearest directory, dir or above it, that has a file of that name; "" if there is
// none.
func above(dir, name string) string {
	for {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && !st.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// lockRuns takes the lock under which directories of runs are made and taken away.
func lockRuns(home string) (*cache.Lock, error) {
	l, err := cache.LockDir(filepath.Join(home, "runs"))
	if err == nil {
		err = l.Exclusive()
	}
	if err != nil {
		return nil, fmt.Errorf("locking the runs: %w", err)
	}
	return l, nil
}

// newRun makes the directory of a run, which no other process has (RE2).
func (c *Config) newRun(home string, now time.Time) (*RunDir, error) {
	root, err := ModuleRoot(c.Dir)
	if err != nil {
		return nil, err
	}
	if err := private.MkdirAll(filepath.Join(home, "runs")); err != nil {
		return nil, fmt.Errorf("making a directory for the recording: %w", err)
	}
	all, err := lockRuns(home)
	if err != nil {
		return nil, err
	}
	defer removeGone(home)
	defer all.Release()
	if err := takeAway(home, func(r *RunDir) bool { return r.State == Unfinished }); err != nil {
		// what it has recorded may be large
		return nil, err
	}
	r := &RunDir{Root: root, Command: append([]string{"presage"}, c.command()[1:]...), State: Running}
	for ; ; now = now.Add(time.Millisecond) {
		r.Begun = now
		r.ID = fmt.Sprintf("%s-%d", now.UTC().Format(idLayout), os.Getpid())
		r.Dir = filepath.Join(home, "runs", r.ID)
		if err = os.Mkdir(r.Dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		r.lock, err = cache.OpenLock(filepath.Join(r.Dir, lockFile))
	}
	if err == nil {
		err = r.lock.Exclusive()
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(r)
	}
	if err == nil {
		err = writeFile(filepath.Join(r.Dir, runFile), data)
	}
	if err != nil {
		return nil, fmt.Errorf("making a directory for the recording: %w", err)
	}
	return r, nil
}

// Keep writes the report of the run, whole or not at all (RE2). Older runs make room for it then,
// and not before (RE3).
func (r *RunDir) Keep(write func(io.Writer) error) error {
	defer r.Release()
	name := filepath.Join(r.Dir, ReportFile)
	f, err := private.Create(name + ".new")
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	r.State = Finished
	r.Release()
	home := filepath.Dir(filepath.Dir(r.Dir))
	all, err := lockRuns(home)
	if err != nil {
		return err
	}
	err = takeAway(home, func(*RunDir) bool { return true })
	all.Release()
	removeGone(home)
	return err
}

// Drop removes the run: it is none that later commands may ask for (RE3).
func (r *RunDir) Drop() error {
	defer r.Release()
	return os.RemoveAll(r.Dir)
}

// Release lets others remove a run that LastRun or FindRun has returned. It may be called more than
// once, and of nil.
func (r *RunDir) Release() {
	if r != nil && r.lock != nil {
		r.lock.Release()
		r.lock = nil
	}
}

// Runs are the runs in the cache, newest first: those of one module, or of all if root is "".
func Runs(root string) ([]*RunDir, error) {
	home, err := CacheDir()
	if err != nil {
		return nil, err
	}
	all, err := readRuns(home)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(r *RunDir) bool { return root != "" && r.Root != root }), nil
}

// readRuns reads the directories of runs, newest first.
func readRuns(home string) ([]*RunDir, error) {
	entries, err := os.ReadDir(filepath.Join(home, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the runs: %w", err)
	}
	var all []*RunDir
	for _, e := range slices.Backward(entries) { // by name, which is by time
		if e.IsDir() && runID.MatchString(e.Name()) {
			all = append(all, readRun(filepath.Join(home, "runs", e.Name())))
		}
	}
	return all, nil
}

// readRun reads what is known of a run. One of an earlier presage has no runFile: it belongs to the
// module that its report names (RE1).
func readRun(dir string) *RunDir {
	r := &RunDir{}
	data, err := os.ReadFile(filepath.Join(dir, runFile))
	if err != nil || json.Unmarshal(data, r) != nil {
		*r = RunDir{}
		r.adopt(dir)
	}
	r.ID, r.Dir, r.State = filepath.Base(dir), dir, Unfinished
	if at, _, ok := strings.Cut(r.ID, "-"); ok && r.Begun.IsZero() {
		r.Begun, _ = time.Parse(idLayout, at)
	}
	switch _, err := os.Stat(filepath.Join(dir, ReportFile)); {
	case err == nil:
		r.State = Finished
	case r.made():
		r.State = Running
	}
	return r
}

// adopt takes what the report says, which begins with what made it.
func (r *RunDir) adopt(dir string) {
	f, err := os.Open(filepath.Join(dir, ReportFile))
	if err != nil {
		return
	}
	defer f.Close()
	var first struct {
		Config struct {
			Dir     string
			Command []string
		}
	}
	if json.NewDecoder(f).Decode(&first) == nil {
		r.Command = first.Config.Command
		r.Root, _ = ModuleRoot(first.Config.Dir)
	}
}

// made reports whether a process is still making the run.
func (r *RunDir) made() bool {
	l, err := cache.FindLock(filepath.Join(r.Dir, lockFile))
	if err != nil {
		return alive(r.ID) // of an earlier presage
	}
	defer l.Release()
	return !l.TryShared()
}

// hold keeps others from removing a run while this process reads it.
func (r *RunDir) hold() error {
	if err := private.Check(r.Dir); err != nil {
		return err
	}
	l, err := cache.OpenLock(filepath.Join(r.Dir, lockFile))
	if err != nil {
		return nil // it cannot be written to, so it is not removed
	}
	if err := l.Shared(); err != nil {
		return fmt.Errorf("locking run %s: %w", r.ID, err)
	}
	r.lock = l
	if _, err := os.Stat(filepath.Join(r.Dir, ReportFile)); err != nil {
		return fmt.Errorf("run %s is no longer in the cache", r.ID)
	}
	return nil
}

// LastRun is the last finished run of the module that the working directory is in. It stays while
// this process lives, or until Release.
func LastRun() (*RunDir, error) {
	root, err := ModuleRoot("")
	if err != nil {
		return nil, err
	}
	all, err := Runs(root)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.State == Finished {
			return r, r.hold()
		}
	}
	return nil, &NoRunError{root}
}

// NoRunError is the error of LastRun if no finished run of the module is kept.
type NoRunError struct{ Root string }

func (e *NoRunError) Error() string {
	return fmt.Sprintf("no run of the module in %s is kept: use presage test or presage run there first. "+
		"presage runs -all lists the runs of other modules, and flag -run-id takes one of them", e.Root)
}

// FindRun is the finished run of that ID, of any module, which may be cut as long as it names one
// run.
func FindRun(id string) (*RunDir, error) {
	all, err := Runs("")
	if err != nil {
		return nil, err
	}
	var found []*RunDir
	for _, r := range all {
		if r.ID == id || id != "" && strings.HasPrefix(r.ID, id) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("no run %q is kept: presage runs -all lists those that are", id)
	case len(found) > 1:
		return nil, fmt.Errorf("%q is the beginning of the IDs of %s: presage runs -all lists them", id, plural.Of(len(found), "run"))
	case found[0].State != Finished:
		return nil, fmt.Errorf("run %s is %s: it has no report", found[0].ID, found[0].State)
	}
	return found[0], found[0].hold()
}

// takeAway renames the runs that are too many, and what killed processes have left, if they are
// among those (RE3). Those that a process makes or reads stay. The caller holds the lock of all
// runs.
func takeAway(home string, among func(*RunDir) bool) error {
	runs, err := readRuns(home)
	for _, r := range surplus(runs) {
		if among(r) {
			r.takeAway()
		}
	}
	return err
}

// removeGone removes the runs that were taken away.
func removeGone(home string) {
	gone, _ := filepath.Glob(filepath.Join(home, "runs", "*"+goneSuffix))
	for _, dir := range gone {
		os.RemoveAll(dir)
	}
}

// goneSuffix is that of a run that is being removed: what is left of it is no run.
const goneSuffix = ".gone"

// takeAway renames a run that no process uses.
func (r *RunDir) takeAway() {
	if l, err := cache.FindLock(filepath.Join(r.Dir, lockFile)); err == nil {
		defer l.Release()
		if !l.Alone() {
			return
		}
	}
	os.Rename(r.Dir, r.Dir+goneSuffix)
}

// surplus are the runs to remove, of all, newest first.
func surplus(runs []*RunDir) []*RunDir {
	var out []*RunDir
	of, kept := map[string]int{}, 0
	for _, r := range runs {
		switch r.State {
		case Running:
			continue
		case Finished:
			if of[r.Root] < KeepRuns && kept < keepAllRuns {
				of[r.Root]++
				kept++
				continue
			}
		}
		out = append(out, r)
	}
	return out
}
