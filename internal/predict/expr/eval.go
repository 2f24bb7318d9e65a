package expr

import "slices"

// Evaluation: what an expression amounts to when its reads return other words.

// An Evaluator evaluates expressions. It keeps what it has learnt about large ones, so that the
// next time costs no allocation. It is not safe for concurrent use; the zero value is ready.
type Evaluator struct {
	codes map[*Expr]*code
	slots []slot
	stack []Value

	// Of compile.
	number map[*Expr]int32
	order  code
}

// Value is a word, or a string.
type Value struct {
	Word uint64
	Text string
}

type slot struct {
	Value
	known bool
}

// code is a large expression in the order of evaluation.
type code struct {
	nodes []*Expr
	args  []int32 // of all nodes, one after the other
}

// small is the size up to which evaluation by recursion is cheaper than a code.
const small = 16

// Eval computes the word e. read returns what a read sees; ok is false where that is not known, and
// where e has no value (TE1).
func (v *Evaluator) Eval(e *Expr, read func(n int64) (word uint64, ok bool)) (word uint64, ok bool) {
	if e.op == Read {
		return read(e.n)
	}
	if e.size <= small {
		r, ok := v.recurse(e, read)
		return r.Word, ok
	}
	c := v.codes[e]
	if c == nil {
		c = v.compile(e)
		if v.codes == nil {
			v.codes = map[*Expr]*code{}
		}
		v.codes[e] = c
	}
	return v.run(c, read)
}

func (v *Evaluator) recurse(e *Expr, read func(int64) (uint64, bool)) (Value, bool) {
	switch e.op {
	case Const:
		return e.recorded(), true
	case Read:
		w, ok := read(e.n)
		return Value{Word: w}, ok
	case Ite:
		c, ok := v.recurse(e.arg[0], read)
		if !ok {
			return Value{}, false
		}
		return v.recurse(e.arg[2-c.Word&1], read)
	}
	base := len(v.stack)
	for _, a := range e.Args() {
		x, ok := v.recurse(a, read)
		if !ok {
			v.stack = v.stack[:base]
			return Value{}, false
		}
		v.stack = append(v.stack, x)
	}
	r, ok := e.compute(e.Name(), v.stack[base:])
	v.stack = v.stack[:base]
	return r, ok
}

// compile orders the nodes of e, operands first.
func (v *Evaluator) compile(e *Expr) *code {
	if v.number == nil {
		v.number = map[*Expr]int32{}
	}
	c := code{nodes: v.order.nodes[:0], args: v.order.args[:0]}
	var visit func(e *Expr)
	visit = func(e *Expr) {
		for _, a := range e.Args() {
			if _, ok := v.number[a]; !ok {
				visit(a)
			}
		}
		for _, a := range e.Args() {
			c.args = append(c.args, v.number[a])
		}
		v.number[e] = int32(len(c.nodes))
		c.nodes = append(c.nodes, e)
	}
	visit(e)
	clear(v.number)
	v.order = c
	return &code{slices.Clone(c.nodes), slices.Clone(c.args)}
}

// run computes all nodes: what an Ite does not choose as well.
func (v *Evaluator) run(c *code, read func(int64) (uint64, bool)) (uint64, bool) {
	if len(v.slots) < len(c.nodes) {
		v.slots = make([]slot, 2*len(c.nodes))
	}
	var in [4]Value
	args := c.args
	for i, e := range c.nodes {
		s := &v.slots[i]
		n := int(e.arity)
		switch e.op {
		case Const:
			s.Value, s.known = e.recorded(), true
			continue
		case Read:
			s.Word, s.known = read(e.n)
			continue
		case Ite:
			cond := &v.slots[args[0]]
			*s = v.slots[args[2-cond.Word&1]]
			s.known = s.known && cond.known
			args = args[n:]
			continue
		}
		a, known := in[:0], true
		for _, k := range args[:n] {
			a = append(a, v.slots[k].Value)
			known = known && v.slots[k].known
		}
		args = args[n:]
		if s.known = known; known {
			s.Value, s.known = e.compute(e.Name(), a)
		}
	}
	s := &v.slots[len(c.nodes)-1]
	return s.Word, s.known
}

// recorded is the recorded value, if there is one.
func (e *Expr) recorded() Value {
	if e.more != nil {
		return Value{e.val, e.more.text}
	}
	return Value{Word: e.val}
}

// record computes the recorded value of a new operation from those of its operands (TE2); text is
// what it is of a string.
func (e *Expr) record(name string, args []*Expr) (text string, ok bool) {
	var v Value
	if e.op == Ite {
		x := args[2-args[0].val&1]
		v, ok = x.recorded(), args[0].known && x.known
	} else {
		var in [4]Value
		a := in[:0]
		for _, x := range args {
			if !x.known {
				return "", false
			}
			a = append(a, x.recorded())
		}
		v, ok = e.compute(name, a)
	}
	e.val, e.known = v.Word, ok
	return v.Text, ok
}

// compute applies the operator of e, of a call the function name, to its operands' values.
func (e *Expr) compute(name string, a []Value) (Value, bool) {
	switch {
	case e.op == Call:
		f := Functions[name]
		if f == nil {
			return Value{}, false
		}
		return f(slices.Clone(a)) // a may be on the stack
	case e.op == TextAt:
		s, ok := e.more.in.At(a[0].Word, a[1].Word)
		return Value{Text: s}, ok
	case e.kind == String:
		return e.text(a)
	case e.op == Convert && e.to == String:
		return Value{Text: runeText(e.kind, a[0].Word)}, true
	}
	w, ok := e.word(a)
	return Value{Word: w}, ok
}

// word applies an operator of words.
func (e *Expr) word(a []Value) (uint64, bool) {
	x := a[0].Word
	switch e.op {
	case Neg, Not, Com:
		return unary(e.op, e.kind, x), true
	case Convert:
		return convert(e.to, e.kind, x)
	case Part:
		return x >> (8 * e.n) & mask(int64(e.bytes)), true
	case Cat:
		return x&mask(e.n) | a[1].Word<<(8*e.n), true
	case Shl, Shr:
		return shift(e.op, e.kind, e.to, x, a[1].Word)
	case QuoRe, QuoIm:
		return quotient(e.op, a)
	}
	y := a[1].Word
	switch {
	case e.kind.IsFloat():
		return float(e.op, e.kind, x, y)
	case e.kind.IsSigned():
		return signed(e.op, e.kind, x, y)
	}
	return unsigned(e.op, e.kind, x, y)
}
