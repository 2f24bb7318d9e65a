package offpath

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// The library's errors (CP3). Their types are not exported, so these stand for them. An error of
// package errors has the method Error alone; one of package fmt may have others.
var (
	errorOfErrors = libraryError("errors")
	errorOfFmt    = libraryError("fmt")
)

// libraryError is a pointer type with the method Error, which is identical to no other type.
func libraryError(path string) types.Type {
	pkg := types.NewPackage(path, path)
	name := types.NewTypeName(token.NoPos, pkg, "an error", nil)
	pkg.Scope().Insert(name)
	t := types.NewPointer(types.NewNamed(name, types.NewStruct(nil, nil), nil))
	v := func(t types.Type) *types.Var { return types.NewParam(token.NoPos, pkg, "", t) }
	sig := types.NewSignatureType(v(t), nil, nil, nil, types.NewTuple(v(types.Typ[types.String])), false)
	t.Elem().(*types.Named).AddMethod(types.NewFunc(token.NoPos, pkg, "Error", sig))
	return t
}

// isLibraryError reports whether t is the type of an error of the library.
func isLibraryError(t concrete) bool { return t.typ == errorOfErrors || t.typ == errorOfFmt }

// newError is an error of the library with a text, of type t.
func (m *machine) newError(of types.Type, t types.Type, text value) value {
	x := m.env.heap.allocate(m.env.owner, text, false)
	return words(m.env.types.word(of, concrete{typ: t}), number(x.base, 8))
}

// made executes a call of a function of the library that makes an error or a string, and calls
// nothing: the method Error of an error of the library is such a function (CP3). It reports whether
// in is such a call.
func (m *machine) made(in *ssa.Call) bool {
	f := m.frame
	if in.Call.IsInvoke() {
		return m.text(in)
	}
	callee := in.Call.StaticCallee()
	if callee == nil || m.process.in.snap.Program.Func(callee) != nil {
		return false
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		return false
	}
	if plan.Total(&in.Call) {
		f.vals[in] = unknown(sizeof(in.Type()))
		return true
	}
	args := f.operands(in.Call.Args)
	if v, ok := m.unnoticed(&in.Call, args); ok {
		f.vals[in] = v
		return true
	}
	switch fn.FullName() {
	case "errors.New":
		f.vals[in] = m.newError(in.Type(), errorOfErrors, textOnly(args[0]))
	case "errors.Is":
		is, ok := m.isError(args[0], args[1])
		if !ok {
			return false
		}
		f.vals[in] = truth(is)
	case "fmt.Errorf":
		if !m.plainOperands(args[len(args)-1]) {
			return false
		}
		f.vals[in] = m.newError(in.Type(), errorOfFmt, unknown(16))
	case "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln":
		if !m.plainOperands(args[len(args)-1]) {
			return false
		}
		f.vals[in] = unknown(16)
	default:
		return false
	}
	return true
}

// textOnly is a string in an object.
func textOnly(s value) value {
	if _, ok := s.content(); !ok {
		return unknown(16)
	}
	return s
}

// isError is errors.Is for an error that errors.New has made on this path: nothing else is equal to
// it.
func (m *machine) isError(err, target value) (is, ok bool) {
	t, ok := m.env.types.of(err)
	if !ok || t.typ != errorOfErrors {
		return false, false
	}
	if w, ok := target.word(0); ok && w == 0 {
		return false, true
	}
	a, ok := err.word(1)
	b, ok2 := target.word(1)
	return a == b, ok && ok2
}

// text executes a call of Error of an error of the library. It reports whether in is one.
func (m *machine) text(in *ssa.Call) bool {
	f := m.frame
	v := f.val(in.Call.Value)
	t, ok := m.env.types.of(v)
	if !ok || !isLibraryError(t) || in.Call.Method.Name() != "Error" || len(in.Call.Args) != 0 {
		return false
	}
	s := unknown(16)
	if addr, ok := v.word(1); ok && addr >= freshBase {
		if x, _ := m.env.heap.number(addr); x != nil && x.owner == m.env.owner {
			s = x.data
		}
	}
	f.vals[in] = s
	return true
}

// plainOperands reports whether package fmt calls no method of the operands in a slice: they are
// nil, errors of the library, or of basic types without methods.
func (m *machine) plainOperands(list value) bool {
	addr, ok := list.word(0)
	n, ok2 := list.word(1)
	if !ok || !ok2 || n > 16 {
		return false
	}
	for i := range n {
		if addr < freshBase {
			return false
		}
		x, off := m.env.heap.at(m.env.owner, addr+16*i, 16, false)
		v := x.data.part(off, 16)
		if w, ok := v.word(0); ok && w == 0 {
			continue
		}
		t, ok := m.env.types.of(v)
		if !ok {
			return false
		}
		b, basic := t.typ.Underlying().(*types.Basic)
		if !isLibraryError(t) && (!basic || b.Kind() == types.Invalid || types.NewMethodSet(t.typ).Len() > 0) {
			return false
		}
	}
	return true
}
