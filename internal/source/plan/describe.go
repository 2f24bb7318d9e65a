package plan

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// describer finds for an access the source expression and the object it names.
type describer struct {
	f     *Func
	exprs map[token.Pos]ast.Expr // by the position go/ssa gives to instructions
}

const maxExpr = 60

func newDescriber(f *Func) *describer {
	d := &describer{f: f, exprs: map[token.Pos]ast.Expr{}}
	if f.SSA.Syntax() != nil {
		ast.Inspect(f.SSA.Syntax(), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				d.exprs[n.Sel.Pos()] = n
			case *ast.IndexExpr:
				d.exprs[n.Lbrack] = n
			case *ast.StarExpr:
				d.exprs[n.Star] = n
			case *ast.CallExpr:
				d.exprs[n.Lparen] = n
			case *ast.UnaryExpr:
				d.exprs[n.OpPos] = n
			case *ast.DeferStmt:
				d.exprs[n.Defer] = n.Call
			}
			return true
		})
	}
	return d
}

// describe returns what the instruction accesses, as written and by name; for a call the call.
func (d *describer) describe(in ssa.Instruction) (expr, object string) {
	switch in := in.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			return d.target(in.X)
		case token.ARROW:
			return "<-" + d.text(in.X), d.object(in.X)
		}
	case *ssa.Store:
		return d.target(in.Addr)
	case *ssa.MapUpdate:
		return d.text(in.Map) + "[" + d.text(in.Key) + "]", d.object(in.Map)
	case *ssa.Lookup:
		return d.text(in.X) + "[" + d.text(in.Index) + "]", d.object(in.X)
	case *ssa.Next:
		if r, ok := in.Iter.(*ssa.Range); ok {
			return "range " + d.text(r.X), d.object(r.X)
		}
	case *ssa.Send:
		return d.text(in.Chan) + " <- " + d.text(in.X), d.object(in.Chan)
	case ssa.CallInstruction:
		if b, ok := in.Common().Value.(*ssa.Builtin); ok && len(in.Common().Args) > 0 {
			return b.Name() + "(" + d.text(in.Common().Args[0]) + ")", d.object(in.Common().Args[0])
		}
		if e := d.exprs[in.Pos()]; e != nil {
			return clip(types.ExprString(e)), ""
		}
	}
	return "", ""
}

// target describes what the address addr points to.
func (d *describer) target(addr ssa.Value) (expr, object string) {
	return d.pointee(addr), d.pointeeObject(addr)
}

// pointee writes *addr as Go source.
func (d *describer) pointee(addr ssa.Value) string {
	if e := d.exprs[addr.Pos()]; e != nil {
		switch addr.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			return clip(types.ExprString(e))
		}
	}
	switch x := addr.(type) {
	case *ssa.Global:
		if x.Pkg != nil && x.Pkg != d.f.SSA.Pkg {
			return x.Pkg.Pkg.Name() + "." + x.Name()
		}
		return x.Name()
	case *ssa.FreeVar:
		return x.Name()
	case *ssa.Alloc:
		if x.Comment == "" {
			return "…"
		}
		return x.Comment
	case *ssa.FieldAddr:
		if s := StructOf(x.X.Type()); s != nil {
			return clip(d.base(x.X) + "." + s.Field(x.Field).Name())
		}
	case *ssa.IndexAddr:
		return clip(d.base(x.X) + "[" + d.text(x.Index) + "]")
	}
	return clip("*" + d.text(addr))
}

// base writes the operand of a selector or index: p for a pointer p, or the variable it points to.
func (d *describer) base(v ssa.Value) string {
	switch v.(type) {
	case *ssa.Global, *ssa.FreeVar, *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
		return d.pointee(v)
	}
	return d.text(v)
}

// text writes a value as Go source, or "…" when the SSA has no name for it.
func (d *describer) text(v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Parameter:
		return x.Name()
	case *ssa.Const:
		if x.Value == nil {
			return "nil"
		}
		return clip(x.Value.String())
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return d.pointee(x.X)
		}
	case *ssa.Phi:
		if x.Comment != "" {
			return x.Comment
		}
	case *ssa.Function:
		return x.Name()
	case *ssa.FreeVar, *ssa.Alloc, *ssa.Global:
		return "&" + d.pointee(v)
	case *ssa.MakeInterface:
		return d.text(x.X)
	}
	if e := d.exprs[v.Pos()]; e != nil {
		return clip(types.ExprString(e))
	}
	return "…"
}

// pointeeObject names the variable, field or element type that addr points to.
func (d *describer) pointeeObject(addr ssa.Value) string {
	qual := types.RelativeTo(d.f.Unit.Pkg.Types)
	switch x := addr.(type) {
	case *ssa.Global:
		return "global " + x.Pkg.Pkg.Name() + "." + x.Name()
	case *ssa.FreeVar:
		return "captured " + x.Name()
	case *ssa.Alloc:
		return "variable " + x.Comment
	case *ssa.FieldAddr:
		if s := StructOf(x.X.Type()); s != nil {
			return "(" + types.TypeString(x.X.Type(), qual) + ")." + s.Field(x.Field).Name()
		}
	case *ssa.IndexAddr:
		t := x.X.Type()
		if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		return "element of " + types.TypeString(t, qual)
	}
	if p, ok := Core(addr.Type()).(*types.Pointer); ok {
		return types.TypeString(p.Elem(), qual)
	}
	return types.TypeString(addr.Type(), qual)
}

// object names what a map, channel or slice value was loaded from.
func (d *describer) object(v ssa.Value) string {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		return d.pointeeObject(u.X)
	}
	return types.TypeString(v.Type(), types.RelativeTo(d.f.Unit.Pkg.Types))
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxExpr {
		return string(r[:maxExpr-1]) + "…"
	}
	return s
}
