package plan

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// kept are the directives that have the same meaning for an emitted function.
var kept = map[string]bool{"//go:noinline": true, "//go:generate": true, "//go:fix": true, "//go:build": true, "//go:embed": true}

// asWritten returns the reason for which a unit is never emitted, or "".
func asWritten(pkg *Package, file *ast.File, n ast.Node) string {
	if !IsSource(pkg, pkg.FileName(file)) {
		return "cgo file"
	}
	if d, ok := n.(*ast.FuncDecl); ok {
		for _, group := range commentsOf(file, d) {
			if word := directive(group, d); word != "" {
				return "directive " + word
			}
		}
	}
	return unrecorded(pkg, n)
}

// unrecorded returns the first defer or go statement of a unit with a builtin function that
// accesses memory: such an access has no record. As outside code, the unit has one.
func unrecorded(pkg *Package, n ast.Node) (why string) {
	ast.Inspect(n, func(n ast.Node) bool {
		var word string
		var call *ast.CallExpr
		switch n := n.(type) {
		case *ast.DeferStmt:
			word, call = "defer ", n.Call
		case *ast.GoStmt:
			word, call = "go ", n.Call
		default:
			return why == ""
		}
		if name, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && why == "" {
			b, ok := pkg.TypesInfo.Uses[name].(*types.Builtin)
			if ok && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
				why = word + b.Name()
			}
		}
		return why == ""
	})
	return why
}

// directive returns the first directive of a comment that has another meaning for an emitted
// function. A go:linkname names its function, so it counts only where it documents it.
func directive(group *ast.CommentGroup, d *ast.FuncDecl) string {
	for _, c := range group.List {
		word, _, _ := strings.Cut(strings.TrimSpace(c.Text), " ")
		if strings.HasPrefix(word, "//go:") && !kept[word] && (group == d.Doc || word != "//go:linkname") {
			return word
		}
	}
	return ""
}

// commentsOf returns the comments between a function and the declaration before it. The compiler
// applies directives there to the function, even if empty lines separate them.
// Declarations and comments are in the order of the file.
func commentsOf(file *ast.File, d *ast.FuncDecl) []*ast.CommentGroup {
	from := file.Name.End()
	if i, _ := slices.BinarySearchFunc(file.Decls, d.Pos(), func(e ast.Decl, pos token.Pos) int { return cmp.Compare(e.Pos(), pos) }); i > 0 {
		from = file.Decls[i-1].End()
	}
	after := func(pos token.Pos) int {
		i, _ := slices.BinarySearchFunc(file.Comments, pos, func(g *ast.CommentGroup, pos token.Pos) int { return cmp.Compare(g.Pos(), pos) })
		return i
	}
	return file.Comments[after(from):after(d.Type.Func)]
}

// IsSource reports whether the file is one of the package's own: cgo replaces its input by files in
// the build cache.
func IsSource(pkg *Package, name string) bool { return slices.Contains(pkg.GoFiles, name) }

// handwritten reports whether the file or what it was made from, by its //line comments, is one of
// the package's own. What cgo adds is not.
func handwritten(pkg *Package, file *ast.File) bool {
	return IsSource(pkg, pkg.FileName(file)) || IsSource(pkg, pkg.Fset.PositionFor(file.Name.Pos(), true).Filename)
}
