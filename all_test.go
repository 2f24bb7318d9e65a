package presage

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the packages of this module that each package of this module may import, tests
// aside. Imports point down the flow (ARCHITECTURE.md); a package that is not listed may import none.
// The commands of bench may import anything.
var layers = map[string][]string{
	"cmd/presage":                          {"internal/cli"},
	"internal/cli":                         {"internal/beside", "internal/private", "internal/barrier", "internal/relay", "internal/relay/baseline", "internal/relay/ignore", "internal/relay/load", "internal/relay/place", "internal/relay/revision", "internal/relay/store", "internal/relay/summary", "internal/relay/tier", "internal/record", "internal/disk", "internal/online", "internal/replay", "internal/analyse", "internal/detect", "internal/tree", "internal/report", "internal/program", "internal/plan", "internal/trace", "internal/trace/format", "internal/trace/source", "internal/trace/std", "internal/trust", "internal/visible", "internal/window", "internal/engine", "internal/smt", "internal/stage"},
	"internal/cli/scripts":                 {"internal/cli"},
	"internal/record":                      {"internal/beside", "internal/killed", "internal/cache", "internal/private", "internal/quoted", "internal/compiler", "internal/disk", "internal/instrument", "internal/rt", "internal/plan", "internal/merge", "internal/trace"},
	"internal/replay":                      {"internal/killed", "internal/cache", "internal/private", "internal/disk", "internal/instrument", "internal/rt", "internal/plan", "internal/program", "internal/trace", "internal/trace/format", "internal/trust"},
	"internal/instrument":                  {"internal/plan", "internal/trace", "internal/trace/format"},
	"internal/plan":                        {"internal/evalorder", "internal/quoted", "internal/trace", "internal/trace/format"},
	"internal/rt":                          {"internal/quoted", "internal/trace/format"},
	"internal/compiler":                    {"internal/cache", "internal/private"},
	"internal/disk":                        nil,
	"internal/rt/online":                   nil,
	"internal/online":                      {"internal/plan", "internal/report", "internal/trace", "internal/trace/format"},
	"internal/rt/rawfile":                  {"internal/trace/format"},
	"internal/merge":                       {"internal/private", "internal/barrier", "internal/disk", "internal/trace", "internal/trace/format"}, // barrier: Ds as sets
	"internal/lockset":                     {"internal/shadow", "internal/table", "internal/trace/format"},
	"internal/fasttrack":                   {"internal/clock", "internal/shadow", "internal/trace/format"},
	"internal/hybrid":                      {"internal/clock", "internal/lockset", "internal/shadow", "internal/trace/format"},
	"internal/tree":                        {"internal/lockset", "internal/shadow", "internal/table", "internal/trace/format"},
	"internal/detect":                      {"internal/fasttrack", "internal/lockset", "internal/hybrid", "internal/tree", "internal/shadow", "internal/table", "internal/trace", "internal/trace/format"},
	"internal/trace":                       {"internal/trace/format"},
	"internal/trace/raw":                   {"internal/trace", "internal/trace/format"},
	"internal/trace/std":                   {"internal/trace", "internal/trace/format"},
	"internal/trace/source":                {"internal/trace", "internal/trace/raw", "internal/trace/std"},
	"internal/trace/tracetest":             {"internal/barrier", "internal/trace", "internal/trace/format", "internal/trace/raw", "internal/trace/std", "internal/window", "internal/witness", "internal/expr"},
	"internal/trace/tracetest/outsidetest": {"internal/trace", "internal/trace/format", "internal/window", "internal/expr"},
	"internal/program":                     {"internal/plan", "internal/trace", "internal/trace/format", "internal/window", "internal/expr"},
	"internal/program/progtest":            {"internal/evalorder", "internal/plan", "internal/trace", "internal/trace/format"},
	"internal/table":                       nil,
	"internal/clock":                       {"internal/table", "internal/trace/format"},
	"internal/shadow":                      {"internal/table", "internal/trace/format"},
	"internal/hb":                          {"internal/fasttrack", "internal/shadow", "internal/table", "internal/trace", "internal/trace/format"},
	"internal/barrier":                     {"internal/trace", "internal/trace/format"},
	"internal/wcp":                         {"internal/trace", "internal/trace/format"},
	"internal/window":                      {"internal/barrier", "internal/lockset", "internal/trace", "internal/trace/format", "internal/hb", "internal/expr", "internal/plan"},
	"internal/engine":                      {"internal/window", "internal/expr", "internal/trace", "internal/trace/format"},
	"internal/smt":                         {"internal/window", "internal/expr", "internal/trace/format"},
	"internal/witness":                     {"internal/window", "internal/expr", "internal/trace", "internal/trace/format"},
	"internal/witness/stray":               {"internal/witness", "internal/window", "internal/expr", "internal/plan", "internal/trace", "internal/trace/format"},
	"internal/analyse":                     {"internal/barrier", "internal/expr", "internal/hb", "internal/window", "internal/engine", "internal/witness", "internal/witness/stray", "internal/stage", "internal/trace", "internal/trace/format"},
	"internal/relay":                       {"internal/relay/callgraph", "internal/relay/evidence/promise", "internal/relay/guard", "internal/relay/link", "internal/relay/load", "internal/relay/lockset", "internal/relay/pairs", "internal/relay/path", "internal/relay/store", "internal/relay/summary", "internal/relay/symbolic", "internal/relay/tier", "internal/relay/unmodelled"},
	"internal/relay/load":                  {"internal/evalorder"},
	"internal/relay/lockset":               {"internal/relay/path"},
	"internal/relay/order":                 {"internal/relay/path"},
	"internal/relay/summary":               {"internal/relay/path", "internal/relay/lockset", "internal/relay/order"},
	"internal/relay/store":                 {"internal/relay/path", "internal/relay/summary"},
	"internal/relay/symbolic":              {"internal/relay/model", "internal/relay/path", "internal/relay/place", "internal/relay/lockset", "internal/relay/order", "internal/relay/summary"},
	"internal/relay/evidence/promise":      {"internal/relay/load"},
	"internal/relay/evidence/before":       {"internal/relay/path", "internal/relay/order", "internal/relay/summary"},
	"internal/relay/evidence/instance":     {"internal/relay/path", "internal/relay/summary"},
	"internal/relay/pairs":                 {"internal/relay/path", "internal/relay/lockset", "internal/relay/summary", "internal/relay/evidence/before", "internal/relay/evidence/instance"},
	"internal/relay/guard":                 {"internal/relay/lockset", "internal/relay/summary"},
	"internal/relay/link":                  {"internal/relay/evidence/promise", "internal/relay/model", "internal/relay/order", "internal/relay/guard", "internal/relay/path", "internal/relay/lockset", "internal/relay/summary", "internal/relay/pairs", "internal/relay/tier"},
	"internal/relay/unmodelled":            {"internal/relay/load"},
	"internal/report":                      {"internal/trace", "internal/trace/format", "internal/trust", "internal/visible"},
	"internal/beside":                      nil,
	"internal/cache":                       nil,
	"internal/killed":                      nil,
	"internal/private":                     nil,
	"internal/stage":                       nil,
	"internal/quoted":                      nil,
	"internal/visible":                     nil,
	"internal/trust":                       nil,
}

type pkg struct {
	ImportPath, Dir, Doc string
	Imports              []string
}

func goList(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,Imports"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestLayers holds the imports against the table, and the judges apart: what checks
// the engine shares no code with it.
func TestLayers(t *testing.T) {
	for _, p := range goList(t, "./cmd/...", "./internal/...") {
		name := strings.TrimPrefix(p.ImportPath, "presage/")
		for _, imp := range p.Imports {
			if imp, ours := strings.CutPrefix(imp, "presage/"); ours && !slices.Contains(layers[name], imp) {
				t.Errorf("%s imports %s, which is not one of %v", name, imp, layers[name])
			}
		}
	}
	for name := range layers {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("the table names %s, which does not exist", name)
		}
	}
}

// TestDocs: every package has a doc, attached to its package clause.
func TestDocs(t *testing.T) {
	for _, p := range goList(t, "./...") {
		if p.Doc == "" && !testsOnly(t, p.Dir) {
			t.Errorf("%s has no package doc, or a blank line keeps it apart from the package clause", p.ImportPath)
		}
	}
}

// testsOnly reports whether a directory has no files but tests; go list shows no doc for it.
func testsOnly(t *testing.T, dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(files, func(f string) bool { return !strings.HasSuffix(f, "_test.go") })
}

// TestGofmt covers what go list does not know as well: the recorder's sources.
func TestGofmt(t *testing.T) {
	out, err := exec.Command("gofmt", "-l", ".").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt -l: %v\n%s", err, out)
	}
}

func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: go vet of the whole tree takes a while")
	}
	if out, err := exec.Command("go", "vet", "./...").CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestNoMachine: no file names a path of the machine it was written on.
func TestNoMachine(t *testing.T) {
	home, _ := os.UserHomeDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(name)
		for _, path := range []string{here, home + "/"} {
			if len(path) > 3 && bytes.Contains(data, []byte(path)) {
				t.Errorf("%s names %s", name, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExported: an exported function of a package under internal has a comment.
func TestExported(t *testing.T) {
	for _, p := range goList(t, "./internal/...") {
		files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && fn.Doc == nil {
					t.Errorf("%s: %s has no comment", file, fn.Name.Name)
				}
			}
		}
	}
}

// TestVisible: what the command prints goes through package visible, so that no file's text gets to
// the terminal as it is.
func TestVisible(t *testing.T) {
	files, err := filepath.Glob("internal/cli/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") && (bytes.Contains(data, []byte("fmt.Fprintf(")) || bytes.Contains(data, []byte("fmt.Fprint("))) {
			t.Errorf("%s: use visible.Fprintf", f)
		}
	}
}
