package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/cli"
	"github.com/presage-race/presage/internal/cli/scripts"
	"github.com/presage-race/presage/internal/oracle/expect"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/source"
)

func TestMain(m *testing.M) { scripts.Main(m, presage) }

// presage is the command. In scripts with INTERRUPT=search, it is interrupted while it searches a
// trace.
func presage() {
	if os.Getenv("INTERRUPT") != "search" {
		main()
		return
	}
	env := cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	interrupt := sync.OnceFunc(func() { // a second one would end the command at once
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			panic(err)
		}
	})
	env.Searching = func(ctx context.Context) {
		interrupt()
		<-ctx.Done()
	}
	os.Exit(cli.Main(context.Background(), env))
}

func TestScripts(t *testing.T) { scripts.Run(t, "testdata/script") }

// TestExamples records every example once and compares the report of each level with the
// marks in their sources: exactly those races, each on its rung of the ladder. A level reports what
// the one below it does.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: records the tests of all examples")
	}
	traces, want := recordExamples(t)
	below := linesOf(racesAt(t, "hb", traces))
	for _, level := range expect.Levels {
		t.Run(level, func(t *testing.T) {
			races := racesAt(t, level, traces)
			examplesAt(t, level, races, want)
			lines := linesOf(races)
			for pair := range below {
				if !lines[pair] {
					t.Errorf("withheld: %s, which the level below reports", pair)
				}
			}
			below = lines
		})
	}
	t.Run("again", func(t *testing.T) { again(t, traces) })
	t.Run("text", func(t *testing.T) { // a person reads it
		_, stdout, _ := command("analyze", "-q", traces)
		lines, findings := strings.Count(stdout, "\n"), strings.Count(stdout, "DATA RACE")
		if lines > 300 || findings != 20 {
			t.Errorf("%d findings in %d lines", findings, lines)
		}
	})
}

// recordExamples records every example, and returns the directory of the traces and the marks. args
// are further arguments.
func recordExamples(t *testing.T, args ...string) (traces string, want map[string][]expect.Pair) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if want, err = expect.Read(filepath.Join(root, "examples")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PRESAGE_CACHE", scripts.Cache)
	traces = filepath.Join(t.TempDir(), "traces")
	args = slices.Concat([]string{"test", "-C", root, "-q", "-level", "none", "-o", traces}, args, []string{"./examples/..."})
	if code, stdout, stderr := command(args...); code != 0 {
		t.Fatalf("recording: exit code %d\n%s%s", code, stdout, stderr)
	}
	return traces, want
}

// TestExamplesArm64 is TestExamples at the highest level, for programs that an emulator of arm64
// executes: the marks are the same.
func TestExamplesArm64(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: records the tests of all examples")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("1 test skipped: no emulator of arm64 (qemu-aarch64, of Debian's qemu-user)")
	}
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("PRESAGE_CELLS", "few")
	traces, want := recordExamples(t, "-exec", emulator)
	examplesAt(t, "path", racesAt(t, "path", traces), want)
}

// again holds that a trace has one report, byte for byte but for the time that it took, however
// often and on however many processors it is analysed.
func again(t *testing.T, traces string) {
	figures := tracesOf(t, traces, "/recipe/inorder.")
	if len(figures) < 6 {
		t.Fatalf("%d traces of figures", len(figures))
	}
	seconds := regexp.MustCompile(`"seconds":[0-9.e-]+|"stages":\[[^]]*\]`)
	first := ""
	for _, procs := range []int{1, 4, 4} {
		before := runtime.GOMAXPROCS(procs)
		_, stdout, stderr := command(append([]string{"analyze", "-q", "-json", "-level", "path"}, figures...)...)
		runtime.GOMAXPROCS(before)
		stdout = seconds.ReplaceAllString(stdout, "")
		switch {
		case strings.Count(stdout, `"tier":"by-path"`) < 10:
			t.Fatalf("a report without races off the recorded path:\n%s%s", stdout, stderr)
		case first == "":
			first = stdout
		case first != stdout:
			t.Fatalf("with %d processors, the report is another (-first +now):\n%s", procs, cmp.Diff(strings.Split(first, "\n"), strings.Split(stdout, "\n")))
		}
	}
}

// tracesOf returns the traces of a directory in which a goroutine runs a function with this in its
// name.
func tracesOf(t *testing.T, dir, name string) (files []string) {
	all, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		f, err := source.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(f.Meta().Goroutines, func(g trace.Goroutine) bool { return strings.Contains(g.Func, name) }) {
			files = append(files, file)
		}
		f.Close()
	}
	return files
}

// racesAt analyses traces at a level.
func racesAt(t *testing.T, level, traces string) *collector {
	t.Helper()
	code, stdout, stderr := command("analyze", "-q", "-json", "-level", level, traces)
	if code != 3 {
		t.Errorf("level %s: exit code %d, want 3\n%s", level, code, stderr)
	}
	races := &collector{}
	if err := report.HandleJSON(strings.NewReader(stdout), races); err != nil {
		t.Fatal(err)
	}
	return races
}

// linesOf returns the pairs of lines of races.
func linesOf(races *collector) map[string]bool {
	lines := map[string]bool{}
	for _, r := range races.list {
		pair := []string{r.A.Position.String(), r.B.Position.String()}
		slices.Sort(pair)
		lines[strings.Join(pair, " and ")] = true
	}
	return lines
}

func examplesAt(t *testing.T, level string, races *collector, want map[string][]expect.Pair) {
	missing, extra := expect.Compare(want, expect.Races(races.list), level)
	for _, m := range missing {
		t.Errorf("missing: %s", m)
	}
	for _, e := range extra {
		t.Errorf("extra: %s", e)
	}
	for _, w := range races.warnings {
		t.Logf("warning %s (%d): %s", w.Code, w.Count, w.Text)
	}
}

func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Main(context.Background(), cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// collector is a report.Handler that keeps races and warnings.
type collector struct {
	report.Ignore
	list     []*report.Race
	warnings []*report.Warning
}

func (c *collector) Race(r *report.Race) error {
	c.list = append(c.list, r)
	return nil
}

// Candidate and StaticWarning fail: no report of races has one.
func (c *collector) Candidate(x *report.Candidate) error {
	return fmt.Errorf("a candidate: %s", x.ID)
}

func (c *collector) StaticWarning(w *report.StaticWarning) error {
	return fmt.Errorf("a static warning: %s", w.ID)
}

func (c *collector) Warning(w *report.Warning) error {
	c.warnings = append(c.warnings, w)
	return nil
}

// TestReadme runs the command of the README and compares the report with the one printed there:
// same lines, apart from numbers that differ from run to run. The README breaks a line that is too
// wide for it, and indents all parts but the first by four more columns.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: records the tests of an example")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, want, ok := strings.Cut(string(readme), "$ go run ./cmd/presage test ./examples/lockorder\n")
	want, _, ok2 := strings.Cut(want, "```")
	if !ok || !ok2 {
		t.Fatal("the README has no session of ./examples/lockorder")
	}
	t.Setenv("PRESAGE_CACHE", scripts.Cache)
	t.Chdir(root)
	var stdout, stderr bytes.Buffer
	if code := cli.Main(context.Background(), cli.Env{
		Args: []string{"test", "./examples/lockorder"}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
	}); code != 3 {
		t.Errorf("exit code %d, want 3\n%s", code, stderr.Bytes())
	}
	got := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if diff := cmp.Diff(stable(unbroken(strings.Split(strings.TrimSpace(want), "\n"), got)), stable(got)); diff != "" {
		t.Errorf("README (-want +got):\n%s", diff)
	}
}

var changing = regexp.MustCompile(`\d+(\.\d+)?s|\d+ events?|goroutine \d+|\d+ goroutines?`)

// stable takes out what differs from run to run.
func stable(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = changing.ReplaceAllString(line, "#")
	}
	return out
}

// pageWidth is the number of columns of the README.
const pageWidth = 100

// unbroken joins the parts of the lines of a page that are wider than the page in the report.
func unbroken(page, report []string) []string {
	var out []string
	for _, line := range report {
		if len(page) == 0 {
			break
		}
		n := 1
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "    "
		for ; utf8.RuneCountInString(line) > pageWidth && len(page[0]) < len(line) && n < len(page) && strings.HasPrefix(page[n], indent); n++ {
			page[0] += " " + strings.TrimPrefix(page[n], indent)
		}
		out, page = append(out, page[0]), page[n:]
	}
	return append(out, page...)
}
