package expr

import "slices"

// Bounds of an expression. Larger ones are not made.
const (
	MaxSize  = 1 << 13 // nodes, those that are shared once
	MaxReads = 512
	maxArgs  = 255
)

// Expr is a word, or the content of a string, as a function of reads. It is immutable.
//
// There are millions of them, so it is small: what few have is in more, and the set of reads is, as
// a rule, that of an operand.
type Expr struct {
	op    Op
	kind  Kind
	to    Kind
	bytes uint8  // of a Read, a Part
	arity uint8  // operands
	known bool   // it has a recorded value
	size  uint16 // nodes, those that are shared once: a bound
	n     int64  // Number
	val   uint64 // recorded
	arg   [3]*Expr
	rests *Expr // whose reads it has: itself, an operand, an operand's operand; nil: none
	more  *more
}

// more is what only strings, calls and unions of reads have.
type more struct {
	name  string  // of a call
	text  string  // recorded
	in    *Texts  // of a TextAt
	args  []*Expr // operands, if they are more than arg holds
	reads []*Expr // distinct, by Number, if rests is the node itself
}

// Op returns the operator.
func (e *Expr) Op() Op { return e.op }

// Kind returns the type of the operands; of a constant, a read and a Call that of the value.
func (e *Expr) Kind() Kind { return e.kind }

// To returns the target of a conversion, the type of a shift's count.
func (e *Expr) To() Kind { return e.to }

// Args returns the operands. They must not be changed.
func (e *Expr) Args() []*Expr {
	if int(e.arity) > len(e.arg) {
		return e.more.args
	}
	return e.arg[:e.arity:e.arity]
}

// Number returns the event of a Read; the first byte of a Part; the bytes of a Cat's lower half.
func (e *Expr) Number() int64 { return e.n }

// Bytes returns the width of the value: what is above is zero. 0: a string.
func (e *Expr) Bytes() int64 {
	switch e.op {
	case Read, Part:
		return int64(e.bytes)
	case Cat:
		return min(8, e.n+e.arg[1].Bytes())
	case Ite:
		return max(e.arg[1].Bytes(), e.arg[2].Bytes())
	case Convert:
		return e.to.Size()
	case Eql, Neq, Lss, Leq, Gtr, Geq, At:
		return 1
	case QuoRe, QuoIm, Len:
		return 8
	}
	return e.kind.Size()
}

// Name returns the function of a Call.
func (e *Expr) Name() string {
	if e.more == nil {
		return ""
	}
	return e.more.name
}

// Texts returns where a TextAt looks its content up.
func (e *Expr) Texts() *Texts {
	if e.more == nil {
		return nil
	}
	return e.more.in
}

// Reads returns the reads that the expression depends on, by Number. They must not be changed.
func (e *Expr) Reads() []*Expr {
	switch r := e.rests; {
	case r == nil:
		return nil
	case r.op == Read:
		return r.arg[:1:1] // itself
	default:
		return r.more.reads
	}
}

// Size returns a bound of the number of nodes.
func (e *Expr) Size() int { return int(e.size) }

// Recorded returns the value in the recorded run (TE2). ok is false if it has none, or is a string.
func (e *Expr) Recorded() (word uint64, ok bool) { return e.val, e.known && !e.IsString() }

// RecordedText returns the content of a string in the recorded run.
func (e *Expr) RecordedText() (text string, ok bool) {
	if !e.known || !e.IsString() {
		return "", false
	}
	return e.more.text, true
}

// IsString reports whether the value is the content of a string, and no word.
func (e *Expr) IsString() bool {
	switch e.op {
	case Const, Call, Add, Min, Max, Substr, TextAt:
		return e.kind == String
	case Convert:
		return e.to == String
	case Ite:
		return e.arg[1].IsString()
	}
	return false
}

// IsConst reports whether the value is the same in every run.
func (e *Expr) IsConst() bool { return e.op == Const }

func newConst(k Kind, bits uint64) *Expr {
	if k == Uint64 && bits < uint64(len(words)) {
		return &words[bits]
	}
	return &Expr{op: Const, kind: k, val: bits, known: true, size: 1}
}

// words are the constants that most terms have.
var words = func() (list [256]Expr) {
	for i := range list {
		list[i] = Expr{op: Const, kind: Uint64, val: uint64(i), known: true, size: 1}
	}
	return list
}()

// Word returns a constant of 64 bits.
func Word(bits uint64) *Expr { return newConst(Uint64, bits) }

// Constant returns a constant of a kind, given by its image.
func Constant(k Kind, bits uint64) *Expr { return newConst(k, bits&k.mask()) }

// Truth returns a bool.
func Truth(b bool) *Expr {
	if b {
		return newConst(Bool, 1)
	}
	return newConst(Bool, 0)
}

// Text returns a constant string.
func Text(s string) *Expr {
	return &Expr{op: Const, kind: String, known: true, size: 1, more: &more{text: s}}
}

// NewRead returns what read number n returns, a word of which size bytes are not zero, and which
// was recorded in the recorded run.
func NewRead(n, size int64, recorded uint64) *Expr {
	e := &Expr{op: Read, kind: Uint64, bytes: uint8(min(max(size, 1), 8)), known: true, size: 1, n: n, val: recorded}
	e.arg[0], e.rests = e, e
	return e
}

// operation returns the operation, or the constant that it is; nil if it is too large or an operand
// is nil.
func operation(e Expr, name string, args ...*Expr) *Expr {
	if len(args) > maxArgs {
		return nil
	}
	size, constant := 1, e.op != Call || Functions[name] != nil
	for _, a := range args {
		if a == nil {
			return nil
		}
		size += min(int(a.size), MaxSize)
		constant = constant && a.op == Const
	}
	if e.arity = uint8(len(args)); copy(e.arg[:], args) < len(args) {
		e.more = e.with()
		e.more.args = slices.Clone(args)
	}
	text, ok := e.record(name, args)
	switch {
	case constant && ok && e.IsString():
		return Text(text)
	case constant && ok:
		return newConst(e.result(), e.val)
	case e.IsString() || name != "":
		e.more = e.with()
		e.more.name, e.more.text = name, text
	}
	own, ok := e.rest(args)
	if !ok {
		return nil
	}
	r := new(Expr)
	if *r = e; own {
		r.rests = r
	}
	if size > MaxSize {
		if size = max(small+1, nodes(r, MaxSize)); size > MaxSize {
			return nil
		}
	}
	r.size = uint16(size)
	return r
}

// with returns a more to be filled in.
func (e *Expr) with() *more {
	if e.more == nil {
		return &more{}
	}
	return e.more
}

// rest finds the reads of an operation. own says that no operand has them all; ok is false if there
// are too many.
func (e *Expr) rest(args []*Expr) (own, ok bool) {
	var reads []*Expr
	for _, a := range args {
		switch list := a.Reads(); {
		case len(list) == 0 || a.rests == e.rests || contains(reads, list):
		case contains(list, reads):
			e.rests, reads, own = a.rests, list, false
		default:
			if e.rests, reads, own = nil, union(reads, list), true; len(reads) > MaxReads {
				return false, false
			}
		}
	}
	if own {
		e.more = e.with()
		e.more.reads = reads
	}
	return own, true
}

// result is the kind of the value, as a number.
func (e *Expr) result() Kind {
	switch e.op {
	case Convert:
		return e.to
	case Eql, Neq, Lss, Leq, Gtr, Geq:
		return Bool
	case At:
		return Uint8
	case Len, QuoRe, QuoIm, Part, Cat:
		return Uint64
	case Ite:
		return e.arg[1].result()
	}
	return e.kind
}

// union is the union of two sets of reads.
func union(a, b []*Expr) []*Expr {
	out := make([]*Expr, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch d := a[0].n - b[0].n; {
		case d < 0:
			out, a = append(out, a[0]), a[1:]
		case d > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return slices.Clip(append(append(out, a...), b...))
}

// contains reports whether a has all of b.
func contains(a, b []*Expr) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] && len(a) == len(b) {
		return true
	}
	if len(a) < len(b) {
		return false
	}
	for _, r := range b {
		for len(a) > 0 && a[0].n < r.n {
			a = a[1:]
		}
		if len(a) == 0 || a[0].n != r.n {
			return false
		}
	}
	return true
}

// Within reports whether the expression has at most n nodes, where Size is only a bound.
func (e *Expr) Within(n int) bool { return int(e.size) <= n || nodes(e, n) <= n }

// nodes counts the distinct nodes of e, up to more than limit.
func nodes(e *Expr, limit int) int {
	seen := map[*Expr]bool{}
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if seen[e] || len(seen) > limit {
			return
		}
		seen[e] = true
		for _, a := range e.Args() {
			visit(a)
		}
	}
	visit(e)
	return len(seen)
}

// Walk calls f for every node of e once, operands first.
func (e *Expr) Walk(f func(*Expr)) {
	seen := map[*Expr]bool{}
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args() {
			visit(a)
		}
		f(e)
	}
	visit(e)
}
