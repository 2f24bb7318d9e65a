package smt

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// sexp is an expression of SMT-LIB, as text. The constructors fold the constants true and false.
type sexp string

const (
	yes sexp = "true"
	no  sexp = "false"
)

func truth(b bool) sexp {
	if b {
		return yes
	}
	return no
}

func apply(op string, args ...sexp) sexp {
	var b strings.Builder
	b.WriteString("(" + op)
	for _, a := range args {
		b.WriteByte(' ')
		b.WriteString(string(a))
	}
	b.WriteByte(')')
	return sexp(b.String())
}

func not(x sexp) sexp {
	switch x {
	case yes:
		return no
	case no:
		return yes
	}
	return apply("not", x)
}

// and and or take any number of operands.
func and(list ...sexp) sexp { return join("and", yes, no, list) }
func or(list ...sexp) sexp  { return join("or", no, yes, list) }

func join(op string, neutral, zero sexp, list []sexp) sexp {
	var kept []sexp
	for _, x := range list {
		switch x {
		case neutral:
		case zero:
			return zero
		default:
			kept = append(kept, x)
		}
	}
	switch len(kept) {
	case 0:
		return neutral
	case 1:
		return kept[0]
	}
	return apply(op, kept...)
}

func implies(x, y sexp) sexp {
	switch {
	case x == yes || y == yes:
		return y
	case x == no:
		return yes
	case y == no:
		return not(x)
	}
	return apply("=>", x, y)
}

func ite(c, x, y sexp) sexp {
	switch {
	case c == yes || x == y:
		return x
	case c == no:
		return y
	}
	return apply("ite", c, x, y)
}

func eq(x, y sexp) sexp {
	if x == y {
		return yes
	}
	return apply("=", x, y)
}

func less(x, y sexp) sexp { return apply("bvult", x, y) }

// num is the word n of some width, modulo 2^width.
func num(n uint64, width int) sexp {
	if width < 64 {
		n &= 1<<width - 1
	}
	return sexp("(_ bv" + strconv.FormatUint(n, 10) + " " + strconv.Itoa(width) + ")")
}

// word64 is a word of the program.
func word64(n uint64) sexp { return sexp(fmt.Sprintf("#x%016x", n)) }

// bigNum is num for a number of any size and sign.
func bigNum(n *big.Int, width int) sexp {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return sexp("(_ bv" + m.Mod(n, m).String() + " " + strconv.Itoa(width) + ")")
}

// sum adds words of one width.
func sum(list []sexp) sexp {
	total := list[0]
	for _, x := range list[1:] {
		total = apply("bvadd", total, x)
	}
	return total
}

func bitVec(width int) string { return "(_ BitVec " + strconv.Itoa(width) + ")" }

// name makes an identifier of a letter and event numbers.
func name(letter string, ns ...int32) sexp {
	for _, n := range ns {
		letter += "_" + strconv.Itoa(int(n))
	}
	return sexp(letter)
}
