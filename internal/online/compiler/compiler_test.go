package compiler

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/presage-race/presage/internal/record/goversion"
)

// here is the Go of the environment. The go command takes no overlay of a GOROOT in the module
// cache, so such a one is seen through a symbolic link (as by Overlay.root of package recorder).
func here(t *testing.T) Config {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Fields(string(out))
	c := Config{GoRoot: env[0], GoVersion: env[1], GOARCH: runtime.GOARCH, Go: "go"}
	if strings.HasPrefix(c.GoRoot, env[2]+string(filepath.Separator)) {
		link := filepath.Join(t.TempDir(), "go")
		if err := os.Symlink(c.GoRoot, link); err != nil {
			t.Fatal(err)
		}
		c.GoRoot, c.Go, c.Env = link, filepath.Join(link, "bin", "go"), []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	}
	return c
}

// built is the compiler, in a directory that TestMain removes.
var built struct {
	dir  string
	once sync.Once
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// tool builds the compiler, once for all tests.
func tool(t *testing.T, c Config) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a compiler")
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "presage-compiler-"); built.err == nil {
			built.err = c.Build(context.Background(), built.dir)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, Name)
}

// importConfig writes the file for -importcfg, for packages of the standard library.
func importConfig(t *testing.T, packages ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "importcfg")
	args := append([]string{"list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"}, packages...)
	export, err := exec.Command("go", args...).Output()
	if err != nil || os.WriteFile(file, export, 0o666) != nil {
		t.Fatal(err)
	}
	return file
}

// TestEmitted compiles a file with emitted code for the recorder, and looks which functions have
// hooks.
func TestEmitted(t *testing.T) {
	c := here(t)
	tool := tool(t, c)
	config := importConfig(t, "bytes", "slices", "sort", "strings", "sync/atomic")
	compile := func(flags ...string) map[string][]string {
		args := []string{filepath.Join(c.GoRoot, "pkg/tool/linux_amd64/compile"), "-p", "checks", "-importcfg", config, "-c=1", "-S", "-o", filepath.Join(t.TempDir(), "emitted.o")}
		out, err := exec.Command(tool, append(append(args, flags...), "testdata/emitted.go")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return hooks(string(out))
	}
	got := compile("-d=presage=2")
	for name, want := range wanted(t, "testdata/emitted.go") {
		if g := strings.Join(got[name], " "); g != want {
			t.Errorf("%s has hooks %q, not %q", name, g, want)
		}
	}
	if g := got["slices.insertionSortOrdered"]; !slices.Contains(g, "read") || !slices.Contains(g, "write") {
		t.Errorf("an instance of a generic function of another package has hooks %q", g)
	}
	for _, m := range []string{"(*wrapped).Len", "(*wrapped).Less", "(*wrapped).Swap", "(*jumps).Grow"} {
		// the last one jumps
		if g := got[m]; !slices.Contains(g, "read") && !slices.Contains(g, "readrange") {
			t.Errorf("the wrapper of %s has hooks %q", m, g)
		}
	}
	hasHook := func(s string) bool { return s != "call" }
	for name, g := range compile("-d=presage=2,presageskip=other+bytes") {
		if (name == "length" || name == "checks.length") && slices.ContainsFunc(g, hasHook) {
			t.Errorf("with bytes left out, %s has hooks %q", name, g)
		}
	}
	wide := compile("-d=presage=2,presagewide=1")
	if g := strings.Join(wide["written"], " "); g != "readrange writerange" {
		t.Errorf("with widths, an access of a number has hooks %q", g)
	}
	if g := wide["emitted"]; slices.ContainsFunc(g, hasHook) {
		t.Errorf("with widths, emitted code has hooks %q", g)
	}
	outside := compile("-race", "-d=checkptr=0,presage=1")
	if g := outside["emitted"]; slices.ContainsFunc(g, hasHook) {
		t.Errorf("in a package with -race, emitted code has hooks %q", g)
	}
	if g := outside["written"]; !slices.ContainsFunc(g, hasHook) {
		t.Errorf("in a package with -race, code that is not emitted has no hooks")
	}
}

// TestAssembly compiles calls of functions in assembly (OC4): those of which it is known what they
// access, as if the file was of package math/big, and others.
func TestAssembly(t *testing.T) {
	c := here(t)
	tool := tool(t, c)
	symabis := filepath.Join(t.TempDir(), "symabis")
	for _, pkg := range []string{"math/big", "checks"} {
		var defs strings.Builder
		for _, f := range []string{"addVV", "lshVU", "rshVU", "other", "numbers", "text"} {
			defs.WriteString("def " + pkg + "." + f + " ABI0\n")
		}
		if err := os.WriteFile(symabis, []byte(defs.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, flags := range [][]string{{"-race", "-d=checkptr=0,presage=1"}, {"-d=presage=2"}} {
			args := []string{filepath.Join(c.GoRoot, "pkg/tool/linux_amd64/compile"), "-p", pkg, "-c=1", "-S", "-l", "-symabis", symabis, "-o", filepath.Join(t.TempDir(), "assembly.o")}
			out, err := exec.Command(tool, append(append(args, flags...), "testdata/assembly.go")...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := hooks(strings.ReplaceAll(string(out), "math/big.", "checks."))
			for name, want := range wanted(t, "testdata/assembly.go") {
				if known, unknown, ok := strings.Cut(want, " | "); ok && pkg == "math/big" {
					want = known
				} else if ok {
					want = unknown
				}
				if g := strings.Join(got[name], " "); g != want {
					t.Errorf("in %s with %v, %s has hooks %q, not %q", pkg, flags, name, g, want)
				}
			}
		}
	}
}

// TestAssemblyKnown holds the functions in assembly of the standard library that are given memory
// against the table of (OC4).
func TestAssemblyKnown(t *testing.T) {
	src := goversion.Text(goversion.Compiler)
	for _, arch := range goversion.Archs {
		t.Run(arch, func(t *testing.T) { testAssemblyKnown(t, src, arch) })
	}
}

func testAssemblyKnown(t *testing.T, src, arch string) {
	cmd := exec.Command("go", "list", "-f", "{{if .SFiles}}{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}} {{join .SFiles \" \"}}{{end}}", "std")
	cmd.Env = append(os.Environ(), "GOARCH="+arch)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], "vendor/")
		if pkg == "runtime" || pkg == "sync/atomic" || pkg == "internal/chacha8rand" || strings.HasPrefix(pkg, "internal/runtime/") || strings.Contains(src, strconv.Quote(pkg)+": true") {
			continue
		}
		for _, name := range inAssembly(t, words[1], words[2:]) {
			if !strings.Contains(src, strconv.Quote(pkg+"."+name)+":") {
				t.Errorf("%s.%s is in assembly and given memory: say what it accesses", pkg, name)
			}
		}
	}
}

var asmText = regexp.MustCompile(`(?m)^\s*TEXT\s+(?:[\w∕]+)?·(\w+)`)

// inAssembly lists the functions in assembly that have a parameter of a pointer or slice type.
func inAssembly(t *testing.T, dir string, files []string) (names []string) {
	t.Helper()
	asm := make(map[string]bool)
	for _, file := range files {
		if src, err := os.ReadFile(filepath.Join(dir, file)); err == nil && strings.HasSuffix(file, ".s") {
			for _, m := range asmText.FindAllSubmatch(src, -1) {
				asm[string(m[1])] = true
			}
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".s") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body != nil || !asm[fn.Name.Name] {
				continue
			}
			given := slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
				switch p.Type.(type) {
				case *ast.StarExpr, *ast.ArrayType:
					return true
				}
				return false
			})
			if given {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// TestChecks compiles functions and looks which hooks are left in them.
func TestChecks(t *testing.T) {
	c := here(t)
	tool := tool(t, c)
	dir := t.TempDir()
	obj := filepath.Join(dir, "checks.o")

	key, err := c.Key()
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command(tool, "/any/where/compile", "-V=full").Output()
	if err != nil || strings.TrimSpace(string(version)) != "compile version "+c.GoVersion+" presage-"+key {
		t.Errorf("its identity is %q, %v", version, err)
	}
	if out, err := exec.Command(tool, "echo", "-V=full").Output(); err != nil || string(out) != "-V=full\n" {
		t.Errorf("another tool says %q, %v", out, err)
	}

	config := importConfig(t, "sync/atomic")
	args := []string{filepath.Join(c.GoRoot, "pkg/tool/linux_amd64/compile"), "-p", "checks", "-importcfg", config, "-c=1", "-race", "-S", "-l", "-o", obj, "testdata/checks.go"}
	out, err := exec.Command(tool, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := hooks(string(out))
	for name, want := range wanted(t, "testdata/checks.go") {
		if g := strings.Join(got[name], " "); g != want {
			t.Errorf("%s has hooks %q, not %q", name, g, want)
		}
	}

	// Without -race it is as Go's own.
	args = slices.DeleteFunc(args, func(s string) bool { return s == "-race" })
	out, err = exec.Command(tool, args...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "ftHook") {
		t.Errorf("without -race: %v\n%s", err, out)
	}
}

var (
	textLine = regexp.MustCompile(`(?m)\tTEXT\t(?:checks\.(\w+|\(\*\w+\)\.\w+)|([\w.]+)\[\S*)\(SB\)|\tCALL\t([\w./*()]+)\(SB\)`)
	hookName = strings.NewReplacer("runtime.ftHookReadRange", "readrange", "runtime.ftHookWriteRange", "writerange", "runtime.ftHookRead", "read", "runtime.ftHookWrite", "write",
		"runtime.presageCalls", "cut", "runtime.presageCalled", "returned", "runtime.racereadrange", "readrange", "runtime.racewriterange", "writerange", "runtime.raceread", "read", "runtime.racewrite", "write")
)

// hooks are the calls of each function of the assembler's listing, those that never return aside.
func hooks(listing string) map[string][]string {
	calls := make(map[string][]string)
	name := ""
	for _, m := range textLine.FindAllStringSubmatch(listing, -1) {
		switch call := hookName.Replace(m[3]); {
		case m[1] != "" || m[2] != "":
			name = m[1] + m[2]
			calls[name] = nil
		case strings.HasPrefix(call, "runtime.panic"), strings.HasPrefix(call, "runtime.morestack"):
		case strings.Contains(call, "."):
			calls[name] = append(calls[name], "call")
		default:
			calls[name] = append(calls[name], call)
		}
	}
	return calls
}

// wanted is what the comments in front of functions say.
func wanted(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			_, text, _ := strings.Cut(fn.Doc.List[len(fn.Doc.List)-1].Text, "hooks: ")
			want[fn.Name.Name] = text
		}
	}
	if len(want) == 0 {
		t.Fatal("no functions")
	}
	return want
}

// TestUnsupported: where the compiler cannot be had, that is said, and nothing else.
func TestUnsupported(t *testing.T) {
	c := here(t)
	if _, err := c.overlay(t.TempDir(), "key"); err != nil {
		t.Fatal(err)
	}
	other, old, devel := c, c, c
	other.GOARCH, devel.GoVersion = "riscv64", "devel go1.99-abc"
	// as some packages of Go for distributions are: without the sources of its tools
	old.GoRoot = t.TempDir()
	for _, c := range []Config{other, devel, old} {
		var u *Unsupported
		if _, err := c.Cached(context.Background(), t.TempDir(), func(error) {}); !errors.As(err, &u) {
			t.Errorf("%+v: %v", c, err)
		}
	}

	tool := filepath.Join(old.GoRoot, "pkg/tool/linux_amd64")
	src := filepath.Join(old.GoRoot, "src/cmd/compile")
	if err := errors.Join(os.MkdirAll(tool, 0o777), os.MkdirAll(src, 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(c.GoRoot, "pkg/tool/linux_amd64/compile"), filepath.Join(tool, "compile")); err != nil {
		t.Fatal(err)
	}
	var u *Unsupported
	if err := old.Build(context.Background(), t.TempDir()); !errors.As(err, &u) || !strings.Contains(u.Reason, "no sources") {
		t.Errorf("without sources: %v", err)
	}
	names, err := goversion.PatchedFiles(c.GoVersion, goversion.Compiler)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file := filepath.Join(old.GoRoot, "src", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Build(context.Background(), t.TempDir()); !errors.As(err, &u) || !strings.Contains(u.Reason, "0 times, not once") {
		t.Errorf("with other sources: %v", err)
	}
}
