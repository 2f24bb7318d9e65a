package replay

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestedPackage is the package whose tests a process ran that left a trace, "" if none did.
func TestedPackage(meta *trace.Meta, open func() (trace.Source, io.Closer, error)) (string, error) {
	k := walker{meta: meta}
	src, c, err := open()
	if err != nil {
		return "", err
	}
	defer c.Close()
	for e := (trace.Event{}); k.pkg == ""; {
		if err := src.Next(&e); err == io.EOF {
			return "", nil
		} else if err != nil {
			return "", err
		}
		if e.Kind == format.Enter {
			k.findTest(&e)
		}
	}
	return strings.TrimSuffix(k.pkg, "_test"), nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// Build builds the test binaries of packages, or the program. Several are built by one call of the
// go command: it loads them once, and links them side by side. Where that fails, and for packages
// that it cannot tell apart, each is built alone. What was built, or could not be, is not built
// again. What is wrong is said by the replays.
func (p *Program) Build(ctx context.Context, packages []string) {
	if !p.cfg.Test {
		packages = []string{""}
	}
	p.buildTogether(ctx, packages)
	for _, pkg := range packages {
		if ctx.Err() == nil {
			p.binary(ctx, pkg)
		}
	}
}

// buildTogether builds what one call of the go command can tell apart, if it is more than one.
func (p *Program) buildTogether(ctx context.Context, packages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byName := map[string]string{}
	for _, pkg := range packages {
		if _, ok := p.bins[pkg]; ok || pkg == "" {
			continue
		}
		if name := path.Base(pkg); byName[name] == "" && !majorVersion.MatchString(name) {
			byName[name] = pkg
		}
	}
	if len(byName) < 2 {
		return
	}
	p.cfg.Progress("building for the replays")
	dir := filepath.Join(p.dir, "tests")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	args := p.buildArgs(dir + string(filepath.Separator))
	for _, pkg := range byName {
		args = append(args, pkg)
	}
	slices.Sort(args[len(args)-len(byName):])
	p.alone(func() error { return p.buildAll(ctx, args, dir, byName) })
}

// buildAll calls the go command for the test binaries of packages.
func (p *Program) buildAll(ctx context.Context, args []string, dir string, byName map[string]string) error {
	for name := range byName {
		if err := p.checkBinary(filepath.Join(dir, name+".test")); err != nil {
			return err
		}
	}
	if err := p.run(p.goCommand(ctx, args)); err != nil {
		return err
	}
	for name, pkg := range byName {
		if bin := filepath.Join(dir, name+".test"); isFile(bin) && os.Chmod(bin, 0o700) == nil && cache.Seal(bin, bin, nil) == nil {
			p.bins[pkg] = built{file: bin}
		}
	}
	return nil
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}
