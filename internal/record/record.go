package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
	"github.com/presage-race/presage/internal/host/quoted"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/plan"
)

// Run records one run of a program. Where there is no place to record to, the program runs as it
// is, and Result.Missing says why. A full disk is no such place but an error, a disk.FullError: the
// user has chosen it, and can make room; and what the go command builds needs room as well.
func Run(ctx context.Context, c Config) (*Result, error) {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	r, err := c.record(ctx)
	if err = disk.Explain(err); err != nil && !disk.Full(err) {
		// by packages that ask the go command
		err = cmp.Or(disk.GoSaid(ctx, err.Error()), err)
	}
	if r == nil && noPlace(err) {
		code, runErr := c.plain(ctx)
		return &Result{ExitCode: code, Missing: err.Error()}, runErr
	}
	return r, err
}

// noPlace reports whether an error is about the place to write to, not about the program.
func noPlace(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR))
}

// record is Run where nothing is in the way.
func (c Config) record(ctx context.Context) (*Result, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	b, err := c.prepare(ctx, cache)
	if errors.Is(err, errPlain) {
		r := &Result{NotBuilt: true}
		if e := (*loadError)(nil); errors.As(err, &e) {
			r.LoadError = e.Text
		}
		r.ExitCode, err = c.plain(ctx)
		return r, err
	}
	if err != nil {
		return nil, err
	}
	defer b.release()
	run, err := c.newRun(cache, time.Now())
	if err != nil {
		return nil, err
	}
	b.Meta.Command, b.Meta.Dir = c.command(), in(c.Dir)
	return c.recordRun(ctx, b, run)
}

// recordRun runs what was built, and merges what its processes have recorded.
func (c *Config) recordRun(ctx context.Context, b *build, run *RunDir) (*Result, error) {
	dir := run.Dir
	var loading sync.Mutex
	r := &Result{
		Dir: dir, Run: run, BuildFlags: c.loadFlags(), Functions: len(b.Meta.Funcs), Warnings: append(b.in.warnings, c.healed...),
		Plan: func(ctx context.Context) (*plan.Plan, error) {
			loading.Lock() // analyses of several traces ask for it
			defer loading.Unlock()
			return b.load(ctx, c)
		},
	}
	r.Opaque = b.warnOpaque()
	rawDir := filepath.Join(dir, "raw")
	if err := os.MkdirAll(rawDir, 0o700); err != nil {
		return nil, fmt.Errorf("making a directory for the recording: %w", err)
	}
	defer os.RemoveAll(rawDir)
	if err := c.setLimit(rawDir); err != nil {
		return nil, err
	}
	if err := c.countAllocations(ctx, b, rawDir); err != nil {
		return nil, err
	}
	var err error
	begun, early := time.Now(), c.watch(b, rawDir, r)
	r.ExitCode, r.NotBuilt, err = c.run(ctx, b, rawDir)
	early.end()
	over := c.ordering(time.Since(begun))
	if r.NotBuilt {
		run.Drop()
	}
	if r.NotBuilt && outside(err) {
		return nil, err
	}
	if r.NotBuilt || err != nil && !outside(err) {
		early.drop()
		return r, err
	}
	// where the machine failed, this merges the tests that were built
	return r, errors.Join(err, c.merge(b, rawDir, r, early, over))
}

// setLimit bounds what the processes of the run record, by what is free now.
func (c *Config) setLimit(rawDir string) error {
	most, err := c.Disk.Of(rawDir)
	if err != nil {
		return err
	}
	return recorder.SetLimit(rawDir, most)
}

// goFiles are the files that the command names in place of packages.
func (c *Config) goFiles() []string {
	if len(c.Packages) == 0 || !strings.HasSuffix(c.Packages[0], ".go") {
		return nil
	}
	return c.Packages
}

// command is the user's command as it would be without presage.
func (c *Config) command() []string {
	return slices.Concat([]string{"go", subcommand(c.Test)}, c.Flags, c.Packages, c.Args)
}

// subcommand is the name of the command of go.
func subcommand(test bool) string {
	if test {
		return "test"
	}
	return "run"
}

func in(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return abs
}

// prepare checks and builds, side by side. The error is errPlain if the program is
// none that the go command accepts.
func (c *Config) prepare(ctx context.Context, cache string) (*build, error) {
	c.Progress("looking at the packages")
	in, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	for {
		vetted := make(chan error, 1)
		go func() { vetted <- c.vet(ctx, in.tested) }()
		b, err := c.build(ctx, cache, in)
		vetErr := <-vetted
		var bad *loadError
		if errors.As(err, &bad) && in.leave(bad.BuildError) {
			continue
		}
		var unvetted *vetError
		if err == nil && errors.As(vetErr, &unvetted) && c.Test && in.setAside(unvetted.packages) {
			return b, nil
		}
		if err == nil && vetErr != nil {
			b.release()
			b, err = nil, vetErr
		}
		return b, err
	}
}

// warnOpaque counts the functions that were left as written and says so in the trace.
func (b *build) warnOpaque() int {
	n := 0
	var names []string
	for _, f := range b.Meta.Funcs {
		if f.Opaque == "" {
			continue
		}
		if n++; len(names) < 5 {
			names = append(names, fmt.Sprintf("%s (%s)", f.Name, f.Opaque))
		}
	}
	if n > len(names) {
		names = append(names, "…")
	}
	b.Meta.Warn("not-instrumented", n, "{{n}} function{{|s}} {{was|were}} left as written; what {{it accesses|they access}} is known only as far as callers show: "+strings.Join(names, ", "))
	return n
}

// warnUnordered counts the statements that may be evaluated in another order than without presage.
func (b *build) warnUnordered() {
	n := 0
	var places []string
	for _, pkg := range b.plan.Program.Packages {
		for _, pos := range pkg.Unordered {
			if n++; len(places) < 5 {
				places = append(places, pkg.Fset.Position(pos).String())
			}
		}
	}
	if n > len(places) {
		places = append(places, "…")
	}
	b.Meta.Warn("unordered", n, "{{n}} statement{{|s}} {{was|were}} executed with operands in another order than the compiler's: "+strings.Join(places, ", "))
}

// testArgs is the user's go test with what presage adds.
func (c *Config) testArgs(b *build) []string {
	args := slices.Concat([]string{"test"}, b.flags(c.Flags), jsonFlag(c), []string{"-overlay=" + b.Overlay, "-vet=off"})
	if !hasFlag(c.Flags, "count", "test.count") {
		args = append(args, "-count=1")
	}
	packages := c.Packages
	if b.in != nil && len(b.in.aside) > 0 {
		packages = slices.Concat(b.in.roots, b.in.broken)
	}
	return slices.Concat(args, packages, c.Args)
}

// cutExec takes -exec out of the flags of run, which go run has and go build has not: the command
// that runs the program, as a list of words. It may stand in GOFLAGS, too. cli writes flags and
// their values as one argument.
func cutExec(goflags, flags []string) (rest, wrapper []string, err error) {
	list := ""
	for i, f := range slices.Concat(goflags, flags) {
		if value, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "exec="); ok && strings.HasPrefix(f, "-") {
			list = value
		} else if i >= len(goflags) {
			rest = append(rest, f)
		}
	}
	if wrapper, err = quoted.Split(list); err != nil {
		return nil, nil, fmt.Errorf("-exec=%s: %w", list, err)
	}
	return rest, wrapper, nil
}

// cutExec is for the flags of this run.
func (c *Config) cutExec(ctx context.Context, flags []string) (rest, wrapper []string, err error) {
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return nil, nil, err
	}
	goflags, err := env.flags()
	if err != nil {
		return nil, nil, err
	}
	return cutExec(goflags, flags)
}

// jsonFlag is the flag of go test that Config.JSON asks for. It changes nothing of what is built,
// and is not part of the command in the trace.
func jsonFlag(c *Config) []string {
	if c.Test && c.JSON {
		return []string{"-json"}
	}
	return nil
}

func hasFlag(flags []string, names ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		return strings.HasPrefix(f, "-") && slices.Contains(names, name)
	})
}

// run runs the recorded program and returns its exit code. It reports whether the go command did
// not build a program, and has said why.
func (c *Config) run(ctx context.Context, b *build, rawDir string) (code int, notBuilt bool, err error) {
	env := []string{recorder.EnvDir + "=" + rawDir}
	if c.Reach != "" {
		env = append(env, recorder.EnvReach+"="+string(c.Reach))
	}
	if c.Test {
		c.Progress("building and running the tests")
		aside := 0
		if len(b.in.aside) > 0 {
			d := *c
			d.Packages = b.in.aside
			if aside, err = d.plain(ctx); err != nil {
				return aside, false, err
			}
		}
		cmd := b.command(ctx, c.testArgs(b)...)
		cmd.Env = append(cmd.Env, env...)
		code, err = c.execGo(ctx, cmd)
		return max(code, aside), false, err
	}
	bin := filepath.Join(filepath.Dir(rawDir), "program")
	defer os.Remove(bin)
	c.Progress("building the program")
	flags, wrapper, err := c.cutExec(ctx, c.Flags)
	if err != nil {
		return 0, true, err
	}
	args := slices.Concat([]string{"build"}, b.flags(flags), []string{"-overlay=" + b.Overlay, "-o", bin})
	if code, err := c.execGo(ctx, b.command(ctx, append(args, c.Packages...)...)); code != 0 || err != nil {
		return code, true, err
	}
	if !isProgram(bin) {
		code, err := c.plain(ctx)
		return code, true, err
	}
	c.Progress("running the program")
	code, err = c.runProgram(ctx, bin, wrapper, env)
	return code, false, err
}

// runProgram runs what was built, with the command of -exec in front.
func (c *Config) runProgram(ctx context.Context, bin string, wrapper, env []string) (int, error) {
	argv := slices.Concat(wrapper, []string{bin}, c.Args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	return c.exec(ctx, cmd)
}

// isProgram reports whether go build has made a program: of a package that is not main it makes an
// archive. go run says so, and runs nothing.
func isProgram(bin string) bool {
	info, err := os.Stat(bin)
	return err == nil && info.Mode()&0o111 != 0
}

// plain runs the user's command without presage.
func (c *Config) plain(ctx context.Context) (int, error) {
	cmd := goCommand(ctx, slices.Concat([]string{subcommand(c.Test)}, c.Flags, jsonFlag(c), c.Packages, c.Args)...)
	code, err := c.exec(ctx, cmd)
	return code, cmp.Or(err, killed.By(cmd))
}

// goCommand is a call of the go command. The user's flags hold -C, so it starts where we are.
func goCommand(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "go", args...)
}

// exec runs cmd with the user's streams. Only a command that could not be run is an error.
func (c *Config) exec(ctx context.Context, cmd *exec.Cmd) (int, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	stop := passSignals(cmd)
	defer stop()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("running %s: %w", filepath.Base(cmd.Path), err)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return exitCode(cmd.ProcessState), nil
}
