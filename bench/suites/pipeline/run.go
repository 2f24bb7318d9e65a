package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/bench/internal/suites"
	"github.com/presage-race/presage/internal/report"
)

// bench runs suites.
type bench struct {
	*session.Session
	timed            *session.Timed
	limit            time.Duration
	confirm          string
	traces, profiles string // directories; "": none
	figures          *command.Figures
}

const (
	// testLimit is for go test: no suite takes that long.
	testLimit = 20 * time.Minute
	// grace is what presage has to write its report after an interrupt.
	grace = 40 * time.Second
	// mostTraces is the size of traces that are kept.
	mostTraces = 400 << 20
)

// noTest are flags with which everything is built and nothing runs.
var noTest = []string{"-count=1", "-run=^$"}

// suite measures one suite.
func (b *bench) suite(ctx context.Context, u *suites.Suite) (*row, error) {
	dir, err := u.Source(ctx, b.Session)
	if err != nil {
		return nil, err
	}
	r := &row{name: u.Name}
	if r.plain, err = b.goTest(ctx, u, dir); err != nil {
		return nil, err
	}
	if r.plain.Code != 0 {
		return nil, fmt.Errorf("the suite does not pass:\n%s", tail(r.plain.Measured))
	}
	if r.race, err = b.goTest(ctx, u, dir, "-race"); err != nil {
		return nil, err
	}
	r.detected = bytes.Count(r.race.Stdout.Bytes(), []byte("WARNING: DATA RACE")) + bytes.Count(r.race.Stderr.Bytes(), []byte("WARNING: DATA RACE"))
	return r, b.presage(ctx, u, dir, r)
}

// goTest runs go test, after a run that builds.
func (b *bench) goTest(ctx context.Context, u *suites.Suite, dir string, flags ...string) (*run, error) {
	for _, more := range [][]string{noTest, {"-count=1"}} {
		exec, err := b.timed.Exec("size")
		if err != nil {
			return nil, err
		}
		more = slices.Concat(flags, more, []string{"-exec=" + exec})
		m, err := session.Measure(ctx, testLimit, 0, dir, nil, slices.Concat([]string{"go", "test"}, u.Arguments(more...))...)
		if err != nil {
			return nil, err
		}
		if m.Late {
			return nil, fmt.Errorf("go test %v did not end within %v", more, testLimit)
		}
		if more[len(flags)+1] == noTest[1] {
			continue
		}
		processes, err := b.timed.Processes()
		return &run{m, processes}, err
	}
	panic("unreachable")
}

// presage runs presage test, after a run that builds.
func (b *bench) presage(ctx context.Context, u *suites.Suite, dir string, r *row) error {
	var env []string
	if os.Getenv("PRESAGE_CACHE") == "" {
		env = append(env, "PRESAGE_CACHE="+filepath.Join(b.Dir, "cache"))
	}
	warm := noTest
	if b.confirm != "off" {
		warm = []string{"-count=1"}
	}
	if _, err := b.recorded(ctx, u, dir, env, testLimit, "", warm...); err != nil {
		return err
	}
	profile := filepath.Join(cmp.Or(b.profiles, b.Dir), u.Name+".pprof")
	env = append(env, "PRESAGE_CPUPROFILE="+profile) // with it, presage says where it was ended
	if b.profiles == "" {
		defer os.Remove(profile)
	}
	traces := filepath.Join(b.Dir, "traces")
	defer os.RemoveAll(traces)
	if err := os.RemoveAll(traces); err != nil {
		return err
	}
	var err error
	if r.presage, err = b.recorded(ctx, u, dir, env, b.limit, traces, "-count=1"); err != nil {
		return err
	}
	if r.traceBytes, err = size(traces); err != nil {
		return err
	}
	out, err := session.Read(r.presage.Stdout.Bytes())
	switch {
	case err == nil:
		r.summary = &out.Summary
		r.stopped = interruptedIn(out)
	case r.presage.Late:
		r.stopped = "a stage that is not known"
		if m := endedIn.FindSubmatch(r.presage.Stderr.Bytes()); m != nil {
			r.stopped = string(m[1])
		}
	default:
		return fmt.Errorf("presage test: %w, exit code %d\n%s", err, r.presage.Code, tail(r.presage.Measured))
	}
	if r.presage.Late && r.stopped == "" {
		r.stopped = "replays"
	}
	return b.keep(u, traces, r.traceBytes)
}

// recorded runs presage test once.
func (b *bench) recorded(ctx context.Context, u *suites.Suite, dir string, env []string, limit time.Duration, traces string, more ...string) (*run, error) {
	exec, err := b.timed.Exec("size")
	if err != nil {
		return nil, err
	}
	args := []string{b.Presage, "test", "-format=json", "-level=path", "-confirm=" + b.confirm}
	if traces != "" {
		args = append(args, "-o="+traces)
	}
	m, err := session.Measure(ctx, limit, grace, dir, env, slices.Concat(args, u.Arguments(append(more, "-exec="+exec)...))...)
	if err != nil {
		return nil, err
	}
	processes, err := b.timed.Processes()
	return &run{m, processes}, err
}

// endedIn is what presage says when it is ended by a signal.
var endedIn = regexp.MustCompile(`(?m)^presage: ended in stage (\S+)$`)

// interruptedIn returns the stage in which the analysis was interrupted, "" if it was not: the
// part that had taken most of the time.
func interruptedIn(out *session.Outcome) string {
	if !slices.ContainsFunc(out.Warnings, func(w *report.Warning) bool { return w.Code == "interrupted" }) {
		return ""
	}
	parts := slices.DeleteFunc(slices.Clone(out.Summary.Stages), func(s report.Stage) bool { return s.Of == "" })
	if len(parts) == 0 {
		return "analyse"
	}
	most := slices.MaxFunc(parts, func(x, y report.Stage) int { return cmp.Compare(x.Wall, y.Wall) })
	return "analyse, mostly " + most.Name
}

// keep moves the traces of a suite to where they are to be kept.
func (b *bench) keep(u *suites.Suite, traces string, bytes int64) error {
	if b.traces == "" || bytes == 0 || bytes >= mostTraces {
		return nil
	}
	to := filepath.Join(b.traces, u.Name)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(traces, to)
}

// size returns the bytes of a file, or of the files in a directory; 0 if there is none.
func size(name string) (n int64, err error) {
	files, err := session.TraceFiles(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		st, err := os.Stat(f)
		if err != nil {
			return 0, err
		}
		n += st.Size()
	}
	return n, nil
}

// tail returns the end of what a command printed.
func tail(m *session.Measured) []byte {
	all := slices.Concat(m.Stdout.Bytes(), m.Stderr.Bytes())
	return all[max(0, len(all)-2000):]
}
