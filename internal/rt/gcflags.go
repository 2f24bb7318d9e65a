package rt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// setFlags sets the flags that a build of cfg.Packages needs, so that calls of
// sync/atomic's functions are recorded: for every package of the import closure that has such calls, intrinsics off.
// A package that is not instrumented is compiled without inlining too: else the calls would be inlined into
// packages where intrinsics are on. (In an instrumented package the hooks keep functions from being inlined
// elsewhere, and must be inlined themselves.) Generic functions are compiled where they are instantiated, so if they have such calls,
// intrinsics are off wherever their package can be reached from. The flags go into GOFLAGS, which every go command reads.
//
// The compiler of package compiler needs none of this but for packages that are left out: it decides on hooks and on calls of
// sync/atomic itself, by the inline tree.
func (o *Overlay) setFlags(ctx context.Context, cfg Config) error {
	patterns := cfg.Packages
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	args := []string{"list", "-deps", "-e", "-json=ImportPath,ForTest,Dir,GoFiles,CgoFiles,Deps,Module"}
	if cfg.Test {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, o.Go, append(append(args, cfg.BuildFlags...), patterns...)...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(), o.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(cfg.Packages) == 0 {
		return nil // no module there, and the caller did not say what will be built
	}
	if err != nil {
		return fmt.Errorf("listing packages: %w\n%s", err, stderr.Bytes())
	}
	if cfg.Compiler != nil {
		if o.Compiler, err = cfg.Compiler(ctx, *o); err != nil {
			return err
		}
	}
	done := map[string]bool{"sync/atomic": true, "sync": true, "internal/sync": true} // the overlay has its own
	goflags := cfg.GoFlags
	add := func(flag string) {
		o.BuildFlags = append(o.BuildFlags, flag)
		goflags += " '" + flag + "'"
	}
	if o.Compiler != "" {
		add("-toolexec=" + toolexec(o.Compiler))
		add("-gcflags=all=" + OnlineCompilerFlags + ",presage=1" + skipped(cfg.LeftOut))
	} else {
		add("-gcflags=all=" + OnlineCompilerFlags)
	}
	for _, path := range []string{"sync/atomic", o.Package} {
		add("-gcflags=" + path + "=" + onlineInline)
	}
	generic := map[string]bool{}
	var paths []string
	flagsOf := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("listing packages: %w", err)
		}
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ") // p [p.test]
		path := p.flagPath()
		if done[path] {
			continue
		}
		calls, inGeneric := p.callsAtomic()
		generic[p.ImportPath] = generic[p.ImportPath] || inGeneric // dependencies come first
		leftOut := slices.Contains(cfg.LeftOut, p.ImportPath)
		if o.Compiler != "" && !leftOut && !cfg.instrumented(p) {
			continue
		}
		flags := outsideFlags(path)
		if cfg.instrumented(p) || leftOut {
			flags = onlineInline
		}
		if o.Compiler != "" && !leftOut {
			flags += ",presage=2" + skipped(cfg.LeftOut)
		} else if calls || slices.ContainsFunc(p.Deps, func(d string) bool { return generic[d] }) {
			flags += " -d=ssa/intrinsics/off"
			if calls && !cfg.instrumented(p) && !strings.HasSuffix(flags, " -l") {
				flags += " -l"
			}
		}
		// The path may be met again, as that of a test variant, which may have more calls.
		if old, ok := flagsOf[path]; !ok {
			paths = append(paths, path)
			flagsOf[path] = flags
		} else if len(flags) > len(old) {
			flagsOf[path] = flags
		}
	}
	for _, path := range paths {
		add("-gcflags=" + path + "=" + flagsOf[path])
	}
	o.Env = append(o.Env, "GOFLAGS="+strings.TrimSpace(goflags))
	return nil
}

// skipped is the flag for packages that are left out: what of them is inlined or instantiated elsewhere has no hooks either.
func skipped(leftOut []string) string {
	if len(leftOut) == 0 {
		return ""
	}
	return ",presageskip=" + strings.Join(leftOut, "+")
}

// toolexec is a word of the value of -toolexec, within single quotes of GOFLAGS.
func toolexec(file string) string {
	if strings.ContainsAny(file, " \t\n") {
		return `"` + file + `"`
	}
	return file
}

// outsideFlags are the flags of a package that is not instrumented. Its functions must not be inlined into those of
// instrumented packages, where they would lose their hooks: the compiler decides by the function that it compiles.
func outsideFlags(path string) string {
	if path == "unsafe" || path == "runtime" || strings.HasPrefix(path, "runtime/internal/") || strings.HasPrefix(path, "internal/runtime/") || unhooked[path] {
		return OnlineCompilerFlags
	}
	return OnlineCompilerFlags + " -l"
}

// unhooked are packages that the compiler gives no hooks because the runtime uses them.
var unhooked = map[string]bool{
	"internal/abi": true, "internal/bytealg": true, "internal/byteorder": true, "internal/chacha8rand": true, "internal/coverage/rtcov": true,
	"internal/cpu": true, "internal/goarch": true, "internal/godebugs": true, "internal/goexperiment": true, "internal/goos": true,
	"internal/profilerecord": true, "internal/strconv": true, "internal/stringslite": true, "internal/asan": true, "internal/msan": true, "internal/race": true,
}

func (c *Config) instrumented(p listed) bool {
	if slices.Contains(c.LeftOut, p.ImportPath) {
		return false
	}
	if c.Instrumented != nil {
		return c.Instrumented(p.ImportPath)
	}
	return p.Module != nil && p.Module.Main || p.ImportPath == "command-line-arguments"
}

type listed struct {
	ImportPath, ForTest, Dir string
	GoFiles, CgoFiles        []string // of a test variant: its tests too
	Deps                     []string // all that it imports, also by way of others
	Module                   *struct{ Main bool }
}

// flagPath is the path whose flags the go command compiles p with: an external test
// package gets those of the package it tests.
func (p listed) flagPath() string {
	if p.ForTest != "" && p.ImportPath == p.ForTest+"_test" {
		return p.ForTest
	}
	return p.ImportPath
}

// callsAtomic reports whether a file of p mentions a function of sync/atomic, and whether a generic function does.
func (p listed) callsAtomic() (calls, generic bool) {
	for _, files := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range files {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			src, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(src, []byte(`"sync/atomic"`)) {
				continue // a file that cannot be read will not compile
			}
			if f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); err == nil {
				c, g := mentionsAtomic(f)
				calls, generic = calls || c, generic || g
			}
		}
	}
	return calls, generic
}

func mentionsAtomic(f *ast.File) (found, generic bool) {
	name := ""
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path == "sync/atomic" {
			name = "atomic"
			if imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	if name == "" {
		return false, false
	}
	for _, d := range f.Decls {
		here := false
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				here = here || ok && x.Name == name && atomicName.MatchString(n.Sel.Name)
			case *ast.Ident:
				here = here || name == "." && atomicName.MatchString(n.Name)
			}
			return !here
		})
		fn, ok := d.(*ast.FuncDecl)
		found, generic = found || here, generic || here && ok && isGeneric(fn)
	}
	return found, generic
}

// isGeneric reports whether a function or its receiver has type parameters.
func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Type.TypeParams != nil
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.IndexExpr, *ast.IndexListExpr:
			return true
		}
		return false
	}
}
