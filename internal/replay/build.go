package replay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// Config is a recorded program that is to be run again.
type Config struct {
	Meta *trace.Meta // of its trace
	Plan *plan.Plan  // of the program; nil: it is loaded

	// The command as it was recorded (record.Config).
	Test     bool
	Dir      string
	Flags    []string
	Packages []string
	Args     []string

	Cache    string // directory for what is built
	ToolID   string // of this presage: what it emits may differ from what another emits
	Limit    time.Duration
	Timeout  time.Duration
	Group    bool // a run has a process group of its own; what it has started ends with it
	Progress func(text string)
	Heals    func(damage error) // an entry of the cache is made anew; nil: it is not said

	// Spent takes the CPU time of each call of the go command that builds, when it has ended. Nil:
	// it is not measured.
	Spent func(cpu time.Duration)
}

// Program is a recorded program, built with gates and, where there is a C compiler, with the race
// detector. Its methods may be called side by side.
type Program struct {
	cfg     Config
	dir     string
	std     recorder.Overlay
	overlay string
	sites   Sites
	race    bool

	mu   sync.Mutex       // held while something is built
	bins map[string]built // by package
}

// built is what a build has come to.
type built struct {
	file string
	err  error
}

// Prepare instruments the program. Its binaries are built when they are needed.
func Prepare(ctx context.Context, cfg Config) (*Program, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(string) {}
	}
	if cfg.Heals == nil {
		cfg.Heals = func(error) {}
	}
	if cfg.Spent == nil {
		cfg.Spent = func(time.Duration) {}
	}
	if cfg.Limit == 0 {
		cfg.Limit = time.Second
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	if err := unchanged(cfg.Meta); err != nil {
		return nil, err
	}
	p := &Program{cfg: cfg, bins: map[string]built{}, dir: filepath.Join(cfg.Cache, "replay", key(&cfg))}
	if err := private.MkdirAll(p.dir); err != nil {
		return nil, fmt.Errorf("making a directory for the replay: %w", err)
	}
	p.overlay = filepath.Join(p.dir, "overlay.json")
	err := p.alone(func() error { return p.make(ctx) })
	if err != nil {
		return nil, err
	}
	prune(filepath.Join(cfg.Cache, "replay"), p.dir)
	p.race = p.hasRace(ctx)
	return p, nil
}

// alone calls f while no other process makes anything in the program's directory. What is made
// there is not changed by those that run it.
func (p *Program) alone(f func() error) error {
	lock, err := cache.LockDir(p.dir)
	if err == nil {
		defer lock.Release()
		err = lock.Exclusive()
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", p.dir, err)
	}
	return f()
}

// make writes the program with gates, if that of an earlier replay is not there or not whole.
func (p *Program) make(ctx context.Context) error {
	whole := cache.Check(p.dir)
	if damaged := (*cache.Damaged)(nil); errors.As(whole, &damaged) {
		p.cfg.Heals(whole)
		if err := cache.Remove(p.dir); err != nil {
			return fmt.Errorf("removing what an earlier replay has built: %w", err)
		}
	}
	stdDir := filepath.Join(p.dir, "std")
	if err := errors.Join(private.MkdirAll(p.dir), private.MkdirAll(stdDir)); err != nil {
		return fmt.Errorf("making a directory for the replay: %w", err)
	}
	var err error
	if p.std, err = recorder.New(ctx, recorder.Config{Dir: p.cfg.Meta.Dir, OutDir: stdDir, Gates: true}); err != nil {
		return err
	}
	if whole == nil {
		return p.readSites()
	}
	if err := p.emit(ctx); err != nil {
		return err
	}
	return cache.Seal(p.dir, p.dir, func(name string) bool { return !p.made(name) })
}

// made reports whether a file of the program's directory is made before its binaries are.
func (p *Program) made(name string) bool {
	top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	switch {
	case top == "tests", strings.HasPrefix(top, "try-"), strings.HasPrefix(top, "dlv-"):
		return false
	}
	return !strings.Contains(top, ".bin") && !strings.HasSuffix(top, ".dump")
}

// checkBinary removes a binary of an earlier replay that is damaged: the go command looks at its
// build ID alone.
func (p *Program) checkBinary(bin string) error {
	switch err := cache.Check(bin); {
	case err == nil:
		return nil
	case !errors.Is(err, cache.ErrUnsealed):
		p.cfg.Heals(err)
	}
	return cache.Remove(bin)
}

// sitesFile is in a program's directory.
const sitesFile = "sites.json"

func (p *Program) readSites() error {
	data, err := os.ReadFile(filepath.Join(p.dir, sitesFile))
	if err != nil {
		return fmt.Errorf("reading what was built for an earlier replay: %w", err)
	}
	return json.Unmarshal(data, &p.sites)
}

func (p *Program) writeSites(plan *plan.Plan) error {
	p.sites = sitesOf(plan)
	data, err := json.Marshal(p.sites)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, sitesFile), data, 0o600)
}

// keep is the number of programs with gates that stay in the cache.
const keep = 8

// prune marks a directory as used, and removes those that were used longest ago.
func prune(parent, used string) {
	now := time.Now()
	os.Chtimes(used, now, now)
	entries, _ := os.ReadDir(parent)
	at := map[string]time.Time{}
	var dirs []string
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			dirs = append(dirs, e.Name())
			at[e.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return at[b].Compare(at[a]) })
	for _, d := range dirs[min(keep, len(dirs)):] {
		if time.Since(at[d]) > time.Hour { // no process replays it now
			cache.Remove(filepath.Join(parent, d))
			os.Remove(filepath.Join(parent, d) + ".lock")
		}
	}
}

// unchanged reports a source file that is not as it was recorded.
func unchanged(meta *trace.Meta) error {
	files, _, _ := meta.Program()
	for _, f := range files {
		data, err := os.ReadFile(f.Name)
		if err != nil {
			return fmt.Errorf("the program cannot be replayed: %w", err)
		}
		if sum := sha256.Sum256(data); f.Hash != "" && hex.EncodeToString(sum[:]) != f.Hash {
			return fmt.Errorf("%s has changed since the recording: record the program again", f.Name)
		}
	}
	return nil
}

// key is made from all that decides what is emitted.
func key(cfg *Config) string {
	h := sha256.New()
	m := cfg.Meta
	files, funcs, _ := m.Program()
	for _, v := range []any{cfg.ToolID, m.GoVersion, m.Dir, m.BuildFlags, m.BuildEnv, m.Tested, files, funcs} {
		data, _ := json.Marshal(v)
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// hasRace reports whether the go command can build with -race here.
func (p *Program) hasRace(ctx context.Context) bool {
	cmd := exec.CommandContext(ctx, p.std.Go, "env", "CGO_ENABLED", "CC")
	cmd.Env, cmd.Dir = p.env(), p.cfg.Meta.Dir
	out, err := cmd.Output()
	lines := strings.Fields(string(out))
	if err != nil || len(lines) < 2 || lines[0] != "1" {
		return false
	}
	_, err = exec.LookPath(lines[1])
	return err == nil
}

func (p *Program) env() []string {
	return slices.Concat(os.Environ(), p.cfg.Meta.BuildEnv, p.std.Env)
}

// emit writes the program with gates. Functions that had no hooks when it was recorded have no
// gates.
func (p *Program) emit(ctx context.Context) error {
	p.cfg.Progress("instrumenting for the replay")
	src := filepath.Join(p.dir, "src")
	if err := errors.Join(os.RemoveAll(src), os.MkdirAll(src, 0o700)); err != nil {
		return fmt.Errorf("making a directory for the replay: %w", err)
	}
	recorded := p.cfg.Plan
	if recorded == nil {
		var err error
		if recorded, err = walk.Load(ctx, p.cfg.Meta); err != nil {
			return fmt.Errorf("the program cannot be replayed: %w", err)
		}
	}
	res, err := instrument.Instrument(ctx, instrument.Config{Loaded: recorded.Program, OutDir: src, Opaque: opaque(recorded), Gates: true, JoinsLineNames: p.std.JoinsLineNames()})
	if err != nil {
		return fmt.Errorf("instrumenting for the replay: %w", err)
	}
	_, _, sites := p.cfg.Meta.Program()
	if a, b := len(res.Plan.Sites), len(sites); a != b {
		return fmt.Errorf("sites with gates: %d in the program and %d in the recording: a mistake of presage, please report it", a, b)
	}
	if err := p.writeSites(res.Plan); err != nil {
		return err
	}
	if err := p.writeToolexec(res); err != nil {
		return err
	}
	data, err := p.std.JSON(res.Overlay)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.overlay+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(p.overlay+".new", p.overlay) // that it is there says that all is
}

// toolexecFile is in a program's directory if it is built with -toolexec, and has its value.
const toolexecFile = "toolexec"

// writeToolexec has the program embed the user's sources.
func (p *Program) writeToolexec(res *instrument.Result) error {
	user := ""
	for _, f := range p.cfg.Meta.BuildFlags {
		if name, value, ok := strings.Cut(strings.TrimLeft(f, "-"), "="); ok && name == "toolexec" {
			user = value
		}
	}
	with, err := res.Toolexec(p.dir, user)
	if err != nil || with == user {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, toolexecFile), []byte(with), 0o600)
}

// opaque are the units that were left as written.
func opaque(p *plan.Plan) map[string]string {
	out := map[string]string{}
	for _, u := range p.Units {
		if u.Opaque != "" {
			out[u.Key] = u.Opaque
		}
	}
	return out
}

// binary returns the test binary of a package, or the program. It is built once, and if that fails
// it has failed for all that ask.
func (p *Program) binary(ctx context.Context, pkg string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.bins[pkg]
	if !ok {
		b.file, b.err = p.buildOne(ctx, pkg)
		if ctx.Err() == nil {
			p.bins[pkg] = b
		}
	}
	return b.file, b.err
}

// buildOne builds the test binary of a package, or the program.
func (p *Program) buildOne(ctx context.Context, pkg string) (string, error) {
	p.cfg.Progress("building for the replay")
	name := strings.NewReplacer("/", ".", "\\", ".").Replace(pkg) + ".bin"
	bin := filepath.Join(p.dir, name)
	args := p.buildArgs(bin)
	if p.cfg.Test && pkg != plan.FilesPackage {
		args = append(args, pkg)
	} else {
		args = append(args, p.cfg.Packages...)
	}
	if err := p.alone(func() error { return p.build(ctx, args, bin) }); err != nil {
		return "", fmt.Errorf("building for the replay: %w", err)
	}
	return bin, nil
}

// buildArgs is a build without its packages: of test binaries, or of a program.
func (p *Program) buildArgs(out string) []string {
	args := []string{"build"}
	if p.cfg.Test {
		args = []string{"test", "-c", "-vet=off"}
	}
	args = append(args, p.flags()...)
	if tool, err := os.ReadFile(filepath.Join(p.dir, toolexecFile)); err == nil {
		args = append(args, "-toolexec="+string(tool))
	}
	return append(args, "-overlay="+p.overlay, "-o", out)
}

// flags are the user's build flags, with -race if Go's race detector is the judge: without the
// checks of unsafe.Pointer that -race has besides, since the recorded program had none. Products
// are rounded as there. -C stays in front.
func (p *Program) flags() []string {
	user, round := p.cfg.Meta.BuildFlags, recorder.UnfusedFlags(p.std.GOARCH)
	if !p.race && round == "" {
		return user
	}
	n := slices.IndexFunc(user, func(f string) bool { return !strings.HasPrefix(strings.TrimLeft(f, "-"), "C=") })
	if n < 0 {
		n = len(user)
	}
	first, own := []string{"-race"}, "-d=checkptr=0"+round
	if !p.race {
		first, own = nil, strings.TrimSpace(round)
	}
	all := slices.Concat(user[:n], first, []string{"-gcflags=all=" + own}, user[n:])
	for i, f := range all {
		if recorder.IsGCFlags(f) && !strings.HasSuffix(f, own) {
			// the last one that matches counts alone
			all[i] += " " + own
		}
	}
	// gates and hooks have to fit on the stack of functions with nosplit there
	return append(all, "-gcflags=std="+own)
}

// build calls the go command for one binary.
func (p *Program) build(ctx context.Context, args []string, bin string) error {
	if err := p.checkBinary(bin); err != nil {
		return err
	}
	cmd := p.goCommand(ctx, args)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := p.run(cmd); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if full := disk.GoFailed(ctx, out.String()); full != nil {
			return full
		}
		if by := cmp.Or(killed.By(cmd), killed.Said(out.String())); by != nil {
			return by
		}
		return fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	return errors.Join(os.Chmod(bin, 0o700), cache.Seal(bin, bin, nil)) // whatever the umask allows
}

// goCommand is a call of the go command that builds. Where ctx ends, it and its compilers are
// interrupted: the go command then removes what it has begun.
func (p *Program) goCommand(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.std.Go, args...)
	cmd.Dir, cmd.Env = p.cfg.Meta.Dir, p.env()
	interruptGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs a go command, and says what it has spent.
func (p *Program) run(cmd *exec.Cmd) error {
	err := cmd.Run()
	if st := cmd.ProcessState; st != nil {
		p.cfg.Spent(st.UserTime() + st.SystemTime())
	}
	return err
}

// directory is where the program runs: a program where it was recorded, a test in the directory of
// its package.
func (p *Program) directory(pkg string) string {
	if !p.cfg.Test {
		return p.cfg.Meta.Dir
	}
	_, funcs, _ := p.cfg.Meta.Program()
	for _, f := range funcs {
		if f.File < 0 || int(f.File) >= len(p.cfg.Meta.Files) {
			continue // the trace may be somebody else's
		}
		if name := p.cfg.Meta.Files[f.File].Name; strings.TrimSuffix(f.Pkg, "_test") == pkg && isTest(name) {
			return filepath.Dir(name)
		}
	}
	return p.cfg.Meta.Dir
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// arguments are those of the program. A test binary has go test's flags under longer names. More
// parallel tests than it may run wait for each other inside package testing, where no gate is: so
// all of them may run.
func (p *Program) arguments() []string {
	if !p.cfg.Test {
		return p.cfg.Args
	}
	args := []string{"-test.paniconexit0", "-test.timeout=10m", "-test.parallel=10000"}
	for _, f := range TestFlags(p.cfg.Flags) {
		if f = strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."); !strings.HasPrefix(f, "parallel=") {
			args = append(args, "-test."+f)
		}
	}
	rest := p.cfg.Args
	if len(rest) > 0 && strings.TrimLeft(rest[0], "-") == "args" {
		rest = rest[1:]
	}
	return append(args, rest...)
}

// TestFlags are those flags of go test that the test binary takes and that have a part in what it
// does.
func TestFlags(flags []string) (own []string) {
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if slices.Contains(testFlags, strings.TrimPrefix(name, "test.")) {
			own = append(own, f)
		}
	}
	return own
}

// testFlags are the flags of go test that the test binary takes and that have a part in what it
// does.
var testFlags = strings.Fields("bench benchtime count cpu failfast fuzz list parallel run short shuffle skip timeout v")
