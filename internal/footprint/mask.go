package footprint

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Mask is what a piece of code that is not traced can touch of whatever memory it can reach: which fields of which structs, which kinds of variables of
// their own. The D of a call is what the recorder reaches, of which its mask has something (D1 to D10).
type Mask struct {
	Why   string // not "": everything, and why
	All   bool   // and not only what is reached, for the standard library may have kept more
	Other string // not "": some of its synchronisation may be that of other code, or D may lack what it touches, and why (W1 to W4)
	Grows bool   // what it touches is what D has only as long as others leave that as it is (W6)
	lines map[string]Effect
	ways  map[string]bool // D16

	levels int // of memory that it touches, counted from what the call is given; 0: any (D11)
}

// Own reports whether the code's synchronisation is its own (W1 to W4), and what it touches known (W5).
func (m *Mask) Own() bool { return m.Why == "" && m.Other == "" }

// Everything that is reached is touched, by the text of a mask.
const EveryLine = "*"

// ReadLine ends a line of what is only read.
const ReadLine = "?"

// WholeLine ends a line of a field with all that it has.
const WholeLine = "!"

// Text is what the recorder reads: a line for each part, in order. "" is nothing.
//
//	pkg.T.f   field f of struct pkg.T, as far as it is no struct or array itself; what is in that, other lines say
//	pkg.T.f!  field f with all that it has
//	pkg.T     a struct as a whole; sync.Pool: and what it keeps (D14)
//	=k        variables, elements and fields of arrays of kind k, a number of package reflect
//	[i]=k     element i of arrays of such
//	map       what is in maps
//	call      it calls function values that it is given: if one of them is not traced, it is as if there were no mask
//	.M.N      it calls methods of interfaces that it is given, which have methods of these names: likewise
//	left      the methods may be those of any type that is left out
//	pkg.T.f~  a way (D16): not touched, but a walk goes on from there; pkg.T~ from all fields of the struct, *~ from all there are
//
// In front of the lines stands how many levels of memory it touches, if they are few (D11). Behind a line of what it only reads stands ReadLine (D10); a field that is a struct or an array has none.
//
// Types are named as at run time, by the name of their package; an instance as its generic type, a struct without a name as struct.
func (m *Mask) Text() string {
	if m.Why != "" {
		return EveryLine
	}
	if len(m.lines) == 0 {
		return ""
	}
	text := "\n"
	if m.levels > 0 {
		text = fmt.Sprintf("%d\n", m.levels)
	}
	for _, s := range slices.Sorted(maps.Keys(m.lines)) {
		if _, more := m.lines[s+WholeLine]; more {
			continue
		}
		if text += s; m.lines[s] == Read {
			text += ReadLine
		}
		text += "\n"
	}
	for _, s := range slices.Sorted(maps.Keys(m.ways)) {
		if m.lines[s] == None && m.lines[s+WholeLine] == None {
			text += s + WayLine + "\n"
		}
	}
	return text
}

// all says that the code may touch anything, whatever it is given (D5).
func (m *Mask) all(format string, args ...any) {
	m.everything(format, args...)
	m.All = true
}

func (m *Mask) everything(format string, args ...any) {
	if m.Why == "" {
		m.Why = fmt.Sprintf(format, args...)
	}
}

// line adds a line, and reports whether it was not there, or less.
func (m *Mask) line(s string, e Effect) bool {
	if m.lines == nil {
		m.lines = map[string]Effect{}
	}
	if m.lines[s] >= e {
		return false
	}
	m.lines[s] = e
	return true
}

// add adds all of x.
func (m *Mask) add(x *Mask) {
	if x.Why != "" && m.Why == "" {
		m.Why = x.Why
	}
	if x.Other != "" {
		m.other("%s", x.Other)
	}
	m.All = m.All || x.All
	m.Grows = m.Grows || x.Grows
	for s, e := range x.lines {
		m.line(s, e)
	}
	for s := range x.ways {
		m.goes(s)
	}
}

// field adds a field of a struct (D2). What is a struct or an array itself is the way to its parts, of which other lines say what becomes of them (D10).
func (m *Mask) field(t types.Type, i int, e Effect) {
	s, ok := types.Unalias(t).Underlying().(*types.Struct)
	name := structName(t)
	if !ok || name == "" {
		m.everything("a field of %v", t)
		return
	}
	if !leaf(s.Field(i).Type()) {
		e = Write
	}
	m.line(name+"."+s.Field(i).Name(), e)
}

// wholeField adds a field of which only the run tells the type, with all that it has, and reports whether it can be named.
func (m *Mask) wholeField(f *ssa.FieldAddr, e Effect) bool {
	t := deref(f.X.Type())
	s, ok := types.Unalias(t).Underlying().(*types.Struct)
	name := structName(t)
	if !ok || name == "" {
		return false
	}
	m.line(name+"."+s.Field(f.Field).Name()+WholeLine, e)
	return true
}

// whole adds memory of type t (D3, D4).
func (m *Mask) whole(t types.Type, e Effect) {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Struct:
		if name := structName(t); name != "" {
			m.line(name, e)
			return
		}
	case *types.Array:
		m.whole(u.Elem(), e)
		return
	default:
		if k := kindOf(u); k != reflect.Invalid && !isTypeParam(t) {
			m.line(fmt.Sprintf("=%d", k), e)
			return
		}
	}
	m.everything("memory of type %v", t)
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// structName names a struct as the run has it, "" if that is not known.
func structName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil {
			return p.Name() + "." + t.Obj().Name()
		}
	case *types.Struct:
		return "struct"
	}
	return ""
}

// kindOf is the kind of a type that is no struct and no array.
func kindOf(u types.Type) reflect.Kind {
	switch u := u.(type) {
	case *types.Basic:
		return basicKinds[u.Kind()]
	case *types.Pointer:
		return reflect.Pointer
	case *types.Slice:
		return reflect.Slice
	case *types.Map:
		return reflect.Map
	case *types.Chan:
		return reflect.Chan
	case *types.Signature:
		return reflect.Func
	case *types.Interface:
		return reflect.Interface
	}
	return reflect.Invalid
}

var basicKinds = map[types.BasicKind]reflect.Kind{
	types.Bool: reflect.Bool, types.Int: reflect.Int, types.Int8: reflect.Int8, types.Int16: reflect.Int16, types.Int32: reflect.Int32, types.Int64: reflect.Int64,
	types.Uint: reflect.Uint, types.Uint8: reflect.Uint8, types.Uint16: reflect.Uint16, types.Uint32: reflect.Uint32, types.Uint64: reflect.Uint64, types.Uintptr: reflect.Uintptr,
	types.Float32: reflect.Float32, types.Float64: reflect.Float64, types.Complex64: reflect.Complex64, types.Complex128: reflect.Complex128,
	types.String: reflect.String, types.UnsafePointer: reflect.UnsafePointer,
}

// A Masker finds masks. Traced says of a call that what it does is recorded by itself: it calls traced code alone, or synchronises. Body returns the code of a function that is
// not traced, if it is there.
type Masker struct {
	Program *Program
	Traced  func(in ssa.CallInstruction) bool
	Body    func(fn *ssa.Function) *ssa.Function
	Bodies  []*ssa.Function        // all that Body returns
	Types   []*types.Named         // that the packages of these declare
	Code    func() []*ssa.Function // all code of the program that is there, traced or not
	Told    bool                   // no code is looked at but that of Of, which is traced besides: what traced code returns to it joins D, function values and interfaces too
	Value   func(ssa.Value) bool   // of an address: it is in a captured variable that is a value, of traced code (D13)
	made    map[*ssa.Function]*coded
	opened  []*opened
	looked  bool                                  // for opened
	says    map[string]bool                       // of which interfaces the values may say something else each time; nil: not known
	asks    map[*ssa.Function]bool                // code that asks what the standard library keeps; nil: not looked for
	shows   map[ssa.Value]map[ssa.Instruction]int // of memory that is made: where others may have changed it
}

// coded is what one function does itself.
type coded struct {
	mask  Mask
	calls []*ssa.Function
	made  []types.Type // of function values and interfaces that the recorder does not come to; of what is put into an interface, its own
	given bool         // it keeps a parameter of the type of a type parameter
	goes  bool         // it has go statements
	other bool         // it makes another interface, or a function value, of an interface, as its type does not say
	late  int          // calls and operations in which others may store something; 2 if one is enough
	asks  []*ssa.CallCommon
}

// Asks reports whether a mask has lines that the recorder may find to be everything.
func (m *Mask) Asks() bool {
	for s := range m.lines {
		if s == "call" || s[0] == '.' {
			return true
		}
	}
	return false
}

// Of returns the mask of a function, with all that it calls and that is not traced, and of those that it is given by name (D6).
func (k *Masker) Of(fn *ssa.Function, given ...*ssa.Function) *Mask {
	roots := append([]*ssa.Function{fn}, given...)
	m := &Mask{}
	k.collect(m, fn, slices.Clone(roots), nil)
	if m.Why == "" && len(m.lines) > 0 {
		m.levels = k.levels(roots)
	}
	return m
}

// collect adds to a mask what functions touch, with all that they call and that is not traced. asked is a call of which the callee is not known, if it is the mask of one: then
// the recorder takes types that are left out for known (D12).
func (k *Masker) collect(m *Mask, fn *ssa.Function, list []*ssa.Function, asked *ssa.CallCommon) {
	var made []types.Type
	seen := map[*ssa.Function]bool{}
	for _, f := range list {
		seen[f] = true
	}
	late, other, given, asks := 0, false, false, []*ssa.CallCommon(nil)
	for len(list) > 0 && m.Why == "" {
		c := k.code(list[len(list)-1])
		list = list[:len(list)-1]
		m.add(&c.mask)
		if c.goes && c != k.made[fn] {
			m.other("a function that is called has a go statement") // (W4)
		}
		made, given = append(made, c.made...), given || c.given
		late, other = late+c.late, other || c.other
		asks = append(asks, c.asks...)
		calls := c.calls
		if len(list) == 0 && late > 1 || asked != nil {
			calls = append(slices.Clone(calls), k.candidates(asks)...)
		}
		for _, f := range calls {
			if !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	if slices.ContainsFunc(made, func(t types.Type) bool { return m.mayCall(t, other) }) || given && m.mayCallGiven() {
		m.everything("what is called may have been made in the call")
	}
	if asked != nil {
		for _, com := range append(asks, asked) {
			k.wrapped(m, com)
		}
	}
	k.interior(m)
	for f := range seen {
		m.All = m.All || m.Why != "" && k.asksKept()[f]
	}
}

// asksKept returns the functions that may touch anything, by themselves or by what they call.
func (k *Masker) asksKept() map[*ssa.Function]bool {
	if k.asks != nil {
		return k.asks
	}
	k.asks = map[*ssa.Function]bool{}
	callers := map[*ssa.Function][]*ssa.Function{}
	seen := map[*ssa.Function]bool{}
	var list []*ssa.Function
	for all := slices.Clone(k.Bodies); len(all) > 0; {
		fn := all[len(all)-1]
		all = all[:len(all)-1]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		c := k.code(fn)
		if c.mask.All {
			list = append(list, fn)
		}
		for _, f := range c.calls {
			callers[f] = append(callers[f], fn)
		}
		all = append(all, c.calls...)
	}
	for len(list) > 0 {
		fn := list[len(list)-1]
		list = list[:len(list)-1]
		if !k.asks[fn] {
			k.asks[fn] = true
			list = append(list, callers[fn]...)
		}
	}
	return k.asks
}

func (k *Masker) code(fn *ssa.Function) *coded {
	if c := k.made[fn]; c != nil {
		return c
	}
	if k.made == nil {
		k.made = map[*ssa.Function]*coded{}
	}
	c := &coded{}
	k.made[fn] = c
	if len(fn.Blocks) == 0 {
		c.mask.everything("%s is not written in Go", fn)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			k.instr(c, in)
			k.owns(&c.mask, in)
		}
	}
	c.goes = k.started(&c.mask, fn)
	return c
}
