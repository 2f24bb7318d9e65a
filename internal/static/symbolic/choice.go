package symbolic

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
)

// choices names the locks of registers that have several paths (SY5).
type choices struct {
	table     *path.Table
	values    *values
	registers map[*path.Node]ssa.Value // by name
}

// choice names a value with several paths by the register at which they begin, and the steps from
// it (SY5). nil if the value has one path, or none.
func (ch *choices) choice(s *state, v ssa.Value) *path.Node {
	if len(ch.values.eval(s, v)) < 2 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if x := ch.choice(s, v.X); x != nil {
			return ch.table.Field(x, ch.values.types.fieldName(v.X.Type(), v.Field))
		}
	case *ssa.UnOp:
		read := func(n *path.Node) bool {
			return n.Kind != path.Load || !slices.Contains(ch.values.eval(s, v.X), n.Base)
		}
		if x := ch.choice(s, v.X); x != nil && !slices.ContainsFunc(ch.values.env[v], read) {
			return ch.table.Load(x, ch.values.types.class(v.Type()))
		}
	case *ssa.ChangeType:
		return ch.choice(s, v.X)
	case *ssa.MakeInterface:
		return ch.choice(s, v.X)
	}
	in, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	c := ch.values.types.class(v.Type())
	n := ch.table.Choice("one of several "+c[strings.LastIndexAny(c, "/.")+1:]+"#"+ch.values.places.mark(ch.values.places.place(in))+"."+v.Name(), c)
	if ch.registers == nil {
		ch.registers = map[*path.Node]ssa.Value{}
	}
	ch.registers[n] = v
	return n
}

// anew forgets the locks of a register that is set anew.
func (ch *choices) anew(s *state, in ssa.Instruction) {
	v, ok := in.(ssa.Value)
	if !ok || len(ch.registers) == 0 {
		return
	}
	for n, reg := range ch.registers {
		if reg == v {
			s.forget(n)
			s.guesses = slices.DeleteFunc(slices.Clone(s.guesses), func(g guess) bool { return g.lock.Root() == n })
		}
	}
}

// chosen replaces, in a lockset, the locks of Choices by those that they are if the value v, which
// is made of them, is n (SY5).
func (ch *choices) chosen(r lockset.Relative, v ssa.Value, n *path.Node) lockset.Relative {
	if v == nil || len(ch.registers) == 0 {
		return r
	}
	for _, l := range r.Plus.Sorted() {
		reg := ch.registers[l.Root()]
		if reg == nil {
			continue
		}
		if one := ch.origin(v, n, reg); one != nil {
			r = r.Acquire(ch.choose(l, one), r.Plus[l])
			plus := maps.Clone(r.Plus)
			delete(plus, l)
			r.Plus = plus
		}
	}
	return r
}

// origin is what the register holds if v, made of it by fields, elements and loads, is n; nil if v
// is not made of it in these steps.
func (ch *choices) origin(v ssa.Value, n *path.Node, reg ssa.Value) *path.Node {
	for n != nil {
		if v == reg {
			if slices.Contains(ch.values.env[reg], n) {
				return n
			}
			return nil
		}
		n = n.Strip()
		switch x := v.(type) {
		case *ssa.FieldAddr:
			if n.Kind != path.Field {
				return nil
			}
			v, n = x.X, n.Base
		case *ssa.IndexAddr:
			if n.Kind != path.Elem {
				return nil
			}
			v, n = x.X, n.Base
		case *ssa.UnOp:
			if n.Kind != path.Load {
				return nil
			}
			v, n = x.X, n.Base
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		default:
			return nil
		}
	}
	return nil
}

// addressed are the values that an instruction takes the address of its accesses from.
func addressed(in ssa.Instruction) []ssa.Value {
	switch in := in.(type) {
	case *ssa.Store:
		return []ssa.Value{in.Addr}
	case *ssa.UnOp:
		return []ssa.Value{in.X}
	case *ssa.MapUpdate:
		return []ssa.Value{in.Map}
	case *ssa.Lookup:
		return []ssa.Value{in.X}
	case *ssa.Call:
		if _, ok := in.Call.Value.(*ssa.Builtin); ok {
			return in.Call.Args
		}
	}
	return nil
}

// under is the lockset of an access of the function's own text.
func (ch *choices) under(s *state, in ssa.Instruction, addr *path.Node) lockset.Relative {
	r := s.locks
	if len(ch.registers) == 0 {
		return r
	}
	for _, v := range addressed(in) {
		n := addr
		if _, slice := v.Type().Underlying().(*types.Pointer); !slice && n.Kind == path.Elem {
			// an entry of a map, or elements of a slice
			n = n.Base
		}
		r = ch.chosen(r, v, n)
	}
	return r
}

// unchoose forgets the locks of Choices that may be one that is released.
func (ch *choices) unchoose(s *state, released *path.Node) {
	for l := range s.locks.Plus {
		if slices.ContainsFunc(ch.values.env[ch.registers[l.Root()]], func(n *path.Node) bool { return ch.choose(l, n) == released }) {
			s.locks = s.locks.Release(l)
		}
	}
}

// choose is a path below a Choice, if that is n.
func (ch *choices) choose(l, n *path.Node) *path.Node {
	root := l.Root()
	return ch.table.Subst(l, func(x *path.Node) *path.Node {
		if x == root {
			return n.Strip()
		}
		return nil
	}, ch.table.Load)
}

// actuals are the values of the arguments of a call; nil if the instruction has other arguments.
func actuals(in ssa.Instruction, t target, n int) []ssa.Value {
	c, ok := in.(ssa.CallInstruction)
	if !ok || t.with != nil {
		return nil
	}
	var out []ssa.Value
	switch fn := c.Common().StaticCallee(); {
	case c.Common().IsInvoke():
		out = append(out, c.Common().Value)
	case fn == nil || Key(fn) != t.key:
		return nil
	}
	if out = append(out, c.Common().Args...); len(out) != n {
		return nil
	}
	return out
}
