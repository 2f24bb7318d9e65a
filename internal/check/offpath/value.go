package offpath

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// value is a Go value: its bytes as in memory, each of which is known or unknown. A tuple has parts
// instead. A value is immutable.
type value struct {
	img   []byte
	unk   []bool  // by byte: it is unknown; nil: all are known
	text  *string // of a string: its content
	some  bool    // of an interface: it is known not to be nil
	tuple []value
}

var sizes = types.SizesFor("gc", "amd64")

// sizeof is the size of a type that does not depend on type parameters.
func sizeof(t types.Type) int {
	if plan.Open(t) {
		throw("a value of type %v, whose size depends on a type parameter", t)
	}
	return int(sizes.Sizeof(t))
}

// number is an integer, a pointer, the bits of a float.
func number(bits uint64, size int) value {
	v := zero(size)
	for i := range min(size, 8) {
		v.img[i] = byte(bits >> (8 * i))
	}
	return v
}

func truth(b bool) value {
	if b {
		return number(1, 1)
	}
	return number(0, 1)
}

func zero(size int) value { return value{img: make([]byte, size)} }

func unknown(size int) value {
	v := value{img: make([]byte, size), unk: make([]bool, size)}
	for i := range v.unk {
		v.unk[i] = true
	}
	return v
}

func (v value) known() bool {
	for _, u := range v.unk {
		if u {
			return false
		}
	}
	return true
}

// bits is a value of at most one word. ok is false if it is unknown.
func (v value) bits() (x uint64, ok bool) {
	if len(v.img) > 8 || !v.known() {
		return 0, false
	}
	for i, b := range v.img {
		x |= uint64(b) << (8 * i)
	}
	return x, true
}

// word is one of the words of a string or slice.
func (v value) word(i int) (uint64, bool) { return v.part(8*i, 8).bits() }

// part is n bytes from byte off on.
func (v value) part(off, n int) value {
	if off < 0 || n < 0 || off+n > len(v.img) {
		throw("bytes %d to %d of a value of %d", off, off+n, len(v.img))
	}
	if off == 0 && n == len(v.img) {
		return v
	}
	p := value{img: v.img[off : off+n : off+n]}
	if v.unk != nil {
		p.unk = v.unk[off : off+n : off+n]
	}
	return p
}

// with is v with the bytes from off on replaced by those of p.
func (v value) with(off int, p value) value {
	if off < 0 || off+len(p.img) > len(v.img) {
		throw("bytes %d to %d of a value of %d", off, off+len(p.img), len(v.img))
	}
	if off == 0 && len(p.img) == len(v.img) {
		return p
	}
	r := value{img: append([]byte(nil), v.img...)}
	copy(r.img[off:], p.img)
	if v.unk != nil || p.unk != nil {
		r.unk = make([]bool, len(v.img))
		copy(r.unk, v.unk)
		for i := range p.img {
			r.unk[off+i] = p.unk != nil && p.unk[i]
		}
	}
	return r
}

// words is a string, slice or interface with these words.
func words(parts ...value) value {
	v := zero(8 * len(parts))
	for i, p := range parts {
		v = v.with(8*i, p)
	}
	return v
}

func stringOf(s string) value {
	v := words(unknown(8), number(uint64(len(s)), 8))
	v.text = &s
	return v
}

// content is the text of a string. ok is false if it is unknown.
func (v value) content() (s string, ok bool) {
	if v.text != nil {
		return *v.text, true
	}
	n, ok := v.word(1)
	return "", ok && n == 0
}

// constantOf is the value of a constant.
func constantOf(c *ssa.Const) value {
	t := types.Default(c.Type())
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return zero(8)
	}
	if c.Value == nil {
		return zero(sizeof(t))
	}
	n := sizeof(t)
	b, ok := plan.Core(t).(*types.Basic)
	if !ok {
		return unknown(n)
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return truth(constant.BoolVal(c.Value))
	case info&types.IsString != 0:
		return stringOf(constant.StringVal(c.Value))
	case info&types.IsInteger != 0 || b.Kind() == types.UnsafePointer:
		x := constant.ToInt(c.Value)
		if i, ok := constant.Int64Val(x); ok {
			return number(uint64(i), n)
		}
		u, _ := constant.Uint64Val(x)
		return number(u, n)
	case info&types.IsFloat != 0:
		return floatConstant(c.Value, n)
	case info&types.IsComplex != 0:
		return zero(n).with(0, floatConstant(constant.Real(c.Value), n/2)).with(n/2, floatConstant(constant.Imag(c.Value), n/2))
	}
	return unknown(n)
}

func floatConstant(v constant.Value, n int) value {
	if n == 4 {
		f, _ := constant.Float32Val(v)
		return number(uint64(math.Float32bits(f)), 4)
	}
	f, _ := constant.Float64Val(v)
	return number(math.Float64bits(f), 8)
}
