package smt

import (
	"fmt"
	"strconv"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
)

// terms encodes expressions. Each node has a value: its image of 64 bits, and whether it has one.
// Nodes that are shared are encoded once.
type terms struct {
	ev     *events
	script *script
	reads  *reads
	done   map[*expr.Expr]value // nil before the first term
}

// term is the value of a term of the window, over the plain words that its reads return (V).
func (t *terms) term(term *model.Term) value {
	if t.done == nil {
		t.done = map[*expr.Expr]value{}
		t.defineNames()
	}
	return t.encode(term.Expr, func(n int64) value {
		v := t.reads.saw(int32(n))
		return value{t.plainOf(v.val), and(v.known, t.usable(v.val, t.ev.w.Events[n].Val))}
	})
}

// amount is what a write or send with a term stores. A term that is one read passes on what the
// read returns. Any other value is unknown if it may be an address in memory that the window
// allocates.
func (t *terms) amount(term *model.Term) value {
	if term.Copies() {
		return t.reads.saw(term.Reads()[0])
	}
	v := t.term(term)
	if t.script.names["ambiguous"] {
		v.known = and(v.known, not(apply("ambiguous", v.val)))
	}
	return v
}

// defineNames defines model.Names as functions of a word.
func (t *terms) defineNames() {
	word, body := bitVec(64), sexp("x")
	t.ev.w.Names.Each(func(v, plain uint64) { body = ite(eq("x", word64(v)), word64(plain), body) })
	if body != "x" {
		t.script.names["plain"] = true
		fmt.Fprintf(&t.script.text, "(define-fun plain ((x %s)) %s %s)\n", word, word, body)
	}
	var spans []sexp
	t.ev.w.Names.Allocated(func(addr, size uint64) { spans = append(spans, less(apply("bvsub", "x", word64(addr)), word64(size))) })
	if len(spans) > 0 {
		t.script.names["ambiguous"] = true
		fmt.Fprintf(&t.script.text, "(define-fun ambiguous ((x %s)) Bool %s)\n", word, and(not(less("x", word64(4096))), less("x", word64(1<<48)), or(spans...)))
	}
}

// usable reports whether a term may compute with the word v that a read returns, whose recorded
// value is own: not if v is another word that may be an address in memory that the window
// allocates.
func (t *terms) usable(v sexp, own uint64) sexp {
	if !t.script.names["ambiguous"] {
		return yes
	}
	doubtful := []sexp{apply("ambiguous", v)}
	t.ev.w.Names.EachMixed(func(x uint64) { doubtful = append(doubtful, eq(v, word64(x))) })
	return or(eq(v, word64(own)), not(or(doubtful...)))
}

func (t *terms) plainOf(v sexp) sexp {
	if t.script.names["plain"] {
		return apply("plain", v)
	}
	return v
}

// read is the plain word that read n returns.
type read func(n int64) value

// encode encodes the nodes of e, operands first.
func (t *terms) encode(e *expr.Expr, read read) value {
	e.Walk(func(x *expr.Expr) {
		if _, ok := t.done[x]; ok {
			return
		}
		v := t.node(x, read)
		if len(x.Args()) > 0 {
			n := int32(len(t.done))
			v.val = t.script.define(name("t", n), bitVec(64), v.val)
			if v.known != yes && v.known != no {
				v.known = t.script.define(name("tk", n), "Bool", v.known)
			}
		}
		t.done[x] = v
	})
	return t.done[e]
}

// node encodes one node, after its operands.
func (t *terms) node(e *expr.Expr, read read) value {
	a := make([]sexp, len(e.Args()))
	known := yes
	for i, x := range e.Args() {
		v := t.done[x]
		a[i], known = v.val, and(known, v.known)
	}
	switch {
	case e.Op() == expr.Call && expr.Functions[e.Name()] == nil:
		return unknown
	case e.Op() == expr.Call:
		t.script.giveUp("calls in terms")
		return unknown
	case usesText(e):
		t.script.giveUp("strings in terms")
		return unknown
	}
	switch e.Op() {
	case expr.Const:
		w, _ := e.Recorded()
		return constant(w)
	case expr.Read:
		return read(e.Number())
	case expr.Ite: // the operand that is not chosen need not have a value
		c, x, y := t.done[e.Args()[0]], t.done[e.Args()[1]], t.done[e.Args()[2]]
		b := isTrue(c.val)
		return value{ite(b, x.val, y.val), and(c.known, ite(b, x.known, y.known))}
	case expr.Part:
		return value{part(a[0], int(e.Number()), int(e.Bytes())), known}
	case expr.Cat:
		n := int(8 * e.Number())
		return value{apply("concat", extract(a[1], 63-n, 0), extract(a[0], n-1, 0)), known}
	case expr.QuoRe, expr.QuoIm:
		t.script.giveUp("quotients of complex numbers in terms")
		return unknown
	}
	x, ok := t.operation(e, a)
	return value{x, and(known, ok)}
}

// operation is an operator on numbers, and whether it has a value.
func (t *terms) operation(e *expr.Expr, a []sexp) (val, ok sexp) {
	k := e.Kind()
	switch e.Op() {
	case expr.Convert:
		return t.convert(e.To(), k, a[0])
	case expr.Not:
		return apply("bvxor", apply("bvand", a[0], word64(1)), word64(1)), yes
	case expr.Com:
		return image(k, apply("bvnot", low(k, a[0]))), yes
	case expr.Neg:
		if k.IsFloat() {
			return apply("bvxor", a[0], word64(1<<(8*k.Size()-1))), yes
		}
		return image(k, apply("bvneg", low(k, a[0]))), yes
	case expr.Shl, expr.Shr:
		return shift(e.Op(), k, e.To(), a[0], a[1])
	}
	if k.IsFloat() {
		return t.float(e.Op(), k, a[0], a[1])
	}
	return integer(e.Op(), k, a[0], a[1])
}

func isTrue(bool64 sexp) sexp { return eq(extract(bool64, 0, 0), num(1, 1)) }

func boolean(c sexp) sexp { return ite(c, word64(1), word64(0)) }

func extract(x sexp, hi, lo int) sexp {
	return apply("(_ extract "+strconv.Itoa(hi)+" "+strconv.Itoa(lo)+")", x)
}

func width(k expr.Kind) int { return int(8 * k.Size()) }

// low is the bits of an image that are the number of kind k.
func low(k expr.Kind, x sexp) sexp {
	if k.Size() == 8 {
		return x
	}
	return extract(x, width(k)-1, 0)
}

// image is the inverse of low.
func image(k expr.Kind, x sexp) sexp { return extendTo64(x, width(k), "zero_extend") }

func extendTo64(x sexp, width int, how string) sexp {
	if width == 64 {
		return x
	}
	return apply("(_ "+how+" "+strconv.Itoa(64-width)+")", x)
}

// part is n bytes of a word from byte off on.
func part(x sexp, off, n int) sexp {
	return extendTo64(extract(x, 8*(off+n)-1, 8*off), 8*n, "zero_extend")
}

// extended is the number whose image is x, in 64 bits.
func extended(k expr.Kind, x sexp) sexp {
	if k.IsSigned() {
		return extendTo64(low(k, x), width(k), "sign_extend")
	}
	return x
}

// unsigned and signed are the names of the operators that depend on the sign.
var (
	unsigned = map[expr.Op]string{expr.Quo: "bvudiv", expr.Rem: "bvurem", expr.Lss: "bvult", expr.Leq: "bvule", expr.Gtr: "bvugt", expr.Geq: "bvuge"}
	signed   = map[expr.Op]string{expr.Quo: "bvsdiv", expr.Rem: "bvsrem", expr.Lss: "bvslt", expr.Leq: "bvsle", expr.Gtr: "bvsgt", expr.Geq: "bvsge"}
	plain    = map[expr.Op]string{expr.Add: "bvadd", expr.Sub: "bvsub", expr.Mul: "bvmul", expr.And: "bvand", expr.Or: "bvor", expr.Xor: "bvxor"}
)

// integer is an operator on integers and bools. Quotients round to zero and overflow wraps, as in
// Go.
func integer(op expr.Op, k expr.Kind, a, b sexp) (val, ok sexp) {
	x, y := low(k, a), low(k, b)
	names := unsigned
	if k.IsSigned() {
		names = signed
	}
	switch op {
	case expr.Add, expr.Sub, expr.Mul, expr.And, expr.Or, expr.Xor:
		return image(k, apply(plain[op], x, y)), yes
	case expr.AndNot:
		return image(k, apply("bvand", x, apply("bvnot", y))), yes
	case expr.Quo, expr.Rem:
		return image(k, apply(names[op], x, y)), not(eq(y, num(0, width(k))))
	case expr.Eql:
		return boolean(eq(x, y)), yes
	case expr.Neq:
		return boolean(not(eq(x, y))), yes
	case expr.Min:
		return ite(apply(names[expr.Lss], x, y), a, b), yes
	case expr.Max:
		return ite(apply(names[expr.Lss], x, y), b, a), yes
	}
	return boolean(apply(names[op], x, y)), yes
}

// shift is x << n or x >> n. SMT-LIB's shifts by the width or more are those of Go.
func shift(op expr.Op, k, count expr.Kind, x, n sexp) (val, ok sexp) {
	ok = yes
	if count.IsSigned() {
		ok = apply("bvsge", low(count, n), num(0, width(count)))
	}
	switch {
	case op == expr.Shl:
		return image(k, low(k, apply("bvshl", x, n))), ok
	case k.IsSigned():
		return image(k, low(k, apply("bvashr", extended(k, x), n))), ok
	}
	return apply("bvlshr", x, n), ok
}
