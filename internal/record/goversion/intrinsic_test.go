package goversion

import (
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// intrinsicOnly are the functions of the standard library without a body of their own, in Go or
// in assembly, for which the compiler has instructions, and why a build with intrinsics off has
// them all the same. Those of simd/archsimd are left out: the compiler has them with intrinsics
// off as well.
var intrinsicOnly = map[string]string{
	"crypto/internal/constanttime.boolToUint8": "intrinsics.diff",
	"internal/runtime/sys.GetCallerPC":         "called by the standard library alone, which is compiled with intrinsics, and never inlined",
	"internal/runtime/sys.GetCallerSP":         "the same",
	"internal/runtime/sys.GetClosurePtr":       "the same",
}

// linked are functions whose bodies other packages have, by go:linkname.
var linked = []string{"runtime.memequal", "sync.runtime_LoadAcquintptr", "sync.runtime_StoreReluintptr"}

// TestIntrinsics holds the table against the compiler and the standard library. A function that
// panics in every case counts as one without a body.
func TestIntrinsics(t *testing.T) {
	t.Run("installed", testIntrinsics)
	for _, v := range OtherToolchains(installedVersion(t)) {
		t.Run(v, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", v)
			t.Setenv("GOPROXY", "off")
			if out, err := exec.Command("go", "version").CombinedOutput(); err != nil {
				t.Skipf("not in the module cache: %s", out)
			}
			testIntrinsics(t)
		})
	}
}

func installedVersion(t *testing.T) string {
	_, version := installed(t)
	return version
}

func testIntrinsics(t *testing.T) {
	root, version := installed(t)
	got := map[string]bool{}
	for _, name := range intrinsics(t, root) {
		i := strings.LastIndexByte(name, '.')
		fn, ok := functions(t, root, name[:i])[name[i+1:]]
		if ok && (fn.Body == nil && !assembly(root, name[:i], name[i+1:]) || fn.Body != nil && panics(fn.Body)) && !slices.Contains(linked, name) {
			got[name] = true
		}
	}
	want := maps.Clone(intrinsicOnly)
	if until := (span{until: "go1.25"}); until.contains(version) {
		delete(want, "crypto/internal/constanttime.boolToUint8") // not there yet
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("functions that are intrinsics alone (-want +got):\n%s", diff)
	}
}

// intrinsics returns the functions that the compiler knows, by package and name.
func intrinsics(t *testing.T, root string) []string {
	src, err := os.ReadFile(filepath.Join(root, "src/cmd/compile/internal/ssagen/intrinsics.go"))
	if err != nil {
		t.Skip(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(?:add|addF|alias|addForArchs|addForFamilies)\("([\w/]+)",\s*"(\w+)"`).FindAllSubmatch(src, -1) {
		names[string(m[1])+"."+string(m[2])] = true
	}
	if len(names) < 100 {
		t.Fatalf("only %d functions in intrinsics.go", len(names))
	}
	return slices.Sorted(maps.Keys(names))
}

// functions returns the functions of a package for amd64.
func functions(t *testing.T, root, pkg string) map[string]*ast.FuncDecl {
	ctx := gobuild.Default
	ctx.GOROOT, ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = root, "linux", "amd64", false
	p, err := ctx.ImportDir(filepath.Join(root, "src", pkg), 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.FuncDecl{}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				out[fn.Name.Name] = fn
			}
		}
	}
	return out
}

// assembly reports whether a package implements a function in assembly for amd64.
func assembly(root, pkg, name string) bool {
	files, _ := filepath.Glob(filepath.Join(root, "src", pkg, "*.s"))
	text := regexp.MustCompile(`(?m)^TEXT\s+(?:\w|∕|·)*·` + name + `(?:<ABIInternal>)?\(SB\)`)
	for _, file := range files {
		src, _ := os.ReadFile(file)
		if match, err := gobuild.Default.MatchFile(filepath.Split(file)); err == nil && match && text.Match(src) {
			return true
		}
	}
	return false
}

// panics reports whether a body is a call of panic.
func panics(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	x, ok := body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && (id.Name == "panic" || id.Name == "throw")
}
