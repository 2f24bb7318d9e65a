package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// planner plans the records of one function, except for those of its blocks.
type planner struct {
	plan   *Plan
	f      *Func
	sizes  types.Sizes
	punned *puns
}

func (h *planner) function() {
	f := h.f
	for _, v := range f.SSA.Params {
		f.Params = append(f.Params, value(v, h.sizes))
	}
	for _, v := range f.SSA.FreeVars {
		f.Params = append(f.Params, component(v, -1, f.VarType(v), h.sizes))
	}
	f.Params = nonZero(f.Params)
	for i, b := range f.SSA.Blocks {
		if b == f.SSA.Recover {
			continue
		}
		for j, in := range b.Instrs {
			if ip := &f.Blocks[i].Instrs[j]; !ip.Fused && !ip.Check {
				h.instr(ip, in)
				ip.Before, ip.After = nonZero(ip.Before), nonZero(ip.After)
			}
		}
	}
}

// instr is the table of hooks: which instruction has which records.
func (h *planner) instr(ip *Instr, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.UnOp:
		h.unop(ip, in)
	case *ssa.Store:
		if !h.f.Local(in.Addr) && !Kept(in) {
			ip.After = []Hook{access(format.Write, in.Addr, in.Val, in.Val.Type(), h.sizes)}
		}
	case *ssa.Alloc:
		if !h.f.Local(in) {
			ip.After = []Hook{value(in, h.sizes)}
		}
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.ChangeInterface,
		*ssa.MultiConvert:
		ip.After = []Hook{value(in.(ssa.Value), h.sizes)}
	case *ssa.BinOp:
		if !binopComputable(in) {
			ip.After = []Hook{value(in, h.sizes)}
		}
	case *ssa.Convert:
		h.convert(ip, in)
	case *ssa.Index:
		if _, ok := types.Unalias(in.X.Type()).Underlying().(*types.Array); !ok || isTypeParam(in.X.Type()) {
			ip.After = []Hook{value(in, h.sizes)}
		}
	case *ssa.Lookup:
		if isMap(in.X.Type()) {
			ip.Before = []Hook{mapAccess(format.Read, in.X)}
		}
		ip.After = h.results(in)
	case *ssa.Next:
		if r := in.Iter.(*ssa.Range); !in.IsString {
			ip.Before = []Hook{mapAccess(format.Read, r.X)}
		}
		ip.After = h.results(in)
	case *ssa.MapUpdate:
		ip.Before = []Hook{mapAccess(format.Write, in.Map)}
	case *ssa.TypeAssert:
		ip.After = h.results(in)
	case *ssa.Select:
		h.selectStmt(ip, in)
	case *ssa.Send:
		ip.Call = true
	case *ssa.Call:
		h.call(ip, in)
	case *ssa.Go:
		ip.Call = true
	case *ssa.Defer:
		// (PL6)
	case *ssa.DebugRef, *ssa.Phi, *ssa.Jump, *ssa.If, *ssa.Return, *ssa.RunDefers, *ssa.Panic, *ssa.Extract, *ssa.Range,
		*ssa.ChangeType, *ssa.IndexAddr, *ssa.Slice, *ssa.SliceToArrayPointer:
		// recomputed, or control
	case *ssa.Field, *ssa.FieldAddr:
		if revealing(h.f.Unit.Pkg, in) {
			ip.After = []Hook{value(in.(ssa.Value), h.sizes)}
		}
	default:
		panic("plan: no rule for instruction " + in.String())
	}
}

func (h *planner) unop(ip *Instr, in *ssa.UnOp) {
	switch in.Op {
	case token.MUL:
		if h.f.Local(in.X) {
			if !h.f.Bound(in.X) && !h.followed(in.X) {
				ip.After = []Hook{value(in, h.sizes)}
			}
		} else {
			ip.After = []Hook{access(format.Read, in.X, in, in.Type(), h.sizes)}
			if h.punned.isPunned(in.X) {
				ip.After = append(ip.After, h.texts(in)...)
			}
		}
	case token.ARROW:
		ip.Call = true
		ip.After = h.results(in)
	default:
		if !scalar(in.Type()) {
			ip.After = []Hook{value(in, h.sizes)}
		}
	}
}

func (h *planner) convert(ip *Instr, in *ssa.Convert) {
	if s, ok := Core(in.X.Type()).(*types.Slice); ok && isString(in.Type()) {
		ip.Before = []Hook{elements(format.Read, Elements, in.X, nil, s.Elem(), h.sizes)}
	}
	switch {
	case h.f.numbers[in.X]: // (PL2)
		ip.After = usedOnly(in, value(in, h.sizes))
	case !convertComputable(in):
		ip.After = []Hook{value(in, h.sizes)}
	}
}

// selectStmt records the chosen index, whether the channel was open, and the value received
// by the chosen case only.
func (h *planner) selectStmt(ip *Instr, in *ssa.Select) {
	ip.Call = true
	t := in.Type().(*types.Tuple)
	ip.After = []Hook{component(in, 0, t.At(0).Type(), h.sizes)}
	used := allExtracted(in)
	if used[1] {
		ip.After = append(ip.After, component(in, 1, t.At(1).Type(), h.sizes))
	}
	r := 2
	for i, s := range in.States {
		if s.Dir == types.RecvOnly && !used[r] {
			r++
		} else if s.Dir == types.RecvOnly {
			hook := component(in, r, t.At(r).Type(), h.sizes)
			hook.Case = i
			ip.After = append(ip.After, hook)
			r++
		}
	}
}

// results records v: its components if it is a tuple. What nothing uses is not recorded.
func (h *planner) results(v ssa.Value) []Hook {
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		return usedOnly(v, value(v, h.sizes))
	}
	var out []Hook
	for i := range t.Len() {
		if et := componentType(v, i); et != nil && extracted(v, i) {
			out = append(out, component(v, i, et, h.sizes))
		}
	}
	return out
}

func usedOnly(v ssa.Value, h Hook) []Hook {
	if len(*v.Referrers()) == 0 {
		return nil
	}
	return []Hook{h}
}

// extracted reports whether component i of the tuple v is used.
func extracted(v ssa.Value, i int) bool {
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == i && len(*e.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// allExtracted returns the components of the tuple v that are used.
func allExtracted(v ssa.Value) map[int]bool {
	used := map[int]bool{}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && len(*e.Referrers()) > 0 {
			used[e.Index] = true
		}
	}
	return used
}

// componentType returns the type of component i of the tuple v. The tuple of a Next has an
// invalid type for a component that is not used: that is not recorded.
func componentType(v ssa.Value, i int) types.Type {
	et := v.Type().(*types.Tuple).At(i).Type()
	if b, ok := et.(*types.Basic); ok && b.Kind() == types.Invalid {
		return nil
	}
	return et
}

// nonZero is rule (PL1).
func nonZero(hs []Hook) []Hook {
	out := hs[:0]
	for _, h := range hs {
		if h.Size != 0 {
			out = append(out, h)
		}
	}
	return out
}
