package walk

import (
	"go/token"
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Complex numbers as pairs of float64, in which Go computes products and quotients of complex64 as well.

// halves are the real and the imaginary part of a complex number of kind k, as float64.
func halves(k types.BasicKind, x *term) [2]*expr.Expr {
	if k == types.Complex128 {
		return [2]*expr.Expr{x.word(0), x.word(1)}
	}
	return [2]*expr.Expr{
		expr.ConvertTo(expr.Float64, expr.Float32, expr.PartOf(x.word(0), 0, 4)),
		expr.ConvertTo(expr.Float64, expr.Float32, expr.PartOf(x.word(0), 4, 4)),
	}
}

// pair is the complex number of kind k of two float64.
func pair(k types.BasicKind, h [2]*expr.Expr) *term {
	if k == types.Complex128 {
		return &term{words: h[:]}
	}
	return single(expr.Concat(
		expr.ConvertTo(expr.Float32, expr.Float64, h[0]), 4,
		expr.ConvertTo(expr.Float32, expr.Float64, h[1])))
}

func real64(op expr.Op, x, y *expr.Expr) *expr.Expr {
	return expr.Binary(op, expr.Float64, 0, x, y)
}

// arithmetic is + - * / of complex numbers. The sum of two float32, rounded in float64 and again, is their sum.
func arithmetic(op token.Token, k types.BasicKind, x, y *term) *term {
	a, b := halves(k, x), halves(k, y)
	switch op {
	case token.ADD, token.SUB:
		o := operators[op]
		return pair(k, [2]*expr.Expr{real64(o, a[0], b[0]), real64(o, a[1], b[1])})
	case token.MUL:
		re := real64(expr.Sub, real64(expr.Mul, a[0], b[0]), real64(expr.Mul, a[1], b[1]))
		im := real64(expr.Add, real64(expr.Mul, a[0], b[1]), real64(expr.Mul, a[1], b[0]))
		return pair(k, [2]*expr.Expr{re, im})
	case token.QUO:
		return pair(k, [2]*expr.Expr{
			expr.Quotient(expr.QuoRe, a[0], a[1], b[0], b[1]), expr.Quotient(expr.QuoIm, a[0], a[1], b[0], b[1]),
		})
	}
	return nil
}

// negative is -x: the sign bits change, also of a NaN.
func negative(k types.BasicKind, x *term) *term {
	if k == types.Complex128 {
		return &term{words: []*expr.Expr{expr.Unary(expr.Neg, expr.Float64, x.word(0)), expr.Unary(expr.Neg, expr.Float64, x.word(1))}}
	}
	return single(expr.Binary(expr.Xor, expr.Uint64, 0, x.word(0), expr.Word(1<<63|1<<31)))
}

func equalComplex(k types.BasicKind, x, y *term) *expr.Expr {
	a, b := halves(k, x), halves(k, y)
	return both(real64(expr.Eql, a[0], b[0]), real64(expr.Eql, a[1], b[1]))
}
