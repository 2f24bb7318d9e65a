package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// The compiler names function literals by their number in the function around them, in the order in
// which it reads them: that of the source, without code that it drops as dead. Emitted code has
// them in the order of its blocks. So the column of each literal encodes its number
// (literalColumn), from which the compiler of package compiler takes it.

// A literalNumber is the number of a literal, and by itself that of a range over a function. The
// body of such a range is a function of its own. Versions of Go differ in whether it is numbered as
// one, so there are two numbers.
type literalNumber struct {
	whole int // in the function around it that is no body of a range over a function
	own   int // in the function around it, which may be such a body
}

// What a column after emittedColumn encodes about a literal.
const (
	columnLiteral = iota // a literal with that number
	columnRange          // the body of a range over a function with that number
	columnNatural        // the compiler counts it as in the source
	columnKinds
)

// columnNumbers limits each number, as the compiler limits columns to 1<<30.
const columnNumbers = 1 << 14

func literalColumn(n literalNumber, kind int) int {
	if n.whole >= columnNumbers {
		n = literalNumber{}
	}
	return emittedColumn + 1 + (n.own*columnNumbers+n.whole)*columnKinds + kind
}

// mark returns the comment before a literal that encodes its number.
func (b *body) mark() string {
	number, kind := b.unit.number(b.fn)
	if number.whole == 0 {
		return ""
	}
	file, line := b.unit.position(b.fn.Pos())
	return lineComment(file, line, literalColumn(number, kind))
}

// number returns the number of a literal, or of a range over a function.
func (u *unitEmitter) number(fn *ssa.Function) (number literalNumber, kind int) {
	around := fn.Parent()
	for around.Synthetic != "" && around.Parent() != nil {
		around = around.Parent()
	}
	top := around.Syntax()
	numbers, ok := u.numbers[top]
	if !ok {
		numbers = numberLiterals(u.pkg.TypesInfo, top)
		u.numbers[top] = numbers
	}
	if _, ok := fn.Syntax().(*ast.RangeStmt); ok {
		kind = columnRange
	}
	return numbers[fn.Syntax()], kind
}

// numberLiterals numbers the literals of a function, but not those inside of them, and by
// themselves its ranges over functions.
func numberLiterals(info *types.Info, fn ast.Node) map[ast.Node]literalNumber {
	c := &literalCounter{info: info, numbers: map[ast.Node]literalNumber{}}
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		c.generic = fn.Type.TypeParams != nil || hasTypeParams(info, fn)
		c.visit(fn.Body)
	case *ast.FuncLit:
		c.visit(fn.Body)
	}
	return c.numbers
}

func hasTypeParams(info *types.Info, d *ast.FuncDecl) bool {
	fn, ok := info.Defs[d.Name].(*types.Func)
	return ok && fn.Signature().RecvTypeParams().Len() > 0
}

// literalCounter reads a function as the compiler does (package noder, writer.go).
type literalCounter struct {
	info     *types.Info
	generic  bool
	numbers  map[ast.Node]literalNumber
	literals literalNumber // how many there have been
	ranges   literalNumber
	called   ast.Expr // a method of a call is no method value
}

func (n *literalNumber) next() { n.whole, n.own = n.whole+1, n.own+1 }

func (c *literalCounter) visit(n ast.Node) {
	if n != nil {
		ast.Inspect(n, c.inspect)
	}
}

func (c *literalCounter) visitAll(list []ast.Stmt) {
	last := -1
	for i, s := range list {
		if _, ok := s.(*ast.LabeledStmt); ok {
			last = i
		}
	}
	dead := false
	for i, s := range list {
		if _, labeled := s.(*ast.LabeledStmt); dead && i > last && !labeled {
			continue
		}
		c.visit(s)
		dead = c.terminates(s)
	}
}

// inspect is for ast.Inspect: false where it has visited what is below n.
func (c *literalCounter) inspect(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok && c.info.Types[e].Value != nil {
		return false // a constant is not evaluated
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		c.literals.next()
		c.numbers[n] = c.literals
		return false
	case *ast.BlockStmt:
		c.visitAll(n.List)
		return false
	case *ast.CaseClause:
		for _, e := range n.List {
			c.visit(e)
		}
		c.visitAll(n.Body)
		return false
	case *ast.CommClause:
		c.visit(n.Comm)
		c.visitAll(n.Body)
		return false
	case *ast.IfStmt:
		c.visitIf(n)
		return false
	case *ast.ForStmt:
		return c.visitFor(n)
	case *ast.SwitchStmt:
		return c.visitSwitch(n)
	case *ast.RangeStmt:
		if _, ok := c.info.TypeOf(n.X).Underlying().(*types.Signature); ok {
			c.visitRange(n)
			return false
		}
	case *ast.CallExpr:
		c.called = ast.Unparen(n.Fun)
	case *ast.SelectorExpr:
		c.countMethod(n)
	}
	return true
}

// visitRange visits a range over a function.
func (c *literalCounter) visitRange(n *ast.RangeStmt) {
	c.ranges.next()
	c.numbers[n] = c.ranges
	c.visit(n.Key)
	c.visit(n.Value)
	c.visit(n.X)
	literals, ranges := c.literals.own, c.ranges.own
	c.literals.own, c.ranges.own = 0, 0
	c.visit(n.Body)
	c.literals.own, c.ranges.own = literals, ranges
}

// countMethod counts the wrapper that the compiler makes, in a generic function, for a method value
// of a type that depends on type parameters.
func (c *literalCounter) countMethod(n *ast.SelectorExpr) {
	sel := c.info.Selections[n]
	if !c.generic || sel == nil || sel.Kind() != types.MethodVal || c.called == ast.Expr(n) {
		return
	}
	if t := sel.Recv(); mentionsTypeParam(t) && (isTypeParam(t) || !types.IsInterface(t)) {
		c.visit(n.X)
		c.literals.next()
	}
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func (c *literalCounter) visitIf(n *ast.IfStmt) {
	cond, kept := c.static(n.Cond)
	c.visit(n.Init)
	c.visit(kept)
	if cond >= 0 {
		c.visit(n.Body)
	}
	if cond <= 0 {
		c.visit(n.Else)
	}
}

func (c *literalCounter) visitFor(n *ast.ForStmt) bool {
	if n.Cond == nil {
		return true
	}
	cond, kept := c.static(n.Cond)
	c.visit(n.Init)
	c.visit(kept)
	if cond >= 0 {
		c.visit(n.Post)
		c.visit(n.Body)
	}
	return false
}

// visitSwitch visits of a switch over a constant only the case that is always taken, if all cases
// in front of it are constants.
func (c *literalCounter) visitSwitch(n *ast.SwitchStmt) bool {
	tag := constant.MakeBool(true)
	if n.Tag != nil {
		tag = c.info.Types[n.Tag].Value
	}
	if tag == nil {
		return true
	}
	target, known := c.target(n, tag)
	if !known {
		return true
	}
	c.visit(n.Init)
	if target != nil {
		c.visitAll(target.Body)
	}
	return false
}

func (c *literalCounter) target(n *ast.SwitchStmt, tag constant.Value) (target *ast.CaseClause, known bool) {
	for _, s := range n.Body.List {
		clause := s.(*ast.CaseClause)
		if clause.List == nil {
			target = clause
		}
		for _, e := range clause.List {
			v := c.info.Types[e].Value
			if v == nil {
				return nil, false
			}
			if constant.Compare(tag, token.EQL, v) {
				return clause, !fallsThrough(clause)
			}
		}
	}
	return target, target == nil || !fallsThrough(target)
}

func fallsThrough(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// static returns 1 or -1 for a condition that is always true or false, and what is left of it.
func (c *literalCounter) static(e ast.Expr) (value int, kept ast.Expr) {
	if v := c.info.Types[e].Value; v != nil {
		if constant.BoolVal(v) {
			return 1, e
		}
		return -1, e
	}
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT { // the compiler does not negate it
			value, _ = c.static(x.X)
			return value, e
		}
	case *ast.BinaryExpr:
		return c.staticPair(x)
	}
	return 0, e
}

func (c *literalCounter) staticPair(x *ast.BinaryExpr) (value int, kept ast.Expr) {
	decides := map[token.Token]int{token.LAND: -1, token.LOR: 1}[x.Op]
	if decides == 0 {
		return 0, x
	}
	left, _ := c.static(x.X)
	if left == decides {
		return left, x.X
	}
	right, _ := c.static(x.Y)
	if left != -decides && right != decides {
		return 0, x
	}
	if c.info.Types[x.X].Value != nil {
		return right, x.Y
	}
	return right, x
}

// terminates reports whether the compiler drops the statements after s.
func (c *literalCounter) terminates(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		return s.Tok == token.GOTO
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && c.info.Uses[id] == types.Universe.Lookup("panic")
	case *ast.IfStmt:
		cond, _ := c.static(s.Cond)
		return (cond < 0 || c.terminates(s.Body)) && (cond > 0 || c.terminates(s.Else))
	case *ast.BlockStmt:
		for i := len(s.List) - 1; i >= 0; i-- {
			if _, empty := s.List[i].(*ast.EmptyStmt); !empty {
				return c.terminates(s.List[i])
			}
		}
	}
	return false
}
