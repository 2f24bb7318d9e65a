package plan

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// Strings whose bytes are memory that may be written (PL8). They are made by a builtin, or loaded
// from memory that is seen as another type:
//
//	unsafe.String(p, n)
//	*(*string)(unsafe.Pointer(&bytes))
//	(*reflect.StringHeader)(unsafe.Pointer(&s)).Data = …   // s is loaded later
//
// A flow-insensitive analysis finds these loads. Values flow through registers, static calls and
// closures; through variables and fields, by name; and through all other memory by type, for each
// package separately. In packages that do not import unsafe, only values that lead to strings take
// part.

// puns is the memory of a program that conversions of unsafe.Pointer show as another type. A node
// is a value, or a place that holds values.
type puns struct {
	plan  *Plan
	list  []*ssa.Function
	own   map[*ssa.Function]*Package
	at    *Package // of the current function
	bound map[*ssa.FreeVar]ssa.Value
	// nodes of pointers and slices, and of values with them, that may lead to such memory, and of
	// what is reached through these
	leads   map[any]bool
	origin  map[any]bool // of these: nodes whose sources lead there too
	places  map[placeOf]anywhere
	stringy map[types.Type]bool
	more    bool
}

type placeOf struct {
	t   types.Type
	pkg *Package
}

// Places: the contents of a variable; the contents of a field of any struct; the field itself; the
// results of a function; all other values of a type in a package. Package-level variables and
// exported fields are nodes by name, because each package has its own objects for those of other
// packages.
type (
	variable    struct{ name string }
	contents    struct{ of any }
	inField     struct{ field any }
	fieldItself struct{ field any }
	result      struct {
		fn *ssa.Function
		i  int
	}
	anywhere struct {
		typ string
		pkg *Package
	}
)

// findPuns finds the puns of a program, nil if no package can have any.
func findPuns(p *Plan) *puns {
	if !slices.ContainsFunc(p.funcs, func(f *Func) bool { return f.Unit.Pkg.seesMemory() }) {
		return nil
	}
	u := &puns{
		plan: p, own: map[*ssa.Function]*Package{}, bound: map[*ssa.FreeVar]ssa.Value{}, leads: map[any]bool{}, origin: map[any]bool{},
		places: map[placeOf]anywhere{}, stringy: map[types.Type]bool{}, more: true,
	}
	for _, f := range p.funcs {
		u.add(f.SSA, f.Unit.Pkg)
	}
	for u.more {
		u.more = false
		for _, fn := range u.list {
			u.function(fn)
		}
	}
	return u
}

// seesMemory reports whether a package can see memory as another type.
func (pkg *Package) seesMemory() bool { return slices.Contains(pkg.Types.Imports(), types.Unsafe) }

// add takes a function, and notes what its closures bind.
func (u *puns) add(fn *ssa.Function, pkg *Package) {
	u.own[fn], u.list = pkg, append(u.list, fn)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.MakeClosure); ok {
				for i, v := range c.Bindings {
					u.bound[c.Fn.(*ssa.Function).FreeVars[i]] = v
				}
			}
		}
	}
}

// isPunned reports whether the address leads to memory that a package sees as another type.
func (u *puns) isPunned(addr ssa.Value) bool { return u != nil && u.leads[node(addr)] }

// function takes all instructions of a function once.
func (u *puns) function(fn *ssa.Function) {
	u.at = u.own[fn]
	for _, v := range fn.FreeVars {
		u.flow(v, u.bound[v])
	}
	for _, v := range fn.Params {
		u.flow(v, u.anyOf(v.Type()))
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				u.flow(u.place(in.Addr), in.Val)
			case *ssa.Return:
				for i, r := range in.Results {
					u.flow(result{fn, i}, r)
				}
			case *ssa.Send:
				u.leaves(in.X)
			case *ssa.MapUpdate:
				u.leaves(in.Key, in.Value)
			case ssa.Value:
				u.value(in)
			}
			if c, ok := in.(ssa.CallInstruction); ok {
				u.passes(c.Common())
			}
		}
	}
}

// passes takes the arguments of a call.
func (u *puns) passes(c *ssa.CallCommon) {
	b, builtin := c.Value.(*ssa.Builtin)
	switch callee := u.callee(c); {
	case callee != nil:
		for i, a := range c.Args {
			u.flow(callee.Params[i], a)
		}
	case !builtin:
		u.leaves(c.Args...)
	case b.Name() == "copy":
		u.flow(c.Args[0], c.Args[1])
	}
}

// leaves adds the flow of values to all places of their types.
func (u *puns) leaves(vs ...ssa.Value) {
	for _, v := range vs {
		u.flow(u.anyOf(v.Type()), v)
	}
}

// value adds the flow into a value.
func (u *puns) value(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Convert:
		u.flow(v, v.X)
		if isUnsafe(v.Type()) && word(v.X.Type()) || isUnsafe(v.X.Type()) && word(v.Type()) {
			u.mark(u.leads, v)
			u.mark(u.origin, v.X)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			u.flow(v, e)
		}
	case *ssa.ChangeType:
		u.flow(v, v.X)
	case *ssa.Slice:
		u.flow(v, v.X)
	case *ssa.SliceToArrayPointer:
		u.flow(v, v.X)
	case *ssa.IndexAddr:
		u.flow(v, v.X)
	case *ssa.FieldAddr:
		u.reach(v, v.X)
		if s := StructOf(v.X.Type()); s != nil {
			u.flow(v, fieldItself{fieldNode(s.Field(v.Field).Origin())})
		}
	case *ssa.Field:
		u.reach(v, v.X)
	case *ssa.Index:
		u.reach(v, v.X)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			u.reach(v, v.X)
			u.flow(v, u.place(v.X))
		case token.ARROW:
			u.flow(v, u.anyOf(v.Type()))
		}
	case *ssa.MakeInterface:
		u.leaves(v.X)
	case *ssa.TypeAssert, *ssa.Lookup:
		u.flow(v, u.anyOf(v.Type()))
	case *ssa.Select:
		for _, s := range v.States {
			if s.Send != nil {
				u.leaves(s.Send)
			}
		}
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok && u.callee(&c.Call) != nil {
			u.flow(v, result{u.callee(&c.Call), v.Index})
		} else {
			u.flow(v, u.anyOf(v.Type()))
		}
	case *ssa.Call:
		u.call(v)
	}
}

// call takes the result of a call.
func (u *puns) call(v *ssa.Call) {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "append", "Add", "Slice", "SliceData", "ssa:wrapnilchk":
			for _, a := range v.Call.Args {
				u.flow(v, a)
			}
		}
	} else if fn := u.callee(&v.Call); fn != nil {
		u.flow(v, result{fn, 0})
	} else {
		u.flow(v, u.anyOf(v.Type()))
	}
}

// flow adds that the value from is in to.
func (u *puns) flow(to, from any) {
	u.reach(to, from)
	if u.origin[node(to)] {
		u.mark(u.origin, from)
	}
}

// reach adds that to may be reached through from.
func (u *puns) reach(to, from any) {
	if u.leads[node(from)] {
		u.mark(u.leads, to)
	}
}

// mark adds a node to a set, unless it is a value that leads to no memory that matters.
func (u *puns) mark(m map[any]bool, x any) {
	if v, ok := x.(ssa.Value); ok {
		pkg := u.at
		if in := u.own[v.Parent()]; in != nil {
			pkg = in
		}
		if scalar(v.Type()) || isString(v.Type()) || !u.matters(pkg, v.Type()) {
			return
		}
	}
	n := node(x)
	if a, ok := n.(anywhere); m[n] || ok && a.pkg == nil {
		return
	}
	m[n], u.more = true, true
	u.leads[n] = true
}

// node is the node of a value, or a place.
func node(x any) any {
	if g, ok := x.(*ssa.Global); ok {
		return variable{g.RelString(nil)}
	}
	return x
}

// fieldNode names a field that other packages see.
func fieldNode(f *types.Var) any {
	if f.Exported() && f.Pkg() != nil {
		return variable{f.Pkg().Path() + "." + f.Name() + " " + types.TypeString(f.Type(), nil)}
	}
	return f
}

// matters reports whether values of type t in a package can lead to memory that is seen as another
// type and matters.
func (u *puns) matters(pkg *Package, t types.Type) bool { return pkg.seesMemory() || u.toString(t) }

// toString reports whether values of type t may lead to strings, other than through interfaces.
func (u *puns) toString(t types.Type) bool {
	if known, ok := u.stringy[t]; ok {
		return known
	}
	u.stringy[t] = false
	found := false
	switch x := Core(t).(type) {
	case *types.Basic:
		found = x.Info()&types.IsString != 0 || x.Kind() == types.UnsafePointer
	case *types.Pointer:
		found = u.toString(x.Elem())
	case *types.Slice:
		found = u.toString(x.Elem())
	case *types.Array:
		found = u.toString(x.Elem())
	case *types.Chan:
		found = u.toString(x.Elem())
	case *types.Map:
		found = u.toString(x.Key()) || u.toString(x.Elem())
	case *types.Struct:
		for f := range x.Fields() {
			found = found || u.toString(f.Type())
		}
	case nil: // a type parameter
		found = true
	}
	if found {
		u.stringy[t] = true
	} else {
		delete(u.stringy, t)
	}
	return found
}

// place returns the place of the memory at an address.
func (u *puns) place(addr ssa.Value) any {
	switch x := addr.(type) {
	case *ssa.FreeVar:
		if b := u.bound[x]; b != nil {
			return u.place(b)
		}
	case *ssa.Alloc, *ssa.Global:
		return contents{node(x)}
	case *ssa.FieldAddr:
		if s := StructOf(x.X.Type()); s != nil {
			return inField{fieldNode(s.Field(x.Field).Origin())}
		}
	}
	if p, ok := Core(addr.Type()).(*types.Pointer); ok {
		return u.anyOf(p.Elem())
	}
	return u.anyOf(addr.Type())
}

// anyOf returns the place of all values of a type in the current package. If such values do not
// matter, the place has no package.
func (u *puns) anyOf(t types.Type) anywhere {
	key := placeOf{t, u.at}
	a, ok := u.places[key]
	if !ok {
		if u.matters(u.at, t) {
			a = anywhere{types.TypeString(t, nil), u.at}
		}
		u.places[key] = a
	}
	return a
}

// callee returns the function that is called, nil if it is unknown or has no records.
func (u *puns) callee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn != nil && fn.Origin() != nil {
		fn = fn.Origin()
	}
	if u.own[fn] == nil {
		f := u.plan.Func(fn) // in the view of another package
		if f == nil {
			return nil
		}
		fn = f.SSA
	}
	if u.own[fn] == nil || len(fn.Params) != len(c.Args) {
		return nil
	}
	return fn
}

func isUnsafe(t types.Type) bool {
	b, ok := basic(t)
	return ok && b.Kind() == types.UnsafePointer
}

// texts returns the records of the bytes of the strings in a value that unsafe code has made.
func (h *planner) texts(v ssa.Value) []Hook {
	if len(*v.Referrers()) == 0 {
		return nil
	}
	var out []Hook
	for _, off := range h.strings(nil, v.Type(), 0) {
		out = append(out, Hook{Kind: format.Read, Extent: Text, Addr: v, Offset: off, Index: -1, Case: -1, Type: types.Typ[types.Byte], Size: 1})
	}
	return out
}

// maxTexts bounds the strings in one value that are read.
const maxTexts = 64

// strings appends the offsets of the strings in a value of type t at offset off. A type whose size
// depends on type parameters has none, unless it is a string itself.
func (h *planner) strings(offs []int64, t types.Type, off int64) []int64 {
	switch u := Core(t).(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 && len(offs) < maxTexts {
			offs = append(offs, off)
		}
	case *types.Struct:
		if Open(t) {
			return offs
		}
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		for i, o := range h.sizes.Offsetsof(fields) {
			offs = h.strings(offs, fields[i].Type(), off+o)
		}
	case *types.Array:
		if Open(t) {
			return offs
		}
		for i := range min(u.Len(), maxTexts) {
			offs = h.strings(offs, u.Elem(), off+i*h.sizes.Sizeof(u.Elem()))
		}
	}
	return offs
}
