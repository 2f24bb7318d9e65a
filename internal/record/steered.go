package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/source/plan"
)

// A Steered is the tests of a package that are recorded several times, each time under a schedule.
type Steered struct {
	Run *RunDir // with the traces

	c   *Config
	b   *build
	bin string
	dir string      // where it runs
	n   int         // runs so far
	run testPattern // which tests and subtests
}

// A SteeredRun is one recording of it.
type SteeredRun struct {
	Trace    string // "": nothing was recorded, or it has timed out
	Output   []byte
	ExitCode int
	TimedOut bool
	// Processes is how many have left records, and one more if others had to be killed. The trace
	// is that of the first.
	Processes int
	CPU       time.Duration
	Points    []steer.Point // in the order of their events
	steer.Result
}

// Steer builds the tests of a package for steered runs. dir is the directory of the package, where
// they run.
func Steer(ctx context.Context, c Config, dir string) (*Steered, error) {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	c.points = true
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	b, err := c.prepare(ctx, cache)
	if err != nil {
		return nil, err
	}
	s := &Steered{c: &c, b: b, dir: dir}
	if s.Run, err = c.newRun(cache, time.Now()); err == nil {
		b.Meta.Dir = in(c.Dir)
		err = s.build(ctx)
	}
	if err != nil {
		b.release()
		if s.Run != nil {
			err = errors.Join(err, s.Run.Drop())
		}
		return nil, err
	}
	return s, nil
}

func (s *Steered) build(ctx context.Context) error {
	s.bin = filepath.Join(s.Run.Dir, "program")
	args := slices.Concat([]string{"test"}, s.b.flags(s.c.Flags), []string{"-c", "-vet=off", "-overlay=" + s.b.Overlay, "-o", s.bin}, s.c.Packages)
	s.c.Progress("building the tests")
	cmd := s.b.command(ctx, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	if !isProgram(s.bin) {
		return errors.New("the package has no tests")
	}
	return nil
}

// Close ends the use of what was built.
func (s *Steered) Close() {
	os.Remove(s.bin)
	os.Remove(filepath.Join(s.Run.Dir, "schedule"))
	s.b.release()
}

// Plan loads the plan that the program was built with.
func (s *Steered) Plan(ctx context.Context) (*plan.Plan, error) { return s.b.load(ctx, s.c) }

// Tests lists the tests of the program, by a pattern as -run takes it, without those that -skip
// leaves out. Runs have the subtests that the pattern names.
func (s *Steered) Tests(ctx context.Context, pattern string) ([]string, error) {
	s.run = parsePattern(pattern)
	cmd := exec.CommandContext(ctx, s.bin, "-test.list="+s.run.tests())
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	defer inGroup(cmd)()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests: %w", err)
	}
	skipped := func(string) bool { return false }
	for _, f := range binaryFlags(s.c.Flags) {
		if value, ok := strings.CutPrefix(f, "-test.skip="); ok && value != "" {
			skipped = parsePattern(value).leavesOut
		}
	}
	var list []string
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "Test") && !skipped(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// always are the flags of the test binary in each run. The tests that may run in parallel have no
// limit: with one, as many as there are processors, package testing would put them in order.
var always = []string{"-test.count=1", "-test.paniconexit0", "-test.parallel=1000000", "-test.timeout=10m"}

// Record runs one test of the program once, for at most limit.
func (s *Steered) Record(ctx context.Context, schedule *steer.Schedule, limit time.Duration, test string) (*SteeredRun, error) {
	s.n++
	pattern := s.run.of(test)
	s.b.Meta.Command = slices.Concat([]string{"go", "test"}, s.c.Flags, []string{"-run=" + pattern}, s.c.Packages)
	raw := filepath.Join(s.Run.Dir, fmt.Sprintf("raw%d", s.n))
	file := filepath.Join(s.Run.Dir, "schedule")
	told := *schedule
	told.Processors = processors()
	if err := errors.Join(os.Mkdir(raw, 0o700), told.Write(file)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(raw)
	if err := s.c.setLimit(raw); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(within, s.bin, slices.Concat(always, binaryFlags(s.c.Flags), []string{"-test.run=" + pattern})...)
	cmd.Dir = s.dir
	var out lastBytes
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = slices.Concat(os.Environ(), steer.Environ(os.Environ()), []string{recorder.EnvDir + "=" + raw, steer.Env + "=" + file})
	cmd.WaitDelay = time.Second
	end := inGroup(cmd)
	err := cmd.Run()
	left := end()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return nil, err
	}
	r := &SteeredRun{Output: out.b, ExitCode: exitCode(cmd.ProcessState), TimedOut: within.Err() != nil, CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if r.Result, err = steer.ReadResult(file); err != nil {
		return nil, err
	}
	if r.TimedOut {
		return r, nil
	}
	err = s.merge(ctx, r, raw)
	if left {
		r.Processes++
	}
	return r, err
}

// processors is the user's GOMAXPROCS; 0: there is none.
func processors() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("GOMAXPROCS"), 10, 31)
	return n
}

// lastBytes keeps the last bytes that are written, at least outputKept of them.
type lastBytes struct{ b []byte }

const outputKept = 256 << 10

func (w *lastBytes) Write(p []byte) (int, error) {
	if w.b = append(w.b, p...); len(w.b) > 2*outputKept {
		w.b = append([]byte(nil), w.b[len(w.b)-outputKept:]...)
	}
	return len(p), nil
}

// merge makes the trace of the first process that has recorded something.
func (s *Steered) merge(ctx context.Context, r *SteeredRun, raw string) error {
	processes, err := recorded(raw)
	if r.Processes = len(processes); err != nil || len(processes) == 0 {
		return err
	}
	name := filepath.Join(s.Run.Dir, fmt.Sprintf("run%d.trace", s.n))
	stats, err := s.b.merge(filepath.Join(raw, processes[0]), name, nil, func() bool { return ctx.Err() != nil })
	if err != nil {
		return err
	}
	if stats.Events == 0 {
		return os.Remove(name)
	}
	for _, p := range stats.Points {
		r.Points = append(r.Points, steer.Point{Event: uint64(p.Event), Goroutine: uint64(p.G), Site: uint32(p.Site), Address: uint64(p.Obj), Size: p.Size, Write: p.Write})
	}
	r.Trace = name
	return nil
}
