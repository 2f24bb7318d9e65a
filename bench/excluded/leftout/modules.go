package leftout

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/record"
)

//go:embed modules.txt
var list string

// subject is a package of modules.txt, and what of its tests is run.
type subject struct {
	module, version string
	pkg             string
	flags, args     []string
	events          int
	trace           []string // packages of other modules that are traced as well
}

func (s *subject) name() string {
	base := filepath.Base(s.module)
	if strings.HasPrefix(base, "v") && len(base) == 2 {
		base = filepath.Base(filepath.Dir(s.module))
	}
	return filepath.Join(base, s.pkg)
}

// parse reads modules.txt.
func parse(text string) (all []*subject, err error) {
	var m subject
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "#"):
		case line[0] != '\t' && len(f) == 2:
			m = subject{module: f[0], version: f[1]}
		case line[0] == '\t' && m.module != "" && f[0] == "trace" && len(f) > 1:
			m.trace = f[1:]
		case line[0] == '\t' && m.module != "" && f[0] == "test" && len(f) > 2:
			s := m
			if s.events, err = strconv.Atoi(f[1]); err != nil {
				return nil, fmt.Errorf("modules.txt: %q: %w", line, err)
			}
			s.pkg, s.flags = f[2], f[3:]
			if i := slices.Index(s.flags, "-args"); i >= 0 {
				s.flags, s.args = s.flags[:i], s.flags[i:]
			}
			all = append(all, &s)
		default:
			return nil, fmt.Errorf("modules.txt: %q", line)
		}
	}
	return all, nil
}

// config is how the tests are recorded in a copy of the module.
func (s *subject) config(dir string) record.Config {
	return record.Config{Test: true, Dir: dir, Flags: append([]string{"-C=" + dir, "-vet=off", "-count=1", "-timeout=" + testTimeout.String()}, s.flags...), Packages: []string{s.pkg}, Args: s.args, Instrument: s.trace}
}

// testTimeout is that of the tests: they panic then, and the trace is kept.
const testTimeout = 20 * time.Second
