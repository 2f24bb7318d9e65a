package audit

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
)

//go:embed suites.txt
var suites string

// suite is an entry of suites.txt.
type suite struct {
	name          string
	program       bool   // of programs/audit; else of a module
	path, version string // of the module
	args          []string
}

var defaultArgs = []string{"-short", "-timeout=15m", "./..."}

// parse reads suites.txt.
func parse(text string) ([]*suite, error) {
	var all []*suite
	for line := range strings.Lines(text) {
		what, _, _ := strings.Cut(line, "#")
		f := strings.Fields(what)
		switch {
		case len(f) == 0:
		case line[0] != '\t' && len(f) == 2 && f[0] == "program":
			all = append(all, &suite{name: f[1], program: true, args: []string{"./programs/audit/" + f[1]}})
		case line[0] != '\t' && len(f) == 2:
			name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "golang.org/x/"), "/v")
			all = append(all, &suite{name: path.Base(name), path: f[0], version: f[1], args: defaultArgs})
		case line[0] == '\t' && len(all) > 0 && f[0] == "suite":
			all[len(all)-1].args = f[1:]
		default:
			return nil, fmt.Errorf("suites.txt: %q", line)
		}
	}
	return all, nil
}

// dir returns where the suite is run.
func (u *suite) dir(ctx context.Context, s *session.Session) (string, error) {
	if u.program {
		return filepath.Abs(".")
	}
	return s.Module(ctx, u.path, u.version)
}
