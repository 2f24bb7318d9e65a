package footprint

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// How far the code goes from what it is given (D11). The *distance* of a pointer is the number of loads by which it was found: 0 of what the call is given, of a variable's
// address, of what traced code returns; one more of what is loaded by way of it. What a pointer of distance n points to is of level n+1. A slice, a map, an interface and a string
// are pointers. What is loaded of a type has, if it is more, the largest distance of what the code itself stores of that type.

// maxLevels is the largest number of levels that a mask has; more is any.
const maxLevels = 6

// levels is what is known of pieces of code that call each other.
type levels struct {
	k      *Masker
	far    map[ssa.Value]int
	result map[*ssa.Function]int
	seen   map[*ssa.Function]bool
	code   []*ssa.Function
	stored map[string]int // the largest distance of what is stored, by type; of whole structs and what has any type, at ""
	most   int            // the highest level touched
	late   bool           // others may store meanwhile what the code finds
	any    bool
	more   bool // something has changed
}

// levels returns how many levels the code of functions touches, 0 if that is any number: more than maxLevels, or what is not known of code that it calls.
func (k *Masker) levels(roots []*ssa.Function) int {
	l := &levels{k: k, far: map[ssa.Value]int{}, result: map[*ssa.Function]int{}, stored: map[string]int{}, seen: map[*ssa.Function]bool{}}
	for _, fn := range roots {
		if len(fn.FreeVars) > 0 && !k.Told { // what these have has no type
			return 0
		}
		l.enter(fn)
	}
	for l.more = true; l.more && !l.any; {
		l.more = false
		for i := 0; i < len(l.code) && !l.any; i++ { // it grows
			for _, b := range l.code[i].Blocks {
				for _, in := range b.Instrs {
					l.instr(in)
				}
			}
		}
	}
	if l.any || l.late && l.most > 1 { // from what has been loaded others may have cut off what is there, or put something else behind it
		return 0
	}
	return max(l.most, 1)
}

func (l *levels) enter(fn *ssa.Function) {
	if !l.seen[fn] {
		l.seen[fn], l.more = true, true
		l.code = append(l.code, fn)
	}
}

// of is the distance of a value.
func (l *levels) of(v ssa.Value) int { return l.far[v] }

// is notes the distance of a value.
func (l *levels) is(v ssa.Value, n int) {
	if n > l.far[v] {
		l.far[v], l.more = n, true
	}
	l.any = l.any || n > maxLevels
}

// at notes that memory is touched to which v points.
func (l *levels) at(v ssa.Value) {
	l.most = max(l.most, l.of(v)+1)
	l.any = l.any || l.most > maxLevels
}

// loads notes that v is loaded by way of p.
func (l *levels) loads(v, p ssa.Value) {
	l.at(p)
	if pointers(v.Type()) {
		l.is(v, max(l.of(p)+1, l.kept(v.Type())))
	}
}

// kept returns the largest distance of what is stored that a value of type t may be, or be in.
func (l *levels) kept(t types.Type) (n int) {
	if s := stores(t); s != "" {
		return max(l.stored[s], l.stored[""])
	}
	for _, k := range l.stored {
		n = max(n, k)
	}
	return n
}

// stores names a type of what is stored; "" if it may be a part of another, or have parts.
func stores(t types.Type) string {
	if _, tuple := t.(*types.Tuple); tuple || !leaf(t) {
		return ""
	}
	return types.TypeString(t.Underlying(), nil)
}

func (l *levels) stores(v ssa.Value) { l.keeps(v.Type(), l.of(v)) }

// keeps notes that a value of type t and distance n is stored.
func (l *levels) keeps(t types.Type, n int) {
	if s := stores(t); n > l.stored[s] && pointers(t) {
		l.stored[s], l.more = n, true
	}
}

// instr looks at an instruction.
func (l *levels) instr(i ssa.Instruction) {
	switch in := i.(type) {
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			if l.k.isValue(in.X) {
				l.is(in, l.of(in.X))
				return
			}
			l.loads(in, in.X)
		case token.ARROW: // what is received joins D
			l.late = true
		}
	case *ssa.Store:
		l.at(in.Addr)
		l.stores(in.Val)
	case *ssa.MapUpdate:
		l.at(in.Map)
		l.stores(in.Key)
		l.stores(in.Value)
	case *ssa.Lookup:
		l.loads(in, in.X)
	case *ssa.Next:
		l.loads(in, in.Iter)
	case *ssa.TypeAssert: // what an interface holds may be behind a pointer
		l.is(in, l.of(in.X)+1)
	case *ssa.Convert:
		l.at(in.X)
		l.is(in, l.of(in.X))
	case *ssa.Index: // of a value, or of what is a slice or a string, by a type parameter
		l.at(in.X)
		l.is(in, l.of(in.X)+1)
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			l.is(fn.FreeVars[i], l.of(b))
			l.stores(b)
		}
	case *ssa.Return:
		for _, v := range in.Results {
			if n := l.of(v); n > l.result[in.Parent()] {
				l.result[in.Parent()], l.more = n, true
			}
		}
	case *ssa.Select, *ssa.Send:
		l.late = true
	case *ssa.Go:
		if l.k.Told && l.k.Traced(in) { // what the goroutine does is recorded
			l.call(in)
			return
		}
		l.any = true
	case *ssa.MultiConvert:
		l.any = true
	case ssa.CallInstruction:
		l.call(in)
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.BinOp, *ssa.DebugRef, *ssa.If, *ssa.Jump, *ssa.Panic, *ssa.RunDefers: // what is made is nobody else's
	case ssa.Value:
		for _, o := range i.Operands(nil) {
			if *o != nil {
				l.is(in, l.of(*o))
			}
		}
	}
}

// call looks at a call.
func (l *levels) call(in ssa.CallInstruction) {
	com := in.Common()
	value, _ := in.(*ssa.Call)
	if b, ok := com.Value.(*ssa.Builtin); ok {
		l.builtin(b.Name(), com.Args, value)
		return
	}
	fn := com.StaticCallee()
	switch {
	case fn == nil:
		l.any = true
	case l.k.Traced(in) && l.recorded(com):
		l.late = l.late || !isIdle(fn)
		for _, a := range com.Args { // which may be called
			l.any = l.any || callable(a.Type())
		}
	case l.k.body(fn) != nil:
		l.body(l.k.body(fn), com, value)
	default:
		l.library(com)
	}
}

// recorded reports whether a call that touches nothing unseen is one of which what it returns joins D: of traced code, or of synchronisation.
func (l *levels) recorded(com *ssa.CallCommon) bool {
	if !l.k.Told || isIdle(com.StaticCallee()) || l.k.enters(com) {
		return true
	}
	name, pkg := callee(com)
	return pkg == "sync/atomic" || ownSync[name] || strings.HasPrefix(name, "(*sync.Cond).")
}

// body takes a call of code that is looked at.
func (l *levels) body(fn *ssa.Function, com *ssa.CallCommon, value *ssa.Call) {
	if len(fn.Params) != len(com.Args) {
		l.any = true
		return
	}
	l.enter(fn)
	for i, a := range com.Args {
		l.is(fn.Params[i], l.of(a))
	}
	if value != nil {
		l.is(value, l.result[fn])
	}
}

// library takes a call of a function of the standard library: that goes anywhere, unless it is given no pointers, and touches nothing else.
func (l *levels) library(com *ssa.CallCommon) {
	name, pkg := callee(com)
	e, state := lookup(name, pkg)
	l.any = l.any || state != "" || e.effect != None && pkg == ""
	for _, a := range com.Args {
		if pointers(a.Type()) {
			l.any = true
		}
	}
}

// builtin takes a call of a builtin function.
func (l *levels) builtin(name string, args []ssa.Value, value *ssa.Call) {
	switch name {
	case "recover":
		l.any = true
		return
	case "print", "println", "panic", "min", "max", "complex", "real", "imag":
		return
	}
	for _, a := range args {
		l.at(a)
		if value != nil {
			l.is(value, l.of(a))
		}
	}
	if name == "append" || name == "copy" {
		if s, ok := types.Unalias(args[1].Type()).Underlying().(*types.Slice); ok {
			l.keeps(s.Elem(), l.of(args[1])+1)
		} else {
			l.any = l.any || isTypeParam(args[1].Type())
		}
	}
}
