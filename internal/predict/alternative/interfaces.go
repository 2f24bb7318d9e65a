package alternative

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// interfaces are the interface values of the function code on a path (AL4).
type interfaces struct {
	facts  Facts
	until  int64 // the event before which the facts are known
	code   *regcode.Code
	memory *memory
}

// dynamic returns the type of the content of an interface, if it is known.
func (c interfaces) dynamic(v Value) (t *goval.Dynamic, ok bool) {
	if t := v.holds(); t != nil {
		return t, true
	}
	w, ok := v.Concrete.Bits()
	if v.symbolic() {
		e := v.Term.Word(0)
		if e == nil || !e.IsConst() {
			return nil, false
		}
		w, ok = e.Recorded()
	}
	if !ok || w == 0 {
		return nil, false
	}
	d, ok := c.facts.TypeOf(w, c.until)
	return &d, ok
}

// holds returns the type of the content of an interface that the alternative has made, else nil.
func (v *Value) holds() *goval.Dynamic {
	if v.symbolic() {
		return v.Term.Type
	}
	return v.Concrete.Dynamic()
}

// of returns an interface of type i that holds a value of type t, with the data word data.
func (c interfaces) of(i types.Type, t *goval.Dynamic, data Value) Value {
	w := &goval.Term{Words: []*expr.Expr{nil, data.term().Word(0)}, Type: t}
	if bits, ok := c.facts.TypeWord(i, t.Type, c.until); ok {
		w.Words[0] = expr.Word(bits)
	}
	if data.symbolic() {
		return Value{Term: w}
	}
	v, _ := goval.RecordedValue(w)
	return Value{Concrete: v.WithDynamic(t)}
}

// box makes an interface with the content v.
func (c interfaces) box(x *ssa.MakeInterface, v Value) Value {
	if c.generic() {
		return Value{}
	}
	t := &goval.Dynamic{Type: x.X.Type(), Prog: c.code.Plan.SSA.Prog}
	size := c.code.Sizes.Sizeof(t.Type)
	direct, sure := pointerShaped(t.Type)
	switch {
	case direct:
		return c.of(x.Type(), t, v.piece(0, 8))
	case !sure || size >= int64(freshSize):
		return c.of(x.Type(), t, Value{})
	}
	box := c.memory.allocate()
	if size > 0 {
		c.memory.store(box, size, v)
	}
	return c.of(x.Type(), t, known(box))
}

// unbox loads content of type t, by the data word of an interface. It is known only if the
// alternative has made the interface, or walked code before, or if the data word is the content.
func (c interfaces) unbox(t types.Type, data Value) Value {
	direct, sure := pointerShaped(t)
	if direct {
		return data
	}
	addr, ok := data.Concrete.Bits()
	if !sure || !ok || data.symbolic() {
		return Value{}
	}
	if addr < freshMemory {
		v, _ := c.facts.BoxAt(addr, c.code.Sizes.Sizeof(t), c.until)
		return Value{Concrete: v}
	}
	v, _ := c.memory.load(trace.Event{}, addr, c.code.Sizes.Sizeof(t))
	return v
}

// key returns the key of a sync.Map in an interface, if it is known.
func (c interfaces) key(v Value) (k flow.DynamicKey, ok bool) {
	t, ok := c.dynamic(v)
	if !ok {
		return k, false
	}
	if k.Type, ok = v.piece(0, 8).Concrete.Bits(); !ok {
		k.Name = types.TypeString(t.Type, nil)
	}
	k.MapKey, ok = MapKeyOf(t.Type, c.unbox(t.Type, v.piece(8, 8)).Concrete)
	return k, ok
}

// convert converts an interface to another interface type.
func (c interfaces) convert(v Value, to types.Type) Value {
	if v.isZero() {
		return zero(16)
	}
	t, ok := c.dynamic(v)
	if !ok || c.generic() {
		return Value{}
	}
	return c.of(to, t, v.piece(8, 8))
}

// renames reports whether x gives an interface with methods another named type, so that it has
// another type word. It is false if the type of the content is unknown.
func (c interfaces) renames(x *ssa.ChangeType, v Value) bool {
	i, ok := x.Type().Underlying().(*types.Interface)
	if !ok || i.Empty() || c.generic() {
		return false
	}
	_, ok = c.dynamic(v)
	return ok
}

// assert is x.(T) of the interface v. why is the reason if the outcome is unknown.
func (c interfaces) assert(x *ssa.TypeAssert, v Value) (result Value, holds bool, why string) {
	const unknown = "unknown-type"
	if c.generic() {
		return Value{}, false, unknown
	}
	if v.isZero() {
		return Value{}, false, ""
	}
	t, ok := c.dynamic(v)
	if !ok {
		return Value{}, false, unknown
	}
	if i, ok := x.AssertedType.Underlying().(*types.Interface); ok {
		switch {
		case !i.Empty() && t.Prog != c.code.Plan.SSA.Prog && !basicMethods(i),
			t.Type == contextType, // the methods of a context are not known,
			t.Type == formedError && !types.Implements(plainError, i): // nor all of such an error
			return Value{}, false, unknown
		case !types.Implements(t.Type, i):
			return Value{}, false, ""
		}
		return c.of(x.AssertedType, t, v.piece(8, 8)), true, ""
	}
	same, sure := goval.SameType(t.Type, x.AssertedType)
	switch {
	case !sure:
		return Value{}, false, unknown
	case !same:
		return Value{}, false, ""
	}
	return c.unbox(t.Type, v.piece(8, 8)), true, ""
}

// generic reports whether types in the function depend on type parameters.
func (c interfaces) generic() bool { return plan.Generic(c.code.Plan.SSA) }

// basicMethods reports whether the methods of an interface have parameters and results of basic
// types only. Then the interface is the same in all programs.
func basicMethods(i *types.Interface) bool {
	for m := range i.Methods() {
		for _, list := range []*types.Tuple{m.Signature().Params(), m.Signature().Results()} {
			for v := range list.Variables() {
				if _, ok := types.Unalias(v.Type()).(*types.Basic); !ok || !m.Exported() {
					return false
				}
			}
		}
	}
	return true
}

// Direct reports whether an interface with a value of type t has the value itself as data word.
func Direct(t types.Type) bool {
	direct, _ := pointerShaped(t)
	return direct
}

// Boxed reports whether an interface has a copy of a value of type t, which is known: of a basic
// type, so that the value means the same to the end of the run.
func Boxed(t types.Type, v goval.Value) bool {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok || Direct(t):
		return false
	case b.Info()&types.IsString != 0:
		_, ok = v.Content()
		return ok
	}
	return v.IsKnown(plan.Sizeof(t))
}

// pointerShaped reports whether the data word of an interface is the value of type t itself, and
// not a pointer to a copy. sure is false for types where it depends on Go's compiler.
func pointerShaped(t types.Type) (yes, sure bool) {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true, true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer, true
	case *types.Struct:
		return false, u.NumFields() == 0 || plan.Sizeof(t) != 8
	case *types.Array:
		return false, plan.Sizeof(t) != 8
	}
	return false, true
}
