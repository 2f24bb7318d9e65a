package expr

import (
	"fmt"
	"strconv"
	"strings"
)

// The text form: r7 is what read 7 returns, r7:4 if only 4 bytes of it are not zero; a constant is
// a decimal number or a quoted string; an operation is its name, its kinds unless they are u64 or
// not needed, and its operands:
//
//	lt(add(r3,r7),5)   add.i32(r3:4,part(r5,4,4))   shl.u8.i64(r1:1,3)   strings.Index:i64("ab",…)

var opNames = [numOps]string{
	Add: "add", Sub: "sub", Mul: "mul", Quo: "div", Rem: "rem", And: "and", Or: "or", Xor: "xor", AndNot: "andnot",
	Shl: "shl", Shr: "shr", Min: "min", Max: "max", Eql: "eq", Neq: "ne", Lss: "lt", Leq: "le", Gtr: "gt", Geq: "ge",
	Neg: "neg", Not: "not", Com: "com", Convert: "conv", QuoRe: "quore", QuoIm: "quoim",
	Part: "part", Cat: "cat", Ite: "ite", Len: "len", At: "at", Substr: "substr", TextAt: "text",
}

var kindNames = [numKinds]string{
	Bool: "bool", Int8: "i8", Int16: "i16", Int32: "i32", Int64: "i64", Uint8: "u8", Uint16: "u16", Uint32: "u32", Uint64: "u64",
	Float32: "f32", Float64: "f64", String: "str",
}

// String returns the name in the text form.
func (o Op) String() string {
	if o < numOps && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// String returns the name in the text form.
func (k Kind) String() string {
	if k > 0 && k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// String returns the text form. What is shared is printed as often as it is used.
func (e *Expr) String() string {
	var b strings.Builder
	e.print(&b)
	return b.String()
}

func (e *Expr) print(b *strings.Builder) {
	switch e.op {
	case Const:
		if e.kind == String {
			b.WriteString(strconv.Quote(e.more.text))
			return
		}
		b.WriteString(strconv.FormatUint(e.val, 10))
		return
	case Read:
		fmt.Fprintf(b, "r%d", e.n)
		if e.bytes < 8 {
			fmt.Fprintf(b, ":%d", e.bytes)
		}
		return
	case Call:
		fmt.Fprintf(b, "%s:%v", e.more.name, e.kind)
	default:
		b.WriteString(opNames[e.op])
		b.WriteString(e.kinds())
	}
	b.WriteByte('(')
	for i, a := range e.Args() {
		if i > 0 {
			b.WriteByte(',')
		}
		a.print(b)
		if e.op == Cat && i == 0 {
			fmt.Fprintf(b, ",%d", e.n)
		}
	}
	if e.op == Part {
		fmt.Fprintf(b, ",%d,%d", e.n, e.bytes)
	}
	b.WriteByte(')')
}

// kinds is the suffix of an operator's name.
func (e *Expr) kinds() string {
	switch e.op {
	case Part, Cat, Ite, QuoRe, QuoIm, Len, At, Substr, TextAt, Not:
		return ""
	case Convert:
		return "." + e.kind.String() + "." + e.to.String()
	case Shl, Shr:
		if e.kind != Uint64 || e.to != Uint64 {
			return "." + e.kind.String() + "." + e.to.String()
		}
	}
	if e.kind != Uint64 {
		return "." + e.kind.String()
	}
	return ""
}
