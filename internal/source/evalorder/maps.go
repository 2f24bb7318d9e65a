package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// mapLiteral visits a map literal that is not the operand of &. It is built entry by entry (EO6).
func (o *order) mapLiteral(e *ast.CompositeLit, m *types.Map) ast.Expr {
	mark := o.late
	if !o.mapEntries(e, m) {
		return o.here(e, mark)
	}
	o.late = mark
	if o.dry {
		return e
	}
	entries := slices.Clone(e.Elts)
	set(o.edit, &e.Elts, nil)
	v, s := o.edit.define(o.facts.typeOf(e), e)
	o.out = append(o.out, s)
	for _, entry := range entries {
		kv := entry.(*ast.KeyValueExpr)
		l := &ast.IndexExpr{X: o.edit.use(v), Lbrack: kv.Colon, Index: kv.Key}
		o.edit.typed(l, m.Elem())
		s := &ast.AssignStmt{Lhs: []ast.Expr{l}, TokPos: kv.Colon, Tok: token.ASSIGN, Rhs: []ast.Expr{kv.Value}}
		sub := o.sub(false)
		sub.assignment(s)
		o.out, o.gaps = append(append(o.out, sub.out...), s), append(o.gaps, sub.gaps...)
	}
	return o.edit.use(v)
}

// mapEntries visits the entries, each of which is an assignment of its own, and reports whether the
// order matters in one of them.
func (o *order) mapEntries(e *ast.CompositeLit, m *types.Map) bool {
	matters := false
	for _, entry := range e.Elts {
		kv := entry.(*ast.KeyValueExpr)
		sub := o.sub(true)
		key := &ast.IndexExpr{X: e, Index: kv.Key}
		sub.conv(&key.Index, m.Key())
		if o.facts.copiesKey(m, kv.Key) {
			sub.late = 0
		}
		sub.conv(&kv.Value, m.Elem())
		matters = matters || sub.matters
		if o.effects += sub.effects; sub.effects > 0 && o.late > 0 {
			o.matters = true
		}
	}
	o.matters = o.matters || matters
	return matters
}

func isMap(t types.Type) bool {
	_, ok := under(t).(*types.Map)
	return ok
}
