package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
)

// vetChecks are the analyses that go test runs.
var vetChecks = []string{"-atomic", "-bool", "-buildtags", "-directive", "-errorsas", "-ifaceassert", "-nilfunc", "-printf", "-stringintconv", "-tests"}

// vet makes the checks that the user's go test would make. A vetError says which packages do not
// pass them; it is an errPlain if that is not known. What it prints is dropped: the user's own
// command says it better.
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
	args = slices.Concat(args, c.loadFlags(), packages)
	cmd := goCommand(ctx, args...)
	cmd.Dir = c.Dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if err := cmp.Or[error](disk.GoFailed(ctx, string(out)), killed.By(cmd), killed.Said(string(out))); err != nil {
		return err
	}
	// the text need not name the packages, and this fails only where that does not compile
	again := goCommand(ctx, slices.Insert(args, 1, "-json")...)
	again.Dir = c.Dir
	if out, err = again.CombinedOutput(); err != nil {
		return errPlain
	}
	return &vetError{vetFailed(out, packages)}
}

// A vetError is an errPlain of packages that do not pass the checks of go test.
type vetError struct{ packages []string }

func (e *vetError) Error() string { return "go vet: " + strings.Join(e.packages, ", ") }

func (e *vetError) Is(target error) bool { return target == errPlain }

// vetFailed returns those of some packages that have findings in the output of go vet -json: an
// object for each package, and lines that begin with #.
func vetFailed(out []byte, packages []string) (list []string) {
	var text bytes.Buffer
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("#")) {
			text.Write(line)
		}
	}
	for dec := json.NewDecoder(&text); ; {
		var found map[string]json.RawMessage
		if dec.Decode(&found) != nil {
			slices.Sort(list)
			return slices.Compact(list)
		}
		for name := range found { // the order does not matter
			name, _, _ = strings.Cut(name, " [")
			if !slices.Contains(packages, name) {
				name = strings.TrimSuffix(name, "_test")
			}
			if slices.Contains(packages, name) {
				list = append(list, name)
			}
		}
	}
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
