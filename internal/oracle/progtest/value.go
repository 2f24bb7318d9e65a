package progtest

import (
	"cmp"
	"go/token"
	"go/types"
	"math"
)

// Numbers are kept as memory keeps them: zero-extended to a word.

// bytesOf is the size of a basic kind.
func bytesOf(k types.BasicKind) int64 {
	switch k {
	case types.Bool, types.Int8, types.Uint8:
		return 1
	case types.Int16, types.Uint16:
		return 2
	case types.Int32, types.Uint32, types.Float32:
		return 4
	}
	return 8
}

func signed(k types.BasicKind) bool { return k >= types.Int && k <= types.Int64 }
func integer(k types.BasicKind) bool {
	return k >= types.Int && k <= types.Uintptr
}

// clip cuts a number to the bytes of its kind.
func clip(k types.BasicKind, v uint64) uint64 { return v & mask(bytesOf(k)) }

// extend returns an integer of kind k with its sign.
func extend(k types.BasicKind, v uint64) int64 {
	sh := 64 - 8*bytesOf(k)
	if signed(k) {
		return int64(v<<sh) >> sh
	}
	return int64(v)
}

func float(k types.BasicKind, v uint64) float64 {
	if k == types.Float32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func unfloat(k types.BasicKind, f float64) uint64 {
	if k == types.Float32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// isPanic is the panic value for a panic of the program.
type isPanic struct{}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// compare gives the result of a comparison operator.
func compare[T cmp.Ordered](op token.Token, x, y T) uint64 {
	switch op {
	case token.EQL:
		return truth(x == y)
	case token.NEQ:
		return truth(x != y)
	case token.LSS:
		return truth(x < y)
	case token.LEQ:
		return truth(x <= y)
	case token.GTR:
		return truth(x > y)
	case token.GEQ:
		return truth(x >= y)
	}
	panic(unsupported("operator " + op.String()))
}

func comparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// number is x op y of numbers and booleans of kind k.
func number(op token.Token, k types.BasicKind, x, y uint64) uint64 {
	switch {
	case k == types.Float32 || k == types.Float64:
		a, b := float(k, x), float(k, y)
		if comparison(op) {
			return compare(op, a, b)
		}
		return unfloat(k, floats(op, k, a, b))
	case comparison(op) && signed(k):
		return compare(op, extend(k, x), extend(k, y))
	case comparison(op):
		return compare(op, x, y)
	}
	return clip(k, integers(op, k, x, y))
}

func floats(op token.Token, k types.BasicKind, a, b float64) float64 {
	if k == types.Float32 { // rounded once, not twice
		x, y := float32(a), float32(b)
		switch op {
		case token.ADD:
			return float64(x + y)
		case token.SUB:
			return float64(x - y)
		case token.MUL:
			return float64(x * y)
		case token.QUO:
			return float64(x / y)
		}
	}
	switch op {
	case token.ADD:
		return a + b
	case token.SUB:
		return a - b
	case token.MUL:
		return a * b
	case token.QUO:
		return a / b
	}
	panic(unsupported("operator " + op.String()))
}

func integers(op token.Token, k types.BasicKind, x, y uint64) uint64 {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.XOR:
		return x ^ y
	case token.AND_NOT:
		return x &^ y
	case token.QUO, token.REM:
		if y == 0 {
			panic(isPanic{})
		}
		if !signed(k) {
			if op == token.QUO {
				return x / y
			}
			return x % y
		}
		if op == token.QUO {
			return uint64(extend(k, x) / extend(k, y))
		}
		return uint64(extend(k, x) % extend(k, y))
	}
	panic(unsupported("operator " + op.String()))
}

// shift is x op y where x is of kind k and y of kind ky.
func shift(op token.Token, k, ky types.BasicKind, x, y uint64) uint64 {
	if signed(ky) && extend(ky, y) < 0 {
		panic(isPanic{})
	}
	switch {
	case op == token.SHL:
		return clip(k, x<<y)
	case signed(k):
		return clip(k, uint64(extend(k, x)>>y))
	}
	return x >> y
}

// convert is the number x of kind k as one of kind to.
func convert(k, to types.BasicKind, x uint64) uint64 {
	from := k == types.Float32 || k == types.Float64
	float64s := to == types.Float32 || to == types.Float64
	switch {
	case from && float64s:
		return unfloat(to, float(k, x))
	case from:
		return clip(to, truncate(to, float(k, x)))
	case float64s && to == types.Float32 && signed(k):
		return uint64(math.Float32bits(float32(extend(k, x))))
	case float64s && to == types.Float32:
		return uint64(math.Float32bits(float32(x)))
	case float64s && signed(k):
		return math.Float64bits(float64(extend(k, x)))
	case float64s:
		return math.Float64bits(float64(x))
	}
	return clip(to, uint64(extend(k, x)))
}

// truncate is a float as an integer. What does not fit is the machine's own; the interpreter runs
// on the machine it stands for.
func truncate(to types.BasicKind, f float64) uint64 {
	switch to {
	case types.Int8:
		return uint64(int8(f))
	case types.Int16:
		return uint64(int16(f))
	case types.Int32:
		return uint64(int32(f))
	case types.Int, types.Int64:
		return uint64(int64(f))
	case types.Uint8:
		return uint64(uint8(f))
	case types.Uint16:
		return uint64(uint16(f))
	case types.Uint32:
		return uint64(uint32(f))
	}
	return uint64(f)
}
