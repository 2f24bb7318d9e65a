package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// builtin executes a call of a builtin function.
func (m *machine) builtin(in *ssa.Call, name string) value {
	f, args := m.frame, in.Call.Args
	switch name {
	case "len", "cap":
		return m.length(name == "cap", args[0])
	case "min", "max":
		return extreme(name == "min", basicKind(in.Type()), f.operands(args))
	case "real", "imag":
		x := f.val(args[0])
		n := len(x.img) / 2
		if name == "imag" {
			return x.part(n, n)
		}
		return x.part(0, n)
	case "complex":
		x, y := f.val(args[0]), f.val(args[1])
		return zero(2*len(x.img)).with(0, x).with(len(x.img), y)
	case "ssa:wrapnilchk":
		pointer(f.val(args[0]))
		return f.val(args[0])
	case "close":
		m.ops.sync(format.ChanClose, 0, f.val(args[0]), f.at().Site)
		return value{}
	case "print", "println":
		return value{}
	case "delete", "clear":
		if t, ok := plan.Core(args[0].Type()).(*types.Map); ok {
			key := value{}
			if name == "delete" {
				key = f.val(args[1])
			}
			m.writeMap(f.val(args[0]), t, key, name == "clear", nil)
			return value{}
		}
	}
	throw("%s is not modelled", name)
	return value{}
}

func (m *machine) length(capacity bool, arg ssa.Value) value {
	t := plan.Core(arg.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = plan.Core(p.Elem())
	}
	switch t := t.(type) {
	case *types.Array:
		return number(uint64(t.Len()), 8)
	case *types.Slice:
		if capacity {
			return m.frame.val(arg).part(16, 8)
		}
		return m.frame.val(arg).part(8, 8)
	case *types.Basic:
		return m.frame.val(arg).part(8, 8)
	case *types.Map:
		m.memory.mapRead(m.frame.at(), m.frame.val(arg), true)
		return unknown(8)
	}
	if _, ok := t.(*types.Chan); ok {
		return m.measured(capacity, m.frame.val(arg))
	}
	throw("the length of %v", arg.Type())
	return value{}
}

// measured is len or cap of a channel. The length is what the next step returns, the capacity what
// the snapshot has.
func (m *machine) measured(capacity bool, c value) value {
	addr, ok := c.bits()
	switch {
	case ok && addr == 0:
		return number(0, 8)
	case !capacity:
		addr = pointer(c)
		return m.ops.values.seen(m.steps.expect(format.ChanLen, 0, m.frame.at().Site, &addr, 0), 8)
	}
	n, ok := m.process.in.snap.Capacity(pointer(c), m.process.in.window.To)
	if !ok {
		throw("a channel of unknown capacity")
	}
	m.process.called = append(m.process.called, addr)
	return number(n, 8)
}

// extreme is min or max.
func extreme(least bool, k types.BasicKind, args []value) value {
	r := args[0]
	for _, v := range args[1:] {
		if k == types.String {
			r = extremeText(least, r, v)
			continue
		}
		x, ok := r.bits()
		y, ok2 := v.bits()
		n := len(r.img)
		switch {
		case !ok || !ok2:
			r = unknown(n)
		case k == types.Float32 || k == types.Float64:
			a, _ := floatOf(r)
			b, _ := floatOf(v)
			f := max(a, b)
			if least {
				f = min(a, b)
			}
			if r, ok = floating(f); n == 4 {
				r, ok = floating(float32(f))
			}
			if !ok {
				r = unknown(n)
			}
		case isSigned(k):
			if (signExtended(k, y) < signExtended(k, x)) == least && x != y {
				r = v
			}
		default:
			if (y < x) == least && x != y {
				r = v
			}
		}
	}
	return r
}

func extremeText(least bool, a, b value) value {
	s, ok := a.content()
	t, ok2 := b.content()
	switch {
	case !ok || !ok2:
		return unknown(16)
	case (t < s) == least && s != t:
		return b
	}
	return a
}
