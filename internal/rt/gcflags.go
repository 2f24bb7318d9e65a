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
	"strconv"
	"strings"
)

// GCFlags returns the -gcflags that a build of patterns needs, so that calls of
// sync/atomic's functions are recorded: for every package of the import closure that has such calls, intrinsics off.
// A package that is not instrumented is compiled without inlining too: else the calls would be inlined into
// packages where intrinsics are on. (In an instrumented package the hooks keep functions from being inlined
// elsewhere, and must be inlined themselves.)
//
// goCmd, dir, env and args are those of the build; args may hold -test, -tags and the like for `go list`.
func GCFlags(ctx context.Context, goCmd, dir string, env, args, patterns []string, instrumented func(importPath string) bool) ([]string, error) {
	cmd := exec.CommandContext(ctx, goCmd, append(append([]string{"list", "-deps", "-e", "-json=ImportPath,Dir,GoFiles,CgoFiles"}, args...), patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w\n%s", err, stderr.Bytes())
	}
	var flags []string
	done := map[string]bool{"sync/atomic": true, "sync": true, "internal/sync": true} // the overlay has its own
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return flags, nil
		} else if err != nil {
			return nil, fmt.Errorf("listing packages: %w", err)
		}
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ") // p [p.test]
		if done[p.ImportPath] || !p.callsAtomic() {
			continue
		}
		done[p.ImportPath] = true
		flag := "-gcflags=" + p.ImportPath + "=-d=ssa/intrinsics/off"
		if !instrumented(p.ImportPath) {
			flag += " -l"
		}
		flags = append(flags, flag)
	}
}

type listed struct {
	ImportPath, Dir   string
	GoFiles, CgoFiles []string // of a test variant: its tests too
}

// callsAtomic reports whether a file of p mentions a function of sync/atomic.
func (p listed) callsAtomic() bool {
	for _, files := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range files {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			src, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(src, []byte(`"sync/atomic"`)) {
				continue // a file that cannot be read will not compile
			}
			if f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); err == nil && mentionsAtomic(f) {
				return true
			}
		}
	}
	return false
}

func mentionsAtomic(f *ast.File) bool {
	name := ""
	for _, imp := range f.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); path == "sync/atomic" {
			name = "atomic"
			if imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == name && atomicName.MatchString(n.Sel.Name) {
				found = true
			}
		case *ast.Ident:
			if name == "." && atomicName.MatchString(n.Name) {
				found = true
			}
		}
		return !found
	})
	return name != "" && found
}
