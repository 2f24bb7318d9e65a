package footprint

import (
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// values is what calls through function values can lead to outside the traced code (F7): by signature, the functions
// that traced code takes as values, if it gets no values of the signature from anywhere else.
type values struct {
	known   map[string][]*ssa.Function
	unknown map[string]bool // some values come from outside
	seen    map[types.Type]bool
	typed   []*types.TypeParam // values of these come from outside
	all     bool               // all signatures are unknown (G4)
	settled bool
}

func newValues() values {
	return values{known: make(map[string][]*ssa.Function), unknown: make(map[string]bool), seen: make(map[types.Type]bool)}
}

// signature names a type of function values.
func signature(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return function + marker(p)
	}
	return spelling(t.Underlying())
}

// signatures returns the signatures that a function value of type t can have (G2).
func (p *Program) signatures(t types.Type) (sigs map[string]bool, unknown bool) {
	p.settleValues()
	sigs, unknown = p.expand(map[string]bool{signature(t): true})
	return sigs, unknown || p.values.all
}

// settleValues gives the function values of generic code the signatures of all instances. All functions must have been added.
func (p *Program) settleValues() {
	v := &p.values
	if v.settled {
		return
	}
	v.settled = true
	for n := 0; n < len(v.typed); n++ { // it grows
		list, unknown := p.standsFor(v.typed[n])
		v.all = v.all || unknown
		for _, t := range list {
			v.outside(t)
		}
	}
	for sig, fns := range maps.Clone(v.known) {
		for s := range p.instances(sig) {
			v.known[s] = append(v.known[s], fns...)
		}
	}
	for sig := range maps.Clone(v.unknown) {
		for s := range p.instances(sig) {
			v.unknown[s] = true
		}
	}
}

// instances returns the signatures of the instances of a signature with type parameters.
func (p *Program) instances(sig string) map[string]bool {
	if firstMarker(sig) == "" {
		return nil
	}
	sigs, unknown := p.expand(map[string]bool{sig: true})
	p.values.all = p.values.all || unknown
	return sigs
}

// note adds what an instruction tells about function values.
func (p *Program) note(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Call:
		if fn := in.Call.StaticCallee(); fn == nil || fn.Pkg == nil || !p.traced(fn.Pkg.Pkg.Path()) {
			p.values.outside(in.Type())
		}
	case *ssa.UnOp: // from a variable that other code can write
		switch a := in.X.(type) {
		case *ssa.Global:
			if a.Pkg != nil && !p.traced(a.Pkg.Pkg.Path()) {
				p.values.outside(in.Type())
			}
		case *ssa.FieldAddr:
			if !p.ours(typeName(deref(a.X.Type()))) {
				p.values.outside(in.Type())
			}
		}
	case *ssa.Field:
		if !p.ours(typeName(in.X.Type())) {
			p.values.outside(in.Type())
		}
	case *ssa.TypeAssert:
		p.values.outside(in.AssertedType)
	case *ssa.MakeClosure: // of a bound method
		if fn := in.Fn.(*ssa.Function); fn.Parent() == nil {
			p.values.take(fn)
		}
	}
}

// taken notes a function that is used as a value.
func (p *Program) taken(in ssa.Instruction, v ssa.Value) {
	fn, ok := v.(*ssa.Function)
	if !ok {
		return
	}
	if isThunk(fn) {
		p.share(fn.Signature.Params().At(0).Type(), false)
	}
	if c, isCall := in.(ssa.CallInstruction); isCall && c.Common().Value == v {
		for _, a := range c.Common().Args {
			if a == v {
				p.values.take(fn)
			}
		}
		return
	}
	if _, isClosure := in.(*ssa.MakeClosure); !isClosure {
		p.values.take(fn)
	}
}

// callable notes the parameters of a function that code outside may call.
func (p *Program) callable(fn *ssa.Function) {
	if fn.Parent() == nil && fn.Signature.Recv() == nil && fn.Synthetic == "" {
		return // if it is taken as a value, take sees it
	}
	p.values.params(fn)
}

func (v *values) take(fn *ssa.Function) {
	sig := signature(fn.Signature)
	v.known[sig] = append(v.known[sig], fn)
	v.params(fn)
}

func (v *values) params(fn *ssa.Function) {
	params := fn.Signature.Params()
	for i := range params.Len() {
		v.outside(params.At(i).Type())
	}
}

// outside notes that values of type t come from outside. What is in a struct of a named type is noted where the field is read.
func (v *values) outside(t types.Type) {
	if v.seen[t] {
		return
	}
	v.seen[t] = true
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		v.typed = append(v.typed, p)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		v.unknown[signature(u)] = true
	case *types.Pointer:
		v.outside(u.Elem())
	case *types.Slice:
		v.outside(u.Elem())
	case *types.Array:
		v.outside(u.Elem())
	case *types.Map:
		v.outside(u.Elem())
	case *types.Chan:
		v.outside(u.Elem())
	case *types.Tuple:
		for i := range u.Len() {
			v.outside(u.At(i).Type())
		}
	case *types.Struct:
		if _, named := types.Unalias(t).(*types.Named); named {
			return
		}
		for i := range u.NumFields() {
			v.outside(u.Field(i).Type())
		}
	}
}

// touches reports whether a call through the function value f can touch anything that is not traced.
func (p *Program) touches(f ssa.Value) bool {
	return !p.isOurs(f, make(map[ssa.Value]bool)) && p.touchesType(f.Type())
}

// touchesType is touches of any function value of type t.
func (p *Program) touchesType(t types.Type) bool {
	sigs, unknown := p.signatures(t)
	for sig := range sigs {
		unknown = unknown || p.values.unknown[sig] || p.anyTouches(p.values.known[sig])
	}
	return unknown
}

// isOurs reports whether a function value can only be a function of traced code: it is one, or what such a function returns. seen are the values
// that are being looked at.
func (p *Program) isOurs(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Function:
		return v.Pkg != nil && !madeBySSA(v) && p.traced(v.Pkg.Pkg.Path())
	case *ssa.MakeClosure:
		return p.isOurs(v.Fn, seen)
	case *ssa.ChangeType:
		return p.isOurs(v.X, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !p.isOurs(e, seen) {
				return false
			}
		}
		return true
	case *ssa.Call:
		return p.returnsOurs(v, 0, seen)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && p.returnsOurs(call, v.Index, seen)
	case *ssa.Const: // nil
		return true
	}
	return false
}

// returnsOurs is isOurs of result k of a call.
func (p *Program) returnsOurs(c *ssa.Call, k int, seen map[ssa.Value]bool) bool {
	fn := c.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || fn.Recover != nil || !p.isOurs(fn, seen) { // a deferred call may set the result
		return false
	}
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !p.isOurs(r.Results[k], seen) {
			return false
		}
	}
	return true
}

// anyTouches reports whether one of the functions can touch anything that is not traced.
func (p *Program) anyTouches(fns []*ssa.Function) bool {
	for _, fn := range fns {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() == nil { // a literal: traced
			if fn.Parent() == nil {
				return true
			}
			continue
		}
		if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && !p.onlyOurs(recv.Type()) {
			return true
		}
		if p.traced(obj.Pkg().Path()) {
			continue
		}
		if e, _ := lookup(obj.FullName(), obj.Pkg().Path()); e.effect != None {
			return true
		}
	}
	return false
}
