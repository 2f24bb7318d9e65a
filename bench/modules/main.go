// Command modules checks that presage is transparent: for every module in modules.txt it
// runs the module's tests plain and under presage test, compares their outcomes test by
// test, and says how many functions were instrumented, how many calls did not agree with
// their source when the trace was walked, and which races were reported.
//
//	go run ./bench/modules [-dir scratch] [-only substring] [-limit 10m]
//
// The rules:
//
//  1. Both runs have the same flags, -count=1 and -v=test2json, from whose marks outcomes are read.
//  2. Tests that differ are run again three times both ways, on their own. Those that then have
//     outcomes in common are flaky: they are counted and named, not hidden. The others differ.
//  3. A test that fails plain is compared too. A package that does not build plain is named and not compared.
//  4. Where a trace of the whole suite would be too large to analyse, modules.txt has a smaller
//     one and the reason: the suite is then recorded but not analysed, and the smaller run is walked.
//  5. An analysis that is not finished within the limit has outcomes, but no walk, and is a failure.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"presage/bench/session"
	"presage/internal/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("modules: ")
	dir := flag.String("dir", "", "scratch directory; default: a temporary one")
	only := flag.String("only", "", "modules whose path contains this")
	limit := flag.Duration("limit", 10*time.Minute, "wall time of one run of presage")
	flag.Parse()
	ctx := context.Background()
	modules, err := parse(list)
	if err != nil {
		log.Fatal(err)
	}
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	b := &bench{Session: s, limit: *limit}
	fmt.Println(header)
	var all []*result
	for _, m := range modules {
		if !strings.Contains(m.path, *only) {
			continue
		}
		r, err := b.module(ctx, m)
		if err != nil {
			r = &result{module: m, errs: []string{err.Error()}}
		}
		r.print()
		all = append(all, r)
	}
	if !total(all) {
		os.Exit(1)
	}
}

type bench struct {
	*session.Session
	limit time.Duration
}

// module tests one module both ways.
func (b *bench) module(ctx context.Context, m *module) (*result, error) {
	dir, err := b.Module(ctx, m.path, m.version)
	if err != nil {
		return nil, err
	}
	if err := initialise(dir, m.path); err != nil {
		return nil, err
	}
	r := &result{module: m}
	plain := b.plain(ctx, dir, m.suite)
	r.plain = outcomes(plain)
	packages := 0
	if m.walk != nil {
		packages = lines(plain)
	}
	out, report := b.presage(ctx, dir, packages, m.suite)
	if lines(out) < lines(plain) {
		r.errs = append(r.errs, fmt.Sprintf("the suite did not end within %v: not compared", b.limit))
		return r, nil
	}
	r.differ, r.flaky = b.again(ctx, dir, m.suite, compare(r.plain, outcomes(out)))
	if m.walk != nil {
		_, report = b.presage(ctx, dir, 0, m.walk)
	}
	r.walked = report
	if report == nil {
		r.errs = append(r.errs, fmt.Sprintf("no report within %v", b.limit))
	}
	return r, nil
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

// presage returns what the tests print under presage test, and its report; nil if there was none within the limit.
// Where packages are given it ends when so many have ended, without an analysis.
func (b *bench) presage(ctx context.Context, dir string, packages int, args []string) ([]byte, *session.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Presage, slices.Concat([]string{"test", "-json", "-q"}, testFlags, args)...)
	cmd.Dir = dir
	var stdout bytes.Buffer
	stderr := &watch{}
	if packages > 0 {
		stderr.packages, stderr.stop = packages, cancel
	}
	cmd.Stdout, cmd.Stderr = &stdout, stderr // -json sends what the tests print to standard error
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Run()
	o, err := session.Read(stdout.Bytes())
	if err != nil {
		if ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "%v\n%s\n", err, stderr.Bytes()[max(0, stderr.Len()-2000):])
		}
		o = nil
	}
	return stderr.Bytes(), o
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

// again runs the tests that differ once more, three times both ways (2).
func (b *bench) again(ctx context.Context, dir string, suite []string, list []difference) (differ, flaky []difference) {
	type top struct{ pkg, test string }
	plain, instrumented := map[top][]map[key]string{}, map[top][]map[key]string{}
	for _, d := range list {
		t := top{d.pkg, d.top()}
		if t.pkg == "" || t.test == "" {
			differ = append(differ, d)
			continue
		}
		for len(plain[t]) < 3 {
			args := append(slices.Clone(suite[:len(suite)-1]), "-run=^"+regexp.QuoteMeta(t.test)+"$", t.pkg)
			plain[t] = append(plain[t], outcomes(b.plain(ctx, dir, args)))
			out, _ := b.presage(ctx, dir, 1, args)
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

// common reports whether a test had the same outcome at least once both ways.
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

// result is what one module showed.
type result struct {
	*module
	plain         map[key]string
	differ, flaky []difference
	walked        *session.Outcome
	errs          []string
}

func (r *result) summary() report.Summary {
	if r.walked == nil {
		return report.Summary{}
	}
	return r.walked.Summary
}

func (r *result) mismatches() int {
	n := 0
	if r.walked != nil {
		for _, w := range r.walked.Warnings {
			if w.Code == "walk-mismatch" {
				n += w.Count
			}
		}
	}
	return n
}

const header = `| module | tests | fail plain | differ | flaky | functions | walked events | mismatches | races |
|---|---|---|---|---|---|---|---|---|`

// print prints a row, and below it what a reader must know.
func (r *result) print() {
	s, events, races, mismatches := r.summary(), "none", "", ""
	if r.walked != nil {
		events = fmt.Sprint(r.walked.Summary.Events)
		races, mismatches = fmt.Sprint(len(r.walked.Races)), fmt.Sprint(r.mismatches())
	}
	fmt.Printf("| %s %s | %d | %d | %d | %d | %d of %d | %s | %s | %s |\n", r.path, r.version,
		count(r.plain, ""), count(r.plain, "FAIL"), len(r.differ), len(r.flaky), s.Instrumented, s.Functions, events, mismatches, races)
	for _, d := range r.differ {
		fmt.Println("    differs:", d)
	}
	for _, d := range r.flaky {
		fmt.Println("    flaky:", d)
	}
	for k, o := range r.plain {
		if o == notBuilt {
			fmt.Println("    does not build without presage, not compared:", k.pkg)
		}
	}
	for _, e := range r.errs {
		fmt.Println("    failed:", e)
	}
	if r.reason != "" {
		fmt.Printf("    walked: %s (%s)\n", strings.Join(r.walk, " "), r.reason)
	}
	if r.walked == nil {
		return
	}
	for _, w := range r.walked.Warnings {
		if w.Code == "walk-mismatch" || w.Code == "not-instrumented" {
			fmt.Println("   ", w.Code, w.Text)
		}
	}
	for _, race := range r.walked.Races {
		fmt.Printf("    race (%s): %s, %s: %s\n", race.Tier, place(race.A), place(race.B), race.Object)
	}
}

func place(a report.Access) string {
	return fmt.Sprintf("%s of %s at %s:%d", a.Kind, a.Expr, filepath.Base(a.File), a.Line)
}

// total prints the last line and reports whether all was as asked.
func total(all []*result) bool {
	var tests, differ, flaky, instrumented, functions, mismatches, races, failed int
	for _, r := range all {
		s := r.summary()
		tests, differ, flaky, failed = tests+count(r.plain, ""), differ+len(r.differ), flaky+len(r.flaky), failed+len(r.errs)
		instrumented, functions, mismatches = instrumented+s.Instrumented, functions+s.Functions, mismatches+r.mismatches()
		if r.walked != nil {
			races += len(r.walked.Races)
		}
	}
	share := 100 * float64(instrumented) / float64(max(1, functions))
	fmt.Printf("| total | %d | | %d | %d | %d of %d (%.2f %%) | | %d | %d |\n", tests, differ, flaky, instrumented, functions, share, mismatches, races)
	return differ == 0 && mismatches == 0 && failed == 0 && share >= 99
}
