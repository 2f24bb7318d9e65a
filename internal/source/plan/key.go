package plan

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// KeysVersion is the version of the names of accesses that this file makes (trace.Meta.Keys).
const KeysVersion = 1

// This file gives accesses names that edits of the source do not change (trace.SiteInfo.Key).
//
// An access is named by the declared function that it is in, what it accesses, and whether it reads
// or writes. A literal belongs to the function around it, because the number in its name changes
// with each literal above it. Where a function has several such accesses, the key tells them apart
// by their statements, in which local variables have their types in place of names, and parameters
// of one type their numbers. Equal statements are counted: the key of the second of three has "2 of
// 3". So a key is not given to another access if one is added or removed: then all keys of the
// equal statements change.

// accessAt is a site of a unit, with what it accesses.
type accessAt struct {
	u    *Unit
	site trace.Site
	path string // what is hashed besides the statement: what no field of the site has
	kind byte
}

// group is what accesses have in common that only keys tell apart.
type group struct {
	outer, path, object string
	kind                byte
}

// keys gives keys to all sites of accesses and calls, and to functions the names of those that
// declare them. Linear in the program, but for the order of accesses that have a name in common.
func (b *builder) keys() {
	groups := map[group][]accessAt{}
	for _, u := range b.plan.Units {
		outer := u.Pkg.PkgPath + "." + outerName(u, b.plan.Funcs[u.Funcs[0].ID].Name)
		for _, f := range u.Funcs {
			if fn := &b.plan.Funcs[f.ID]; fn.Name != outer {
				fn.Outer = outer
			}
			d := &describer{f: f}
			for i := range f.Blocks {
				for j, in := range f.Blocks[i].Instrs {
					if in.Site == 0 {
						continue
					}
					a := accessAt{u: u, site: in.Site}
					if a.kind, a.path = b.kind(d, f.SSA.Blocks[i].Instrs[j]); a.kind != 0 {
						k := group{outer, a.path, b.plan.Sites[in.Site].Object, a.kind}
						groups[k] = append(groups[k], a)
					}
				}
			}
		}
	}
	texts := map[*Unit]*statements{}
	for _, list := range groups {
		b.tellApart(list, texts)
	}
}

// kind returns r for an instruction that only reads what its site names, w for one that only
// writes it, and a for an atomic operation, whose memory the path names. Others are o, or 0 if no
// access has their site. A capital letter says that the path names the memory in place of the
// object of the site.
func (b *builder) kind(d *describer, in ssa.Instruction) (kind byte, path string) {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op == token.MUL {
			return parameterised('r', in.X)
		}
	case *ssa.Lookup, *ssa.Next:
		return 'r', ""
	case *ssa.Store:
		return parameterised('w', in.Addr)
	case *ssa.MapUpdate:
		return 'w', ""
	case *ssa.BinOp, *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.TypeAssert, *ssa.ChangeInterface:
		return 0, ""
	case ssa.CallInstruction:
		fn := in.Common().StaticCallee()
		if b.plan.Func(fn) != nil && !Typed(fn) { // its accesses have sites of their own
			return 0, ""
		}
		if fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync/atomic" && len(in.Common().Args) > 0 {
			return 'a', fn.Name() + " " + d.pointeeObject(in.Common().Args[0])
		}
	}
	return 'o', ""
}

// parameterised returns the kind of an access by a pointer to a type parameter as a capital letter,
// with the number of the parameter: its object would be the name of the parameter.
func parameterised(kind byte, addr ssa.Value) (byte, string) {
	switch addr.(type) {
	case *ssa.Global, *ssa.FreeVar, *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
		return kind, ""
	}
	if p, ok := addr.Type().Underlying().(*types.Pointer); ok {
		if t, ok := types.Unalias(p.Elem()).(*types.TypeParam); ok {
			return kind - 'a' + 'A', fmt.Sprint("type parameter ", t.Index())
		}
	}
	return kind, ""
}

// tellApart gives keys to accesses that have a name in common.
func (b *builder) tellApart(list []accessAt, texts map[*Unit]*statements) {
	first := &b.plan.Sites[list[0].site]
	at := map[spot]uint64{} // the statement of each place
	for _, a := range list {
		at[spotOf(&b.plan.Sites[a.site])] = 0
	}
	if named := first.Object != "" || list[0].path != ""; len(at) > 1 || !named {
		for _, a := range list {
			if texts[a.u] == nil {
				texts[a.u] = newStatements(a.u)
			}
			s := &b.plan.Sites[a.site]
			at[spotOf(s)] = texts[a.u].at(s)
		}
	}
	keys := keysOf(at, list[0].kind, list[0].path)
	for _, a := range list {
		b.plan.Sites[a.site].Key = keys[spotOf(&b.plan.Sites[a.site])]
	}
}

// spot is a position in the source. The read and the write of n++ are at one.
type spot struct{ file, line, col int32 }

func spotOf(s *trace.SiteInfo) spot { return spot{s.File, s.Line, s.Col} }

// keysOf returns a key for each place: its statement, and which of the equal ones it is. The key of
// a read or a write is empty if there is only one.
func keysOf(at map[spot]uint64, kind byte, path string) map[spot]string {
	same := map[uint64][]spot{}
	for p, text := range at {
		same[text] = append(same[text], p)
	}
	keys := map[spot]string{}
	for text, list := range same {
		slices.SortFunc(list, func(a, b spot) int {
			return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
		})
		for i, p := range list {
			switch {
			case text == 0 && path == "" && (kind == 'r' || kind == 'w'):
			case text == 0 && path == "":
				keys[p] = string(kind)
			default:
				sum := xxhash.Sum64String(fmt.Sprintf("%s %x %d %d", path, text, i, len(list)))
				keys[p] = fmt.Sprintf("%c%09x", kind, sum>>28)
			}
		}
	}
	return keys
}

// outerName is the name of the declared function of a unit, without its package. A literal that
// initialises a variable has the name of the variable.
func outerName(u *Unit, name string) string {
	if lit, ok := u.Node.(*ast.FuncLit); ok {
		for _, d := range u.File.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || lit.Pos() < g.Pos() || lit.Pos() > g.End() {
				continue
			}
			for _, s := range g.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && v.Pos() <= lit.Pos() && lit.Pos() < v.End() {
					return "var " + v.Names[0].Name
				}
			}
		}
		return "var _"
	}
	name = strings.TrimPrefix(name, u.Pkg.PkgPath+".")
	if strings.HasPrefix(name, "init.") {
		return "init"
	}
	return strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name)
}

// statements finds the statements of a unit by position.
type statements struct {
	u      *Unit
	bounds []bound
	texts  map[ast.Node]uint64
	params map[types.Object]string // parameters with others of their type: which one it is
}

// bound is a position from which on a statement is the innermost one.
type bound struct {
	pos token.Pos
	in  ast.Node
}

func newStatements(u *Unit) *statements {
	s := &statements{u: u, texts: map[ast.Node]uint64{}, params: map[types.Object]string{}}
	var around []ast.Node // statements, and other nodes as nil
	ast.Inspect(u.Node, func(n ast.Node) bool {
		if n == nil {
			last := around[len(around)-1]
			around = around[:len(around)-1]
			if last != nil {
				s.bounds = append(s.bounds, bound{last.End(), innermost(around)})
			}
			return true
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.parameters(n.Recv, n.Type.Params)
		case *ast.FuncLit:
			s.parameters(n.Type.Params)
		case *ast.BlockStmt, *ast.LabeledStmt:
			around = append(around, nil)
			return true
		case ast.Stmt:
			s.bounds = append(s.bounds, bound{n.Pos(), n})
			around = append(around, n)
			return true
		}
		around = append(around, nil)
		return true
	})
	slices.SortStableFunc(s.bounds, func(a, b bound) int { return cmp.Compare(a.pos, b.pos) })
	return s
}

// parameters numbers those parameters of a function that have a type in common.
func (s *statements) parameters(lists ...*ast.FieldList) {
	same := map[string][]types.Object{}
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			for _, id := range f.Names {
				if obj := s.u.Pkg.TypesInfo.Defs[id]; obj != nil {
					t := types.TypeString(obj.Type(), nil)
					same[t] = append(same[t], obj)
				}
			}
		}
	}
	for _, list := range same {
		for i, obj := range list {
			if len(list) > 1 {
				s.params[obj] = fmt.Sprintf(" %d of %d", i+1, len(list))
			}
		}
	}
}

func innermost(around []ast.Node) ast.Node {
	for _, n := range slices.Backward(around) {
		if n != nil {
			return n
		}
	}
	return nil
}

// at returns the hash of the statement at a site; it is not 0.
func (s *statements) at(site *trace.SiteInfo) uint64 {
	file := s.u.Pkg.Fset.File(s.u.Node.Pos())
	if site.Line < 1 || int(site.Line) > file.LineCount() {
		return 1
	}
	pos := file.LineStart(int(site.Line)) + token.Pos(site.Col-1)
	i, found := slices.BinarySearchFunc(s.bounds, pos, func(b bound, pos token.Pos) int { return cmp.Compare(b.pos, pos) })
	// the last of those that begin there
	for found && i+1 < len(s.bounds) && s.bounds[i+1].pos == pos {
		i++
	}
	if !found {
		i--
	}
	if i < 0 || s.bounds[i].in == nil {
		return 1
	}
	n := s.bounds[i].in
	h, ok := s.texts[n]
	if !ok {
		w := writer{info: s.u.Pkg.TypesInfo, params: s.params, sum: xxhash.New()}
		w.node(n)
		h = w.sum.Sum64() | 2
		s.texts[n] = h
	}
	return h
}

// writer hashes statements. Local variables are written as their types, literals of functions and
// the blocks of statements not at all.
type writer struct {
	info   *types.Info
	params map[types.Object]string
	sum    *xxhash.Digest
}

func (w *writer) node(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			w.sum.WriteString(")")
			return true
		case *ast.BlockStmt, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.ParenExpr:
			w.node(n.X)
			return false
		case *ast.IfStmt:
			w.parts("if", n.Init, n.Cond)
			return false
		case *ast.CaseClause:
			for _, x := range n.List {
				w.parts("case", nil, x)
			}
			return false
		case *ast.CommClause:
			w.parts("comm", n.Comm, nil)
			return false
		case *ast.FuncLit:
			w.sum.WriteString("func(")
			w.node(n.Type)
			w.sum.WriteString(")")
			return false
		case *ast.Ident:
			w.sum.WriteString(w.name(n))
		default:
			w.sum.WriteString(reflect.TypeOf(n).Elem().Name() + tokenOf(n))
		}
		w.sum.WriteString("(")
		return true
	})
}

// parts writes the parts of a statement that are there.
func (w *writer) parts(name string, init ast.Stmt, x ast.Expr) {
	w.sum.WriteString(name + "(")
	if init != nil {
		w.node(init)
	}
	w.sum.WriteString(";")
	if x != nil {
		w.node(x)
	}
	w.sum.WriteString(")")
}

// tokenOf is what tells nodes of one type apart.
func tokenOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		return " " + n.Value
	case *ast.BinaryExpr:
		return " " + n.Op.String()
	case *ast.UnaryExpr:
		return " " + n.Op.String()
	case *ast.AssignStmt:
		return " " + n.Tok.String()
	case *ast.IncDecStmt:
		return " " + n.Tok.String()
	case *ast.BranchStmt:
		return " " + n.Tok.String()
	}
	return ""
}

// name is the name of an identifier: its type for a local variable, and the path of a package.
func (w *writer) name(id *ast.Ident) string {
	switch obj := w.info.ObjectOf(id).(type) {
	case *types.Var:
		if !obj.IsField() && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() {
			return "·" + types.TypeString(obj.Type(), nil) + w.params[obj]
		}
	case *types.PkgName:
		return obj.Imported().Path()
	}
	return id.Name
}
