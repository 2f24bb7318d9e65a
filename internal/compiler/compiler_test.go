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
	"strings"
	"testing"
)

func here(t *testing.T) Config {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Fields(string(out))
	return Config{GoRoot: env[0], GoVersion: env[1], GOARCH: runtime.GOARCH, Go: "go"}
}

// TestChecks compiles functions and looks which hooks are left in them.
func TestChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a compiler")
	}
	c := here(t)
	dir := t.TempDir()
	if err := c.Build(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(dir, Name)
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

	config := filepath.Join(dir, "importcfg")
	export, err := exec.Command("go", "list", "-export", "-f", "packagefile {{.ImportPath}}={{.Export}}", "sync/atomic").Output()
	if err != nil || os.WriteFile(config, export, 0o666) != nil {
		t.Fatal(err)
	}
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
	textLine = regexp.MustCompile(`(?m)\tTEXT\tchecks\.(\w+)\(SB\)|\tCALL\t([\w./*()]+)\(SB\)`)
	hookName = strings.NewReplacer("runtime.ftHookReadRange", "readrange", "runtime.ftHookWriteRange", "writerange", "runtime.ftHookRead", "read", "runtime.ftHookWrite", "write")
)

// hooks are the calls of each function of the assembler's listing, those that never return aside.
func hooks(listing string) map[string][]string {
	calls := make(map[string][]string)
	name := ""
	for _, m := range textLine.FindAllStringSubmatch(listing, -1) {
		switch call := hookName.Replace(m[2]); {
		case m[1] != "":
			name = m[1]
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
	other.GOARCH, devel.GoVersion = "arm64", "devel go1.99-abc"
	old.GoRoot = t.TempDir() // as some packages of Go for distributions are: without the sources of its tools
	for _, c := range []Config{other, devel, old} {
		var u *Unsupported
		if _, err := c.Cached(context.Background(), t.TempDir(), func() {}); !errors.As(err, &u) {
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
	for _, e := range edits {
		file := filepath.Join(src, e.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(strings.Repeat(e.anchor, 2)), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Build(context.Background(), t.TempDir()); !errors.As(err, &u) || !strings.Contains(u.Reason, "places like this, not 1") {
		t.Errorf("with other sources: %v", err)
	}
}
