package symbolic

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// builtin executes a builtin function.
func (cl *caller) builtin(s *state, in ssa.Instruction, b *ssa.Builtin, args []ssa.Value, result *ssa.Call) {
	elems := func(v ssa.Value, kind summary.Kind) {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			for _, n := range cl.values.eval(s, v) {
				cl.accesses.access(s, in, cl.values.all(n), kind)
			}
		}
	}
	switch b.Name() {
	case "append":
		cl.appends(s, in, args[0], result)
		elems(args[0], summary.Read) // it is copied if it must grow
		if len(args) > 1 {
			elems(args[1], summary.Read)
			for _, n := range cl.values.eval(s, args[0]) {
				if sl, ok := args[1].Type().Underlying().(*types.Slice); ok && cl.values.types.refers(sl.Elem()) {
					cl.sharing.publish(s, cl.values.all(n), cl.values.contents(s, args[1]))
					cl.flows.storedOf(cl.values.all(n), cl.values.contents(s, args[1]), sl.Elem())
				}
			}
		}
		if result != nil {
			cl.values.env[result] = slices.DeleteFunc(slices.Clone(cl.values.eval(s, args[0])), clipped)
			if len(cl.values.env[result]) == 0 {
				n := cl.table.Alloc(cl.places.site(in, "slice"), cl.values.types.class(result.Type()), cl.graph.looping(), -2)
				cl.values.env[result] = aliases{n}
			}
			if len(args) > 1 {
				cl.fill(s, cl.values.env[result], args[1])
			}
		}
	case "copy":
		elems(args[0], summary.Write)
		elems(args[1], summary.Read)
		cl.fill(s, cl.values.eval(s, args[0]), args[1])
	case "delete", "clear":
		elems(args[0], summary.Write)
		for _, n := range cl.values.eval(s, args[0]) {
			cl.sharing.unshare(s, aliases{cl.values.all(n)})
		}
	case "len":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			elems(args[0], summary.Read)
		}
	case "close":
		for _, c := range cl.values.channels(s, args[0]) {
			cl.accesses.access(s, in, cl.table.Field(c, "chan.state"), summary.Write)
			cl.syncs.release(s, cl.table.Of(path.Token, c, "chan"), order.Many)
			cl.syncs.release(s, cl.table.Of(path.Token, c, "closed"), 1)
		}
	}
}

// clipped reports whether a slice ends where its memory does.
func clipped(n *path.Node) bool { return n.Kind == path.Sub && n.Name == path.Clip }

// appends records the writes behind the length of a slice to which is appended. It notes the memory
// in which the result is stored: the slice there may have room.
func (cl *caller) appends(s *state, in ssa.Instruction, old ssa.Value, result ssa.Value) {
	var stores aliases
	if result != nil {
		for _, r := range *result.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Val == result {
				stores = append(stores, cl.values.eval(s, st.Addr)...)
			}
		}
	}
	for _, addr := range stores {
		cl.draft.roomy(addr)
	}
	for _, n := range cl.values.eval(s, old) {
		if !clipped(n) {
			from := n
			if n.Kind == path.Sub {
				from = n.Base
			}
			back := from.Kind == path.Load && slices.Contains(stores, from.Base)
			cl.accesses.guarded(s, in, cl.values.all(n), &summary.Access{Kind: summary.Append, Back: back})
		}
	}
}

// fill adds the elements of a slice to those of other slices.
func (cl *caller) fill(s *state, to aliases, from ssa.Value) {
	vals := cl.values.elements(s, from)
	for _, n := range to {
		cl.accesses.fill(s, n, vals)
	}
}
