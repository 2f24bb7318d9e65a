package symbolic

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// edge is the state on the way from b to its i-th successor: what the branch tells (X7), and what a
// loop that is left here has acquired (X9).
func (f *function) edge(b *ssa.BasicBlock, i int, out *state) *state {
	s := out.fork()
	if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if never(cond.Cond, i == 0) {
			return nil
		}
		f.block = b
		f.assume(s, cond.Cond, i == 0)
	}
	if b.Succs[i].Dominates(b) { // the next round
		s.round = nil
	}
	if l := f.loop[b.Index]; l > 0 && f.loop[b.Succs[i].Index] != l {
		for o, at := range f.acquired[l] {
			switch {
			case !f.everyRound(l, at):
			case o.Name == condition:
				if s.sync.Acquired[o] == 0 {
					s.sync = s.sync.Acquire(o, 1) // (X35)
				}
			case s.sync.Acquired[o] < order.Many:
				s.sync = s.sync.Acquire(o, order.Many)
			}
		}
	}
	return s
}

// condition is the name of what a Cond hands over.
const condition = "cond"

// awaits reports whether a loop waits on a Cond: that is known only when the loop has been left
// already.
func (f *function) awaits() bool {
	for _, acquired := range f.acquired {
		for o := range acquired {
			if o.Name == condition {
				return true
			}
		}
	}
	return false
}

// everyRound reports whether the block is executed in every round of its loop.
func (f *function) everyRound(l int, b *ssa.BasicBlock) bool {
	for _, m := range f.fn.Blocks {
		if f.loop[m.Index] != l {
			continue
		}
		header := m == f.fn.Blocks[0]
		for _, p := range m.Preds {
			header = header || f.loop[p.Index] != l
		}
		if !header {
			continue
		}
		for _, p := range m.Preds {
			if f.loop[p.Index] == l && !b.Dominates(p) {
				return false
			}
		}
	}
	return true
}

// assume applies what the branch tells.
func (f *function) assume(s *state, cond ssa.Value, yes bool) {
	for {
		u, ok := cond.(*ssa.UnOp)
		if !ok || u.Op != token.NOT {
			break
		}
		cond, yes = u.X, !yes
	}
	truth := maps.Clone(s.truth)
	if truth == nil {
		truth = map[ssa.Value]bool{}
	}
	truth[cond] = yes
	value := cond
	if b, ok := cond.(*ssa.BinOp); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		equal := (b.Op == token.EQL) == yes
		x, c := b.X, b.Y
		if _, isConst := x.(*ssa.Const); isConst {
			x, c = c, x
		}
		if k, isConst := c.(*ssa.Const); isConst {
			if number := k.Value != nil && k.Value.Kind() == constant.Int; k.IsNil() || number && zero(k) {
				s.settle(x, !equal)
			} else if number && equal {
				s.settle(x, true)
			}
			switch {
			case k.IsNil():
				truth[x] = !equal
				value, yes = x, !equal
				if v := f.variable(s, x, f.block.Instrs[len(f.block.Instrs)-1]); v != nil && equal {
					f.await(s, v)
				}
			case f.selected(s, x, k, equal):
			default:
				f.flag(s, x, k, equal)
			}
		} else {
			f.flag(s, x, nil, equal)
			f.flag(s, c, nil, equal)
		}
	} else {
		s.settle(cond, yes)
		f.flag(s, cond, nil, yes)
		f.drained(s, cond, yes)
	}
	s.truth = truth
	for _, g := range s.guesses {
		if g.value == value && (g.truth == summary.True) == yes {
			if _, held := s.locks.Plus[g.lock]; !held {
				s.locks = s.locks.Acquire(g.lock, g.mode)
			}
		}
	}
}

// drained says that a channel is closed: what was received from it was not sent (X29).
func (f *function) drained(s *state, ok ssa.Value, yes bool) {
	e, isExtract := ok.(*ssa.Extract)
	if !isExtract || e.Index != 1 || yes {
		return
	}
	receive, isReceive := e.Tuple.(*ssa.UnOp)
	if !isReceive || receive.Op != token.ARROW {
		return
	}
	if from := f.channels(s, receive.X); len(from) == 1 {
		closed := f.Table.Of(path.Token, from[0], "closed")
		s.sync = s.sync.Acquire(closed, 1)
		f.received(s, closed)
	}
}

func zero(c *ssa.Const) bool {
	if c.Value == nil {
		return true
	}
	switch c.Value.Kind() {
	case constant.Int:
		i, exact := constant.Int64Val(c.Value)
		return exact && i == 0
	case constant.Bool:
		return !constant.BoolVal(c.Value)
	}
	return false
}

// selected applies the chosen case of a select.
func (f *function) selected(s *state, x ssa.Value, k *ssa.Const, equal bool) bool {
	e, ok := x.(*ssa.Extract)
	if !ok || e.Index != 0 {
		return false
	}
	sel, ok := e.Tuple.(*ssa.Select)
	if !ok {
		return false
	}
	i := int(k.Int64())
	if !equal || i < 0 || i >= len(sel.States) {
		return true
	}
	before := s.sync
	if st := sel.States[i]; st.Dir == types.SendOnly {
		f.send(s, sel, st.Chan, st.Send)
	} else {
		f.receive(s, sel, st.Chan)
	}
	if sel.Blocking && len(sel.States) > 1 {
		if o := f.anyOf(s, sel); o != nil && before.Acquired[o] == 0 {
			f.acquire(s, sel, o, 1)
		}
	}
	return true
}

// anyOf names what every case of a select acquires: one of these objects.
func (f *function) anyOf(s *state, sel *ssa.Select) *path.Node {
	var objects []*path.Node
	for _, st := range sel.States {
		for _, c := range f.channels(s, st.Chan) {
			kind, name := path.Token, "chan"
			if st.Dir == types.SendOnly {
				kind, name = path.Recv, ""
			}
			objects = append(objects, f.Table.Of(kind, c, name))
		}
	}
	return f.Table.AnyOf(objects)
}

// never reports whether the branch cannot be taken, because its condition is constant.
func never(cond ssa.Value, yes bool) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	x, isX := b.X.(*ssa.Const)
	y, isY := b.Y.(*ssa.Const)
	if !isX || !isY || x.Value == nil || y.Value == nil {
		return false
	}
	switch b.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.Compare(x.Value, b.Op, y.Value) != yes
	}
	return false
}

// flag applies an atomic read that has seen what is not the initial value: it has acquired the
// variable. A counter that has reached k was changed k−1 times by others; a compare-and-swap that
// fails on 0, or succeeds on something else, has seen a change.
func (f *function) flag(s *state, x ssa.Value, k *ssa.Const, equal bool) {
	call, ok := x.(*ssa.Call)
	if !ok {
		return
	}
	callee := call.Common().StaticCallee()
	if callee == nil || len(call.Common().Args) == 0 {
		return
	}
	key := Key(callee)
	op := model.Lookup(key, PackageOf(key)).Op
	n := 1
	switch op {
	case model.Load:
		if k != nil && equal == zero(k) {
			return
		}
		if k == nil && !equal {
			return
		}
	case model.Swap:
		old, ok := call.Common().Args[1].(*ssa.Const)
		if !ok || equal == zero(old) {
			return
		}
	case model.Update:
		if k == nil || !equal || k.Value == nil || k.Value.Kind() != constant.Int || k.Int64() < 2 || k.Int64() > 64 {
			return
		}
		n = int(k.Int64()) - 1
	default:
		return
	}
	if a := f.eval(s, call.Common().Args[0]); len(a) == 1 {
		f.acquire(s, call, f.Table.Of(path.Token, a[0], "atomic"), n)
	}
}

// truthOf is what is known of a result.
func (f *function) truthOf(s *state, v ssa.Value) summary.Truth {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if v.IsNil() {
				return summary.False
			}
			return summary.Any
		}
		if v.Value.Kind() == constant.Bool {
			if constant.BoolVal(v.Value) {
				return summary.True
			}
			return summary.False
		}
		return summary.Any
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return summary.True
	case *ssa.Call:
		if c := v.Common().StaticCallee(); c != nil {
			if k := Key(c); k == "errors.New" || k == "fmt.Errorf" {
				return summary.True
			}
		}
	}
	if t, ok := s.truth[v]; ok {
		if t {
			return summary.True
		}
		return summary.False
	}
	if vals := f.eval(s, v); len(vals) > 0 && !slices.ContainsFunc(vals, func(n *path.Node) bool { return !isChannel(n) }) {
		return summary.True
	}
	return summary.Any
}

// expect makes conditional locks of the exits by which the results of a call differ (X7).
func (f *function) expect(s *state, call *ssa.Call, exits []summary.Exit) {
	if len(exits) < 2 {
		return
	}
	n := len(exits[0].Results)
	for i := range n {
		v := resultOf(call, i, n)
		if v == nil {
			continue
		}
		for _, truth := range []summary.Truth{summary.True, summary.False} {
			var rel *summary.Exit
			for _, e := range exits {
				if e.Results[i] != summary.Any && e.Results[i] != truth {
					continue
				}
				if rel == nil {
					c := e
					rel = &c
				} else {
					rel.Locks = rel.Locks.Join(e.Locks)
				}
			}
			if rel == nil {
				continue
			}
			for _, l := range rel.Locks.Plus.Sorted() {
				if _, held := s.locks.Plus[l]; held {
					continue
				}
				if len(s.guesses) < maxGuesses {
					s.guesses = append(slices.Clip(s.guesses), guess{v, truth, l, rel.Locks.Plus[l]})
				} else if f.recording {
					f.sum.Cuts[summary.BoundGuesses]++
				}
			}
		}
	}
}

// resultOf is the register of a result.
func resultOf(call *ssa.Call, i, n int) ssa.Value {
	if n == 1 {
		return call
	}
	if refs := call.Referrers(); refs != nil {
		for _, r := range *refs {
			if e, ok := r.(*ssa.Extract); ok && e.Index == i {
				return e
			}
		}
	}
	return nil
}

// dropGuesses forgets conditional locks that were released.
func (s *state) dropGuesses(l *path.Node) {
	s.guesses = slices.DeleteFunc(slices.Clone(s.guesses), func(g guess) bool { return g.lock == l })
}

// PackageOf is the package path in the key of a function.
func PackageOf(key string) string {
	k := strings.TrimLeft(key, "(*")
	slash := strings.LastIndexByte(k, '/')
	if i := strings.IndexByte(k, '['); i >= 0 && i < slash {
		slash = strings.LastIndexByte(k[:i], '/')
	}
	dot := strings.IndexByte(k[slash+1:], '.')
	if dot < 0 {
		return k
	}
	return k[:slash+1+dot]
}

func sortNodes(list []*path.Node) {
	slices.SortFunc(list, func(a, b *path.Node) int { return cmp.Or(strings.Compare(a.String(), b.String()), path.Compare(a, b)) })
}

// sortStores orders stores by address, so that those to one address lie together, then by value.
func sortStores(list []summary.Store) {
	slices.SortFunc(list, func(a, b summary.Store) int {
		return cmp.Or(strings.Compare(a.Addr.String(), b.Addr.String()), path.Compare(a.Addr, b.Addr), path.Compare(a.Value, b.Value))
	})
}
