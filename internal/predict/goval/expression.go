package goval

import (
	"go/token"
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Kinds are the kinds of package expr, by the kinds that KindOf returns.
var Kinds = map[types.BasicKind]expr.Kind{
	types.Bool: expr.Bool, types.Int8: expr.Int8, types.Int16: expr.Int16, types.Int32: expr.Int32, types.Int64: expr.Int64,
	types.Uint8: expr.Uint8, types.Uint16: expr.Uint16, types.Uint32: expr.Uint32, types.Uint64: expr.Uint64,
	types.UnsafePointer: expr.Uint64, types.Float32: expr.Float32, types.Float64: expr.Float64,
}

// Operators are the operators of package expr, by token.
var Operators = map[token.Token]expr.Op{
	token.ADD: expr.Add, token.SUB: expr.Sub, token.MUL: expr.Mul, token.QUO: expr.Quo, token.REM: expr.Rem,
	token.AND: expr.And, token.OR: expr.Or, token.XOR: expr.Xor, token.AND_NOT: expr.AndNot, token.SHL: expr.Shl, token.SHR: expr.Shr,
	token.EQL: expr.Eql, token.NEQ: expr.Neq, token.LSS: expr.Lss, token.LEQ: expr.Leq, token.GTR: expr.Gtr, token.GEQ: expr.Geq,
}

// Plus is x + y for words.
func Plus(x, y *expr.Expr) *expr.Expr { return expr.Binary(expr.Add, expr.Uint64, 0, x, y) }

// Minus is x - y for words.
func Minus(x, y *expr.Expr) *expr.Expr { return expr.Binary(expr.Sub, expr.Uint64, 0, x, y) }

// Equal is x == y for words.
func Equal(x, y *expr.Expr) *expr.Expr {
	return expr.Binary(expr.Eql, expr.Uint64, 0, x, y)
}

// Times is n * x for a word x.
func Times(x *expr.Expr, n int64) *expr.Expr {
	if n == 1 {
		return x
	}
	return expr.Binary(expr.Mul, expr.Uint64, 0, x, expr.Word(uint64(n)))
}

// ToInt converts an integer of kind k to an int.
func ToInt(k types.BasicKind, x *expr.Expr) *expr.Expr {
	if Kinds[k] == 0 {
		return nil
	}
	return expr.ConvertTo(expr.Int64, Kinds[k], x)
}

// UnknownBool returns a bool that is not known.
func UnknownBool() *expr.Expr { return expr.Apply("unknown", expr.Bool) }

// IsNil reports whether e is the constant zero.
func IsNil(e *expr.Expr) bool {
	if e == nil || !e.IsConst() {
		return false
	}
	v, _ := e.Recorded()
	return v == 0
}

// And is x && y. If x is false, y need not have a value.
func And(x, y *expr.Expr) *expr.Expr {
	if y == nil {
		return nil
	}
	return expr.Choose(x, y, expr.Truth(false))
}
