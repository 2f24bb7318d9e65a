package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/replay/bubble"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/untrusted/trust"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// plainTests writes races as tests in the packages of the tests that raced (replay -as synctest).
func (r *replayer) plainTests(ctx context.Context, races []*report.Race) error {
	failed := false
	for _, race := range races {
		file, name, err := r.plainTest(ctx, race)
		r.progress.end()
		if err != nil {
			failed = true
			visible.Fprintf(r.env.Stderr, "presage: race %s has no plain test: %v\n", race.ID, err)
			continue
		}
		visible.Fprintf(r.env.Stdout, "race %s on %s is shown by %s in %s, in %d of %[5]d runs\n", race.ID, race.Name(), name, shortName(file), plainRuns)
		r.printAlone(plainCommand(file, name))
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

// plainCommand is the command that runs a test from its directory.
func plainCommand(file, name string) string {
	return fmt.Sprintf("cd %s && go test -race -run '^%s$' .", shellWord(shortName(filepath.Dir(file))), name)
}

// plainRuns is how many runs must show a race, all of them.
const plainRuns = 10

// plainTest writes the test of one race. It returns the file and the name of the test.
func (r *replayer) plainTest(ctx context.Context, race *report.Race) (file, name string, err error) {
	if !trust.Name(race.ID) {
		return "", "", fmt.Errorf("its ID %q cannot be in the name of a file", race.ID)
	}
	_, meta, err := r.open(ctx, race)
	if err != nil {
		return "", "", err
	}
	b, err := bubbleOf(race)
	if err != nil {
		return "", "", err
	}
	src, err := os.ReadFile(b.File)
	if err != nil {
		return "", "", err
	}
	root, err := rootOf(ctx, meta.Dir)
	if err != nil {
		return "", "", err
	}
	if rel, err := filepath.Rel(root, b.File); err != nil || !filepath.IsLocal(rel) {
		return "", "", fmt.Errorf("%s is not below %s", b.File, root)
	}
	file = filepath.Join(filepath.Dir(b.File), "presage_"+race.ID+"_test.go")
	if _, err := os.Lstat(file); err == nil {
		return "", "", fmt.Errorf("%s is there already", shortName(file))
	}
	if b.Packages, err = importedNames(ctx, b.File, src); err != nil {
		return "", "", err
	}
	t := &plainTrial{replayer: r, race: race, bubble: b, meta: meta, file: file}
	text, err := t.first(ctx, src)
	if err != nil {
		return "", "", err
	}
	return file, b.Name, os.WriteFile(file, text, 0o600)
}

// importedNames asks the go command for the names of the packages that a file imports.
func importedNames(ctx context.Context, file string, src []byte) (map[string]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-e", "-f", "{{.ImportPath}} {{.Name}}"}
	for _, im := range f.Imports {
		if path, err := strconv.Unquote(im.Path.Value); err == nil && path != "C" {
			args = append(args, path)
		}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Dir(file)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking go list for the names of packages: %w", err)
	}
	names := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			names[path] = name
		}
	}
	return names, nil
}

// bubbleOf is a race as package bubble wants it.
func bubbleOf(race *report.Race) (*bubble.Race, error) {
	tests := race.In()
	if len(tests) != 1 || tests[0].Name == "" {
		return nil, errors.New("it is not of one test")
	}
	function, _, sub := strings.Cut(tests[0].Name, "/")
	if sub {
		return nil, fmt.Errorf("%s is a subtest", tests[0].Name)
	}
	b := &bubble.Race{Function: function, Name: "TestPresage" + race.ID}
	calls := func(a *report.Access) bubble.Access {
		x := bubble.Access{Text: short(a.Position)}
		for _, f := range a.Stack {
			x.Calls = append(x.Calls, bubble.Place{File: f.File, Line: f.Line, Col: f.Col})
		}
		for _, f := range a.Goroutine.Created { // of a goroutine that a library has started
			x.Calls = append(x.Calls, bubble.Place{File: f.File, Line: f.Line, Col: f.Col})
		}
		return x
	}
	b.A, b.B = calls(&race.A), calls(&race.B)
	// the outermost frames are those of the test
	for _, a := range []*report.Access{&race.A, &race.B} {
		for _, f := range slices.Concat(a.Stack, a.Goroutine.Created) {
			if strings.HasSuffix(f.Func, "."+function) || strings.Contains(f.Func, "."+function+".") {
				b.File = f.File
			}
		}
	}
	if b.File == "" {
		return nil, fmt.Errorf("%s is on neither stack", function)
	}
	return b, nil
}

// plainTrial looks for a test that shows a race.
type plainTrial struct {
	*replayer
	race   *report.Race
	bubble *bubble.Race
	meta   *trace.Meta
	file   string // the new test
	why    error  // none shows it
}

// first returns the first test that shows the race in plainRuns runs.
func (t *plainTrial) first(ctx context.Context, src []byte) ([]byte, error) {
	list, err := bubble.Candidates(t.bubble, src)
	if err != nil {
		return nil, err
	}
	t.why = errors.New("no order of the two accesses by time.Sleep shows it")
	for i, c := range list {
		t.says(fmt.Sprintf("trying test %d of %d for %s", i+1, len(list), t.race.ID))
		shown, err := t.try(ctx, c)
		switch {
		case errors.Is(err, errOldTimers) && !t.bubble.OldTimers:
			t.bubble.OldTimers = true
			return t.first(ctx, src)
		case err != nil:
			return nil, err
		case shown == plainRuns:
			return c.Text, nil
		case shown > 0:
			t.why = fmt.Errorf("the nearest test shows it in %d of its %s", shown, plural.Of(plainRuns, "run"))
		}
	}
	return nil, t.why
}

// errOldTimers says that a module has timers from before Go 1.23.
var errOldTimers = errors.New("its timers are those from before Go 1.23")

// try runs a test under the race detector, and returns in how many runs it shows the race: up to
// the first one that does not.
func (t *plainTrial) try(ctx context.Context, c *bubble.Candidate) (shown int, err error) {
	dir, err := os.MkdirTemp("", "presage-synctest-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	test, overlay, binary := filepath.Join(dir, "presage_test.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "test")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{t.file: test}})
	if err = errors.Join(err, os.WriteFile(test, c.Text, 0o600), os.WriteFile(overlay, data, 0o600)); err != nil {
		return 0, err
	}
	args := append([]string{"test", "-race", "-c", "-o", binary, "-overlay=" + overlay}, t.meta.BuildFlags...)
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Dir, build.Env = filepath.Dir(t.file), append(os.Environ(), t.meta.BuildEnv...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("it does not build: %w: %s", err, firstLine(out))
	}
	x, y := t.lineIn(&t.race.A, c), t.lineIn(&t.race.B, c)
	for range plainRuns {
		out := t.runPlain(ctx, binary)
		switch {
		case ctx.Err() != nil:
			return shown, ctx.Err()
		case replay.Judge(out, x, y, func(f string) bool { return f == x.File || f == y.File }) != "":
			shown++
			continue
		case strings.Contains(out, "asynctimerchan"):
			return 0, errOldTimers
		}
		if _, text, ok := strings.Cut(out, "panic: "); ok {
			t.why = fmt.Errorf("in a bubble it panics: %s", firstLine([]byte(text)))
		}
		break
	}
	return shown, nil
}

// lineIn is where an access is in a run of a candidate.
func (t *plainTrial) lineIn(a *report.Access, c *bubble.Candidate) replay.Line {
	l := lineOf(a)
	if n := c.LineOf(l.Line); l.File == t.bubble.File && n > 0 {
		l.File, l.Line = t.file, n
	}
	return l
}

// plainTimeout is how long a run of a test in a bubble may take: it does not wait for the clock.
const plainTimeout = 20 * time.Second

// runPlain runs a test and returns what it prints. Goroutines that are left when it ends make a
// bubble panic, so that a race may be reported and the test fail in another way.
func (t *plainTrial) runPlain(ctx context.Context, binary string) string {
	ctx, cancel := context.WithTimeout(ctx, plainTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+t.bubble.Name+"$", "-test.count=1", "-test.timeout="+plainTimeout.String())
	cmd.Dir = filepath.Dir(t.file)
	out, _ := cmd.CombinedOutput() // a race makes it fail
	return string(out)
}

func firstLine(out []byte) []byte {
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return line
		}
	}
	return nil
}
