package seeded

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// typed notes how the type of an object is written that becomes another.
func (f *finder) typed(info *types.Info, names []*ast.Ident, typ ast.Expr, file *ast.File) {
	for _, id := range names {
		v, ok := info.Defs[id].(*types.Var)
		if !ok {
			continue
		}
		o := operatorOf(v.Type())
		if o != Atomic && o != Once {
			continue
		}
		s := f.object(v, o)
		if s == nil {
			continue
		}
		f.enter(file)
		if s.typ = f.becomes(info, typ); s.typ == nil || len(names) > 1 {
			f.keep(v, "its type is not written beside it alone")
		}
		path := "sync/atomic"
		if o == Once {
			path = "sync"
		}
		f.importedBy(s, s.File, path)
	}
}

// becomes is how the text of a type becomes that of the plain one; nil if it is not known.
func (f *finder) becomes(info *types.Info, typ ast.Expr) []edit {
	switch t := typ.(type) {
	case *ast.ArrayType:
		return f.becomes(info, t.Elt)
	case *ast.IndexExpr: // atomic.Pointer[T]
		return []edit{f.cut(t.Pos(), t.Index.Pos(), "*"), f.cut(t.Index.End(), t.End(), "")}
	case *ast.SelectorExpr:
		text := strings.ToLower(t.Sel.Name)
		if text == "once" {
			text = "struct{ done bool }"
		}
		return []edit{f.cut(t.Pos(), t.End(), text)}
	}
	return nil
}

// imported has the file of the call use an import all the same.
func (u *use) imported(path string) {
	file, _ := u.below(u.call.Pos())
	u.importedBy(u.seed, file, path)
}

func (f *finder) importedBy(s *Seed, file, path string) {
	typ := map[string]string{"sync": "Mutex", "sync/atomic": "Bool"}[path]
	if name := f.imports[path]; name != "" && name != "_" && name != "." {
		s.ends[file] = edit{file: file, to: -1, text: "\nvar _ " + name + "." + typ + "\n"}
	}
}

// function notes what a function of sync/atomic does, if it is given the address of a variable.
func (f *finder) function(info *types.Info, call *ast.CallExpr, fn *types.Func, stmt ast.Node, done map[*ast.Ident]bool) {
	if len(call.Args) == 0 {
		return
	}
	a, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr)
	if !ok || a.Op != token.AND {
		return
	}
	id := named(a.X)
	v, _ := info.Uses[id].(*types.Var)
	if v == nil {
		return
	}
	done[id] = true
	s := f.object(v, Atomic)
	if s == nil {
		return
	}
	name := fn.Name()
	for _, verb := range verbs {
		if strings.HasPrefix(name, verb) {
			name = verb
		}
	}
	u := use{finder: f, info: info, seed: s, v: v, call: call, stmt: stmt, x: a.X, args: call.Args[1:], name: name, line: f.fset.Position(call.Lparen).Line}
	u.atomic(false)
}

var verbs = []string{"Load", "Store", "Add", "Swap", "CompareAndSwap"}

// address notes that the address of a variable is taken.
func (f *finder) address(info *types.Info, n *ast.UnaryExpr, done map[*ast.Ident]bool) {
	if n.Op != token.AND {
		return
	}
	if id := named(n.X); id != nil && !done[id] {
		if v, ok := info.Uses[id].(*types.Var); ok && operatorOf(v.Type()) == "" {
			if _, ok := v.Type().Underlying().(*types.Struct); !ok {
				f.keep(v, "its address is taken")
			}
		}
	}
}

// atomic makes a plain access of an atomic one.
func (u *use) atomic(promoted bool) {
	u.imported("sync/atomic")
	_, expr := u.stmt.(*ast.ExprStmt)
	_, deferred := u.stmt.(*ast.DeferStmt)
	typ, ok := u.typeText()
	switch {
	case promoted || !ok || isGo(u.stmt):
		u.keep("an operation on it has no plain form")
		return
	}
	x := u.text(u.x.Pos(), u.x.End())
	call := func(head string) {
		u.add(u.cut(u.call.Pos(), u.args[0].Pos(), head))
	}
	assign := func(op string) {
		u.add(u.cut(u.call.Pos(), u.x.Pos(), ""), u.cut(u.x.End(), u.args[0].Pos(), op), u.cut(u.args[0].End(), u.call.End(), ""))
	}
	switch {
	case u.name == "Load" && !deferred:
		head := ""
		if expr {
			head = "_ = "
		}
		u.add(u.cut(u.call.Pos(), u.x.Pos(), head), u.cut(u.x.End(), u.call.End(), ""))
	case u.name == "Store" && expr, u.name == "Swap" && expr:
		assign(" = ")
	case u.name == "Add" && expr:
		assign(" += ")
	case u.name == "Store":
		call("func(v_ " + typ + ") { " + x + " = v_ }(")
	case u.name == "Add":
		call("func(v_ " + typ + ") " + typ + " { " + x + " += v_; return " + x + " }(")
	case u.name == "Swap":
		call("func(v_ " + typ + ") " + typ + " { o_ := " + x + "; " + x + " = v_; return o_ }(")
	case u.name == "CompareAndSwap":
		call("func(o_, n_ " + typ + ") bool { if " + x + " == o_ { " + x + " = n_; return true }; return false }(")
	default:
		u.keep("an operation on it has no plain form")
	}
}

// typeText is the plain type of the object, as text in the file of the call.
func (u *use) typeText() (text string, ok bool) {
	sig, isFunc := u.info.TypeOf(u.call.Fun).(*types.Signature)
	if !isFunc {
		return "", false
	}
	var t types.Type
	switch {
	case u.name == "Load" && sig.Results().Len() == 1:
		t = sig.Results().At(0).Type()
	case len(u.args) > 0 && sig.Params().Len() >= len(u.args):
		t = sig.Params().At(sig.Params().Len() - len(u.args)).Type()
	default:
		return "", false
	}
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		switch name := u.imports[p.Path()]; {
		case p.Path() == u.pkg.Path():
			return ""
		case name != "" && name != ".":
			return name
		}
		ok = false
		return ""
	})
	return text, ok
}
