package seeded

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// use is a call that is an operation on an object.
type use struct {
	*finder
	info *types.Info
	seed *Seed
	v    *types.Var
	call *ast.CallExpr
	stmt ast.Node // that is the call, nil: it is an expression
	x    ast.Expr // the object
	args []ast.Expr
	name string
	line int
}

// text is a piece of a file.
func (f *finder) text(from, to token.Pos) string {
	name := f.fset.Position(from).Filename
	if _, ok := f.texts[name]; !ok {
		text, _ := os.ReadFile(name)
		f.texts[name] = string(text)
	}
	a, b := f.offset(from), f.offset(to)
	if b > len(f.texts[name]) {
		return ""
	}
	return f.texts[name][a:b]
}

// cut puts text in the place of what is there; lines stay where they are.
func (f *finder) cut(from, to token.Pos, text string) edit {
	rel, _ := filepath.Rel(f.dir, f.fset.Position(from).Filename)
	return edit{rel, f.offset(from), f.offset(to), text + strings.Repeat("\n", strings.Count(f.text(from, to), "\n"))}
}

// add notes the operation.
func (u *use) add(edits ...edit) {
	file, _ := u.below(u.call.Pos())
	u.seed.ops[place{file, u.offset(u.call.Pos())}] = &op{line: u.line, reader: strings.Contains(u.name, "RLock") || u.name == "RUnlock", edits: edits}
}

func (u *use) keep(why string) { u.finder.keep(u.v, why) }

// mutex removes an operation on a mutex.
func (u *use) mutex() {
	switch _, pointer := u.info.TypeOf(u.x).Underlying().(*types.Pointer); {
	case u.stmt == nil && strings.HasPrefix(u.name, "Try"):
		u.add(u.cut(u.call.Pos(), u.call.End(), "true"))
	case u.stmt == nil || u.name == "RLocker" || isGo(u.stmt):
		u.keep("the call of a method is no statement")
	case pointer:
		u.add(u.cut(u.stmt.Pos(), u.x.Pos(), "_ = "), u.cut(u.x.End(), u.call.End(), ""))
	default:
		u.add(u.cut(u.stmt.Pos(), u.x.Pos(), "_ = &"), u.cut(u.x.End(), u.call.End(), ""))
	}
}

func isGo(n ast.Node) bool { _, ok := n.(*ast.GoStmt); return ok }

// once makes a flag of a sync.Once.
func (u *use) once(promoted bool) {
	if _, ok := u.stmt.(*ast.ExprStmt); !ok || promoted || u.name != "Do" {
		u.keep("the call of a method is no statement")
		return
	}
	x, f := u.text(u.x.Pos(), u.x.End()), u.args[0]
	u.add(u.cut(u.stmt.Pos(), f.Pos(), "if !"+x+".done { "+x+".done = true; ("), u.cut(f.End(), u.call.End(), ")() }"))
	u.imported("sync")
}
