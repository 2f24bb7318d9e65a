package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/harness"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// confirmTime is what -confirm without a time may take.
const confirmTime = "5m"

// confirming looks for proof of warnings (presage vet -confirm): it writes tests of two calls, and
// explores them.
type confirming struct {
	v     *vetting
	time  time.Duration
	dir   string // of the module with the tests
	tests map[string]string
}

// confirm marks the warnings that a test of two calls shows, and puts them first. The tests are a
// module of their own, in a workspace with that of the packages: nothing is written there.
func (v *vetting) confirm(ctx context.Context, shown []*static.Warning, out []*report.StaticWarning) error {
	limit, err := time.ParseDuration(v.confirming)
	if err != nil {
		return err
	}
	c := &confirming{v: v, time: limit, tests: map[string]string{}}
	if c.dir, err = os.MkdirTemp("", "presage-calls-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	v.progress.step(report.Progress{Text: "writing tests"})
	called, err := c.write(ctx, shown)
	if err != nil {
		return err
	}
	v.counts.Callable, v.counts.Tests = called, len(c.tests)
	if called == 0 {
		return nil
	}
	v.progress.step(report.Progress{Text: fmt.Sprintf("exploring %s of two calls", plural.Of(len(c.tests), "test"))})
	races, err := c.explore(ctx)
	v.progress.end()
	if err != nil {
		return err
	}
	for _, w := range out {
		c.mark(w, races)
	}
	first := func(w *report.StaticWarning) int {
		if w.Vet.Mark == report.MarkConfirmed {
			v.counts.Confirmed++
			return 0
		}
		return 1
	}
	order := map[*report.StaticWarning]int{}
	for _, w := range out {
		order[w] = first(w)
	}
	slices.SortStableFunc(out, func(a, b *report.StaticWarning) int { return order[a] - order[b] })
	for i, w := range out {
		w.Vet.Rank = i + 1
	}
	return nil
}

// write writes the tests. It returns the number of warnings that have one.
func (c *confirming) write(ctx context.Context, shown []*static.Warning) (called int, err error) {
	module, err := c.workspace(ctx)
	if err != nil {
		return 0, err
	}
	program, err := harness.Load(ctx, harness.Config{Dir: c.v.dir, BuildFlags: c.buildFlags(), Patterns: c.v.patterns, Module: callsModule(module)})
	if err != nil {
		return 0, err
	}
	pkg := filepath.Join(c.dir, "calls")
	if err := os.Mkdir(pkg, 0o777); err != nil {
		return 0, err
	}
	number := map[[2]string]int{} // of the tests of a pair
	for _, w := range shown {
		sides := c.v.res.Sides(w)
		pair := [2]string{program.Callable(sides[0].Callers()), program.Callable(sides[1].Callers())}
		if pair[0] > pair[1] {
			pair[0], pair[1] = pair[1], pair[0]
		}
		if n, known := number[pair]; known {
			if n > 0 {
				called++
			}
			continue
		}
		tests := program.Tests("calls", strconv.Itoa(len(number)+1), pair[0], pair[1])
		number[pair] = len(tests)
		for _, t := range tests {
			c.tests[t.Name] = t.Text
			if err := os.WriteFile(filepath.Join(pkg, strings.ToLower(t.Name)+"_test.go"), []byte(t.Text), 0o666); err != nil {
				return 0, err
			}
		}
		if len(tests) > 0 {
			called++
		}
	}
	mod := fmt.Sprintf("module %s\n\ngo %s\n", callsModule(module), languageOf(module))
	return called, os.WriteFile(filepath.Join(c.dir, "go.mod"), []byte(mod), 0o666)
}

// callsModule is the path of the module of the tests. It lies below that of the packages, and so
// may import their internal packages.
func callsModule(of *modfile.File) string { return of.Module.Mod.Path + "/presagecalls" }

func (c *confirming) buildFlags() []string {
	if c.v.tags == "" {
		return c.v.buildFlags
	}
	return append(slices.Clip(c.v.buildFlags), "-tags="+c.v.tags)
}

// callsVersion is the version of the language of the tests, if the module does not ask for more.
const callsVersion = "1.22"

// languageOf is the version of the language of the tests.
func languageOf(f *modfile.File) string {
	if f.Go == nil || goversion.Compare("go"+f.Go.Version, "go"+callsVersion) < 0 {
		return callsVersion
	}
	return f.Go.Version
}

// workspace writes a go.work with the module of the packages, and all of its workspace if it is in
// one. It returns the module's go.mod.
func (c *confirming) workspace(ctx context.Context) (*modfile.File, error) {
	mod, workFile, err := moduleFiles(ctx, c.v.dir)
	if err != nil {
		return nil, err
	}
	if mod == "" {
		return nil, errors.New("flag -confirm: the packages are in no module")
	}
	data, err := os.ReadFile(mod)
	if err != nil {
		return nil, err
	}
	module, err := modfile.Parse(mod, data, nil)
	if err != nil {
		return nil, err
	}
	work := &modfile.WorkFile{Syntax: &modfile.FileSyntax{}}
	if workFile != "" {
		data, err := os.ReadFile(workFile)
		if err != nil {
			return nil, err
		}
		if work, err = modfile.ParseWork(workFile, data, nil); err != nil {
			return nil, err
		}
		if work.Go == nil || goversion.Compare("go"+work.Go.Version, "go"+languageOf(module)) < 0 {
			if err := work.AddGoStmt(languageOf(module)); err != nil {
				return nil, err
			}
		}
		fromRoot(work, filepath.Dir(workFile))
	} else {
		if err := work.AddGoStmt(languageOf(module)); err != nil {
			return nil, err
		}
		work.AddNewUse(filepath.Dir(mod), "")
	}
	work.AddNewUse(c.dir, "")
	work.Cleanup()
	return module, os.WriteFile(filepath.Join(c.dir, "go.work"), modfile.Format(work.Syntax), 0o666)
}

// fromRoot makes the directories of a workspace independent of where its file is.
func fromRoot(work *modfile.WorkFile, dir string) {
	abs := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	for _, u := range slices.Clone(work.Use) {
		old := u.Path
		work.DropUse(old)
		work.AddNewUse(abs(old), u.ModulePath)
	}
	for _, r := range slices.Clone(work.Replace) {
		if r.New.Version == "" {
			work.AddReplace(r.Old.Path, r.Old.Version, abs(r.New.Path), "")
		}
	}
}

// explore explores the tests, and returns the races that it finds.
func (c *confirming) explore(ctx context.Context) ([]*report.Race, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"explore", "-q", "-json", "-time=" + c.time.String(), "-C", c.dir}
	if c.v.tags != "" {
		args = append(args, "-tags="+c.v.tags)
	}
	cmd := exec.CommandContext(ctx, self, append(args, "./calls")...)
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(c.dir, "go.work"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	ran := cmd.Run()
	defer c.dropRuns()
	k := &kept{}
	if err := report.HandleJSON(&stdout, k); err != nil || k.summary == nil || len(k.summary.Explored) == 0 {
		return nil, fmt.Errorf("the tests of two calls were not explored: %w\n%s", errors.Join(ran, err), visible.Block(strings.TrimSpace(stderr.String())))
	}
	for _, t := range k.summary.Explored {
		switch {
		case t.Runs == 0:
			c.v.counts.NotRun++
		case t.AllFailed:
			c.v.counts.Failing++
		}
	}
	return k.races, nil
}

// dropRuns removes the runs that the exploration has kept: their module is gone with the tests. One
// that stays is removed with other old ones.
func (c *confirming) dropRuns() {
	runs, err := record.Runs(c.dir)
	if err != nil {
		return
	}
	for _, r := range runs {
		r.Drop()
	}
}

// mark marks a warning whose two accesses are those of a race: at the same places, of the same
// kinds. The column tells two variables of one line apart.
func (c *confirming) mark(w *report.StaticWarning, races []*report.Race) {
	at := func(a *report.Access, b *report.Access) bool { return a.Position == b.Position && a.Kind == b.Kind }
	for _, r := range races {
		if at(&w.A, &r.A) && at(&w.B, &r.B) || at(&w.A, &r.B) && at(&w.B, &r.A) {
			w.Vet.Mark = report.MarkConfirmed
			for _, t := range r.In() {
				w.Vet.Test = strings.Split(strings.TrimRight(c.tests[t.Name], "\n"), "\n")
			}
			return
		}
	}
}
