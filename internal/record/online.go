package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Online is what a run with the detector inside left.
type Online struct {
	Run       *RunDir
	Told      string // directory of what its processes have reported, for package online
	ExitCode  int
	NotBuilt  bool
	GoVersion string
	Plain     string // why the compiler is Go's own, if the user did not choose that
	Warnings  []trace.Warning
	Plan      func(context.Context) (*plan.Plan, error)
}

// OnlineOptions say what the detector does besides.
type OnlineOptions struct {
	Halt     bool // the program ends at its first race
	NoFilter bool // the filter of package tree does not stand in front
}

// RunOnline builds the program with the detector in place of the recorder, and runs it. The
// compiler puts the hooks, as for -race; nothing is written but what is found. Watch is called with
// Online.Told before the program starts, and what it returns after it has ended.
func (c Config) RunOnline(ctx context.Context, opt OnlineOptions, watch func(dir string) (stop func())) (*Online, error) {
	home, err := CacheDir()
	if err != nil {
		return nil, err
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	b, err := c.buildOnline(ctx, home)
	if err != nil {
		return nil, err
	}
	run, err := c.newRun(home, time.Now())
	if err != nil {
		return nil, err
	}
	dir := run.Dir
	o := &Online{Run: run, Told: filepath.Join(dir, "told"), GoVersion: b.goVersion, Plain: b.plain, Warnings: c.healed}
	o.Plan = func(ctx context.Context) (*plan.Plan, error) { return c.planOnline(ctx) }
	if err := os.MkdirAll(o.Told, 0o700); err != nil {
		return nil, fmt.Errorf("making a directory for what is found: %w", err)
	}
	defer watch(o.Told)()
	env := []string{recorder.EnvDir + "=" + o.Told}
	if opt.Halt {
		env = append(env, recorder.EnvHalt+"=1")
	}
	if opt.NoFilter {
		env = append(env, recorder.EnvFilter+"=none")
	}
	if o.ExitCode, o.NotBuilt, err = c.runOnline(ctx, b, env, dir); o.NotBuilt {
		run.Drop()
	}
	return o, err
}

type onlineBuild struct {
	build
	goVersion string
	plain     string // why the compiler is Go's own
}

// keepOnline is the number of detectors that stay in the cache.
const keepOnline = 8

// buildOnline writes the overlay, into a directory of this build of presage: another one may be
// building at the same time. Beside that it depends on the version of Go alone, and is written only
// where it is not there yet.
func (c *Config) buildOnline(ctx context.Context, home string) (*onlineBuild, error) {
	dir := filepath.Join(home, "online", toolID())
	if err := private.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("making a directory for the detector: %w", err)
	}
	lock, err := cache.LockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	defer lock.Release()
	if err := lock.Exclusive(); err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	std, err := recorder.New(ctx, recorder.Config{Dir: c.Dir, OutDir: dir, Online: true})
	if err != nil {
		return nil, err
	}
	b := &onlineBuild{build: build{Overlay: filepath.Join(dir, std.GoVersion+".json"), Go: std.Go, Env: std.Env, Flags: std.BuildFlags}, goVersion: std.GoVersion}
	if err := b.writeOverlay(std, nil); err != nil {
		return nil, err
	}
	flags, plain, err := c.compilerFlags(ctx, home, std)
	if err != nil {
		return nil, err
	}
	b.Flags, b.plain = append(b.Flags, flags...), plain
	now := time.Now()
	os.Chtimes(dir, now, now)
	pruneBuilds(filepath.Dir(dir), keepOnline)
	return b, nil
}

// runOnline builds and runs the program.
func (c *Config) runOnline(ctx context.Context, b *onlineBuild, env []string, dir string) (code int, notBuilt bool, err error) {
	chdir, flags := cutDir(withCompilerFlags(c.Flags))
	if c.Test {
		c.Progress("building and running the tests")
		d, plain := *c, b.build
		// the user's behind: see withCompilerFlags
		d.Flags, plain.Flags = slices.Concat(chdir, b.Flags, flags), nil
		cmd := b.command(ctx, d.testArgs(&plain)...)
		cmd.Env = append(cmd.Env, env...)
		code, err = c.execGo(ctx, cmd)
		return code, false, err
	}
	bin := filepath.Join(dir, "program")
	defer os.Remove(bin)
	c.Progress("building the program")
	flags, wrapper, err := c.cutExec(ctx, flags)
	if err != nil {
		return 0, true, err
	}
	args := slices.Concat([]string{"build"}, chdir, b.Flags, flags, []string{"-overlay=" + b.Overlay, "-o", bin}, c.Packages)
	if code, err := c.execGo(ctx, b.command(ctx, args...)); code != 0 || err != nil {
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

// cutDir takes -C out of the flags, which the go command wants before all others. cli writes flags
// and their values as one argument.
func cutDir(flags []string) (chdir, rest []string) {
	for _, f := range flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "C" && strings.HasPrefix(f, "-") {
			chdir = append(chdir, f)
			continue
		}
		rest = append(rest, f)
	}
	return chdir, rest
}

// withCompilerFlags adds to the user's -gcflags what the packages that they are for would lose: the
// go command takes the last -gcflags that matches a package, and no other.
func withCompilerFlags(flags []string) []string {
	out := slices.Clone(flags)
	for i, f := range out {
		if name, value, ok := strings.Cut(strings.TrimLeft(f, "-"), "="); ok && name == "gcflags" {
			out[i] = "-gcflags=" + value + " " + recorder.OnlineCompilerFlags
		}
	}
	return out
}

// planOnline loads the packages of the main module, for the columns and expressions of what was
// found.
func (c *Config) planOnline(ctx context.Context) (*plan.Plan, error) {
	in, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	p, err := plan.Load(ctx, c.loadConfig(&build{in: in}))
	if err != nil {
		return nil, err
	}
	return plan.New(p, nil), nil
}
