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

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace"
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
	tests []string // their names; nil: it is not known which
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
// imports, and whether it is no test and mentions testing.AllocsPerRun, for tests of others to
// call.
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
	tests = []string{}
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
	if hasFlag(c.Flags, "list", "test.list", "fuzz", "test.fuzz") {
		return nil
	}
	flags := slices.Concat([]string{"test"}, c.loadFlags(), []string{"-overlay=" + b.Counting, "-vet=off", "-count=1"})
	for _, f := range c.Flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(f, "-"), "test."), "=")
		if slices.Contains(countedFlags, name) {
			flags = append(flags, f)
		}
	}
	for _, r := range c.countingRuns(b.in.counting) {
		c.Progress("counting allocations: tests that call testing.AllocsPerRun run once without records")
		cmd := b.command(ctx, slices.Concat(flags, []string{"-run=" + r.pattern}, r.packages, c.Args)...)
		cmd.Dir = c.Dir
		cmd.Env = append(cmd.Env, recorder.EnvCount+"="+filepath.Join(rawDir, recorder.CountsFile))
		if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
			return fmt.Errorf("counting allocations: %w", errors.Join(err, ctx.Err()))
		}
	}
	return nil
}

// A countingRun is packages with the value of -run.
type countingRun struct {
	pattern  string
	packages []string
}

// countingRuns returns what to run: the tests that are known to count, and all tests of packages of
// which it is not known. None runs that the user's -run leaves out. One that chooses subtests is
// kept: a count is of the first, second, … time that a line is executed.
func (c *Config) countingRuns(list []counting) (runs []countingRun) {
	given, ok := flagValue(c.Flags, "run")
	if !ok {
		given, _ = flagValue(c.Flags, "test.run")
	}
	chosen, err := regexp.Compile(given)
	if err != nil {
		return nil // package testing says so
	}
	var names, known []string
	whole := countingRun{pattern: given}
	for _, p := range list {
		if p.tests == nil || len(p.tests) > 0 && strings.Contains(given, "/") {
			whole.packages = append(whole.packages, p.path)
			continue
		}
		some := slices.DeleteFunc(slices.Clone(p.tests), func(name string) bool { return !chosen.MatchString(name) })
		if len(some) > 0 {
			names, known = append(names, some...), append(known, p.path)
		}
	}
	slices.Sort(names)
	for _, r := range []countingRun{{"^(" + strings.Join(slices.Compact(names), "|") + ")$", known}, whole} {
		if len(r.packages) == 0 {
			continue
		}
		if len(c.goFiles()) > 0 {
			r.packages = c.Packages
		}
		runs = append(runs, r)
	}
	return runs
}

// warnUncounted says where testing.AllocsPerRun has returned what it has counted in the recorded
// run.
func (r *Result) warnUncounted(rawDir string) error {
	data, err := os.ReadFile(filepath.Join(rawDir, recorder.UncountedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading which allocations were not counted: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	r.Warnings = append(r.Warnings, trace.Warning{Code: "allocations", Count: len(lines),
		Text: "{{n}} call{{|s}} of testing.AllocsPerRun counted what the recorder allocates as well, because a run without records did not come to {{it|them}}; the first is of " + strings.Fields(lines[0])[0]})
	return nil
}
