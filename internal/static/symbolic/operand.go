package symbolic

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// single is a value as one path; ⊤ if it has several.
func (vs *values) single(s *state, v ssa.Value) *path.Node {
	a := vs.eval(s, v)
	if len(a) == 0 {
		a = vs.number(v)
	}
	if len(a) == 1 {
		return a[0]
	}
	return vs.table.Unknown(vs.types.class(v.Type()))
}

// name is the key of an allocation site: the variable's name and the place.
func (vs *values) name(v ssa.Value, label string) string {
	switch label {
	case "", "new", "complit", "map", "slice", "chan", "makeslice", "varargs", "slicelit":
		c := vs.types.class(v.Type())
		label = "new " + c[strings.LastIndexAny(c, "/.")+1:]
	}
	in := v.(ssa.Instruction)
	return label + "#" + vs.places.mark(vs.places.place(in)) + "." + v.Name()
}

// field takes a field out of a struct value.
func (vs *values) field(s *state, v *ssa.Field) {
	vs.env[v] = nil
	if !vs.types.refers(v.Type()) {
		return
	}
	name := vs.types.fieldName(v.X.Type(), v.Field)
	var out aliases
	for _, n := range vs.eval(s, v.X) {
		var in aliases
		if structure(n) {
			in = vs.load(s, vs.table.Field(copied(n), name), vs.types.class(v.Type()))
		} else {
			in = vs.unknown(v.Type())
		}
		var ok bool
		if out, ok = merge(out, in); !ok {
			out = vs.unknown(v.Type())
			break
		}
	}
	vs.env[v] = out
}

func (vs *values) slice(s *state, v *ssa.Slice) {
	whole := v.Low == nil && v.High == nil
	if _, made := v.X.(*ssa.Alloc); made && v.Low == nil { // make of constant size
		whole = true
	}
	vs.env[v] = vs.each(vs.eval(s, v.X), v.Type(), func(n *path.Node) *path.Node {
		if whole {
			return n
		}
		switch {
		case v.Low != nil:
			return vs.table.Sub(n, path.Other)
		case v.Max != nil && vs.clips(s, v.High, v.Max):
			return vs.table.Sub(n, path.Clip)
		}
		return vs.table.Sub(n, path.Prefix)
	})
}

// clips reports whether a slice with these bounds has no room behind its end: both are one value,
// or the lengths of one value.
func (vs *values) clips(s *state, high, most ssa.Value) bool {
	if high == most {
		return true
	}
	length := func(v ssa.Value) aliases {
		if c, ok := v.(*ssa.Call); ok {
			if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
				return vs.eval(s, c.Call.Args[0])
			}
		}
		return nil
	}
	x := length(high)
	return len(x) == 1 && slices.Equal(x, length(most))
}

func (vs *values) phi(s *state, v *ssa.Phi) {
	if !vs.types.refers(v.Type()) {
		return
	}
	var out aliases
	for _, e := range v.Edges {
		var ok bool
		if out, ok = merge(out, vs.eval(s, e)); !ok {
			out = vs.unknown(v.Type())
			break
		}
	}
	vs.env[v] = out
}

// extract takes a component out of a tuple.
func (vs *values) extract(s *state, v *ssa.Extract) {
	vs.env[v] = nil
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		if r, ok := vs.results[t]; ok && v.Index < len(r) {
			vs.env[v] = r[v.Index]
		}
	case *ssa.Lookup, *ssa.TypeAssert:
		if v.Index == 0 {
			vs.env[v] = vs.env[v.Tuple]
		}
	case *ssa.UnOp:
		if v.Index == 0 {
			vs.env[v] = vs.env[v.Tuple]
		}
	case *ssa.Next:
		if v.Index > 0 && vs.types.refers(v.Type()) {
			vs.env[v] = vs.deref(s, vs.entry(t, v.Index == 1), v.Type())
		}
	case *ssa.Select:
		if v.Index >= 2 && vs.types.refers(v.Type()) {
			vs.env[v] = aliases{vs.table.Result(v.Index, vs.places.site(t, "received"), vs.types.class(v.Type()), vs.graph.loop[t.Block().Index] > 0)}
		}
	}
}

// entry is the address of the value, or of the key, of the map entry that a loop has reached.
func (vs *values) entry(t *ssa.Next, key bool) aliases {
	var addrs aliases
	for _, m := range vs.env[t] {
		e := vs.table.Elem(m.Strip(), vs.table.Value(vs.places.site(t, "range"), true))
		if key {
			e = vs.table.Field(e, "map.key")
		}
		addrs = append(addrs, e)
	}
	return addrs
}

// channels are the channels that a value may be, without nil, which is never ready.
func (vs *values) channels(s *state, ch ssa.Value) aliases {
	var out aliases
	for _, c := range vs.eval(s, ch) {
		if c = c.Strip(); !c.IsNil() {
			out = append(out, c)
		}
	}
	return out
}

// defaults are the results of an unknown call.
func (vs *values) defaults(v *ssa.Call) {
	root := func(i int, t types.Type) aliases {
		if !vs.types.refers(t) {
			return nil
		}
		return aliases{vs.table.Result(i, vs.places.site(v, "result"), vs.types.class(t), vs.graph.loop[v.Block().Index] > 0)}
	}
	if tup, ok := v.Type().(*types.Tuple); ok {
		var all []aliases
		for i := range tup.Len() {
			all = append(all, root(i, tup.At(i).Type()))
		}
		vs.results[v] = all
		return
	}
	vs.env[v] = root(0, v.Type())
}

// arguments evaluates the receiver and the arguments.
func (vs *values) arguments(s *state, c *ssa.CallCommon) []aliases {
	var args []aliases
	if c.IsInvoke() {
		args = append(args, vs.eval(s, c.Value))
	}
	for _, a := range c.Args {
		v := vs.eval(s, a)
		if len(v) == 0 {
			v = vs.number(a)
		}
		if _, ok := a.Type().Underlying().(*types.Struct); ok {
			v = vs.each(v, a.Type(), copied)
		}
		args = append(args, v)
	}
	return args
}

// truthOf is the truth of a value, as far as it is known.
func (vs *values) truthOf(s *state, v ssa.Value) summary.Truth {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if v.IsNil() {
				return summary.False
			}
			return summary.Any
		}
		if v.Value.Kind() == constant.Bool {
			if constant.BoolVal(v.Value) {
				return summary.True
			}
			return summary.False
		}
		return summary.Any
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return summary.True
	case *ssa.Call:
		if c := v.Common().StaticCallee(); c != nil {
			if k := Key(c); k == "errors.New" || k == "fmt.Errorf" {
				return summary.True
			}
		}
	}
	if t, ok := s.truth[v]; ok {
		if t {
			return summary.True
		}
		return summary.False
	}
	if vals := vs.eval(s, v); len(vals) > 0 && !slices.ContainsFunc(vals, func(n *path.Node) bool { return !isChannel(n) }) {
		return summary.True
	}
	return summary.Any
}

// nonzero reports whether the value is certainly not zero.
func (vs *values) nonzero(s *state, v ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int && !zero(c) {
		return true
	}
	return vs.truthOf(s, v) == summary.True
}

// variable is the variable that a channel was read from just before an instruction, nil if there is
// none.
func (vs *values) variable(s *state, ch ssa.Value, at ssa.Instruction) *path.Node {
	load, ok := ch.(*ssa.UnOp)
	if !ok || load.Block() != at.Block() {
		return nil
	}
	a := vs.eval(s, load.X)
	if len(a) != 1 || !cell(a[0]) {
		return nil
	}
	since := false
	for _, in := range at.Block().Instrs {
		switch in.(type) {
		case *ssa.Store, *ssa.Call, *ssa.Go, *ssa.RunDefers, *ssa.Send, *ssa.Select:
			if since && in != at {
				return nil
			}
		}
		since = since || in == load
		if in == at {
			break
		}
	}
	return a[0]
}

// ownT is the t that a call of T.Run makes.
func (vs *values) ownT(in ssa.Instruction) *path.Node {
	return vs.table.Alloc(vs.places.site(in, "t"), "testing.T", vs.graph.looping(), -2)
}
