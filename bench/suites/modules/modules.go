// Package modules checks that presage does not change the outcomes of tests. For every module of a
// list it runs the tests plain and under presage test, and compares outcomes test by test. It
// counts the functions that were instrumented, the calls whose walk disagrees with the source, and
// the races reported.
//
//	go -C bench run ./suites modules [-list modules] [-dir scratch] [-only part,part] [-limit 10m]
//		[-disk 12G] [-record] [-walk]
//
// The lists are files beside this one:
//
//	modules.txt  modules that presage was developed with
//	unseen.txt   modules that nothing else in this tree names
//	std.txt      packages of the standard library, copied under another import path
//
// Four stages have columns of their own, so that the results of earlier stages are printed if a
// later one does not end:
//
//	plain    go test, twice
//	record   presage test -level none: outcomes, functions; the traces are kept
//	walk     events walked through the source, unexplained reads, mismatches
//	analyse  presage analyze: races
//
// # Rules
//
//  1. All runs have the same flags, -count=1 and -v=test2json. Outcomes are read from the marks of
//     the latter.
//  2. A test that ends differently in the two plain runs is flaky by itself. A test whose outcomes
//     differ between the plain and the instrumented run is run again, alone, three times plain and
//     three times instrumented; a package is run again as a whole. If these runs have an outcome
//     in common, the test is flaky. Flaky tests are counted and named. The others differ.
//  3. A test that fails plain is compared too. A package that does not build plain is named and
//     not compared.
//  4. Where a trace of the whole suite would be too large, the list has parts of it and the
//     reason. The suite is then recorded and compared but not walked. The parts are recorded
//     again, walked and analysed one by one.
//  5. A stage that does not end within the limit is a failure, and is printed as one. With -record
//     or -walk the later stages are left out, and the columns say so.
//  6. A recording ends when it has taken -disk of the disk. The report says so, and the walk is of
//     what was recorded.
package modules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
)

// Main runs the stages on the modules of a list.
func Main(args []string) int {
	flags := command.Flags("suites modules", "[-list modules|unseen|std] [-dir scratch] [-only part,part] [-limit 10m] [-disk 12G] [-record | -walk]")
	list := flags.String("list", "modules", "list of modules: modules, unseen or std")
	dir := command.Dir(flags)
	only := command.Only(flags, "modules")
	limit := flags.Duration("limit", 10*time.Minute, "wall time of a stage")
	disk := flags.String("disk", "12G", "disk space for a recording, as presage's flag of that name")
	record := flags.Bool("record", false, "only plain and record")
	walk := flags.Bool("walk", false, "only plain, record and walk")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	// a workspace of the module names directories that were not published
	os.Setenv("GOWORK", "off")
	ctx := context.Background()
	modules, err := read(*list)
	command.Check(err)
	s, err := session.New(ctx, *dir)
	command.Check(err)
	b := &bench{Session: s, limit: *limit, disk: *disk}
	switch {
	case *record:
		b.last = "record"
	case *walk:
		b.last = "walk"
	}
	fmt.Println(header)
	var all []*result
	for _, m := range modules {
		if !only.Match(m.name()) {
			continue
		}
		r, err := b.module(ctx, m)
		if r == nil {
			r = &result{module: m}
		}
		r.err = err
		r.print()
		all = append(all, r)
	}
	return command.Code(total(all, figures))
}

type bench struct {
	*session.Session
	limit time.Duration
	disk  string // what a recording may take of the disk
	last  string // stage
}

// module tests one module plain and instrumented.
func (b *bench) module(ctx context.Context, m *module) (*result, error) {
	dir, err := b.source(ctx, m)
	if err != nil {
		return nil, err
	}
	r := &result{module: m, traces: filepath.Join(b.Dir, "traces")}
	defer os.RemoveAll(r.traces)
	if err := b.compared(ctx, dir, r); err != nil || b.last == "record" {
		return r, err
	}
	if m.walk == nil {
		return r, b.judged(ctx, r)
	}
	r.recorded = nil
	for _, part := range m.walk {
		_, recorded := b.record(ctx, dir, r.traces, 0, part)
		if recorded == nil {
			return r, fmt.Errorf("%v: no trace within %v", part, b.limit)
		}
		r.recorded = recorded
		if err := b.judged(ctx, r); err != nil {
			return r, fmt.Errorf("%v: %w", part, err)
		}
	}
	return r, nil
}

// compared fills in the outcomes (plain, record).
func (b *bench) compared(ctx context.Context, dir string, r *result) error {
	m := r.module
	plain := b.plain(ctx, dir, m.suite)
	r.plain = outcomes(plain)
	second := outcomes(b.plain(ctx, dir, m.suite))
	for _, d := range compare(r.plain, second) {
		r.flaky = append(r.flaky, fmt.Sprintf("%s: plain %q, plain again %q", d.key, d.plain, d.instrumented))
	}
	packages := 0
	if m.walk != nil {
		packages = lines(plain)
	}
	out, recorded := b.record(ctx, dir, r.traces, packages, m.suite)
	r.recorded = recorded
	if recorded != nil && recorded.Summary.Traces > 0 {
		names, err := session.TraceFiles(r.traces)
		if err != nil {
			return err
		}
		if r.written, err = session.AsWritten(names); err != nil {
			return err
		}
	}
	if lines(out) < lines(plain) {
		return fmt.Errorf("the suite did not end within %v: not compared", b.limit)
	}
	var list []difference
	for _, d := range compare(r.plain, outcomes(out)) {
		if second[d.key] != d.instrumented { // else the two plain runs differ as well
			list = append(list, d)
		}
	}
	differ, flaky := b.again(ctx, dir, m.suite, list)
	r.differ = differ
	for _, d := range flaky {
		r.flaky = append(r.flaky, d.String())
	}
	if recorded == nil && m.walk == nil {
		return fmt.Errorf("no trace within %v", b.limit)
	}
	return nil
}

// judged looks at what was recorded (walk, analyse).
func (b *bench) judged(ctx context.Context, r *result) error {
	if r.recorded.Summary.Traces == 0 {
		return errors.New("nothing was recorded")
	}
	names, err := session.TraceFiles(r.traces)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	w, err := session.Walk(limited, names, 0)
	if err != nil {
		return fmt.Errorf("walking: %w", err)
	}
	r.walked = append(r.walked, w)
	if b.last == "walk" {
		return nil
	}
	o := b.analyse(ctx, r.traces)
	if o == nil {
		return fmt.Errorf("the analysis did not end within %v", b.limit)
	}
	r.analysed = append(r.analysed, o)
	return nil
}

// source returns the directory of a module, which may be changed.
func (b *bench) source(ctx context.Context, m *module) (string, error) {
	if m.std == nil {
		dir, err := b.Module(ctx, m.path, m.version)
		if err != nil {
			return "", err
		}
		return dir, initialise(dir, m.path)
	}
	dir := filepath.Join(b.Dir, "std_"+strings.NewReplacer("/", "_").Replace(strings.Join(m.std, "+")), "std")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return dir, copyStd(strings.TrimSpace(string(goroot)), dir, m.std, m.tags())
}

// initialise makes a module of what was published without a go.mod.
func initialise(dir, path string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return nil
	}
	cmd := exec.Command("go", "mod", "init", path)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

var testFlags = []string{"-count=1", "-v=test2json"}

// plain returns what go test prints.
func (b *bench) plain(ctx context.Context, dir string, args []string) []byte {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test"}, testFlags, args)...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // failures are outcomes
	return out
}

// record returns what the tests print under presage test, and its report; nil if there was none
// within the limit. The traces are kept in the file or directory named. Where packages are given it
// ends when so many have ended, without a trace.
func (b *bench) record(ctx context.Context, dir, traces string, packages int, args []string) ([]byte, *session.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	os.RemoveAll(traces)
	cmd := exec.CommandContext(ctx, b.Presage, slices.Concat([]string{"test", "-format=json", "-q", "-level=none", "-disk=" + b.disk, "-o=" + traces}, testFlags, args)...)
	cmd.Dir = dir
	stderr := &watch{}
	if packages > 0 {
		stderr.packages, stderr.stop = packages, cancel
	}
	o := b.run(ctx, cmd, stderr) // -json sends what the tests print to standard error
	return stderr.Bytes(), o
}

// analyse returns the report on traces; nil if there was none within the limit.
func (b *bench) analyse(ctx context.Context, traces string) *session.Outcome {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	return b.run(ctx, exec.CommandContext(ctx, b.Presage, "analyze", "-trust", "-json", "-q", traces), &watch{})
}

// run runs presage and reads its report; nil if there is none.
func (b *bench) run(ctx context.Context, cmd *exec.Cmd, stderr *watch) *session.Outcome {
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	// others' runs are not pushed out
	cmd.Env = append(os.Environ(), "PRESAGE_CACHE="+filepath.Join(b.Dir, "cache"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Run()
	o, err := session.Read(stdout.Bytes())
	if err == nil {
		return o
	}
	os.RemoveAll(filepath.Join(b.Dir, "cache", "runs")) // what a killed presage leaves may be large
	if ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "%v\n%s\n", err, stderr.Bytes()[max(0, stderr.Len()-2000):])
	}
	return nil
}

// watch keeps what is written, and calls stop when so many packages have ended: then
// only their trace is still to be made.
type watch struct {
	bytes.Buffer
	packages int
	stop     func()
	read     int
}

func (w *watch) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	for w.stop != nil {
		end := bytes.IndexByte(w.Bytes()[w.read:], '\n')
		if end < 0 {
			break
		}
		if pkgLine.Match(w.Bytes()[w.read : w.read+end]) {
			w.packages--
		}
		if w.read += end + 1; w.packages == 0 {
			w.stop()
		}
	}
	return n, err
}

// alone returns the arguments of go test that run one test of a suite, or a whole package if test
// is "".
func alone(suite []string, pkg, test string) []string {
	args := slices.Clone(suite[:len(suite)-1])
	if test != "" {
		args = append(args, "-run=^"+regexp.QuoteMeta(test)+"$")
	}
	return append(args, pkg)
}

// again runs the tests and packages that differ again, three times plain and three times
// instrumented (rule 2).
func (b *bench) again(ctx context.Context, dir string, suite []string, list []difference) (differ, flaky []difference) {
	type top struct{ pkg, test string }
	plain, instrumented := map[top][]map[key]string{}, map[top][]map[key]string{}
	for _, d := range list {
		t := top{d.pkg, d.top()}
		if t.pkg == "" {
			differ = append(differ, d)
			continue
		}
		for len(plain[t]) < 3 {
			args := alone(suite, t.pkg, t.test)
			plain[t] = append(plain[t], outcomes(b.plain(ctx, dir, args)))
			out, _ := b.record(ctx, dir, filepath.Join(b.Dir, "again"), 1, args)
			instrumented[t] = append(instrumented[t], outcomes(out))
		}
		if common(d, plain[t], instrumented[t]) {
			flaky = append(flaky, d)
		} else {
			differ = append(differ, d)
		}
	}
	return differ, flaky
}

// common reports whether a test had the same outcome at least once plain and once instrumented.
func common(d difference, plain, instrumented []map[key]string) bool {
	seen := map[string]bool{d.plain: true}
	for _, p := range plain {
		seen[p[d.key]] = true
	}
	if seen[d.instrumented] {
		return true
	}
	for _, i := range instrumented {
		if o := i[d.key]; o != "" && seen[o] {
			return true
		}
	}
	return false
}
