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

// branching executes the edges of the control-flow graph: what the condition of a branch shows, and
// what a loop has done when it is left.
type branching struct {
	table  *path.Table
	graph  *flowgraph
	values *values
	chans  *chans
	joins  *joins
	syncs  *syncs
	given  map[ssa.Value]bool
}

// edge is the state on the edge from b to its i-th successor: what the condition shows (SY4), and
// what a loop that is left here has acquired (SY6).
func (br *branching) edge(b *ssa.BasicBlock, i int, out *state) *state {
	s := out.fork()
	if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if never(cond.Cond, i == 0) || br.excluded(cond.Cond, i == 0) {
			return nil
		}
		br.graph.block = b
		br.assume(s, cond.Cond, i == 0)
	}
	if b.Succs[i].Dominates(b) { // the next round
		s.round = nil
	}
	if l := br.graph.loop[b.Index]; l > 0 && br.graph.loop[b.Succs[i].Index] != l {
		for o, at := range br.syncs.acquired[l] {
			switch {
			case !br.graph.everyRound(l, at):
			case o.Name == condition:
				if s.sync.Acquired[o] == 0 {
					s.sync = s.sync.Acquire(o, 1) // (SY6)
				}
			case s.sync.Acquired[o] < order.Many:
				s.sync = s.sync.Acquire(o, order.Many)
			}
		}
	}
	return s
}

// excluded reports whether the branch cannot be taken, because a parameter has another value
// (SY2).
func (br *branching) excluded(cond ssa.Value, yes bool) bool {
	for {
		if u, ok := cond.(*ssa.UnOp); ok && u.Op == token.NOT {
			cond, yes = u.X, !yes
			continue
		}
		b, ok := cond.(*ssa.BinOp)
		if !ok {
			break
		}
		v, is, ok := compared(b, yes)
		if !ok {
			break
		}
		cond, yes = v, is
	}
	value, known := br.given[cond]
	return known && value != yes
}

// assume applies that a condition is true, or false.
func (br *branching) assume(s *state, cond ssa.Value, yes bool) {
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
				if v := br.values.variable(s, x, br.graph.block.Instrs[len(br.graph.block.Instrs)-1]); v != nil && equal {
					br.joins.await(s, v)
				}
			case br.selected(s, x, k, equal):
			default:
				br.flag(s, x, k, equal)
			}
		} else {
			br.flag(s, x, nil, equal)
			br.flag(s, c, nil, equal)
		}
	} else {
		s.settle(cond, yes)
		br.flag(s, cond, nil, yes)
		br.drained(s, cond, yes)
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

// drained notes that a channel is closed: the received value was not sent (SY6).
func (br *branching) drained(s *state, ok ssa.Value, yes bool) {
	e, isExtract := ok.(*ssa.Extract)
	if !isExtract || e.Index != 1 || yes {
		return
	}
	receive, isReceive := e.Tuple.(*ssa.UnOp)
	if !isReceive || receive.Op != token.ARROW {
		return
	}
	if from := br.values.channels(s, receive.X); len(from) == 1 {
		closed := br.table.Of(path.Token, from[0], "closed")
		s.sync = s.sync.Acquire(closed, 1)
		br.joins.received(s, closed)
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
func (br *branching) selected(s *state, x ssa.Value, k *ssa.Const, equal bool) bool {
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
		br.chans.send(s, sel, st.Chan, st.Send)
	} else {
		br.chans.receive(s, sel, st.Chan)
	}
	if sel.Blocking && len(sel.States) > 1 {
		if o := br.anyOf(s, sel); o != nil && before.Acquired[o] == 0 {
			br.syncs.acquire(s, sel, o, 1)
		}
	}
	return true
}

// anyOf names what every case of a select acquires: one of these objects.
func (br *branching) anyOf(s *state, sel *ssa.Select) *path.Node {
	var objects []*path.Node
	for _, st := range sel.States {
		for _, c := range br.values.channels(s, st.Chan) {
			kind, name := path.Token, "chan"
			if st.Dir == types.SendOnly {
				kind, name = path.Recv, ""
			}
			objects = append(objects, br.table.Of(kind, c, name))
		}
	}
	return br.table.AnyOf(objects)
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

// flag applies an atomic read of a value that is not the initial one: it has acquired the variable.
// A counter that has reached k was changed k−1 times by others; a compare-and-swap that fails on 0,
// or succeeds on something else, has seen a change.
func (br *branching) flag(s *state, x ssa.Value, k *ssa.Const, equal bool) {
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
	if a := br.values.eval(s, call.Common().Args[0]); len(a) == 1 {
		br.syncs.acquire(s, call, br.table.Of(path.Token, a[0], "atomic"), n)
	}
}

// expect makes conditional locks of the exits by which the results of a call differ (SY4).
func (cl *caller) expect(s *state, call *ssa.Call, exits []summary.Exit) {
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
				} else if cl.draft.recording {
					cl.draft.sum.Cuts[summary.BoundGuesses]++
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
