package expr

// Op is an operator. Where it has a meaning beyond Go's operator of that name, it stands here.
type Op uint8

const (
	Const Op = iota // a constant of its kind; of kind String its content
	Read            // what read Number returns

	Add // numbers; strings
	Sub
	Mul
	Quo
	Rem
	And // integers, bools
	Or
	Xor
	AndNot
	Shl // To is the type of the count
	Shr
	Min // numbers
	Max

	Eql // of all kinds
	Neq
	Lss // numbers, strings
	Leq
	Gtr
	Geq

	Neg
	Not     // of a bool
	Com     // ^x
	Convert // of a number to a number, or of an integer to a string
	QuoRe   // the real part of (a+bi)/(c+di), of four float64
	QuoIm   // and the imaginary one

	Part // Bytes bytes of a word, from byte Number
	Cat  // two words: the lower Number bytes are the first, the rest is the second
	Ite  // the second operand if the first, a bool, is true, else the third

	Len    // of a string
	At     // the byte of a string at an index (int)
	Substr // of a string, from an index up to another (ints)
	TextAt // the string whose pointer and length are two words, as Texts has it
	Call   // the pure function Name of words and strings; Kind is that of the result
	numOps
)

// Kind is the type of operands.
type Kind uint8

const (
	Bool Kind = iota + 1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64 // and uintptr, unsafe.Pointer
	Float32
	Float64
	String
	numKinds
)

// Size returns the bytes of a number; 0 for String.
func (k Kind) Size() int64 {
	switch k {
	case Bool, Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// IsInteger reports whether k is an integer type.
func (k Kind) IsInteger() bool { return k >= Int8 && k <= Uint64 }

// IsSigned reports whether k is a signed integer type.
func (k Kind) IsSigned() bool { return k >= Int8 && k <= Int64 }

// IsFloat reports whether k is a float type.
func (k Kind) IsFloat() bool { return k == Float32 || k == Float64 }

// mask covers the bits of a number of kind k.
func (k Kind) mask() uint64 { return mask(k.Size()) }

// mask covers the low n bytes of a word.
func mask(n int64) uint64 {
	if n >= 8 {
		return 1<<64 - 1
	}
	return 1<<(8*n) - 1
}

// Binary returns x op y, op one of Add to Geq; to is the type of a shift's count, and 0 for all
// others.
func Binary(op Op, k, to Kind, x, y *Expr) *Expr {
	if x == nil || y == nil {
		return nil
	}
	if e := simplify(op, k, x, y); e != nil {
		return e
	}
	return operation(Expr{op: op, kind: k, to: to}, "", x, y)
}

// simplify drops what does nothing to a word of 64 bits.
func simplify(op Op, k Kind, x, y *Expr) *Expr {
	if k != Uint64 || y.op != Const {
		return nil
	}
	switch {
	case y.val == 0 && (op == Or || op == Xor || op == Add || op == Sub || op == Shl || op == Shr):
		return x
	case op == And && mask(x.Bytes())&^y.val == 0 && x.Bytes() > 0:
		return x
	}
	return nil
}

// Unary returns -x, !x or ^x.
func Unary(op Op, k Kind, x *Expr) *Expr {
	if x == nil {
		return nil
	}
	return operation(Expr{op: op, kind: k}, "", x)
}

// ConvertTo converts x of kind k.
func ConvertTo(to, k Kind, x *Expr) *Expr {
	if x == nil || to == k || to.IsInteger() && k.IsInteger() && to.Size() == k.Size() {
		return x
	}
	return operation(Expr{op: Convert, kind: k, to: to}, "", x)
}

// Quotient returns the real or imaginary part of (a+bi)/(c+di), all float64.
func Quotient(op Op, a, b, c, d *Expr) *Expr {
	return operation(Expr{op: op, kind: Float64}, "", a, b, c, d)
}

// PartOf returns bytes off ≤ i < off+n of the word x.
func PartOf(x *Expr, off, n int64) *Expr {
	n = min(n, 8-off)
	switch {
	case n <= 0:
		return Word(0)
	case x == nil:
		return nil
	case off == 0 && x.Bytes() <= n:
		return x
	case off >= x.Bytes():
		return Word(0)
	case x.op == Part: // n bytes of fewer
		return PartOf(x.arg[0], x.n+off, min(n, int64(x.bytes)-off))
	case x.op == Cat && off+n <= x.n:
		return PartOf(x.arg[0], off, n)
	case x.op == Cat && off >= x.n:
		return PartOf(x.arg[1], off-x.n, n)
	}
	n = min(n, x.Bytes()-off)
	return operation(Expr{op: Part, kind: Uint64, n: off, bytes: uint8(n)}, "", x)
}

// Concat returns the word whose lower n bytes are those of lo, and whose others are those of hi.
func Concat(lo *Expr, n int64, hi *Expr) *Expr {
	if lo == nil || hi == nil {
		return nil
	}
	lo, hi = PartOf(lo, 0, n), PartOf(hi, 0, 8-n)
	switch {
	case n == 0:
		return hi
	case n >= 8 || hi.op == Const && hi.val == 0:
		return lo
	case lo.op == Part && hi.op == Part && same(lo.arg[0], hi.arg[0]) && int64(lo.bytes) == n && hi.n == lo.n+n:
		return PartOf(lo.arg[0], lo.n, n+int64(hi.bytes))
	}
	return operation(Expr{op: Cat, kind: Uint64, n: n}, "", lo, hi)
}

// same reports whether x and y are one node, or the same read.
func same(x, y *Expr) bool {
	return x == y || x.op == Read && y.op == Read && x.n == y.n && x.bytes == y.bytes
}

// Choose returns x if c, else y.
func Choose(c, x, y *Expr) *Expr {
	switch {
	case c == nil:
		return nil
	case c.op == Const && c.val&1 == 1:
		return x
	case c.op == Const:
		return y
	}
	return operation(Expr{op: Ite, kind: Uint64}, "", c, x, y)
}

// Length returns the length of the string s.
func Length(s *Expr) *Expr { return operation(Expr{op: Len, kind: String}, "", s) }

// ByteAt returns s[i].
func ByteAt(s, i *Expr) *Expr { return operation(Expr{op: At, kind: String}, "", s, i) }

// Slice returns s[lo:hi] of a string.
func Slice(s, lo, hi *Expr) *Expr {
	return operation(Expr{op: Substr, kind: String}, "", s, lo, hi)
}

// StringAt returns the string whose pointer and length are two words.
func StringAt(in *Texts, ptr, n *Expr) *Expr {
	return operation(Expr{op: TextAt, kind: String, more: &more{in: in}}, "", ptr, n)
}

// Apply returns the result of a pure function of words and strings, of kind k. Whether it has a
// value is up to Functions.
func Apply(name string, k Kind, args ...*Expr) *Expr {
	return operation(Expr{op: Call, kind: k}, name, args...)
}
