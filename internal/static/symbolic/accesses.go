package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// accesses records the accesses and the stores of the function's own text.
type accesses struct {
	table   *path.Table
	places  *places
	values  *values
	choices *choices
	sharing *sharing
	joins   *joins
	draft   *draft
}

// access records a guarded access of the function's own text.
func (ac *accesses) access(s *state, in ssa.Instruction, addr *path.Node, kind summary.Kind) {
	ac.guarded(s, in, addr, &summary.Access{Kind: kind})
}

// guarded records an access, as far as it is filled in.
func (ac *accesses) guarded(s *state, in ssa.Instruction, addr *path.Node, a *summary.Access) {
	inside := ac.sharing.inside(s, addr)
	if !ac.draft.recording || !inside && !ac.sharing.reachable(s, addr) {
		return
	}
	a.Inside = inside
	a.Loc, a.At, a.Pos, a.Func = addr, addr, ac.places.place(in), ac.draft.sum.Key
	a.Kept, a.Taken, a.Stored = s.kept(addr), s.taken(addr), ac.fromStore(s, addr)
	a.Locks, a.Sync, a.Round, a.Flags = ac.choices.under(s, in, addr), s.sync, s.round, s.known(addr)
	ac.draft.record(a)
}

// fromStore is the path of an element of a map or slice that the function has made and stored in a
// field or variable, from there (SY3); nil for other memory.
func (ac *accesses) fromStore(s *state, addr *path.Node) *path.Node {
	r := addr.Root()
	place := s.places[r]
	if place == nil || addr.Loads() > 0 {
		return nil
	}
	for n := addr; n != r; n = n.Base {
		if n.Kind != path.Elem && n.Kind != path.Sub {
			return nil
		}
	}
	return ac.table.Subst(addr, func(n *path.Node) *path.Node {
		if n == r {
			return ac.table.Load(place, "")
		}
		return nil
	}, func(a *path.Node, typ string) *path.Node { return ac.table.Load(a, typ) })
}

// put stores in the state's memory, and counts stores that are not kept.
func (ac *accesses) put(s *state, addr *path.Node, v aliases, known bool) {
	ac.joins.keep(s, addr, v)
	if kept := s.mem.put(addr, v, known); !kept && ac.draft.recording {
		ac.draft.sum.Cuts[summary.BoundCells]++
	}
}
