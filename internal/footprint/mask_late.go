package footprint

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What code that is not traced is not given, and comes to all the same: what others call for it, what is stored while it runs, and pointers into the
// middle of what the recorder has come to as a whole. The mask is the same for it (D9).

// passes takes the function values that are given to code that calls them without a record: sync.Once, sort (D6).
func (k *Masker) passes(c *coded, com *ssa.CallCommon) {
	for _, a := range com.Args {
		if _, ok := a.Type().Underlying().(*types.Signature); !ok || isFunction(a) {
			continue // values has what is a function by name
		}
		if !k.reached(a, map[ssa.Value]bool{}) {
			c.mask.everything("%v may be any function", a)
		}
		c.mask.line("call", Write)
	}
}

// implementations adds all methods of these names: what code calls by an interface whose methods the table has, or package errors of what it is given.
func (k *Masker) implementations(c *coded, names ...string) {
	for _, fn := range k.Bodies {
		if fn.Signature.Recv() != nil && slices.Contains(names, fn.Name()) {
			c.calls = append(c.calls, fn)
		}
	}
}

func isFunction(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Function, *ssa.MakeClosure, *ssa.Const:
		return true
	}
	return false
}

// methods adds the methods of a type: what has a value of it in an interface may call them (D6).
func (k *Masker) methods(c *coded, t types.Type, prog *ssa.Program) {
	if types.IsInterface(t) || k.Program.ours(typeName(deref(t))) && !promotes(t) {
		return
	}
	set := prog.MethodSets.MethodSet(t)
	for i := range set.Len() {
		obj, ok := set.At(i).Obj().(*types.Func)
		if !ok || obj.Pkg() == nil {
			continue
		}
		switch fn := prog.FuncValue(obj); {
		case k.Program.traced(obj.Pkg().Path()):
		case fn != nil && k.Body(fn) != nil:
			c.calls = append(c.calls, k.Body(fn))
		case k.Program.module(obj.Pkg().Path()):
			c.mask.everything("a method of %v is not known", t)
		}
	}
}

// isIdle: nothing happens in it but that time passes.
func isIdle(fn *ssa.Function) bool {
	return fn.Pkg != nil && (fn.Pkg.Pkg.Path() == "time" || fn.Pkg.Pkg.Path() == "runtime")
}

// lineOf is the line of a mask for a call of which the callee is not known: what is called through an interface has all methods of that.
func lineOf(com *ssa.CallCommon) string {
	if !com.IsInvoke() {
		return "call"
	}
	i, ok := types.Unalias(com.Value.Type()).Underlying().(*types.Interface)
	if !ok || isTypeParam(com.Value.Type()) {
		return "." + com.Method.Name()
	}
	var names []string
	for x := range i.Methods() {
		names = append(names, x.Name())
	}
	slices.Sort(names)
	return "." + strings.Join(names, ".")
}

// candidates are the functions that calls may enter of which the callee is not known, of code that is looked at: what is called may have been stored
// when the recorder had been there (D6).
func (k *Masker) candidates(asks []*ssa.CallCommon) (list []*ssa.Function) {
	for _, com := range asks {
		sig := com.Signature()
		for _, fn := range k.Bodies {
			same := alike(sig.Results(), fn.Signature.Results()) && (alike(sig.Params(), fn.Signature.Params()) || fn.Signature.Recv() != nil && alike(sig.Params(), withReceiver(fn)))
			generic := fn.TypeParams().Len() > 0 || fn.Signature.RecvTypeParams().Len() > 0
			if com.IsInvoke() && fn.Signature.Recv() != nil && fn.Name() == com.Method.Name() || !com.IsInvoke() && (same || generic) {
				list = append(list, fn)
			}
		}
	}
	return list
}

// An opened is an address of a part of a struct that some code has as a value: whoever has it may touch that part (D2).
type opened struct {
	lines []string // the way to it
	field bool     // the first of them is it, which is no struct and no array
	kind  reflect.Kind
	name  string // of the struct that it is, or of the elements
	any   bool
}

// interior adds to a mask what it touches by addresses of parts, which the recorder may not come to: a call returns them, a channel has them, or
// they are stored while the code runs (D2).
func (k *Masker) interior(m *Mask) {
	if m.Why != "" || len(m.lines) == 0 || k.Code == nil {
		return
	}
	if !k.looked {
		k.looked = true
		k.open()
	}
	for again := true; again; {
		again = false
		names := map[string]Effect{}
		for s, e := range m.lines {
			if i := strings.IndexByte(s, '='); i >= 0 {
				names[s[i:]] = max(names[s[i:]], e)
			} else if names[s] = max(names[s], e); strings.Contains(s, ".") {
				s = s[:strings.LastIndexByte(s, '.')]
				names[s] = max(names[s], Read)
			}
		}
		for _, o := range k.opened {
			again = m.opens(o, names) || again
		}
	}
}

// opens adds the way to a part, if the mask has something of what it is; names are what it has. It reports whether there was more to add.
func (m *Mask) opens(o *opened, names map[string]Effect) (more bool) {
	e := names["="+strconv.Itoa(int(o.kind))]
	switch {
	case o.any:
		e = Write
	case o.name != "":
		e = max(e, names[o.name])
	}
	if e == None {
		return false
	}
	for i, s := range o.lines {
		if i > 0 || !o.field {
			e = Write // of a way nothing is read or written (D10)
		}
		more = m.line(s, e) || more
	}
	return more
}

// open finds the addresses of parts that some code has as values.
func (k *Masker) open() {
	found := map[string]*opened{}
	for _, fn := range k.Code() {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				v, ok := in.(ssa.Value)
				if !ok || !isPart(in) || !valued(v) {
					continue
				}
				if o := openedAt(v); len(o.lines) > 0 {
					found[strings.Join(o.lines, " ")+" "+o.name+strconv.Itoa(int(o.kind))] = o
				}
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(found)) {
		k.opened = append(k.opened, found[s])
	}
}

func isPart(in ssa.Instruction) bool {
	switch in.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return true
	}
	return false
}

// valued reports whether an address is more than that of loads and stores, of synchronisation, and the way to a part.
func valued(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
		case *ssa.Store:
			if r.Val == v {
				return true
			}
		case ssa.CallInstruction:
			fn := r.Common().StaticCallee()
			if fn != nil && fn.Origin() != nil {
				fn = fn.Origin()
			}
			if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "sync" && fn.Pkg.Pkg.Path() != "sync/atomic" {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// openedAt describes the part at v.
func openedAt(v ssa.Value) *opened {
	o := &opened{}
	for t := types.Unalias(deref(v.Type())); ; {
		if a, ok := t.Underlying().(*types.Array); ok {
			t = types.Unalias(a.Elem())
			continue
		}
		o.name, o.kind = structName(t), kindOf(t.Underlying())
		if _, ok := t.Underlying().(*types.Struct); !ok {
			o.name = ""
		}
		o.any = isTypeParam(t) || o.name == "" && o.kind == reflect.Invalid
		break
	}
	_, isField := v.(*ssa.FieldAddr)
	o.field = isField && leaf(deref(v.Type()))
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			if s, ok := types.Unalias(deref(x.X.Type())).Underlying().(*types.Struct); ok {
				o.lines = append(o.lines, structName(deref(x.X.Type()))+"."+s.Field(x.Field).Name())
			}
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return o
		}
	}
}
