package footprint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Calls through interfaces of which only the run tells what they call, and that it is left out (D12).

// OfCall returns the mask of such a call: of all code that is left out and may be called.
func (k *Masker) OfCall(com *ssa.CallCommon) *Mask {
	m := &Mask{}
	m.other("the callee is not known")
	m.line(lineOf(com), Write)
	m.line("left", Write)
	list := k.candidates([]*ssa.CallCommon{com})
	if len(list) == 0 {
		m.everything("no code that is left out may be %v", com)
	}
	k.collect(m, nil, list, com)
	return m
}

// wrapped adds what wrappers of methods do on the way to the one that is called: they follow embedded pointers, and copy receivers (F10).
func (k *Masker) wrapped(m *Mask, com *ssa.CallCommon) {
	if !com.IsInvoke() {
		return // the recorder knows no function value that is left out
	}
	for _, t := range k.Types {
		if types.IsInterface(t) {
			continue
		}
		set := types.NewMethodSet(types.NewPointer(t))
		for i := range set.Len() {
			if sel := set.At(i); sel.Obj().Name() == com.Method.Name() {
				k.way(m, t, sel)
			}
		}
	}
}

// way adds what the wrapper of a method of *t does.
func (k *Masker) way(m *Mask, t types.Type, sel *types.Selection) {
	obj := sel.Obj().(*types.Func)
	index := sel.Index()
	for _, i := range index[:len(index)-1] {
		s, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			m.everything("a method of %v", t)
			return
		}
		m.field(deref(t), i, Read)
		t = s.Field(i).Type()
	}
	recv := obj.Signature().Recv().Type()
	switch _, pointer := types.Unalias(recv).(*types.Pointer); {
	case types.IsInterface(recv): // the recorder comes to what is in it
		return
	case !pointer:
		m.whole(recv, Read)
	}
	if len(index) > 1 && obj.Pkg() != nil {
		switch path := obj.Pkg().Path(); {
		case k.Program.traced(path) || k.Program.missing[path]:
		case path == "sync" && ownSync[obj.FullName()]: // but Do, which calls
		default:
			m.everything("%s is not known", obj.FullName())
		}
	}
}

// alike reports whether values of types a may be values of types b: packages that are loaded apart have types of their own.
func alike(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		x, y := types.Unalias(a.At(i).Type()), types.Unalias(b.At(i).Type())
		if isTypeParam(x) || isTypeParam(y) {
			continue
		}
		n, named := x.(*types.Named)
		o, also := y.(*types.Named)
		switch {
		case named != also:
			return false
		case named && n.Obj().Name() != o.Obj().Name():
			return false
		case !named && kindOf(x.Underlying()) != kindOf(y.Underlying()):
			return false
		}
	}
	return true
}

// withReceiver returns the parameters of a method expression.
func withReceiver(fn *ssa.Function) *types.Tuple {
	list := []*types.Var{fn.Signature.Recv()}
	for v := range fn.Signature.Params().Variables() {
		list = append(list, v)
	}
	return types.NewTuple(list...)
}
