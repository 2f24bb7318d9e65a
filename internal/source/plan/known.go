package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// knowledge says which values the walker knows. It has the flow of values between functions that
// leaves no record.
type knowledge struct {
	plan *Plan
	// the calls that bind the parameters of a function
	calls map[*Func][]*ssa.CallCommon
	// what is stored in the variables that closures capture by value
	captures map[*ssa.FreeVar][]ssa.Value
	blocks   map[*ssa.BasicBlock]map[ssa.Instruction]*Instr // of long blocks
}

func newKnowledge(p *Plan) *knowledge {
	return &knowledge{
		plan: p, calls: map[*Func][]*ssa.CallCommon{}, captures: map[*ssa.FreeVar][]ssa.Value{},
		blocks: map[*ssa.BasicBlock]map[ssa.Instruction]*Instr{},
	}
}

// of reports whether the walker knows v. The hooks of all functions are planned.
func (w *knowledge) of(v ssa.Value) bool {
	k := &knower{of: w, seen: map[question]bool{}}
	return k.known(v, false)
}

// knower answers one question: does the walker know a value whenever it reaches it? It does if
// everything that the value is computed from is recorded or constant. The answer is a conjunction
// over all values that the value depends on. So a value that is being asked about is assumed to be
// known; if it is not, the answer is no anyway.
//
// The walker does not know: addresses of functions and, at first, of package-level variables;
// constants of type parameters; results of fused instructions. Of slices and strings it may know
// only the length.
type knower struct {
	of   *knowledge
	seen map[question]bool
}

// A question is about a value, or with whole about all of its words.
type question struct {
	v     ssa.Value
	whole bool
}

// maxSeen bounds what one answer may depend on.
const maxSeen = 1000

// known has the rules for each kind of value.
func (k *knower) known(v ssa.Value, whole bool) bool {
	q := question{v, whole}
	if k.seen[q] {
		return true
	}
	if len(k.seen) >= maxSeen {
		return false
	}
	k.seen[q] = true
	if large(v.Type()) {
		return false
	}
	if in, ok := v.(ssa.Instruction); ok {
		ip := k.of.instr(in)
		if ip == nil || ip.Fused {
			return false
		}
		if len(ip.After) > 0 {
			return true // recorded, or read
		}
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constant(v, whole)
	case *ssa.Parameter:
		return k.argument(v, whole)
	case *ssa.FreeVar:
		return k.captured(v, whole)
	case *ssa.Phi:
		return k.all(v.Edges, whole)
	case *ssa.BinOp:
		// of a slice compared with nil, not the length
		whole = !scalar(v.X.Type()) || !scalar(v.Y.Type())
		return k.known(v.X, whole) && k.known(v.Y, whole)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return k.variable(v.X, whole)
		}
		return k.known(v.X, whole)
	case *ssa.Convert:
		return k.known(v.X, whole)
	case *ssa.ChangeType:
		_, iface := v.Type().Underlying().(*types.Interface)
		return !iface && k.known(v.X, whole)
	case *ssa.Field:
		return k.known(v.X, whole)
	case *ssa.Index:
		return k.known(v.X, whole) && k.known(v.Index, false)
	case *ssa.Slice:
		return !whole && k.bounds(v)
	case *ssa.Extract:
		return k.component(v, whole)
	case *ssa.Call:
		return k.result(v, 0, whole)
	}
	return false
}

// large reports whether a record cannot hold a whole value of type t.
func large(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Array, *types.Struct:
		return !Open(t) && Sizeof(t) > format.MaxValue
	}
	return false
}

// constant reports whether a constant is known. It is not if its type is large or depends on a type
// parameter. Of a string, the address is not known.
func constant(c *ssa.Const, whole bool) bool {
	b, ok := c.Type().(*types.Basic)
	switch {
	case ok && b.Info()&types.IsUntyped != 0:
		return b.Kind() != types.UntypedString || !whole
	case Open(c.Type()) || Sizeof(c.Type()) > MaxFollowed:
		return false
	}
	return c.Value == nil || scalar(c.Type()) || isString(c.Type()) && !whole
}

func (k *knower) all(vs []ssa.Value, whole bool) bool {
	for _, v := range vs {
		if v != nil && !k.known(v, whole) {
			return false
		}
	}
	return true
}

// argument reports whether a parameter is known: it is recorded, or every call binds it to a known
// value.
func (k *knower) argument(v *ssa.Parameter, whole bool) bool {
	f := k.of.plan.Func(v.Parent())
	i := 0
	for v.Parent().Params[i] != v {
		i++
	}
	for _, c := range k.of.calls[f] {
		if i >= len(c.Args) || !k.known(c.Args[i], whole) {
			return false
		}
	}
	return true
}

// captured reports whether a free variable that is a value is known: the value stored in the
// variable is.
func (k *knower) captured(v *ssa.FreeVar, whole bool) bool {
	f := k.of.plan.Func(v.Parent())
	return f != nil && f.bound[v] && k.all(k.of.captures[v], whole)
}

// variable reports whether the value at an address in a variable that is not memory is known: every
// value stored in the variable is.
func (k *knower) variable(addr ssa.Value, whole bool) bool {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			addr = x.X
			continue
		case *ssa.IndexAddr:
			if !k.known(x.Index, false) {
				return false
			}
			addr = x.X
			continue
		}
		break
	}
	if _, ok := addr.(*ssa.FreeVar); ok {
		return k.known(addr, whole)
	}
	return k.stored(addr, whole)
}

// stored reports whether all values stored to an address in a local variable, or to a part of it,
// are known. The load of a package-level variable of size zero has no record; it is not known.
func (k *knower) stored(addr ssa.Value, whole bool) bool {
	if addr.Referrers() == nil {
		return false
	}
	for _, r := range *addr.Referrers() {
		ok := true
		switch r := r.(type) {
		case *ssa.Store:
			ok = k.known(r.Val, whole)
		case *ssa.FieldAddr:
			ok = !k.of.instr(r).Fused && k.stored(r, whole)
		case *ssa.IndexAddr:
			ok = k.known(r.Index, false) && k.stored(r, whole)
		}
		if !ok {
			return false
		}
	}
	return true
}

// bounds reports whether the length of the result of a slice expression is known.
func (k *knower) bounds(v *ssa.Slice) bool {
	return (isArray(v.X.Type()) || k.known(v.X, false)) && k.all([]ssa.Value{v.Low, v.High, v.Max}, false)
}

// component reports whether a component of a tuple is known: it is recorded, or a known result.
func (k *knower) component(v *ssa.Extract, whole bool) bool {
	in, ok := v.Tuple.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, h := range k.of.instr(in).After {
		if h.Index == v.Index && h.Case < 0 {
			return true
		}
	}
	c, ok := in.(*ssa.Call)
	return ok && len(k.of.instr(in).After) == 0 && k.result(c, v.Index, whole)
}

// result reports whether a result of a call is known: a length of a known value, or a result of a
// callee whose returned values are all known.
func (k *knower) result(c *ssa.Call, i int, whole bool) bool {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			return isArray(c.Call.Args[0].Type()) || k.known(c.Call.Args[0], false)
		case "min", "max":
			return k.all(c.Call.Args, whole)
		}
		return false
	}
	f := k.of.plan.Func(c.Call.StaticCallee())
	if f == nil || f.Defers {
		return false
	}
	for _, b := range f.SSA.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !k.known(ret.Results[i], whole) {
			return false
		}
	}
	return true
}

// instr returns the plan of an instruction, nil if its function has none.
func (w *knowledge) instr(in ssa.Instruction) *Instr {
	f := w.plan.byFn[in.Parent()]
	if f == nil {
		return nil
	}
	b := in.Block()
	if len(b.Instrs) > maxScan {
		return w.long(f, b)[in]
	}
	for i, x := range b.Instrs {
		if x == in {
			return &f.Blocks[b.Index].Instrs[i]
		}
	}
	return nil
}

// maxScan is the number of instructions up to which a block is searched linearly.
const maxScan = 64

// long returns the plans of the instructions of a long block.
func (w *knowledge) long(f *Func, b *ssa.BasicBlock) map[ssa.Instruction]*Instr {
	m := w.blocks[b]
	if m == nil {
		m = make(map[ssa.Instruction]*Instr, len(b.Instrs))
		for i, in := range b.Instrs {
			m[in] = &f.Blocks[b.Index].Instrs[i]
		}
		w.blocks[b] = m
	}
	return m
}

// bindings finds where values flow from one function to another without a record: the calls that
// bind the parameters of a function, and the values that closures capture.
func (w *knowledge) bindings(f *Func) {
	for _, b := range f.SSA.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Call:
				if g := w.plan.Func(in.Call.StaticCallee()); g != nil {
					w.calls[g] = append(w.calls[g], &in.Call)
				}
			case *ssa.MakeClosure:
				lit := w.plan.byFn[in.Fn.(*ssa.Function)]
				for i, v := range in.Bindings {
					if lit == nil || !lit.bound[lit.SSA.FreeVars[i]] {
						continue
					}
					if a, ok := v.(*ssa.Alloc); ok {
						for _, r := range *a.Referrers() {
							if st, ok := r.(*ssa.Store); ok {
								v = st.Val
							}
						}
					}
					w.captures[lit.SSA.FreeVars[i]] = append(w.captures[lit.SSA.FreeVars[i]], v)
				}
			}
		}
	}
}

// isArray reports whether t is an array or a pointer to one: its length is its type's.
func isArray(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := types.Unalias(t).Underlying().(*types.Array)
	return ok
}
