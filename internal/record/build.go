package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// build is a program ready to be built with the recorder inside. It is kept as
// manifest.json beside the emitted sources.
type build struct {
	Key     string `json:"key"`     // of everything it was made from
	Overlay string `json:"overlay"` // file for -overlay
	// the same for a run without records in which allocations are counted
	Counting string   `json:"counting"`
	Go       string   `json:"go"`  // the go command that takes it
	Env      []string `json:"env"` // what that needs in its environment
	// flags of go build: how packages are compiled. Not in Env, which the program inherits
	Compile []string `json:"compile"`
	Flags   []string `json:"flags"` // further flags of go build: -modfile
	// and what its packages need in the environment to be loaded: GOWORK
	LoadEnv []string          `json:"loadenv"`
	Copies  []string          `json:"copies"` // of modules, that it is built with
	Meta    *trace.Meta       `json:"meta"`
	Opaque  map[string]string `json:"opaque"` // functions left as written, with the reason
	// package-level variables, by number
	Variables []trace.Global `json:"variables"`

	// value of -toolexec, if Compile and the user's flags are not to have their own
	Toolexec string `json:"toolexec"`
	Compiler string `json:"compiler"` // that Compile selects; "": Go's own
	Plain    string `json:"plain"`    // why it is Go's own, if the user did not choose that

	in      *inputs    // nil: of a run under the online detector
	plan    *plan.Plan // nil: not loaded yet
	release func()     // after the run
}

// errPlain says that the program does not build even without presage.
var errPlain = errors.New("the packages do not build")

// A loadError is an errPlain that the loader of presage has found. If the go command accepts the
// program all the same, the text says why nothing was recorded.
type loadError struct{ *plan.BuildError }

func (e *loadError) Error() string { return errPlain.Error() + ":\n" + e.Text }

func (e *loadError) Is(target error) bool { return target == errPlain }

// build makes the overlay, or takes that of an earlier run of the same sources. A
// directory belongs to what it was made from, and never changes once it is
// complete; b.release lets others remove it.
func (c *Config) build(ctx context.Context, home string, in *inputs) (*build, error) {
	dir := filepath.Join(home, "build", in.key)
	if err := private.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("making a directory for the instrumented sources: %w", err)
	}
	lock, err := cache.LockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	b, _ := restore(dir, in)
	if b == nil {
		b, err = c.emitAlone(ctx, in, dir, lock)
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	b.release = lock.Release
	now := time.Now()
	os.Chtimes(dir, now, now)
	pruneBuilds(filepath.Join(home, "build"), keepBuilds)
	return b, nil
}

// emitAlone emits while no other process uses the directory.
func (c *Config) emitAlone(ctx context.Context, in *inputs, dir string, lock *cache.Lock) (*build, error) {
	if err := lock.Exclusive(); err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	b, damage := restore(dir, in)
	if b != nil { // another process was faster
		return b, lock.Shared()
	}
	if damage != nil {
		c.heals(damage)
		if err := errors.Join(cache.Remove(dir), private.MkdirAll(dir)); err != nil {
			return nil, fmt.Errorf("removing a damaged build: %w", err)
		}
	}
	b, err := c.emit(ctx, in, dir)
	if err == nil {
		err = b.save(dir)
	}
	if disk.Full(err) {
		cache.Remove(dir) // what it takes is wanted
	}
	if err != nil {
		return nil, err
	}
	return b, lock.Shared()
}

// restore returns the build of an earlier run, if it is whole and nothing that it depends on has
// changed; or how it is damaged.
func restore(dir string, in *inputs) (b *build, damage error) {
	switch err := cache.Check(dir); {
	case errors.Is(err, cache.ErrUnsealed):
		return nil, nil
	case err != nil:
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	b = &build{in: in}
	if err != nil || json.Unmarshal(data, b) != nil || b.Key != in.key {
		return nil, nil
	}
	for _, dir := range b.Copies {
		if cache.Check(dir) != nil {
			return nil, nil // copyWhole says so
		}
	}
	if b.Compiler != "" {
		home := filepath.Dir(b.Compiler)
		now := time.Now()
		if os.Chtimes(home, now, now) != nil || private.CheckTree(home) != nil || cache.Check(home) != nil {
			// it is no longer in the cache, refused, or damaged: package compiler says so
			return nil, nil
		}
	}
	return b, nil
}

// heals notes what of the cache is made anew.
func (c *Config) heals(damage error) {
	c.healed = append(c.healed, trace.Warning{Code: HealedCode, Count: 1, Text: HealedText(damage)})
}

// HealedCode is the code of the warning about an entry of the cache that was damaged.
const HealedCode = "cache-healed"

// HealedText is what such a warning says.
func HealedText(damage error) string {
	return fmt.Sprintf("an entry of the cache was made anew: %v", damage)
}

func (b *build) save(dir string) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "manifest.json"), data); err != nil {
		return err
	}
	return cache.Seal(dir, dir, nil)
}

// writeFile writes a file so that no reader sees half of it.
func writeFile(name string, data []byte) error {
	tmp := name + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

// maxTries bounds how often what does not compile is taken out and the build tried again.
const maxTries = 8

// emit instruments the packages, until everything compiles. What does not, after the
// type check that instrument does itself, is the compiler's own limit or a mistake of ours:
// it stays as written, and the build is tried again.
func (c *Config) emit(ctx context.Context, in *inputs, dir string) (*build, error) {
	src, stdDir := filepath.Join(dir, "src"), filepath.Join(dir, "std")
	if err := errors.Join(cache.Unseal(dir), os.RemoveAll(src), os.MkdirAll(src, 0o700), os.MkdirAll(stdDir, 0o700)); err != nil {
		return nil, fmt.Errorf("making a directory for the instrumented sources: %w", err)
	}
	b := &build{Key: in.key, Overlay: filepath.Join(dir, "overlay.json"), Counting: filepath.Join(dir, "counting.json"), in: in}
	std, err := recorder.New(ctx, recorder.Config{Dir: c.Dir, OutDir: stdDir, Packages: c.Packages, Test: c.Test, BuildFlags: c.loadFlags(), LeftOut: in.missing, Audit: audited(),
		Instrumented: func(path string) bool { return slices.Contains(in.patterns, path) },
		Compiler: func(ctx context.Context, o recorder.Overlay) (file string, err error) {
			file, b.Plain, err = c.compiler(ctx, filepath.Dir(filepath.Dir(dir)), o)
			if strings.ContainsAny(file, `'"`) { // GOFLAGS cannot say it
				file, b.Plain = "", "the path of the cache has a quotation mark: "+file
			}
			return file, err
		}})
	if err != nil {
		return nil, err
	}
	b.Go, b.Compile, b.Compiler = std.Go, std.BuildFlags, std.Compiler
	b.Env = slices.DeleteFunc(std.Env, func(s string) bool { return strings.HasPrefix(s, "GOFLAGS=") })
	if err := c.copyModules(ctx, in, dir, b); err != nil {
		return nil, err
	}
	fused, err := c.roundProducts(ctx, b)
	if err != nil {
		return nil, err
	}
	c.Progress("instrumenting")
	res, err := instrument.Instrument(ctx, instrument.Config{Config: c.loadConfig(b), OutDir: src, Points: c.points, JoinsLineNames: std.JoinsLineNames()})
	var bad *plan.BuildError
	if errors.As(err, &bad) {
		return nil, cmp.Or[error](disk.GoFailed(ctx, bad.Text), killed.Said(bad.Text), &loadError{bad})
	}
	if err != nil {
		return nil, fmt.Errorf("instrumenting: %w", err)
	}
	for try := 0; ; try++ {
		if err := errors.Join(b.writeOverlay(std, res.Overlay), c.embed(ctx, b, res, dir)); err != nil {
			return nil, err
		}
		c.Progress("compiling")
		text, err := c.compile(ctx, b)
		if err != nil {
			return nil, err
		}
		if text == "" {
			break
		}
		if marked, err := res.MarkOpaque(text); err != nil {
			return nil, fmt.Errorf("instrumenting: %w", err)
		} else if marked == 0 || try == maxTries {
			return nil, fmt.Errorf("the packages do not compile with the recorder inside; please report this:\n%s", text)
		}
	}
	b.describe(res, std)
	if fused != "" {
		b.Meta.Warn("fused", 1, "the program was built for GOAMD64="+unfused+" and not "+fused+", where x*y + z is rounded once: results of floating-point arithmetic may differ in the last digit, and files with the build tag amd64."+fused+" were left out")
	}
	b.Meta.GoFiles = c.goFiles()
	b.Meta.BuildFlags, b.Meta.BuildEnv, b.Meta.Tested = append(c.loadFlags(), b.Flags...), b.LoadEnv, in.tested
	return b, nil
}

// audited reports whether accesses of outside code are to be recorded with their values.
func audited() bool { return os.Getenv(recorder.EnvOutside) == recorder.OutsideAudit }

func (c *Config) loadConfig(b *build) plan.Config {
	return plan.Config{
		Dir: c.Dir, Env: append(os.Environ(), b.LoadEnv...), BuildFlags: append(c.loadFlags(), b.Flags...),
		Tests: c.Test, Tested: b.in.tested, Patterns: b.in.patterns, GoFiles: c.goFiles(), Missing: b.in.missing, Around: c.Around,
	}
}

// describe fills the tables of the traces.
func (b *build) describe(res *instrument.Result, std recorder.Overlay) {
	p := res.Plan
	b.plan = p
	b.Meta = &trace.Meta{
		Source: "presage", GoVersion: std.GoVersion, GOOS: std.GOOS, GOARCH: std.GOARCH,
		Packages: p.Packages, Missing: p.Missing.Meta, Files: p.Files, Funcs: p.Funcs, Sites: p.Sites, Keys: plan.KeysVersion,
	}
	b.Variables = p.Globals()
	b.Opaque = make(map[string]string)
	for _, f := range res.Opaque {
		b.Opaque[f.Key] = f.Reason
	}
	b.warnUnordered()
	b.warnAssembly()
	if b.Plain != "" {
		b.Meta.Unhooked = true
		b.Meta.Warn("compiler", 1, "the program was built with Go's own compiler: accesses of generic functions of packages that are not instrumented, of functions that were left as written, and of wrappers of methods are not recorded, so what is predicted is tried, and reported if Go's race detector sees it: "+b.Plain)
	}
	b.Meta.Warn("global-unknown", len(p.Missing.Unknown), "{{n}} comment{{|s}} //presage:global name{{s|}} no variable that the recorder can find: "+strings.Join(p.Missing.Unknown, ", "))
}

// load returns the plan the program was built with, for the walk of its traces. It is an error if
// the source has changed since.
func (b *build) load(ctx context.Context, c *Config) (*plan.Plan, error) {
	if b.plan != nil {
		return b.plan, nil
	}
	prog, err := plan.Load(ctx, c.loadConfig(b))
	if err != nil {
		return nil, err
	}
	p := plan.New(prog, b.Opaque)
	if err := p.Matches(b.Meta); err != nil {
		// the build is of an earlier run: what is read now may have been edited during this one
		return nil, err
	}
	b.plan = p
	return p, nil
}

// writeOverlay leaves the file alone if it does not change.
func (b *build) writeOverlay(std recorder.Overlay, sources map[string]string) error {
	if b.Counting != "" {
		counting, err := std.CountingJSON()
		if err := errors.Join(err, writeFile(b.Counting, counting)); err != nil {
			return err
		}
	}
	data, err := std.JSON(sources)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(b.Overlay); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return writeFile(b.Overlay, data)
}

// command is a call of the go command that takes the overlay.
func (b *build) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.Go, args...)
	cmd.Env = slices.Concat(os.Environ(), b.LoadEnv, b.Env)
	return cmd
}

// flags are those of a call of go build with the user's flags: -C comes first, and the user's flags
// behind those of packages.
func (b *build) flags(user []string) []string {
	n := 0 // of -C
	if len(user) > 0 {
		switch name := strings.TrimLeft(user[0], "-"); {
		case name == "C":
			n = min(2, len(user))
		case strings.HasPrefix(name, "C="):
			n = 1
		}
	}
	rest := user[n:]
	if len(b.Compile) > 0 { // which has them
		rest = slices.DeleteFunc(slices.Clone(rest), recorder.IsGCFlags)
	}
	all := slices.Concat(user[:n], b.Compile, rest, b.Flags)
	if b.Toolexec != "" {
		all = append(all, "-toolexec="+b.Toolexec)
	}
	return all
}

// compile compiles everything, without linking, and returns what the compiler said.
// The results go to the build cache, where the run finds them.
func (c *Config) compile(ctx context.Context, b *build) (string, error) {
	args := []string{"list", "-e", "-export", "-json=ImportPath,Error,DepsErrors"}
	if c.Test {
		args = append(args, "-test")
	}
	args = slices.Concat(args, b.flags(c.loadFlags()), []string{"-overlay=" + b.Overlay})
	var out, errs bytes.Buffer
	packages := c.Packages
	if len(b.in.broken) > 0 {
		packages = b.in.roots
	}
	cmd := b.command(ctx, append(args, packages...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, &out, &errs
	runErr := cmd.Run()
	if cmd.ProcessState == nil {
		return "", fmt.Errorf("running go list: %w", runErr)
	}
	text, err := failures(&out)
	if text != "" || runErr != nil {
		if full := disk.GoFailed(ctx, text+errs.String()); full != nil {
			return "", full
		}
		if by := cmp.Or(killed.By(cmd), killed.Said(text+errs.String())); by != nil {
			return "", by
		}
	}
	if err == nil && text == "" && runErr != nil {
		err = fmt.Errorf("compiling with the recorder: %w\n%s", runErr, errs.Bytes())
	}
	return text, err
}

// failures are the errors of all packages, each once, as the compiler printed them.
func failures(out io.Reader) (string, error) {
	type pkgError struct{ Err string }
	seen := make(map[string]bool)
	var text strings.Builder
	for dec := json.NewDecoder(out); ; {
		var p struct {
			ImportPath string
			Error      *pkgError
			DepsErrors []*pkgError
		}
		if err := dec.Decode(&p); err == io.EOF {
			return text.String(), nil
		} else if err != nil {
			return "", fmt.Errorf("reading the output of go list: %w", err)
		}
		for _, e := range append(p.DepsErrors, p.Error) {
			if e != nil && !seen[e.Err] {
				seen[e.Err] = true
				fmt.Fprintln(&text, e.Err)
			}
		}
	}
}

// loadFlags are the build flags without -C, for commands that start in its directory.
func (c *Config) loadFlags() []string {
	flags := c.buildFlags()
	for i := 0; i < len(flags); i++ {
		name, _, inline := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		if name == "C" && inline {
			return slices.Delete(flags, i, i+1)
		}
		if name == "C" {
			return slices.Delete(flags, i, i+2)
		}
	}
	return flags
}
