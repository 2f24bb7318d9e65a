package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the text form. recorded returns what a read returned in the recorded run; it may be
// nil.
func Parse(s string, recorded func(n int64) uint64) (*Expr, error) {
	p := &parser{s: s, recorded: recorded}
	e, err := p.expr()
	if err == nil && p.s != "" {
		err = fmt.Errorf("unexpected %q", p.s)
	}
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", s, err)
	}
	return e, nil
}

type parser struct {
	s        string
	recorded func(n int64) uint64
}

// word takes what stands before the next of the characters. A method's name begins with its type in
// parentheses.
func (p *parser) word() string {
	receiver := 0
	if strings.HasPrefix(p.s, "(") {
		receiver = strings.Index(p.s, ")") + 1
	}
	k := strings.IndexAny(p.s[receiver:], "(,)")
	if k < 0 {
		k = len(p.s) - receiver
	}
	k += receiver
	w := p.s[:k]
	p.s = p.s[k:]
	return w
}

func (p *parser) skip(c string) error {
	if !strings.HasPrefix(p.s, c) {
		return fmt.Errorf("%q expected before %q", c, p.s)
	}
	p.s = p.s[1:]
	return nil
}

func (p *parser) expr() (*Expr, error) {
	if strings.HasPrefix(p.s, `"`) {
		q, err := strconv.QuotedPrefix(p.s)
		if err != nil {
			return nil, err
		}
		p.s = p.s[len(q):]
		text, err := strconv.Unquote(q)
		return Text(text), err
	}
	w := p.word()
	if strings.HasPrefix(p.s, "(") {
		args, err := p.args()
		if err != nil {
			return nil, err
		}
		return build(w, args)
	}
	if r, ok := strings.CutPrefix(w, "r"); ok {
		return p.read(r)
	}
	n, err := strconv.ParseUint(w, 0, 64)
	return Word(n), err
}

func (p *parser) read(s string) (*Expr, error) {
	number, bytes, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, err
	}
	size := int64(8)
	if bytes != "" {
		if size, err = strconv.ParseInt(bytes, 10, 64); err != nil || size < 1 || size > 8 {
			return nil, fmt.Errorf("a read of %q bytes", bytes)
		}
	}
	val := uint64(0)
	if p.recorded != nil {
		val = p.recorded(n)
	}
	return NewRead(n, size, val), nil
}

func (p *parser) args() (list []*Expr, err error) {
	for sep := "("; ; sep = "," {
		if err := p.skip(sep); err != nil {
			return nil, err
		}
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if strings.HasPrefix(p.s, ")") {
			return list, p.skip(")")
		}
	}
}

// arity is the number of operands of an operator, the numbers of Part and Cat among them.
func arity(o Op) int {
	switch o {
	case Neg, Not, Com, Convert, Len:
		return 1
	case QuoRe, QuoIm:
		return 4
	case Part, Cat, Ite, Substr:
		return 3
	}
	return 2
}

// build makes an operation from its name and operands.
func build(name string, a []*Expr) (*Expr, error) {
	if f, k, ok := strings.Cut(name, ":"); ok {
		kind := Kind(slices.Index(kindNames[:], k))
		if kind <= 0 || kind >= numKinds || k == "" {
			return nil, fmt.Errorf("no kind %q", k)
		}
		return Apply(f, kind, a...), nil
	}
	parts := strings.Split(name, ".")
	op := Op(slices.Index(opNames[:], parts[0]))
	if op >= numOps || parts[0] == "" || len(parts) > 3 {
		return nil, fmt.Errorf("no operator %q", name)
	}
	if len(a) != arity(op) {
		return nil, fmt.Errorf("%s has arity %d, not %d", name, arity(op), len(a))
	}
	kinds := [2]Kind{Uint64, Uint64}
	for i, s := range parts[1:] {
		k := slices.Index(kindNames[:], s)
		if k <= 0 {
			return nil, fmt.Errorf("no kind %q", s)
		}
		kinds[i] = Kind(k)
	}
	e := assemble(op, kinds[0], kinds[1], a)
	if e == nil {
		return nil, fmt.Errorf("%s is too large or has operands that it cannot have", name)
	}
	return e, nil
}

func assemble(op Op, k, to Kind, a []*Expr) *Expr {
	for i, x := range a {
		if x.IsString() != wantsString(op, k, i) {
			return nil
		}
	}
	switch op {
	case Neg, Not, Com:
		return Unary(op, k, a[0])
	case Convert:
		return ConvertTo(to, k, a[0])
	case QuoRe, QuoIm:
		return Quotient(op, a[0], a[1], a[2], a[3])
	case Part:
		if a[1].op != Const || a[2].op != Const || a[1].val > 7 || a[2].val > 8 {
			return nil
		}
		return PartOf(a[0], int64(a[1].val), int64(a[2].val))
	case Cat:
		if a[1].op != Const || a[1].val > 8 {
			return nil
		}
		return Concat(a[0], int64(a[1].val), a[2])
	case Ite:
		return Choose(a[0], a[1], a[2])
	case Len:
		return Length(a[0])
	case At:
		return ByteAt(a[0], a[1])
	case Substr:
		return Slice(a[0], a[1], a[2])
	case TextAt: // the content is unknown
		return StringAt(nil, a[0], a[1])
	case Shl, Shr:
		return Binary(op, k, to, a[0], a[1])
	}
	return Binary(op, k, 0, a[0], a[1])
}

// wantsString reports whether operand i of an operator is a string.
func wantsString(op Op, k Kind, i int) bool {
	switch op {
	case Len, At, Substr:
		return i == 0
	case Part, Cat, Ite, QuoRe, QuoIm, Not, Shl, Shr, TextAt:
		return false
	}
	return k == String
}
