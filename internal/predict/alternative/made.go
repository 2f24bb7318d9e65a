package alternative

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
)

// Types of the errors that the library makes (AL4). They stand for types that it does not export:
// that of errors.New has the method Error alone, that of fmt.Errorf may have other methods.
var (
	plainError  = errorType("errors", "errorString")
	formedError = errorType("fmt", "the type of Errorf")
)

// errorType returns a pointer to a new struct type with the method Error.
func errorType(path, name string) types.Type {
	pkg := types.NewPackage(path, path)
	text := types.Typ[types.String]
	obj := types.NewTypeName(token.NoPos, pkg, name, nil)
	pkg.Scope().Insert(obj)
	n := types.NewNamed(obj, types.NewStruct([]*types.Var{types.NewField(token.NoPos, pkg, "s", text, false)}, nil), nil)
	recv := types.NewParam(token.NoPos, pkg, "", types.NewPointer(n))
	result := types.NewTuple(types.NewParam(token.NoPos, pkg, "", text))
	n.AddMethod(types.NewFunc(token.NoPos, pkg, "Error", types.NewSignatureType(recv, nil, nil, nil, result, false)))
	return types.NewPointer(n)
}

// makesError reports whether t is the type of an error that the library has made.
func makesError(t *goval.Dynamic) bool { return t.Type == plainError || t.Type == formedError }

// library executes calls of the library that a path makes.
type library struct{ p *path }

func libraryOf(p *path) library { return library{p} }

// made executes a call without effect: of a function of the library that makes an error or
// a string, of the method Error of such an error, or of print (AL4). ok is false if in is no such
// call.
func (l library) made(in *regcode.Instr) (going, ok bool) {
	p := l.p
	call, ok := in.SSA.(*ssa.Call)
	if !ok {
		return false, false
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if ok = b.Name() == "print" || b.Name() == "println"; ok {
			p.frame.IP++
		}
		return ok, ok
	}
	if call.Call.IsInvoke() {
		if going, ok := l.context(in, &call.Call); ok {
			return going, ok
		}
		return l.message(in, &call.Call)
	}
	if going, ok := l.quietCall(in, &call.Call); ok {
		return going, ok
	}
	fn := call.Call.StaticCallee()
	if fn == nil || p.x.fork.Program.Plan.Func(fn) != nil {
		return false, false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false, false
	}
	if plan.Total(&call.Call) && in.Std == nil {
		return p.next(in, Value{}), true
	}
	switch obj.FullName() {
	case "errors.New":
		return p.next(in, l.newError(call, plainError, p.value(&in.Args[1]))), true
	case "fmt.Errorf":
		if l.harmless(p.value(&in.Args[len(in.Args)-1])) {
			return p.next(in, l.newError(call, formedError, Value{})), true
		}
	case "errors.Is":
		return l.is(in, p.value(&in.Args[1]), p.value(&in.Args[2]))
	case "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln":
		if in.Std == nil && l.harmless(p.value(&in.Args[len(in.Args)-1])) {
			return p.next(in, Value{}), true
		}
	}
	return false, false
}

// newError makes an error of type t with a message.
func (l library) newError(call *ssa.Call, t types.Type, text Value) Value {
	p := l.p
	addr := p.memory.allocate()
	p.memory.store(addr, 16, text)
	return p.interfaces().of(call.Type(), &goval.Dynamic{Type: t}, known(addr))
}

// is executes errors.Is for an error that errors.New has made. It wraps nothing, so only the error
// itself is equal to it.
func (l library) is(in *regcode.Instr, err, target Value) (going, ok bool) {
	p := l.p
	t := err.holds()
	if t == nil || t.Type != plainError || target.symbolic() {
		return false, false
	}
	is := uint64(0)
	if !target.isZero() {
		x, y := err.piece(8, 8), target.piece(8, 8)
		a, ok := x.Concrete.Bits()
		b, ok2 := y.Concrete.Bits()
		if !ok || !ok2 {
			return false, false
		}
		if a == b {
			is = 1
		}
	}
	return p.next(in, known(is)), true
}

// message executes a call of the method Error of an error that the library has made.
func (l library) message(in *regcode.Instr, call *ssa.CallCommon) (going, ok bool) {
	p := l.p
	v := p.value(&in.Args[0])
	t, ok := p.interfaces().dynamic(v)
	if !ok || !makesError(t) || call.Method.Name() != "Error" || len(call.Args) > 0 {
		return false, false
	}
	data := v.piece(8, 8)
	addr, ok := data.Concrete.Bits()
	if !ok {
		return p.next(in, Value{}), true
	}
	text, _ := p.memory.loadOwn(addr, 16)
	return p.next(in, text), true
}

// harmless reports whether package fmt calls no method of the operands in a slice, which the
// alternative has made: they are nil, of basic types without methods, or errors of the library.
func (l library) harmless(list Value) bool {
	p := l.p
	array, ok := list.Concrete.Word(0)
	n, ok2 := list.Concrete.Word(1)
	if list.symbolic() || !ok || !ok2 || n > 0 && array < freshMemory || n > maxOperands {
		return false
	}
	for i := range n {
		v, ok := p.memory.loadOwn(array+16*i, 16)
		if !ok {
			return false
		}
		if v.isZero() {
			continue
		}
		t, ok := p.interfaces().dynamic(v)
		if !ok {
			return false
		}
		_, basic := t.Type.Underlying().(*types.Basic)
		if !makesError(t) && (!basic || types.NewMethodSet(t.Type).Len() > 0) {
			return false
		}
	}
	return true
}

// maxOperands bounds the operands of a call of package fmt.
const maxOperands = 16
