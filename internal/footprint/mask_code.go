package footprint

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What instructions of code that is not traced touch.

// instr adds an instruction.
func (k *Masker) instr(c *coded, in ssa.Instruction) {
	m := &c.mask
	switch in := in.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			k.at(m, in.X, Read, in)
		case token.ARROW:
			c.late = 2
		}
	case *ssa.Select:
		c.late = 2
	case *ssa.Index:
		if isTypeParam(in.X.Type()) {
			m.whole(in.Type(), Read)
		}
	case *ssa.SliceToArrayPointer:
		m.whole(deref(in.Type()), Write) // elements of a slice have no line of their own
	case *ssa.Store:
		k.at(m, in.Addr, Write, in)
	case *ssa.FieldAddr:
		switch e := k.uses(in); {
		case e == None:
		case k.fresh(m, in, in):
			m.wayOfField(in)
		default:
			m.field(deref(in.X.Type()), in.Field, e)
		}
	case *ssa.MapUpdate:
		m.line("map", Write)
	case *ssa.Lookup:
		m.line("map", Read)
	case *ssa.Range:
		if _, ok := in.X.Type().Underlying().(*types.Map); ok {
			m.line("map", Read)
		}
	case *ssa.Convert:
		m.converts(in.X.Type(), in.Type())
	case *ssa.MultiConvert:
		m.everything("%v", in)
	case *ssa.ChangeType:
		m.retyped(in)
	case *ssa.TypeAssert:
		c.other = true
	case ssa.CallInstruction:
		k.call(c, in)
	}
	k.values(c, in)
}

// at adds what a load from v, or a store there, touches.
func (k *Masker) at(m *Mask, v ssa.Value, e Effect, in ssa.Instruction) {
	if k.fresh(m, v, in) {
		if e == Read {
			m.wayOfStruct(v)
		}
		return
	}
	if f, ok := v.(*ssa.FieldAddr); ok && leaf(deref(f.Type())) {
		return // the field has a line
	} else if ok && isTypeParam(deref(f.Type())) && m.wholeField(f, e) {
		return
	}
	if m.element(v, e) {
		return
	}
	m.whole(deref(v.Type()), e)
}

// maxElement is how many elements of an array have lines of their own.
const maxElement = 64

// element adds an element of an array, if it is known which (D2).
func (m *Mask) element(v ssa.Value, e Effect) bool {
	i, ok := v.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	n, ok := i.Index.(*ssa.Const)
	p, isArray := i.X.Type().Underlying().(*types.Pointer)
	if !ok || !isArray || !leaf(deref(i.Type())) || isTypeParam(p.Elem()) || n.Value == nil || n.Int64() < 0 || n.Int64() >= maxElement {
		return false
	}
	k := kindOf(deref(i.Type()).Underlying())
	if k == reflect.Invalid {
		return false
	}
	m.line(fmt.Sprintf("[%d]=%d", n.Int64(), k), e)
	return true
}

func leaf(t types.Type) bool {
	switch types.Unalias(t).Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return !isTypeParam(t)
}

// isValue reports whether an address is that of a captured variable that is a value, or of a part of it.
func (k *Masker) isValue(v ssa.Value) bool { return k.Value != nil && k.Value(v) }

// uses is what becomes of a field by its address: nothing, if only code has it whose accesses are recorded. Any use but that of a load may be a write (D10).
func (k *Masker) uses(f *ssa.FieldAddr) (e Effect) {
	for _, r := range *f.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			e = max(e, Read)
		case ssa.CallInstruction:
			if !k.Traced(r) {
				return Write
			}
		default:
			return Write
		}
	}
	return e
}

// converts adds what a conversion reads: the elements of a slice, for a string. From unsafe pointers on nothing is known (D8).
func (m *Mask) converts(from, to types.Type) {
	if s, ok := from.Underlying().(*types.Slice); ok {
		m.whole(s.Elem(), Read)
	}
	for _, t := range []types.Type{from, to} {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer || isTypeParam(t) {
			m.everything("unsafe.Pointer or a type parameter in a conversion")
		}
	}
}

// retyped takes a change of type: what it points to has another name from there on (D8).
func (m *Mask) retyped(in *ssa.ChangeType) {
	from, ok := in.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return
	}
	to, ok := in.Type().Underlying().(*types.Pointer)
	if ok && !types.Identical(from.Elem(), to.Elem()) && (!leaf(from.Elem()) || !leaf(to.Elem())) {
		m.everything("a pointer to %v becomes one to %v", from.Elem(), to.Elem())
	}
}

// values adds the functions that an instruction takes for values: they may be called here, unseen (D6).
func (k *Masker) values(c *coded, in ssa.Instruction) {
	var callee ssa.Value
	if call, ok := in.(ssa.CallInstruction); ok {
		callee = call.Common().Value
	}
	for _, o := range in.Operands(nil) {
		if fn, ok := (*o).(*ssa.Function); ok && *o != callee {
			if body := k.body(fn); body != nil {
				c.calls = append(c.calls, body)
			}
		}
	}
	switch in := in.(type) {
	case *ssa.MakeInterface:
		k.methods(c, in.X.Type(), in.Parent().Prog)
	case *ssa.Store:
		k.keeps(c, in.Val)
	case *ssa.MapUpdate:
		k.keeps(c, in.Value)
	case *ssa.MakeClosure:
		for _, b := range in.Bindings {
			k.keeps(c, b) // the receiver of a method value
		}
	}
}

// body returns the code of a function that is looked at: a wrapper's own, which package ssa has made, or that of a missing function.
func (k *Masker) body(fn *ssa.Function) *ssa.Function {
	if madeBySSA(fn) && len(fn.Blocks) > 0 {
		return fn
	}
	return k.Body(fn)
}

// keeps notes that code may find a function value or an interface that the recorder does not come to, because it was made in the call.
func (k *Masker) keeps(c *coded, v ssa.Value) {
	if callable(v.Type()) && !k.reached(v, map[ssa.Value]bool{}) {
		t := v.Type()
		if _, ok := v.(*ssa.Parameter); ok && onlyMethods(t) {
			c.given = true
			return
		}
		if i, ok := v.(*ssa.MakeInterface); ok {
			t = i.X.Type()
		}
		c.made = append(c.made, t)
	}
}

// onlyMethods reports whether t is a type parameter of which code knows no more than methods: it cannot call a value of it.
func onlyMethods(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return false
	}
	i := p.Constraint().Underlying().(*types.Interface)
	return i.IsMethodSet() || i.IsComparable()
}

// mayCallGiven reports whether a mask has a line by which code may call a method of a value that it was given, of the type of a type parameter. If the value is a function, or has
// one or an interface in it, the recorder has come to that, by its own type; but it asks nothing of the methods of what is no interface. Such a call has a line of one name.
func (m *Mask) mayCallGiven() bool {
	for s := range m.lines {
		if strings.LastIndexByte(s, '.') == 0 {
			return true
		}
	}
	return false
}

// mayCall reports whether a mask has a line by which a value of type t may be called, or one that is in it. What an interface has is not known; but code that asserts nothing
// calls the methods of its type alone, or those of interfaces that have fewer.
func (m *Mask) mayCall(t types.Type, asserts bool) bool {
	inside := callable(t) && (asserts || isTypeParam(t) || !types.IsInterface(t))
	for s := range m.lines {
		name, method := strings.CutPrefix(s, ".")
		switch {
		case !method && name != "call":
		case inside:
			return true
		case method && hasMethods(t, strings.Split(name, ".")):
			return true
		}
	}
	return false
}

func hasMethods(t types.Type, names []string) bool {
	has := map[string]bool{}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		has[set.At(i).Obj().Name()] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !has[name] })
}

// callable reports whether a value is a function or an interface with methods, or has one in it.
func callable(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Signature, *types.Interface:
		return !immutable[typeName(t)]
	case *types.Array:
		return callable(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if callable(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// call adds a call.
func (k *Masker) call(c *coded, in ssa.CallInstruction) {
	com, m := in.Common(), &c.mask
	if b, ok := com.Value.(*ssa.Builtin); ok {
		k.builtin(m, b.Name(), com.Args, in)
		return
	}
	if k.Traced(in) {
		if fn := com.StaticCallee(); fn == nil || !isIdle(fn) {
			c.late = 2
		}
		if !k.enters(com) { // else what it is given is called by traced code
			k.passes(c, com)
		}
		return
	}
	if fn := com.StaticCallee(); fn != nil {
		if body := k.body(fn); body != nil {
			c.calls = append(c.calls, body)
			for _, a := range com.Args {
				k.keeps(c, a)
			}
			return
		}
	}
	name, pkg := callee(com)
	switch {
	case pkg == "" && (isTypeParam(com.Value.Type()) || !k.reached(com.Value, map[ssa.Value]bool{})): // the recorder asks nothing of the methods of what is no interface
		m.everything("a call of which the callee is not known: %v", com)
	case pkg == "":
		m.line(lineOf(com), Write)
		c.asks = append(c.asks, com)
		c.late++
	case k.Program.module(pkg) || k.Program.traced(pkg):
		m.everything("%s is not known", name)
	default:
		k.standard(c, com, name, pkg)
	}
}

// enters reports whether a call is one of traced code by name.
func (k *Masker) enters(com *ssa.CallCommon) bool {
	fn := com.StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg != nil && !madeBySSA(fn) && k.Program.traced(fn.Pkg.Pkg.Path())
}

// reached reports whether a function value or interface is one that the recorder comes to, where it begins, by following memory, or when it is received, or code that is traced or looked at (D6).
func (k *Masker) reached(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Const:
		return !isTypeParam(v.Type())
	case *ssa.UnOp:
		return v.Op == token.MUL || v.Op == token.ARROW
	case *ssa.MakeInterface:
		return !isTypeParam(v.X.Type()) && k.Program.ours(typeName(deref(v.X.Type()))) && !promotes(v.X.Type())
	case *ssa.Function:
		return k.body(v) != nil || v.Pkg != nil && !madeBySSA(v) && k.Program.traced(v.Pkg.Pkg.Path())
	case *ssa.MakeClosure:
		return k.reached(v.Fn, seen)
	case *ssa.ChangeType:
		return !isTypeParam(v.X.Type()) && k.reached(v.X, seen)
	case *ssa.ChangeInterface:
		return k.reached(v.X, seen)
	case *ssa.TypeAssert:
		return k.reached(v.X, seen)
	case *ssa.Field:
		return k.reached(v.X, seen)
	case *ssa.Lookup:
		return true
	case *ssa.Call:
		return k.told(v, seen)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			return k.told(t, seen)
		case *ssa.TypeAssert:
			return k.reached(t.X, seen)
		case *ssa.Lookup, *ssa.Next, *ssa.UnOp, *ssa.Select: // an operation that gives two is a receive
			return true
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !k.reached(e, seen) {
				return false
			}
		}
		return true
	}
	return false
}

// told reports whether the recorder is told what a call returns: it calls traced code, or, if the recorder finds that not to be so, makes the mask everything.
func (k *Masker) told(call *ssa.Call, seen map[ssa.Value]bool) bool {
	if _, ok := call.Call.Value.(*ssa.Builtin); ok || !k.Told {
		return false
	}
	if fn := call.Call.StaticCallee(); fn != nil {
		return fn.Pkg != nil && k.enters(&call.Call) && k.Traced(call)
	}
	return !k.Traced(call) && k.reached(call.Call.Value, seen)
}

// builtin adds a call of a builtin function: what the first argument has is written by some of them, what the others have is read.
func (k *Masker) builtin(m *Mask, name string, args []ssa.Value, in ssa.Instruction) {
	e := Write
	switch name {
	case "append", "copy", "clear", "delete":
	case "len":
		e = Read
	case "Add", "Slice", "String", "StringData", "SliceData":
		m.everything("unsafe.%s", name)
		return
	default:
		return
	}
	for i, a := range args {
		switch u := types.Unalias(a.Type()).Underlying().(type) {
		case *types.Slice:
			if name != "len" && !k.fresh(m, a, in) && !isTypeParam(a.Type()) {
				m.whole(u.Elem(), e)
			}
		case *types.Map:
			m.line("map", e)
		}
		switch {
		case !isTypeParam(a.Type()) || name == "delete" && i > 0: // a key
		case name == "len": // of what is no map that is no memory
			m.line("map", e)
		default:
			m.everything("%s of a type parameter", name)
		}
		e = Read
	}
}
