package goversion

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// statePackages are those whose exported functions TestStates looks at.
var statePackages = []string{"runtime", "runtime/debug", "runtime/metrics", "runtime/pprof", "runtime/trace", "weak", "unique", "os/signal"}

// exportedFuncs lists the exported functions and methods of a package: "func PACKAGE.(*TYPE).NAME".
func exportedFuncs(t *testing.T, p stdPackage, list map[string]bool) {
	t.Helper()
	for _, file := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			if fn.Recv == nil {
				list["func "+p.ImportPath+"."+fn.Name.Name] = true
			} else if r := receiverType(fn.Recv.List[0].Type); token.IsExported(strings.Trim(r, "(*)")) {
				list["func "+p.ImportPath+"."+r+"."+fn.Name.Name] = true
			}
		}
	}
}

// receiverType writes the type of a receiver as (T) or (*T), without type parameters.
func receiverType(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return "(*" + strings.Trim(receiverType(x.X), "()") + ")"
	case *ast.IndexExpr:
		return receiverType(x.X)
	case *ast.IndexListExpr:
		return receiverType(x.X)
	case *ast.Ident:
		return "(" + x.Name + ")"
	}
	return "()"
}

var (
	patchedFunc = regexp.MustCompile(`func (\w+)\(`)
	quotedFunc  = regexp.MustCompile("`(\\w+)`")
)

// TestStates holds the functions with which a program asks for what is no memory of Go against a
// table, and the table against the patches.
func TestStates(t *testing.T) {
	const file = "tables/states.txt"
	_, version := installed(t)
	observes := []string{"goroutines", "program", "files", "c"}
	table := readTable(t, file, version, append(observes, "pure", "memory", "typed")...)
	list, std := map[string]bool{}, stdPackages(t, Archs[0])
	for _, name := range statePackages {
		exportedFuncs(t, std[name], list)
	}
	holdTable(t, file, table, list)

	patched := map[string]bool{}
	patches, err := readPatch("states.diff")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		if !p.span.contains(version) {
			continue
		}
		if m := patchedFunc.FindStringSubmatch(p.anchor); m != nil && strings.Contains(p.text, "presage") {
			patched[m[1]] = true
		}
	}
	for _, l := range table {
		words := strings.Fields(l.text)
		full := words[slices.Index(words, l.treatment)-1]
		name := full[strings.LastIndexByte(full, '.')+1:]
		if m := quotedFunc.FindStringSubmatch(l.note); m != nil {
			name = m[1]
		}
		if slices.Contains(observes, l.treatment) && !patched[name] {
			t.Errorf("%s:%d: %s has no patch that records it:\n%s", file, l.number, name, l.text)
		}
	}
}
