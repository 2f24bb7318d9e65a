package recipe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
)

// largeModule is the module of the large programs, and its directory.
const (
	largeModule = "github.com/presage-race/presage/bench/programs/large"
	largeDir    = "programs/large"
)

// program is a large program.
type program struct {
	name string
	like string // the paper's program of this kind
	// modules that are recorded besides the program itself; the version is that of go.mod
	modules []string
	// arguments of the runs with a seeded fault, whose workload is smaller
	small []string
}

// large are in the order of the paper's rows.
var large = []*program{
	{name: "ftpserver", like: "ftpserver", modules: []string{"goftp.io/server/v2", "github.com/jlaffaye/ftp"}, small: []string{"-clients", "3", "-rounds", "2"}},
	{name: "webserver", like: "jigsaw", modules: []string{"github.com/valyala/fasthttp"}, small: []string{"-clients", "3", "-requests", "10"}},
	{name: "pathtracer", like: "sunflow", small: []string{"-width", "8", "-height", "8"}},
	{name: "transformer", like: "xalan", modules: []string{"github.com/yuin/goldmark"}, small: []string{"-files", "5", "-sections", "1"}},
	{name: "search", like: "lusearch", modules: []string{"github.com/blevesearch/bleve/v2", "github.com/blevesearch/zapx/v17",
		"github.com/blevesearch/bleve_index_api", "github.com/blevesearch/scorch_segment_api/v2"}, small: []string{"-documents", "6", "-queries", "3"}},
}

// ours reports whether a package is of the program.
func (p *program) ours(pkg string) bool {
	if pkg == largeModule+"/"+p.name {
		return true
	}
	return slices.ContainsFunc(p.modules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") })
}

// args are those of `presage run`.
func (p *program) args(flags, small []string) []string {
	args := append([]string{"run", "-q", "-json"}, flags...)
	for _, m := range p.modules {
		args = append(args, "-instrument", m+"/...")
	}
	args = append(args, "./"+p.name)
	if len(small) > 0 {
		args = append(append(args, "--"), small...)
	}
	return args
}

// runPresage runs presage in a directory and reads its report.
func runPresage(ctx context.Context, s *session.Session, dir string, args ...string) (*session.Outcome, float64, error) {
	cmd := exec.CommandContext(ctx, s.Presage, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, 0, err
	}
	seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	o, err := session.Read(stdout.Bytes())
	if err != nil {
		return nil, 0, fmt.Errorf("presage %s: %w, exit code %d\n%s", strings.Join(args, " "), err, cmd.ProcessState.ExitCode(), stderr.Bytes())
	}
	o.ExitCode, o.Stderr = cmd.ProcessState.ExitCode(), stderr.Bytes()
	return o, seconds, nil
}

// largeRow is the row of a large program.
type largeRow struct {
	*row
	whole *session.Outcome // of presage run, with replays
}

// measureLarge records a large program, with replays, and analyses the trace at each level.
func measureLarge(ctx context.Context, s *session.Session, p *program, confirm string) (*largeRow, error) {
	file := filepath.Join(s.Dir, p.name+".trace")
	if err := os.RemoveAll(file); err != nil {
		return nil, err
	}
	o, _, err := runPresage(ctx, s, largeDir, p.args([]string{"-confirm=" + confirm, "-o", file}, nil)...)
	if err != nil {
		return nil, err
	}
	r, err := measureTrace(ctx, p.name, file, p.ours)
	if err != nil {
		return nil, err
	}
	return &largeRow{row: r, whole: o}, nil
}

// printLarge prints what a report says of the races of a large program, and each race that no
// replay has confirmed.
func (r *largeRow) print() {
	s := r.whole.Summary
	fmt.Printf("\n%s: %d events, %d goroutines, %d of %d functions recorded; %d races: %d observed, %d predicted; %d confirmed, %d not confirmed, %d not replayed\n",
		r.name, s.Events, s.Goroutines, s.Instrumented, s.Functions, s.Races, s.Observed, s.Predicted, s.Confirmed, s.Unconfirmed, s.Unreplayed)
	for _, level := range levels {
		a := r.found[level]
		fmt.Printf("  level %-6s  %d adjacent, %d in all, %.1f s CPU, %.1f s, %d MB, %d unknown, %d of %d promising pairs settled, %d events not searched\n",
			level, len(a.adjacent()), len(a.Races), a.seconds, a.wall.Seconds(), a.mb, a.Unknown, a.Settled, a.Promising, a.Unsearched)
	}
	for _, x := range r.whole.Races {
		if x.Tier != report.Confirmed {
			why := "not replayed"
			if x.Replay != nil {
				why = x.Replay.Why
			}
			fmt.Printf("  not confirmed: %s on %s: %s: %s\n", x.Tier, x.Name(), pairOf(&x.A, &x.B), why)
		}
	}
}

// pairOf is the pair of source lines of a race, which is the same when columns move.
func pairOf(a, b *report.Access) string {
	return pair(fmt.Sprint(filepath.Base(a.File), ":", a.Line), fmt.Sprint(filepath.Base(b.File), ":", b.Line))
}

func pair(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return a + " " + b
}

// tree is a copy of the large programs with copies of the modules of one of them, which can be
// written.
type tree struct {
	dir     string
	modules map[string]string // directories, by path; that of the programs has the empty path
	from    map[string]string // where they were copied from
}

func newTree(ctx context.Context, s *session.Session, p *program) (*tree, error) {
	t := &tree{dir: filepath.Join(s.Dir, p.name), modules: make(map[string]string), from: make(map[string]string)}
	if err := os.RemoveAll(t.dir); err != nil {
		return nil, err
	}
	from, err := filepath.Abs(largeDir)
	if err != nil {
		return nil, err
	}
	t.modules[""], t.from[""] = filepath.Join(t.dir, "large"), from
	if err := t.restore(""); err != nil {
		return nil, err
	}
	for _, m := range p.modules {
		cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m)
		cmd.Dir = largeDir
		out, err := cmd.Output()
		var found struct{ Dir string }
		if err := cmp.Or(err, json.Unmarshal(out, &found)); err != nil {
			return nil, fmt.Errorf("finding %s: %w", m, err)
		}
		t.modules[m], t.from[m] = filepath.Join(t.dir, strings.ReplaceAll(m, "/", "_")), found.Dir
		if err := t.restore(m); err != nil {
			return nil, err
		}
		cmd = exec.CommandContext(ctx, "go", "mod", "edit", "-replace", m+"="+t.modules[m])
		cmd.Dir = t.modules[""]
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
	}
	return t, nil
}

// restore copies a module. The programs' own go.mod stays as it is if it was there.
func (t *tree) restore(module string) error {
	name := filepath.Join(t.modules[module], "go.mod")
	mod, err := os.ReadFile(name)
	if cerr := record.CopyTree(t.from[module], t.modules[module]); cerr != nil {
		return cerr
	}
	if err == nil {
		err = os.WriteFile(name, mod, 0o600)
	} else if os.IsNotExist(err) {
		err = nil
	}
	return err
}
