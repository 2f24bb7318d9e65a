package smt

import (
	"math"
	"strconv"

	"github.com/presage-race/presage/internal/predict/expr"
)

// The theory of floating point has no function from a number to its image. So the image of a result
// is an unknown word that denotes the number. There is exactly one such word, unless the number is
// a NaN; a NaN has no value.

// floatFormat is the widths of exponent and significand.
func floatFormat(k expr.Kind) string {
	if k == expr.Float32 {
		return "8 24"
	}
	return "11 53"
}

func float(k expr.Kind, image sexp) sexp {
	return apply("(_ to_fp "+floatFormat(k)+")", low(k, image))
}

// imageOf is the image of a float, and whether it has a value.
func (t *terms) imageOf(k expr.Kind, x sexp) (val, ok sexp) {
	n := int32(len(t.done))
	f := t.script.define(name("f", n), "(_ FloatingPoint "+floatFormat(k)+")", x)
	w := t.script.declare(name("fw", n), bitVec(width(k)))
	t.script.floats = true
	nan := apply("fp.isNaN", f)
	t.script.assert(or(nan, eq(apply("(_ to_fp "+floatFormat(k)+")", w), f)))
	return image(k, w), not(nan)
}

const nearest, toZero sexp = "RNE", "RTZ"

// float is an operator on floats.
func (t *terms) float(op expr.Op, k expr.Kind, a, b sexp) (val, ok sexp) {
	t.script.floats = true
	x, y := float(k, a), float(k, b)
	switch op {
	case expr.Add:
		return t.imageOf(k, apply("fp.add", nearest, x, y))
	case expr.Sub:
		return t.imageOf(k, apply("fp.sub", nearest, x, y))
	case expr.Mul:
		return t.imageOf(k, apply("fp.mul", nearest, x, y))
	case expr.Quo:
		return t.imageOf(k, apply("fp.div", nearest, x, y))
	case expr.Min, expr.Max: // of the two zeros, -0 is the smaller
		less, zeros := apply("fp.lt", x, y), apply("bvor", a, b)
		if op == expr.Max {
			less, zeros = apply("fp.gt", x, y), apply("bvand", a, b)
		}
		val = ite(apply("fp.eq", x, y), zeros, ite(less, a, b))
		return val, not(or(apply("fp.isNaN", x), apply("fp.isNaN", y)))
	case expr.Eql:
		return boolean(apply("fp.eq", x, y)), yes
	case expr.Neq:
		return boolean(not(apply("fp.eq", x, y))), yes
	}
	names := map[expr.Op]string{expr.Lss: "fp.lt", expr.Leq: "fp.leq", expr.Gtr: "fp.gt", expr.Geq: "fp.geq"}
	return boolean(apply(names[op], x, y)), yes
}

// convert is a conversion of numbers.
func (t *terms) convert(to, from expr.Kind, x sexp) (val, ok sexp) {
	switch {
	case from == expr.Bool || to == expr.Bool:
		return x, truth(from == to)
	case from.IsFloat() && to.IsFloat():
		t.script.floats = true
		return t.imageOf(to, apply("(_ to_fp "+floatFormat(to)+")", nearest, float(from, x)))
	case from.IsFloat():
		return t.toInteger(to, from, x)
	case to.IsFloat() && from.IsSigned():
		return t.imageOf(to, apply("(_ to_fp "+floatFormat(to)+")", nearest, extended(from, x)))
	case to.IsFloat():
		return t.imageOf(to, apply("(_ to_fp_unsigned "+floatFormat(to)+")", nearest, x))
	}
	return image(to, low(to, extended(from, x))), yes
}

// toInteger has a value if the integer part is one of the type.
func (t *terms) toInteger(to, from expr.Kind, x sexp) (val, ok sexp) {
	t.script.floats = true
	f := float(from, x)
	if from == expr.Float32 {
		f = apply("(_ to_fp 11 53)", nearest, f) // exact
	}
	f = apply("fp.roundToIntegral", toZero, f)
	lo, hi, op := 0.0, math.Ldexp(1, width(to)), "fp.to_ubv"
	if to.IsSigned() {
		lo, hi, op = -math.Ldexp(1, width(to)-1), math.Ldexp(1, width(to)-1), "fp.to_sbv"
	}
	bound := func(x float64) sexp { return float(expr.Float64, word64(math.Float64bits(x))) }
	ok = and(apply("fp.geq", f, bound(lo)), apply("fp.lt", f, bound(hi)))
	return image(to, apply("(_ "+op+" "+strconv.Itoa(width(to))+")", toZero, f)), ok
}

// usesText reports whether the operation has a string as operand or result.
func usesText(e *expr.Expr) bool {
	if e.IsString() {
		return true
	}
	for _, a := range e.Args() {
		if a.IsString() {
			return true
		}
	}
	return false
}
