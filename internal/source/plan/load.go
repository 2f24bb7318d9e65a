package plan

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/host/quoted"
	"github.com/presage-race/presage/internal/source/evalorder"
)

// Config says what to load. Its zero value is the package in the current directory.
type Config struct {
	Dir        string
	Env        []string          // nil: the process's own
	BuildFlags []string          // flags of go list: -tags, -mod, -modfile, …
	Overlay    map[string][]byte // as in packages.Config
	Tests      bool              // load test variants and external test packages
	Tested     []string          // with Tests: only those of these packages; nil: of all
	Patterns   []string          // as for the go command; nil: "."
	// those of the package FilesPackage, if that is one of the patterns
	GoFiles []string
	Missing []string // paths of packages that are excluded from the trace
	// record the memory that functions with synchronisation operations can reach when they are
	// entered (bench/excluded/rdit)
	Around bool
}

// Package is one package of the program, parsed, type-checked and built as SSA.
type Package struct {
	*packages.Package
	SSA *ssa.Package
	// Deps are the packages it can refer to, itself not included, by path.
	Deps map[string]*types.Package
	// Unordered are the places whose order of evaluation is not gc's.
	Unordered []token.Pos
	// checks are the stars of the expressions &*p.
	checks map[token.Pos]bool
}

// Program is what Load returns: the chosen packages, those of other modules first, in the order of
// their paths. So sites and functions of other modules, whose source does not change, keep their
// numbers when the main module changes. The text emitted for them contains these numbers, and is
// therefore compiled only once.
type Program struct {
	Fset     *token.FileSet
	Packages []*Package
	Missing  []*Package // the excluded packages, without their tests
	Around   bool
}

// BuildError reports that the program does not compile. Text is what the compiler would print.
type BuildError struct {
	Text string
	// import paths: of packages that do not compile, and of those that do, but not with their tests
	Packages, Tests []string
}

func (e *BuildError) Error() string { return e.Text }

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes |
	packages.NeedForTest | packages.NeedModule | packages.NeedExportFile | packages.NeedEmbedFiles

// Load reads the packages of cfg and builds their SSA. A package that does not
// type-check makes the whole load fail with a *BuildError.
func Load(ctx context.Context, cfg Config) (*Program, error) {
	cfg.moveModfile()
	fset := token.NewFileSet()
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var list []*packages.Package
	for _, p := range cfg.commands(patterns) {
		loaded, err := packages.Load(&packages.Config{
			Mode: loadMode, Context: ctx, Dir: cfg.Dir, Env: cfg.Env, BuildFlags: cfg.BuildFlags,
			Fset: fset, Tests: cfg.Tests, Overlay: cfg.Overlay,
		}, p...)
		if err != nil {
			return nil, fmt.Errorf("loading packages: %w", err)
		}
		list = append(list, loaded...)
	}
	list = cfg.wanted(list)
	paths, tests := notCompiled(list)
	list = variants(list)
	if text := loadErrors(list); text != "" {
		return nil, &BuildError{text, paths, tests}
	}
	prog := &Program{Fset: fset, Around: cfg.Around}
	for _, p := range list {
		if p.Types == nil || len(p.Syntax) == 0 {
			continue
		}
		prog.Packages = append(prog.Packages, build(fset, p))
	}
	if len(prog.Packages) == 0 {
		return nil, errors.New("no Go packages match " + strings.Join(patterns, " "))
	}
	return prog, cfg.loadMissing(ctx, prog)
}

// FilesPackage is the go command's path for a package that is named by its files.
const FilesPackage = "command-line-arguments"

// commands are the lists of patterns to load. The go command does not take files together with
// packages.
func (cfg *Config) commands(patterns []string) [][]string {
	if len(cfg.GoFiles) == 0 || !slices.Contains(patterns, FilesPackage) {
		return [][]string{patterns}
	}
	lists := [][]string{cfg.GoFiles}
	rest := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return p == FilesPackage })
	if len(rest) > 0 {
		lists = append(lists, rest)
	}
	return lists
}

// moveModfile takes -modfile out of GOFLAGS and gives it to go list alone. Package packages also
// queries the version of the go command outside of any module, where -modfile is an error.
func (cfg *Config) moveModfile() {
	const name = "GOFLAGS="
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	var flags []string
	for _, v := range cfg.Env {
		if value, ok := strings.CutPrefix(v, name); ok {
			// the last one counts; the go command refuses a malformed list
			flags, _ = quoted.Split(value)
		}
	}
	var moved, rest []string
	for _, f := range flags {
		if strings.HasPrefix(strings.TrimLeft(f, "-"), "modfile=") {
			moved = append(moved, f)
		} else if word, err := quoted.Word(f); err == nil {
			rest = append(rest, word)
		}
	}
	if len(moved) > 0 {
		cfg.BuildFlags = append(moved, cfg.BuildFlags...)
		cfg.Env = append(slices.Clip(cfg.Env), name+strings.Join(rest, " "))
	}
}

// loadMissing reads the excluded packages.
func (cfg *Config) loadMissing(ctx context.Context, prog *Program) error {
	if len(cfg.Missing) == 0 {
		return nil
	}
	list, err := packages.Load(&packages.Config{
		Mode: loadMode, Context: ctx, Dir: cfg.Dir, Env: cfg.Env, BuildFlags: cfg.BuildFlags, Fset: prog.Fset, Overlay: cfg.Overlay,
	}, cfg.Missing...)
	if err != nil {
		return fmt.Errorf("loading packages: %w", err)
	}
	for _, p := range variants(list) {
		if text := loadErrors([]*packages.Package{p}); text != "" {
			return &BuildError{Text: text}
		}
		if p.Types != nil && len(p.Syntax) > 0 {
			prog.Missing = append(prog.Missing, build(prog.Fset, p))
		}
	}
	return nil
}

// wanted drops the tests of packages that are not tested, and their errors.
func (cfg *Config) wanted(list []*packages.Package) []*packages.Package {
	if cfg.Tested == nil {
		return list
	}
	return slices.DeleteFunc(list, func(p *packages.Package) bool {
		return p.ForTest != "" && !slices.Contains(cfg.Tested, p.ForTest)
	})
}

// variants keeps of each package path the variant with most files: the one compiled
// for the package's own tests. Generated test mains are dropped.
func variants(list []*packages.Package) []*packages.Package {
	best := map[string]*packages.Package{}
	for _, p := range list {
		if strings.HasSuffix(p.ID, ".test") || p.PkgPath == "unsafe" {
			continue
		}
		b := best[p.PkgPath]
		if b == nil || len(p.CompiledGoFiles) > len(b.CompiledGoFiles) ||
			len(p.CompiledGoFiles) == len(b.CompiledGoFiles) && p.ID < b.ID {
			best[p.PkgPath] = p
		}
	}
	var out []*packages.Package
	for _, p := range best {
		out = append(out, p)
	}
	foreign := func(p *packages.Package) bool { return p.Module != nil && !p.Module.Main }
	sort.Slice(out, func(i, j int) bool {
		if x, y := foreign(out[i]), foreign(out[j]); x != y {
			return x
		}
		return out[i].PkgPath < out[j].PkgPath
	})
	return out
}

// notCompiled returns the import paths of packages that have errors, or import such, and those of
// which only the tests do.
func notCompiled(list []*packages.Package) (paths, tests []string) {
	known := map[*packages.Package]bool{}
	var fails func(p *packages.Package) bool
	fails = func(p *packages.Package) bool {
		bad, ok := known[p]
		if !ok {
			bad = len(p.Errors) > 0
			for _, im := range p.Imports { // the order does not matter
				bad = fails(im) || bad
			}
			known[p] = bad
		}
		return bad
	}
	for _, p := range list {
		switch main, ok := strings.CutSuffix(p.ID, ".test"); {
		case !fails(p):
		case ok:
			tests = append(tests, main)
		case p.ForTest != "":
			tests = append(tests, p.ForTest)
		default:
			paths = append(paths, p.PkgPath)
		}
	}
	tests = slices.DeleteFunc(tests, func(p string) bool { return slices.Contains(paths, p) })
	slices.Sort(paths)
	slices.Sort(tests)
	return slices.Compact(paths), slices.Compact(tests)
}

func loadErrors(list []*packages.Package) string {
	var b strings.Builder
	for _, p := range list {
		for _, e := range p.Errors {
			fmt.Fprintln(&b, e)
		}
	}
	return b.String()
}

// build makes the SSA of one package, with its dependencies as external packages.
func build(fset *token.FileSet, p *packages.Package) *Package {
	prog := ssa.NewProgram(fset, 0)
	deps := map[string]*types.Package{}
	var create func(tp *types.Package)
	create = func(tp *types.Package) {
		if tp == p.Types || deps[tp.Path()] != nil {
			return
		}
		deps[tp.Path()] = tp
		for _, im := range tp.Imports() {
			create(im)
		}
		prog.CreatePackage(tp, nil, nil, true)
	}
	for _, im := range p.Types.Imports() {
		create(im)
	}
	for _, path := range sortedKeys(p.Imports) {
		if ip := p.Imports[path]; ip.Types != nil {
			create(ip.Types)
		}
	}
	dateFiles(p)
	sp := prog.CreatePackage(p.Types, p.Syntax, p.TypesInfo, false)
	// initialisers are not emitted
	gaps, _ := evalorder.Build(sp, p.Syntax, p.TypesInfo, p.TypesSizes)
	return &Package{Package: p, SSA: sp, Deps: deps, Unordered: gaps, checks: nilChecks(p.Syntax)}
}

// defaultLanguage is the language version of a module whose go.mod has no go directive, or that
// has no go.mod. The main module's version is never missing: go list fills it in.
const defaultLanguage = "go1.16"

// Language returns the Go version of the language that a package is compiled with, unless a
// file says otherwise. It is empty for a package without a module: then it is the version of
// the toolchain.
func Language(p *packages.Package) string {
	switch {
	case p.Module == nil:
		return ""
	case p.Module.GoVersion == "":
		return defaultLanguage
	}
	return "go" + strings.TrimPrefix(p.Module.GoVersion, "go")
}

// dateFiles records the language version of the files of a module without a go directive.
// Package packages checks them at no version, which go/ssa takes for the newest one: a loop
// would have a new variable in each iteration.
func dateFiles(p *packages.Package) {
	if p.Module == nil || p.Module.GoVersion != "" {
		return
	}
	for _, f := range p.Syntax {
		if p.TypesInfo.FileVersions[f] == "" {
			p.TypesInfo.FileVersions[f] = defaultLanguage
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

// FileName returns the name of the source file f, as on disk.
func (p *Package) FileName(f *ast.File) string {
	return p.Fset.PositionFor(f.FileStart, false).Filename
}
