package goval

import (
	"go/token"
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Complex numbers as pairs of float64, in which Go computes products and quotients of complex64 as
// well.

// ComplexHalves are the real and the imaginary part of a complex number of kind k, as float64.
func ComplexHalves(k types.BasicKind, x *Term) [2]*expr.Expr {
	if k == types.Complex128 {
		return [2]*expr.Expr{x.Word(0), x.Word(1)}
	}
	return [2]*expr.Expr{
		expr.ConvertTo(expr.Float64, expr.Float32, expr.PartOf(x.Word(0), 0, 4)),
		expr.ConvertTo(expr.Float64, expr.Float32, expr.PartOf(x.Word(0), 4, 4)),
	}
}

// ComplexOf is the complex number of kind k of two float64.
func ComplexOf(k types.BasicKind, h [2]*expr.Expr) *Term {
	if k == types.Complex128 {
		return &Term{Words: h[:]}
	}
	return Single(expr.Concat(
		expr.ConvertTo(expr.Float32, expr.Float64, h[0]), 4,
		expr.ConvertTo(expr.Float32, expr.Float64, h[1])))
}

func real64(op expr.Op, x, y *expr.Expr) *expr.Expr {
	return expr.Binary(op, expr.Float64, 0, x, y)
}

// ComplexArithmetic is + - * / of complex numbers. The sum of two float32, rounded in float64 and
// again, is their sum.
func ComplexArithmetic(op token.Token, k types.BasicKind, x, y *Term) *Term {
	a, b := ComplexHalves(k, x), ComplexHalves(k, y)
	switch op {
	case token.ADD, token.SUB:
		o := Operators[op]
		return ComplexOf(k, [2]*expr.Expr{real64(o, a[0], b[0]), real64(o, a[1], b[1])})
	case token.MUL:
		re := real64(expr.Sub, real64(expr.Mul, a[0], b[0]), real64(expr.Mul, a[1], b[1]))
		im := real64(expr.Add, real64(expr.Mul, a[0], b[1]), real64(expr.Mul, a[1], b[0]))
		return ComplexOf(k, [2]*expr.Expr{re, im})
	case token.QUO:
		return ComplexOf(k, [2]*expr.Expr{
			expr.Quotient(expr.QuoRe, a[0], a[1], b[0], b[1]), expr.Quotient(expr.QuoIm, a[0], a[1], b[0], b[1]),
		})
	}
	return nil
}

// NegativeComplex is -x: the sign bits change, also of a NaN.
func NegativeComplex(k types.BasicKind, x *Term) *Term {
	if k == types.Complex128 {
		return &Term{Words: []*expr.Expr{expr.Unary(expr.Neg, expr.Float64, x.Word(0)), expr.Unary(expr.Neg, expr.Float64, x.Word(1))}}
	}
	return Single(expr.Binary(expr.Xor, expr.Uint64, 0, x.Word(0), expr.Word(1<<63|1<<31)))
}

// EqualComplex is x == y for complex numbers of kind k.
func EqualComplex(k types.BasicKind, x, y *Term) *expr.Expr {
	a, b := ComplexHalves(k, x), ComplexHalves(k, y)
	return And(real64(expr.Eql, a[0], b[0]), real64(expr.Eql, a[1], b[1]))
}
