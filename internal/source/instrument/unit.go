package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// refusal is the reason why a unit cannot be written as Go source. refuse panics with it,
// unitEmitter.emit recovers it, and it never leaves the package.
type refusal string

func refuse(why string) { panic(refusal(why)) }

// unitEmitter emits one unit: a function declaration, or the literal of a variable initialiser.
type unitEmitter struct {
	*fileEmitter
	unit   *plan.Unit
	locals map[*types.TypeName]string // types declared inside the unit
	order  []*types.TypeName
	scope  localScope
	uses   map[string]bool // names of the package's scope that the emitted text uses

	numbers map[ast.Node]map[ast.Node]literalNumber // of literals, by the function around them
}

// emit returns the text that replaces the unit, or the reason why there is none.
func (f *fileEmitter) emit(unit *plan.Unit) (text, why string) {
	imports := map[string]string{}
	for k, v := range f.imports {
		imports[k] = v
	}
	defer func() {
		if r := recover(); r != nil {
			ref, ok := r.(refusal)
			if !ok {
				panic(fmt.Sprintf("emitting %s: %v", unit.Key, r))
			}
			text, why, f.imports = "", string(ref), imports
		}
	}()
	u := &unitEmitter{fileEmitter: f, unit: unit, locals: map[*types.TypeName]string{}, uses: map[string]bool{}, numbers: map[ast.Node]map[ast.Node]literalNumber{}}
	u.checkDefers()
	u.findLocals()
	u.checkPredeclared()
	u.declareLocals()
	top := newBody(u, unit.Funcs[0], 0)
	if d, ok := unit.Node.(*ast.FuncDecl); ok {
		text = u.declaration(top, d)
	} else {
		text = top.text()
	}
	u.checkScopes()
	return text, ""
}

// checkDefers refuses a unit with a defer in the body of a range over a function: the runtime
// itself would have to call it when the function around the loop returns.
func (u *unitEmitter) checkDefers() {
	for _, f := range u.unit.Funcs {
		for _, blk := range f.SSA.Blocks {
			for _, in := range blk.Instrs {
				if d, ok := in.(*ssa.Defer); ok && d.DeferStack != nil {
					refuse("defer in the body of a range over a function")
				}
			}
		}
	}
}

// declaration writes a function declaration.
func (u *unitEmitter) declaration(top *body, d *ast.FuncDecl) string {
	params := top.fn.Params
	recv := ""
	if top.fn.Signature.Recv() != nil {
		recv = "(" + top.regs.names[params[0]] + " " + u.typ(params[0].Type()) + ") "
		params = params[1:]
	}
	var tps []string
	for i := range top.fn.Signature.TypeParams().Len() {
		tp := top.fn.Signature.TypeParams().At(i)
		tps = append(tps, u.typeParam(tp)+" "+u.typ(tp.Constraint()))
	}
	generic := ""
	if len(tps) > 0 {
		generic = "[" + strings.Join(tps, ", ") + "]"
	}
	text := "func " + recv + d.Name.Name + generic + top.signatureAndBody(params)
	if out := u.exampleOutput(d); out != "" {
		// after a statement, only its first line would count
		text = strings.TrimSuffix(text, "}") + "\n" + out + "\n}"
	}
	return text
}

// exampleOutput returns the last comment in the body of an example, in which go test finds
// the output it expects.
func (u *unitEmitter) exampleOutput(d *ast.FuncDecl) string {
	if !strings.HasPrefix(d.Name.Name, "Example") || !strings.HasSuffix(u.name, "_test.go") {
		return ""
	}
	var last *ast.CommentGroup
	for _, c := range u.file.Comments {
		if d.Body.Lbrace < c.Pos() && c.End() <= d.Body.Rbrace {
			last = c
		}
	}
	if last == nil {
		return ""
	}
	return string(u.source[u.offset(last.Pos()):u.offset(last.End())])
}

// checkScopes refuses a unit whose local types or type parameters hide a name that the emitted text
// takes from the package's scope.
func (u *unitEmitter) checkScopes() {
	for tn := range u.locals {
		if u.uses[tn.Name()] {
			refuse("local type that hides a name of its package")
		}
	}
	for _, f := range u.unit.Funcs {
		for i := range f.SSA.TypeParams().Len() {
			if u.uses[f.SSA.TypeParams().At(i).Obj().Name()] {
				refuse("type parameter that hides a name of its package")
			}
		}
	}
}

func deref(a *ssa.Alloc) types.Type { return a.Type().Underlying().(*types.Pointer).Elem() }
