package footprint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// inward is (F12): the function is in an inward line of table.txt, has no hidden state, and what it is given has no parts that may synchronise for the
// caller, a std type with a lock or an atomic, say, that it would come to by a method. Of the values inside interfaces the SSA has to
// show the types.
func (p *Program) inward(c *ssa.CallCommon, s *Set) bool {
	name, pkg := callee(c)
	if c.StaticCallee() == nil || !table().inward(name, pkg) || s.State != "" || pkg == "log" && p.logs {
		return false
	}
	first := len(c.Args) - c.Signature().Params().Len() // a receiver is the function's own
	for _, a := range c.Args[first:] {
		if !p.plainValue(a) {
			return false
		}
	}
	return true
}

// plainValue reports whether an argument of a call is plain, each one of a variadic call's.
func (p *Program) plainValue(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeInterface:
		return p.plainValue(x.X)
	case *ssa.ChangeInterface:
		return p.plainValue(x.X)
	case *ssa.Slice:
		if elems, ok := literalElements(x); ok {
			for _, e := range elems {
				if !p.plainValue(e) {
					return false
				}
			}
			return true
		}
	}
	return p.plain(v.Type(), map[types.Type]bool{})
}

// plain reports whether a value of a type, and what it leads to, has no methods but those of traced packages, and of a few types
// that are known: nothing there synchronises without a record.
func (p *Program) plain(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] || harmless[typeName(t)] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Pkg() != nil && p.traced(t.Obj().Pkg().Path()) && p.plain(t.Underlying(), seen)
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Pointer:
		return p.plain(t.Elem(), seen)
	case *types.Slice:
		return p.plain(t.Elem(), seen)
	case *types.Array:
		return p.plain(t.Elem(), seen)
	case *types.Map:
		return p.plain(t.Key(), seen) && p.plain(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if !p.plain(f.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

// harmless are types of the standard library of which no method synchronises for others. (Files are for the environment, and reading one is not inward.)
var harmless = map[string]bool{"error": true, "time.Time": true, "time.Duration": true, "time.Month": true, "time.Weekday": true, "os.File": true, "*os.File": true}

// sees is (F15). A function value may be any that traced code takes as a value of its type.
func (p *Program) sees(c *ssa.CallCommon) Sees {
	fn := c.StaticCallee()
	switch {
	case c.IsInvoke():
		return NoGoroutines
	case fn == nil:
		all := NoGoroutines
		sigs, _ := p.signatures(c.Value.Type())
		for sig := range sigs {
			for _, fn := range p.values.known[sig] {
				if obj, ok := fn.Object().(*types.Func); ok {
					all = max(all, table().sees[obj.FullName()])
				}
			}
		}
		return all
	}
	name, _ := callee(c)
	if name == "runtime.Stack" {
		if all, known := c.Args[1].(*ssa.Const); known && all.Value.String() == "false" { // its own alone
			return NoGoroutines
		}
	}
	return table().sees[name]
}
