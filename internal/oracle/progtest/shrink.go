package progtest

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
)

// Shrink drops statements and declarations of a program, as long as it type-checks and keep returns
// true, and returns the rest. It also replaces if, for and blocks by their bodies, and drops a
// definition with the assignments to _ that keep its variables used.
func (l *Loader) Shrink(src string, keep func(src string) bool) string {
	for {
		smaller := false
		for i := 0; ; i++ {
			text, ok := edited(src, i)
			if !ok {
				break
			}
			if text == "" || len(text) >= len(src) || l.Check(text) != nil || !keep(text) {
				continue
			}
			src, smaller = text, true
			i--
		}
		if !smaller {
			return src
		}
	}
}

// edited returns the program with its i-th edit; ok is false if there are fewer.
func edited(src string, i int) (text string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, FileName, src, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	e := &editor{left: i}
	e.file(file)
	if !e.done {
		return "", false
	}
	dropImports(file)
	var b bytes.Buffer
	if format.Node(&b, fset, file) != nil {
		return "", true
	}
	// dropped statements leave unused imports
	out, err := format.Source(blankLine.ReplaceAll(b.Bytes(), []byte("\n")))
	if err != nil {
		return "", true
	}
	return string(out), true
}

var blankLine = regexp.MustCompile(`\n(\s*\n)+`)

// An editor makes one edit: the one with number left.
type editor struct {
	left int
	done bool
}

// here reports whether this edit is the one.
func (e *editor) here() bool {
	e.left--
	if e.left == -1 {
		e.done = true
		return true
	}
	return false
}

func (e *editor) file(f *ast.File) {
	for i := len(f.Decls) - 1; i >= 0 && !e.done; i-- {
		if d, ok := f.Decls[i].(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		if e.here() {
			f.Decls = append(f.Decls[:i:i], f.Decls[i+1:]...)
			return
		}
		switch d := f.Decls[i].(type) {
		case *ast.FuncDecl:
			e.list(&d.Body.List)
		case *ast.GenDecl:
			for k := len(d.Specs) - 1; k >= 0; k-- {
				if e.here() {
					d.Specs = append(d.Specs[:k:k], d.Specs[k+1:]...)
					return
				}
				if v, ok := d.Specs[k].(*ast.ValueSpec); ok {
					e.names(v)
				}
			}
		}
	}
}

// names drops one of several variables.
func (e *editor) names(v *ast.ValueSpec) {
	if len(v.Names) < 2 || len(v.Values) > 0 {
		return
	}
	for i := range v.Names {
		if e.here() {
			v.Names = append(v.Names[:i:i], v.Names[i+1:]...)
			return
		}
	}
}

func (e *editor) list(list *[]ast.Stmt) {
	for i := len(*list) - 1; i >= 0 && !e.done; i-- {
		s := (*list)[i]
		if e.here() {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return
		}
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && e.here() {
			*list = append((*list)[:i:i], slices.DeleteFunc((*list)[i+1:], unused)...)
			return
		}
		for _, inner := range parts(s) {
			if e.done {
				return
			}
			if e.here() {
				*list = append(append((*list)[:i:i], *inner...), (*list)[i+1:]...)
				return
			}
			e.list(inner)
		}
	}
}

// unused reports whether a statement only keeps the compiler from reporting unused variables.
func unused(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && a.Tok == token.ASSIGN && !slices.ContainsFunc(a.Lhs, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// parts are the lists of statements inside a statement.
func parts(s ast.Stmt) (out []*[]ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		out = append(out, &s.List)
	case *ast.IfStmt:
		out = append(out, &s.Body.List)
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			out = append(out, &e.List)
		case *ast.IfStmt:
			out = append(out, parts(e)...)
		}
	case *ast.ForStmt:
		out = append(out, &s.Body.List)
	case *ast.RangeStmt:
		out = append(out, &s.Body.List)
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			out = append(out, &c.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			out = append(out, &c.(*ast.CommClause).Body)
		}
	case *ast.GoStmt:
		out = append(out, literal(s.Call)...)
	case *ast.DeferStmt:
		out = append(out, literal(s.Call)...)
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			out = append(out, literal(c)...)
		}
	}
	return out
}

func literal(c *ast.CallExpr) []*[]ast.Stmt {
	if f, ok := c.Fun.(*ast.FuncLit); ok {
		return []*[]ast.Stmt{&f.Body.List}
	}
	return nil
}

// dropImports removes imports that nothing uses.
func dropImports(f *ast.File) {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for i := len(f.Decls) - 1; i >= 0; i-- {
		d, ok := f.Decls[i].(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		var keep []ast.Spec
		for _, s := range d.Specs {
			path, _ := strconv.Unquote(s.(*ast.ImportSpec).Path.Value)
			if used[path[lastSlash(path)+1:]] {
				keep = append(keep, s)
			}
		}
		if d.Specs = keep; len(keep) == 0 {
			f.Decls = append(f.Decls[:i:i], f.Decls[i+1:]...)
		}
	}
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}
