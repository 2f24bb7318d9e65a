package points

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// call binds arguments and results (U6).
func (b *builder) call(c *ssa.CallCommon, v *ssa.Call) {
	if bi, ok := c.Value.(*ssa.Builtin); ok {
		b.builtin(bi.Name(), c.Args, v)
		return
	}
	var callee *ssa.Function
	if !c.IsInvoke() {
		callee = c.StaticCallee()
	}
	if callee != nil && callee.Blocks == nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic" {
		b.atomic(c.Args, v)
		return
	}
	switch {
	case c.IsInvoke():
		m := method(c.Method)
		b.flow(b.value(c.Value), b.node(Name{Method, m, -1}))
		for i, x := range c.Args {
			b.move(b.value(x), b.node(Name{Method, m, int32(i)}), x.Type())
		}
	case callee != nil:
		key := funcKey(callee)
		for i, x := range c.Args {
			b.move(b.value(x), b.node(Name{Param, key, int32(i)}), x.Type())
		}
		if o := callee.Origin(); o != nil && o != callee {
			b.instantiated(callee)
			b.relate(o.Signature, callee.Signature)
		}
	default:
		s := b.signature(c.Signature())
		for i, x := range c.Args {
			b.move(b.value(x), b.node(Name{Value, s, int32(i)}), x.Type())
		}
	}
	if v != nil && tracked(v.Type()) {
		b.carry(b.result(c, 0), b.value(v), v.Type(), Return)
	}
}

// result is the node of a result of a call.
func (b *builder) result(c *ssa.CallCommon, i int) int32 {
	if c.IsInvoke() {
		return b.node(Name{MethodResult, method(c.Method), int32(i)})
	}
	if callee := c.StaticCallee(); callee != nil {
		return b.node(Name{Result, funcKey(callee), int32(i)})
	}
	return b.node(Name{ValueResult, b.signature(c.Signature()), int32(i)})
}

func (b *builder) builtin(name string, args []ssa.Value, v *ssa.Call) {
	switch name {
	case "append":
		b.flow(b.value(args[0]), b.value(v))
		if x := b.value(args[1]); x >= 0 {
			b.share(x, b.value(v))
		}
		b.made(v)
	case "copy":
		if x, y := b.value(args[0]), b.value(args[1]); x >= 0 && y >= 0 {
			b.share(x, y)
		}
	case "recover":
		if v != nil {
			b.flow(b.node(Name{Method, "panic", 0}), b.value(v))
		}
	case "ssa:wrapnilchk":
		b.flow(b.value(args[0]), b.value(v))
	case "Slice", "SliceData", "Add", "StringData", "String":
		if v != nil && tracked(v.Type()) {
			if x := b.value(args[0]); x >= 0 {
				b.share(x, b.value(v))
				b.part(x, b.value(v), anyType, anyType)
			}
		}
	}
}

// atomic is a function of sync/atomic, which has no body: it moves its arguments to and from what the first points to.
func (b *builder) atomic(args []ssa.Value, v *ssa.Call) {
	if len(args) == 0 || !tracked(args[len(args)-1].Type()) {
		return
	}
	p, ok := args[0].Type().Underlying().(*types.Pointer)
	if !ok || !tracked(p.Elem()) {
		return
	}
	m := b.at(args[0])
	for _, x := range args[1:] {
		b.flow(b.value(x), m)
	}
	if v != nil && tracked(v.Type()) {
		b.flow(m, b.value(v))
	}
}

// mentions binds functions that become values to the calls of their signature (U7).
func (b *builder) mentions(in ssa.Instruction) {
	var called *ssa.Value
	if c, ok := in.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
		called = &c.Common().Value
	}
	var space [8]*ssa.Value
	for _, op := range in.Operands(space[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok && op != called {
			b.taken(fn)
		}
	}
}

func (b *builder) taken(fn *ssa.Function) {
	key, s := funcKey(fn), fn.Signature
	if b.done["func "+key+b.signature(s)] {
		return
	}
	b.done["func "+key+b.signature(s)] = true
	sig := b.signature(s)
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		j := i
		if s.Recv() != nil {
			j++
		}
		if tracked(t) {
			b.move(b.node(Name{Value, sig, int32(i)}), b.node(Name{Param, key, int32(j)}), t)
		}
	}
	for i := range s.Results().Len() {
		if t := s.Results().At(i).Type(); tracked(t) {
			b.move(b.node(Name{Result, key, int32(i)}), b.node(Name{ValueResult, sig, int32(i)}), t)
		}
	}
	if o := fn.Origin(); o != nil && o != fn {
		b.instantiated(fn)
		b.relate(o.Signature, s)
	}
}

// relate lets calls of an instance's function types reach those of its origin, and back (U8).
func (b *builder) relate(origin, instance types.Type) {
	switch o := types.Unalias(origin).(type) {
	case *types.Signature:
		i, ok := types.Unalias(instance).(*types.Signature)
		if !ok {
			return
		}
		for j := range min(o.Params().Len(), i.Params().Len()) {
			b.relate(o.Params().At(j).Type(), i.Params().At(j).Type())
		}
		for j := range min(o.Results().Len(), i.Results().Len()) {
			b.relate(o.Results().At(j).Type(), i.Results().At(j).Type())
		}
		b.same(o, i)
	case *types.Named:
		if i, ok := types.Unalias(instance).(*types.Named); ok {
			if s, ok := o.Underlying().(*types.Signature); ok {
				if u, ok := i.Underlying().(*types.Signature); ok && s != u {
					b.relate(s, u)
				}
			}
		}
	case *types.Slice:
		if i, ok := types.Unalias(instance).(*types.Slice); ok {
			b.relate(o.Elem(), i.Elem())
		}
	case *types.Pointer:
		if i, ok := types.Unalias(instance).(*types.Pointer); ok {
			b.relate(o.Elem(), i.Elem())
		}
	}
}

// same joins the nodes of the calls of two signatures.
func (b *builder) same(s, t *types.Signature) {
	x, y := b.signature(s), b.signature(t)
	if x == y {
		return
	}
	join := func(kind Kind, i int, t types.Type) {
		if tracked(t) {
			m, n := b.node(Name{kind, x, int32(i)}), b.node(Name{kind, y, int32(i)})
			b.move(m, n, t)
			b.move(n, m, t)
		}
	}
	for i := range min(s.Params().Len(), t.Params().Len()) {
		join(Value, i, t.Params().At(i).Type())
	}
	for i := range min(s.Results().Len(), t.Results().Len()) {
		join(ValueResult, i, t.Results().At(i).Type())
	}
}

// methods binds the declared methods of a function to the calls through interfaces (U7).
func (b *builder) declared(fn *ssa.Function) {
	f, ok := fn.Object().(*types.Func)
	if !ok || f.Signature().Recv() == nil || fn.Synthetic != "" {
		return
	}
	m, key := method(f), funcKey(fn)
	for i, p := range fn.Params {
		if tracked(p.Type()) {
			b.move(b.node(Name{Method, m, int32(i) - 1}), b.node(Name{Param, key, int32(i)}), p.Type())
		}
	}
	for i := range f.Signature().Results().Len() {
		if t := f.Signature().Results().At(i).Type(); tracked(t) {
			b.move(b.node(Name{Result, key, int32(i)}), b.node(Name{MethodResult, m, int32(i)}), t)
		}
	}
}

// promoted binds the promoted methods of a type that becomes an interface: their receivers are parts of its objects (U7).
func (b *builder) promoted(t types.Type) {
	outer, s := structOf(t)
	if s == nil || b.done["type "+b.key(outer)] {
		return
	}
	b.done["type "+b.key(outer)] = true
	set := types.NewMethodSet(types.NewPointer(outer))
	for i := range set.Len() {
		sel := set.At(i)
		f, ok := sel.Obj().(*types.Func)
		if !ok || len(sel.Index()) < 2 {
			continue
		}
		f = f.Origin()
		recv := b.node(Name{Method, method(f), -1})
		to := b.node(Name{Method, method(f), -1}) // an embedded interface: the call goes on
		if r := f.Signature().Recv().Type(); !types.IsInterface(r) {
			to = b.node(Name{Param, f.FullName(), 0})
		}
		// Whether it is embedded by value or by pointer: what the last pointer on the way holds, or the object itself.
		from, u, holder := int32(-1), outer, b.key(outer)
		for _, j := range sel.Index()[:len(sel.Index())-1] {
			_, st := structOf(u)
			if st == nil {
				break
			}
			ft := st.Field(j).Type()
			if tracked(ft) {
				from, holder = b.field(u, j), ""
			}
			u = ft
			if p, ok := u.Underlying().(*types.Pointer); ok {
				u = p.Elem()
			}
			if from >= 0 && !tracked(ft) {
				holder = "part"
			}
		}
		switch {
		case from < 0:
			b.part(recv, to, holder, b.key(u))
		case holder == "":
			b.flow(from, to)
		default:
			b.part(from, to, anyType, b.key(u))
		}
	}
}

// outside says what other packages of an open world give to a function and get from it (N4).
func (b *builder) outside(fn *ssa.Function) {
	b.declared(fn)
	f, ok := fn.Object().(*types.Func)
	if !ok || !b.open || !f.Exported() || fn.Synthetic != "" && fn.Synthetic != "package initializer" {
		return
	}
	for i, p := range fn.Params {
		if tracked(p.Type()) {
			b.takes[b.node(Name{Param, funcKey(fn), int32(i)})] = true
		}
	}
	for i := range f.Signature().Results().Len() {
		if tracked(f.Signature().Results().At(i).Type()) {
			b.gives[b.node(Name{Result, funcKey(fn), int32(i)})] = true
		}
	}
}

// variables says the same of exported variables.
func (b *builder) variables(pkg *ssa.Package) {
	for _, name := range slices.Sorted(maps.Keys(pkg.Members)) {
		if g, ok := pkg.Members[name].(*ssa.Global); ok && b.open && g.Object() != nil && g.Object().Exported() {
			b.gives[b.value(g)] = true
			n := b.node(Name{Global, globalName(g), 0})
			b.takes[n], b.gives[n] = true, true
		}
	}
}

func (b *builder) instantiated(fn *ssa.Function) {
	for _, t := range fn.TypeArgs() {
		b.args[b.pointee(t)], b.args[b.key(t)] = true, true
	}
}
