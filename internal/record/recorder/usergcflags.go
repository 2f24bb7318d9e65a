package recorder

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/host/quoted"
)

// userFlags are the -gcflags that a user gives, in order. The go command compiles a package with
// the last one that matches it, and with no other: next to flags of ours they would take the place
// of these, and hooks would be missing.
type userFlags []userFlag

type userFlag struct {
	pattern string // "": the packages that are named on the command line
	flags   string
	matches map[string]bool // import paths; nil of "" and of all
}

// IsGCFlags reports whether a flag of the go command, with its value, is -gcflags.
func IsGCFlags(flag string) bool {
	name, _, ok := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return ok && name == "gcflags" && strings.HasPrefix(flag, "-")
}

// userFlags returns the -gcflags of GOFLAGS and of the command line.
func (o *Overlay) userFlags(ctx context.Context, cfg *Config) (list userFlags, err error) {
	given, err := quoted.Split(cfg.GoFlags)
	if err != nil {
		return nil, nil // the go command says so
	}
	given = append(given, cfg.BuildFlags...)
	others := slices.DeleteFunc(slices.Clone(cfg.BuildFlags), IsGCFlags)
	for _, f := range given {
		if !IsGCFlags(f) {
			continue
		}
		_, value, _ := strings.Cut(f, "=")
		u := userFlag{flags: strings.TrimSpace(value)}
		if u.flags != "" && !strings.HasPrefix(u.flags, "-") {
			u.pattern, u.flags, _ = strings.Cut(u.flags, "=")
		}
		if u.pattern != "" && u.pattern != "all" {
			if u.matches, err = o.matching(ctx, cfg, others, u.pattern); err != nil {
				return nil, err
			}
		}
		list = append(list, u)
	}
	return list, nil
}

// matching returns the import paths of the packages that match a pattern.
func (o *Overlay) matching(ctx context.Context, cfg *Config, flags []string, pattern string) (map[string]bool, error) {
	cmd := exec.CommandContext(ctx, o.Go, slices.Concat([]string{"list", "-e", "-f={{.ImportPath}}"}, flags, []string{"--", pattern})...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(), o.Env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages of -gcflags=%s: %w", pattern, err)
	}
	m := map[string]bool{}
	for path := range strings.Lines(string(out)) {
		m[strings.TrimSpace(path)] = true
	}
	return m, nil
}

// of returns the flags of a user for a package that is not of the standard library. ours, which
// come behind them, are those without that. The standard library has ours alone: without
// optimisation the recorder's hooks do not fit on the stack that its functions with nosplit have.
func (l userFlags) of(path string, named bool, ours string) string {
	for _, u := range slices.Backward(l) {
		if u.pattern == "" && named || u.pattern == "all" || u.matches[path] {
			words := strings.Fields(ours)
			for i, w := range words {
				if w == "-l" { // which the compiler counts
					words[i] = "-l=1"
				}
			}
			return strings.TrimSpace(u.flags + " " + strings.Join(words, " "))
		}
	}
	return ours
}
