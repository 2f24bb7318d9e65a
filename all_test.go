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

// module is the path of this module.
const module = "github.com/presage-race/presage"

// layers are the packages of this module that each package of this module may import, tests
// aside. Imports point down the flow (ARCHITECTURE.md); a package that is not listed may import
// none. Module golangci is in the table, too; module bench may import anything.
var layers = map[string][]string{
	"cmd/presage":                           {"internal/cli"},
	"golangci":                              {"internal/host/private", "internal/plural", "internal/static", "internal/static/ignore", "internal/static/load", "internal/static/store", "internal/static/tier", "internal/untrusted/visible"},
	"internal/check/offpath":                {"internal/predict/built", "internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/check/witness":                {"internal/predict/expr", "internal/predict/model", "internal/trace", "internal/trace/format"},
	"internal/cli":                          {"internal/config", "internal/detect", "internal/detect/tree", "internal/explore", "internal/gotest", "internal/host/beside", "internal/host/disk", "internal/host/private", "internal/host/stage", "internal/mcp", "internal/online", "internal/plural", "internal/predict", "internal/predict/excluded", "internal/predict/regcode", "internal/predict/symtrace", "internal/predict/walk", "internal/record", "internal/record/steer", "internal/replay", "internal/replay/bubble", "internal/report", "internal/source/plan", "internal/static", "internal/static/baseline", "internal/static/harness", "internal/static/ignore", "internal/static/load", "internal/static/place", "internal/static/revision", "internal/static/store", "internal/static/summary", "internal/static/tier", "internal/suppress", "internal/trace", "internal/trace/format", "internal/trace/source", "internal/trace/std", "internal/typo", "internal/untrusted/trust", "internal/untrusted/visible"},
	"internal/cli/scripts":                  {"internal/cli"},
	"internal/config":                       {"internal/typo", "internal/untrusted/trust"},
	"internal/detect":                       {"internal/detect/fasttrack", "internal/detect/lockset", "internal/detect/hybrid", "internal/detect/tree", "internal/detect/shadow", "internal/detect/table", "internal/trace", "internal/trace/format"},
	"internal/detect/clock":                 {"internal/detect/table", "internal/trace/format"},
	"internal/detect/fasttrack":             {"internal/detect/clock", "internal/detect/shadow", "internal/trace/format"},
	"internal/detect/hb":                    {"internal/detect/fasttrack", "internal/detect/shadow", "internal/detect/table", "internal/trace", "internal/trace/format"},
	"internal/detect/hybrid":                {"internal/detect/clock", "internal/detect/lockset", "internal/detect/shadow", "internal/trace/format"},
	"internal/detect/lockset":               {"internal/detect/shadow", "internal/detect/table", "internal/trace/format"},
	"internal/detect/shadow":                {"internal/detect/table", "internal/trace/format"},
	"internal/detect/table":                 nil,
	"internal/detect/tree":                  {"internal/detect/lockset", "internal/detect/shadow", "internal/detect/table", "internal/trace/format"},
	"internal/gotest":                       {"internal/report"},
	"internal/mcp":                          {"internal/plural", "internal/replay", "internal/report", "internal/typo", "internal/untrusted/visible"},
	"internal/host/beside":                  nil,
	"internal/host/cache":                   nil,
	"internal/host/disk":                    nil,
	"internal/host/killed":                  nil,
	"internal/host/private":                 nil,
	"internal/host/quoted":                  nil,
	"internal/host/stage":                   nil,
	"internal/online":                       {"internal/source/plan", "internal/report", "internal/trace", "internal/trace/format"},
	"internal/online/compiler":              {"internal/host/cache", "internal/host/private", "internal/record/goversion"},
	"internal/oracle/expect":                {"internal/report"},
	"internal/oracle/levels":                {"internal/predict", "internal/predict/excluded", "internal/predict/flow", "internal/predict/walk", "internal/source/plan", "internal/trace"},
	"internal/oracle/progtest":              {"internal/source/evalorder", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/oracle/smt":                   {"internal/predict/expr", "internal/predict/model", "internal/trace/format"},
	"internal/oracle/tracetest":             {"internal/check/witness", "internal/predict/excluded", "internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/trace", "internal/trace/format"},
	"internal/oracle/tracetest/outsidetest": {"internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/trace", "internal/trace/format"},
	"internal/oracle/wcp":                   {"internal/trace", "internal/trace/format"},
	"internal/plural":                       nil,
	"internal/predict":                      {"internal/check/offpath", "internal/check/witness", "internal/detect/hb", "internal/host/stage", "internal/predict/built", "internal/predict/engine", "internal/predict/excluded", "internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/predict/window", "internal/trace", "internal/trace/format"},
	"internal/predict/alternative":          {"internal/predict/expr", "internal/predict/flow", "internal/predict/goval", "internal/predict/regcode", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/predict/built":                {"internal/predict/excluded", "internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/trace", "internal/trace/format"},
	"internal/predict/engine":               {"internal/predict/expr", "internal/predict/model", "internal/trace/format"},
	"internal/predict/excluded":             {"internal/trace", "internal/trace/format"},
	"internal/predict/flow":                 {"internal/predict/expr", "internal/source/plan", "internal/trace"},
	"internal/predict/goval":                {"internal/predict/expr"},
	"internal/predict/model":                {"internal/predict/expr", "internal/trace", "internal/trace/format"},
	"internal/predict/regcode":              {"internal/predict/expr", "internal/predict/goval", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/predict/symtrace":             {"internal/plural", "internal/predict/flow", "internal/predict/goval", "internal/predict/regcode", "internal/predict/walk", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/predict/walk":                 {"internal/predict/alternative", "internal/predict/expr", "internal/predict/flow", "internal/predict/goval", "internal/predict/regcode", "internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/predict/window":               {"internal/detect/hb", "internal/detect/lockset", "internal/predict/built", "internal/predict/excluded", "internal/predict/expr", "internal/predict/flow", "internal/predict/model", "internal/trace", "internal/trace/format"},
	"internal/explore":                      {"internal/record", "internal/record/steer", "internal/trace", "internal/trace/format"},
	"internal/record/steer":                 {"internal/host/private"},
	"internal/record":                       {"internal/host/beside", "internal/host/cache", "internal/host/disk", "internal/host/killed", "internal/host/private", "internal/host/quoted", "internal/online/compiler", "internal/plural", "internal/record/merge", "internal/record/recorder", "internal/record/steer", "internal/source/instrument", "internal/source/plan", "internal/trace", "internal/typo"},
	"internal/record/goversion":             {"internal/plural"},
	"internal/record/goversion/try":         {"internal/plural", "internal/record/goversion", "internal/record/recorder"},
	"internal/record/merge":                 {"internal/host/private", "internal/predict/excluded", "internal/host/disk", "internal/trace", "internal/trace/format"},
	"internal/record/recorder":              {"internal/host/quoted", "internal/record/goversion", "internal/trace/format"},
	"internal/record/recorder/online":       nil,
	"internal/record/recorder/rawfile":      {"internal/trace/format"},
	"internal/replay":                       {"internal/host/killed", "internal/host/cache", "internal/host/private", "internal/host/disk", "internal/source/instrument", "internal/record/recorder", "internal/source/plan", "internal/predict/walk", "internal/trace", "internal/trace/format", "internal/untrusted/trust", "internal/plural"},
	"internal/replay/bubble":                nil,
	"internal/report":                       {"internal/plural", "internal/trace", "internal/trace/format", "internal/untrusted/trust", "internal/untrusted/visible"},
	"internal/source/instrument":            {"internal/source/plan", "internal/trace", "internal/trace/format"},
	"internal/source/plan":                  {"internal/source/evalorder", "internal/host/quoted", "internal/trace", "internal/trace/format"},
	"internal/static":                       {"internal/plural", "internal/static/callgraph", "internal/static/evidence/promise", "internal/static/guard", "internal/static/link", "internal/static/load", "internal/static/lockset", "internal/static/pairs", "internal/static/path", "internal/static/store", "internal/static/summary", "internal/static/symbolic", "internal/static/tier", "internal/static/unmodelled"},
	"internal/static/evidence/before":       {"internal/static/path", "internal/static/order", "internal/static/summary"},
	"internal/static/evidence/instance":     {"internal/static/path", "internal/static/summary"},
	"internal/static/evidence/promise":      {"internal/static/load"},
	"internal/static/guard":                 {"internal/static/lockset", "internal/static/summary"},
	"internal/static/link":                  {"internal/static/evidence/promise", "internal/static/model", "internal/static/order", "internal/static/guard", "internal/static/path", "internal/static/lockset", "internal/static/summary", "internal/static/pairs", "internal/static/tier"},
	"internal/static/load":                  {"internal/plural", "internal/source/evalorder"},
	"internal/static/lockset":               {"internal/static/path"},
	"internal/static/order":                 {"internal/static/path"},
	"internal/static/pairs":                 {"internal/static/path", "internal/static/lockset", "internal/static/summary", "internal/static/evidence/before", "internal/static/evidence/instance"},
	"internal/static/store":                 {"internal/static/path", "internal/static/summary"},
	"internal/static/summary":               {"internal/static/path", "internal/static/lockset", "internal/static/order"},
	"internal/static/symbolic":              {"internal/static/model", "internal/static/path", "internal/static/place", "internal/static/lockset", "internal/static/order", "internal/static/summary"},
	"internal/static/unmodelled":            {"internal/static/load"},
	"internal/suppress":                     {"internal/report", "internal/static/baseline", "internal/static/ignore", "internal/static/revision"},
	"internal/trace":                        {"internal/trace/format"},
	"internal/trace/raw":                    {"internal/trace", "internal/trace/format"},
	"internal/trace/source":                 {"internal/trace", "internal/trace/raw", "internal/trace/std"},
	"internal/trace/std":                    {"internal/trace", "internal/trace/format"},
	"internal/typo":                         {},
	"internal/untrusted/trust":              nil,
	"internal/untrusted/visible":            nil,
}

type pkg struct {
	ImportPath, Dir, Doc string
	Imports              []string
}

// goList lists packages of this module.
func goList(t *testing.T, patterns ...string) []pkg {
	t.Helper()
	return goListIn(t, ".", patterns...)
}

// goListIn lists packages of the module in a directory.
func goListIn(t *testing.T, dir string, patterns ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,Imports"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
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

// TestLayers holds the imports against the table, both ways, and the judges apart: what checks the
// engine shares no code with it.
func TestLayers(t *testing.T) {
	for _, p := range append(goList(t, "./cmd/...", "./internal/..."), goListIn(t, "golangci", "./...")...) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		unused := slices.Clone(layers[name])
		for _, imp := range p.Imports {
			imp, ours := strings.CutPrefix(imp, module+"/")
			if ours && !slices.Contains(layers[name], imp) {
				t.Errorf("%s imports %s, which is not one of %v", name, imp, layers[name])
			}
			unused = slices.DeleteFunc(unused, func(edge string) bool { return edge == imp })
		}
		if len(unused) > 0 {
			t.Errorf("the table lets %s import %v, which it does not", name, unused)
		}
	}
	for name := range layers {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("the table names %s, which does not exist", name)
		}
	}
}

// TestOracles: no package of the product imports the judges of its tests and benchmarks.
func TestOracles(t *testing.T) {
	const oracle = "internal/oracle/"
	for name, imports := range layers {
		for _, imp := range imports {
			if strings.HasPrefix(imp, oracle) && !strings.HasPrefix(name, oracle) {
				t.Errorf("%s imports %s", name, imp)
			}
		}
	}
}

// TestDocs: every package has a doc, attached to its package clause.
func TestDocs(t *testing.T) {
	for _, p := range slices.Concat(goList(t, "./..."), goListIn(t, "bench", "./..."), goListIn(t, "golangci", "./...")) {
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
	for _, dir := range []string{".", "bench", "golangci"} {
		if out, err := exec.Command("go", "-C", dir, "vet", "./...").CombinedOutput(); err != nil {
			t.Errorf("go vet in %s: %v\n%s", dir, err, out)
		}
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
