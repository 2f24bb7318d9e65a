package replay

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"presage/internal/cache"
	"presage/internal/trace"
	"presage/internal/trace/format"
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

// Build builds the test binaries of several packages by one call of the go command: it loads them once, and links them side by side. Where that
// fails, and for packages that it cannot tell apart, binary builds each when it is needed, and says what is wrong.
func (p *Program) Build(ctx context.Context, packages []string) {
	if !p.cfg.Test {
		return
	}
	byName := map[string]string{}
	for _, pkg := range packages {
		if name := path.Base(pkg); p.bins[pkg] == "" && byName[name] == "" && !majorVersion.MatchString(name) {
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
	args := slices.Concat([]string{"test", "-c", "-vet=off"}, p.flags(), []string{"-overlay=" + p.overlay, "-o", dir + string(filepath.Separator)})
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
	cmd := exec.CommandContext(ctx, p.std.Go, args...)
	cmd.Dir, cmd.Env = p.cfg.Meta.Dir, p.env()
	if err := cmd.Run(); err != nil {
		return err
	}
	for name, pkg := range byName {
		if bin := filepath.Join(dir, name+".test"); isFile(bin) && os.Chmod(bin, 0o700) == nil && cache.Seal(bin, bin, nil) == nil {
			p.bins[pkg] = bin
		}
	}
	return nil
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}
