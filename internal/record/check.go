package record

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
)

// vetChecks are the analyses that go test runs.
var vetChecks = []string{"-atomic", "-bool", "-buildtags", "-directive", "-errorsas", "-ifaceassert", "-nilfunc", "-printf", "-stringintconv", "-tests"}

// vet makes the checks that the user's go test would make; errPlain says that the packages do not
// pass them. What it prints is dropped: if it is not satisfied, the user's own command says so
// better.
func (c *Config) vet(ctx context.Context, packages []string) error {
	value, given := flagValue(c.Flags, "vet")
	if !c.Test || value == "off" || len(packages) == 0 {
		return nil
	}
	args := []string{"vet"}
	switch {
	case !given:
		args = append(args, vetChecks...)
	case value != "all":
		for _, name := range strings.Split(value, ",") {
			args = append(args, "-"+name)
		}
	}
	if files := c.goFiles(); len(files) > 0 {
		packages = files
	}
	cmd := goCommand(ctx, append(append(args, c.loadFlags()...), packages...)...)
	cmd.Dir = c.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return cmp.Or(disk.GoFailed(ctx, string(out)), killed.By(cmd), killed.Said(string(out)), errPlain)
	}
	return nil
}

// buildFlags are those of the user's flags that decide what is built.
func (c *Config) buildFlags() []string {
	var out []string
	for i := 0; i < len(c.Flags); i++ {
		name, _, inline := strings.Cut(strings.TrimLeft(c.Flags[i], "-"), "=")
		switch {
		case slices.Contains(buildBools, name):
			out = append(out, c.Flags[i])
		case slices.Contains(buildValues, name) && inline:
			out = append(out, c.Flags[i])
		case slices.Contains(buildValues, name) && i+1 < len(c.Flags):
			out = append(out, c.Flags[i], c.Flags[i+1])
			i++
		}
	}
	return out
}

var (
	buildBools  = []string{"linkshared", "modcacherw", "trimpath", "buildvcs"}
	buildValues = []string{"C", "asmflags", "buildmode", "compiler", "gccgoflags", "gcflags", "installsuffix", "ldflags", "mod", "modfile", "p", "pgo", "pkgdir", "tags", "toolexec"}
)

// flagValue finds the last value of a flag.
func flagValue(flags []string, name string) (value string, ok bool) {
	for i, f := range flags {
		n, v, inline := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !strings.HasPrefix(f, "-") || n != name {
			continue
		}
		if ok = true; inline {
			value = v
		} else if i+1 < len(flags) {
			value = flags[i+1]
		}
	}
	return value, ok
}
