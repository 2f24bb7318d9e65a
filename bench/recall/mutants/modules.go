package mutants

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
	"golang.org/x/tools/go/packages"
)

//go:embed modules.txt
var list string

// module is a line of modules.txt.
type module struct {
	path, version string
	limit         time.Duration // of one plain run of the tests of a package
	flags         []string      // of the tests
	patterns      []string

	dir string // the copy
}

func (m *module) String() string { return m.path + "@" + m.version }

// parse reads modules.txt.
func parse(text string) ([]*module, error) {
	var all []*module
	for line := range strings.Lines(text) {
		what, _, _ := strings.Cut(line, "#")
		f := strings.Fields(what)
		if len(f) == 0 {
			continue
		}
		if len(f) < 3 {
			return nil, fmt.Errorf("modules.txt: %q: fewer than three fields", line)
		}
		m := &module{}
		var ok bool
		if m.path, m.version, ok = strings.Cut(f[0], "@"); !ok {
			return nil, fmt.Errorf("modules.txt: %q: no version", line)
		}
		var err error
		if m.limit, err = time.ParseDuration(f[1]); err != nil {
			return nil, fmt.Errorf("modules.txt: %q: %w", line, err)
		}
		for _, a := range f[2:] {
			if strings.HasPrefix(a, "-") {
				m.flags = append(m.flags, a)
			} else {
				m.patterns = append(m.patterns, a)
			}
		}
		if len(m.patterns) == 0 {
			return nil, fmt.Errorf("modules.txt: %q: no packages", line)
		}
		all = append(all, m)
	}
	return all, nil
}

// fetch copies the module into the scratch directory. What an interrupted run left is replaced.
func (m *module) fetch(ctx context.Context, s *session.Session) error {
	dir, err := s.Module(ctx, m.path, m.version)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if m.dir, err = s.Module(ctx, m.path, m.version); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(m.dir, "go.mod")); err != nil {
		if err := m.command(ctx, "go", "mod", "init", m.path); err != nil {
			return err
		}
	}
	if m.command(ctx, "go", slices.Concat([]string{"test", "-vet=off", "-run=^$"}, m.patterns)...) == nil {
		return nil
	}
	return m.command(ctx, "go", "mod", "tidy")
}

func (m *module) command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = m.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// mutants lists the mutants in a random order that the seed determines, and marks those in code
// that the tests execute. The tests of a mutant are those of the packages that import its
// package. The packages with tests come second.
func (m *module) mutants(ctx context.Context, seed uint64) (list []*mutant, tests []string, err error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest,
		Context: ctx, Dir: m.dir, Tests: true,
	}, m.patterns...)
	if err != nil {
		return nil, nil, err
	}
	ours := map[string]*packages.Package{} // by path
	testsOf := map[string]map[string]bool{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, nil, fmt.Errorf("loading packages: %w", p.Errors[0])
		}
		packages.Visit([]*packages.Package{p}, nil, func(q *packages.Package) {
			if q.Module == nil || !q.Module.Main {
				return
			}
			if q.ForTest == "" && !strings.HasSuffix(q.ID, ".test") && ours[q.PkgPath] == nil {
				ours[q.PkgPath] = q
			}
			if p.ForTest != "" {
				if testsOf[q.PkgPath] == nil {
					testsOf[q.PkgPath] = map[string]bool{}
				}
				testsOf[q.PkgPath][p.ForTest] = true
			}
		})
		if p.ForTest != "" && !slices.Contains(tests, p.ForTest) {
			tests = append(tests, p.ForTest)
		}
	}
	if len(tests) == 0 {
		return nil, nil, errors.New("no tests")
	}
	slices.Sort(tests)
	paths := slices.Sorted(maps.Keys(ours))
	covered, err := m.coverage(ctx, paths, tests)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		all, err := mutants(ours[path], m.dir)
		if err != nil {
			return nil, nil, err
		}
		for _, x := range all {
			// The profile names files by import path.
			x.executed = covered.executed(path+"/"+filepath.Base(x.file), x.line, x.col)
			x.tests = slices.Sorted(maps.Keys(testsOf[path]))
			list = append(list, x)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, tests, nil
}

// block is a basic block that the tests execute.
type block struct{ line, col, endLine, endCol int }

type profile map[string][]block // by file

var profileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// readProfile reads what go test -coverprofile wrote.
func readProfile(text []byte) profile {
	p := profile{}
	for line := range bytes.Lines(text) {
		f := profileLine.FindStringSubmatch(strings.TrimSpace(string(line)))
		if f == nil || f[6] == "0" {
			continue
		}
		var b block
		for i, to := range []*int{&b.line, &b.col, &b.endLine, &b.endCol} {
			*to, _ = strconv.Atoi(f[i+2])
		}
		p[f[1]] = append(p[f[1]], b)
	}
	return p
}

func (p profile) executed(file string, line, col int) bool {
	return slices.ContainsFunc(p[file], func(b block) bool {
		return (line > b.line || line == b.line && col >= b.col) && (line < b.endLine || line == b.endLine && col <= b.endCol)
	})
}

func (m *module) coverage(ctx context.Context, paths, tests []string) (profile, error) {
	name := filepath.Join(m.dir, "..", "cover.out")
	args := slices.Concat([]string{"test", "-vet=off", "-count=1", "-timeout=" + m.limit.String(), "-coverpkg=" + strings.Join(paths, ","), "-coverprofile=" + name}, m.flags, tests)
	failed := m.command(ctx, "go", args...) // a flaky test leaves a profile all the same
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return readProfile(text), nil
}
