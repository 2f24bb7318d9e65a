package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"presage/internal/rt"
	"presage/internal/trace"
)

// Tests that call testing.AllocsPerRun are run once without records, before the run that is
// recorded: their counts are what it returns there. What it would count there itself is not the
// program's: records allocate, and keep the compiler from inlining functions and from putting
// variables on the stack.

// allocsPerRun is the function whose name is looked for.
const allocsPerRun = "AllocsPerRun"

// A counting is a package with tests that call testing.AllocsPerRun.
type counting struct {
	path  string
	tests []string // their names; none: it is not known which
}

// counts looks which tests of a package call testing.AllocsPerRun, by its name and those of the
// functions that mention it.
func (in *inputs) counts(p *listed) {
	var files []*ast.File
	found := false
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			continue // the build says so
		}
		found = found || bytes.Contains(src, []byte(allocsPerRun))
		if f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	if found {
		in.counting = append(in.counting, counting{p.ImportPath, countingTests(files)})
	}
}

// counters are the packages outside the standard library by what go list calls them: what each
// imports, and whether it is no test and mentions testing.AllocsPerRun, for tests of others to call.
type counters map[string]counter

type counter struct {
	imports []string
	counts  bool
}

func (c counters) add(p *listed) {
	x := counter{imports: p.Imports}
	if p.ForTest == "" && slices.Contains(p.Imports, "testing") {
		x.counts = slices.ContainsFunc(p.GoFiles, func(name string) bool {
			src, err := os.ReadFile(filepath.Join(p.Dir, name))
			return err == nil && bytes.Contains(src, []byte(allocsPerRun))
		})
	}
	c[p.ImportPath] = x
}

// reached reports whether a package is, or imports, directly or not, one that counts.
func (c counters) reached(path string, seen map[string]bool) bool {
	x, ok := c[path]
	if !ok || seen[path] {
		return false
	}
	seen[path] = true
	return x.counts || slices.ContainsFunc(x.imports, func(i string) bool { return c.reached(i, seen) })
}

// countAll adds the packages whose test binaries have another package that counts: which of their
// tests call it is not known.
func (in *inputs) countAll(c counters) {
	for _, path := range in.tested {
		if !c.reached(path+".test", map[string]bool{}) {
			continue
		}
		i := slices.IndexFunc(in.counting, func(x counting) bool { return x.path == path })
		if i < 0 {
			in.counting = append(in.counting, counting{path: path})
		} else {
			in.counting[i].tests = nil
		}
	}
}

// countingTests are the tests, examples and fuzz targets, by name, from which the name AllocsPerRun
// can be reached. There are none where a declaration that mentions it is reached from none of them.
func countingTests(files []*ast.File) (tests []string) {
	mentions := map[string][]string{} // the names in a declaration
	roots := map[string]bool{}        // whether it runs without a flag that asks for it
	for _, f := range files {
		for _, d := range f.Decls {
			name, names := "", identifiers(d)
			switch d := d.(type) {
			case *ast.FuncDecl:
				name = d.Name.Name
				if d.Recv == nil && testName.MatchString(name) {
					roots[name] = !strings.HasPrefix(name, "Benchmark")
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						for _, n := range v.Names {
							mentions[n.Name] = append(mentions[n.Name], identifiers(v)...)
						}
					}
				}
				continue
			}
			mentions[name] = append(mentions[name], names...)
		}
	}
	reaching, todo := map[string]bool{}, []string{allocsPerRun}
	for len(todo) > 0 {
		callee := todo[0]
		todo = todo[1:]
		reached := false
		for name, names := range mentions {
			if name == callee || !slices.Contains(names, callee) {
				continue
			}
			reached = true
			if !reaching[name] {
				reaching[name] = true
				todo = append(todo, name)
			}
		}
		if _, root := roots[callee]; !reached && !root {
			return nil
		}
	}
	for name, runs := range roots {
		if runs && reaching[name] {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}

// testName matches what package testing calls.
var testName = regexp.MustCompile(`^(Test|Example|Fuzz|Benchmark)`)

func identifiers(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// countedFlags are the flags of go test, besides those of the build, that say how tests run.
var countedFlags = []string{"count", "cpu", "exec", "failfast", "parallel", "short", "shuffle", "skip", "timeout"}

// countAllocations runs the tests that call testing.AllocsPerRun as they are, and leaves what it
// counts beside the records. How they end does not matter.
func (c *Config) countAllocations(ctx context.Context, b *build, rawDir string) error {
	if len(b.in.counting) == 0 || hasFlag(c.Flags, "list", "test.list", "fuzz", "test.fuzz") {
		return nil
	}
	c.Progress("counting allocations: tests that call testing.AllocsPerRun run once without records")
	args := slices.Concat([]string{"test"}, c.loadFlags(), []string{"-overlay=" + b.Counting, "-vet=off", "-count=1"})
	for _, f := range c.Flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."), "=")
		if slices.Contains(countedFlags, name) {
			args = append(args, f)
		}
	}
	run, packages := c.counted(b.in.counting)
	if len(packages) == 0 {
		return nil
	}
	args = slices.Concat(args, []string{"-run=" + run}, packages, c.Args)
	cmd := b.command(ctx, args...)
	cmd.Dir = c.Dir
	cmd.Env = append(cmd.Env, rt.EnvCount+"="+filepath.Join(rawDir, rt.CountsFile))
	if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
		return fmt.Errorf("counting allocations: %w", errors.Join(err, ctx.Err()))
	}
	return nil
}

// counted returns the value of -run, and the packages. No test runs that the user's -run leaves out.
// One that chooses subtests is kept: a count is of the first, second, … time that a line is executed.
func (c *Config) counted(list []counting) (run string, packages []string) {
	given, ok := flagValue(c.Flags, "run")
	if !ok {
		given, _ = flagValue(c.Flags, "test.run")
	}
	chosen, err := regexp.Compile(given)
	subtests := strings.Contains(given, "/")
	if err != nil {
		return "", nil // package testing says so
	}
	var names []string
	all := subtests
	for _, p := range list {
		some := p.tests == nil || subtests
		all = all || p.tests == nil
		for _, name := range p.tests {
			if chosen.MatchString(name) {
				some, names = true, append(names, name)
			}
		}
		if some {
			packages = append(packages, p.path)
		}
	}
	if len(packages) > 0 && len(c.goFiles()) > 0 {
		packages = c.Packages
	}
	if all {
		return given, packages
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$", packages
}

// warnUncounted says where testing.AllocsPerRun has returned what it has counted in the recorded
// run.
func (r *Result) warnUncounted(rawDir string) error {
	data, err := os.ReadFile(filepath.Join(rawDir, rt.UncountedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading which allocations were not counted: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	r.Warnings = append(r.Warnings, trace.Warning{Code: "allocations", Count: len(lines),
		Text: "calls of testing.AllocsPerRun counted what the recorder allocates as well, because a run without records did not come to them; the first is of " + strings.Fields(lines[0])[0]})
	return nil
}
