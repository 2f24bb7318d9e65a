package symbolic

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// flagTracker notes fields and variables that were seen zero, or set, under locks (SY7).
type flagTracker struct {
	sharing *sharing
	values  *values
	draft   *draft
}

// flag is what is known of a field or variable (SY7). It is immutable.
type flag struct {
	addr  *path.Node
	set   bool
	value ssa.Value        // what was read, as long as no branch has tested it
	at    lockset.Relative // the locks when it was read or written
	held  lockset.Set      // those of at that were held ever since
}

// maxFlags bounds the flags of a state.
const maxFlags = 8

func (g flag) equal(o flag) bool {
	return g.same(o) && g.at.Equal(o.at) && maps.Equal(g.held, o.held)
}

// same reports whether both say the same, of one place.
func (g flag) same(o flag) bool { return g.addr == o.addr && g.set == o.set && g.value == o.value }

// joinFlags keeps what both branches know.
func joinFlags(a, b []flag) []flag {
	var out []flag
	for _, g := range a {
		i := slices.IndexFunc(b, g.same)
		if i < 0 {
			continue
		}
		g.at, g.held = g.at.Join(b[i].at), g.held.Both(b[i].held)
		if !g.set || len(g.at.Plus) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// see adds a flag in place of one that says the same.
func (ft *flagTracker) see(s *state, g flag) {
	flags := slices.DeleteFunc(slices.Clone(s.flags), g.same)
	if len(flags) >= maxFlags {
		if ft.draft.recording {
			ft.draft.sum.Cuts[summary.BoundFlags]++
		}
		return
	}
	s.flags = append(flags, g)
}

// mayFlag reports whether another goroutine may use the memory at the one address as a flag.
func (ft *flagTracker) mayFlag(s *state, addrs aliases) bool {
	return len(addrs) == 1 && (addrs[0].Kind == path.Field || addrs[0].Kind == path.Global) && ft.sharing.shared(s, addrs[0])
}

// under are the locks under which a flag may be seen: not those that represent a Once, a channel or
// an atomic flag.
func under(s *state) lockset.Relative {
	return lockset.Relative{Plus: s.locks.Plus.Map(func(l *path.Node) *path.Node {
		if l.Kind == path.Token {
			return nil
		}
		return l
	}), Minus: s.locks.Minus}
}

// look notes a read whose value a branch tests.
func (ft *flagTracker) look(s *state, v *ssa.UnOp, addrs aliases) {
	if ft.mayFlag(s, addrs) && tested(v) {
		at := under(s)
		ft.see(s, flag{addrs[0], false, v, at, at.Plus})
	}
}

// tested reports whether a branch compares the value with zero, or with a constant.
func tested(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool {
		switch in := in.(type) {
		case *ssa.If:
			return true
		case *ssa.UnOp:
			return in.Op == token.NOT && tested(in)
		case *ssa.BinOp:
			_, x := in.X.(*ssa.Const)
			_, y := in.Y.(*ssa.Const)
			return (in.Op == token.EQL || in.Op == token.NEQ) && (x || y)
		}
		return false
	})
}

// settle notes that a branch has found a value to be not zero, or zero.
func (s *state) settle(v ssa.Value, set bool) {
	i := slices.IndexFunc(s.flags, func(g flag) bool { return g.value == v })
	if i < 0 {
		return
	}
	g := s.flags[i]
	g.value, g.set = nil, set
	if set {
		g.held = nil
	} else {
		g.at.Plus = nil
	}
	flags := slices.DeleteFunc(slices.Clone(s.flags), func(o flag) bool { return o.value == v || o.same(g) })
	if !set || len(g.at.Plus) > 0 {
		flags = append(flags, g)
	}
	s.flags = flags
}

// raise notes that a flag is set.
func (ft *flagTracker) raise(s *state, addrs aliases, v ssa.Value) {
	if at := under(s); len(at.Plus) > 0 && ft.mayFlag(s, addrs) && ft.values.nonzero(s, v) {
		ft.see(s, flag{addrs[0], true, nil, at, nil})
	}
}

// lower forgets the flags that were seen zero under a lock that is released; nil is any lock.
func (s *state) lower(l *path.Node) {
	var flags []flag
	for _, g := range s.flags {
		had := len(g.held) > 0
		if l == nil {
			g.held = nil
		} else if _, in := g.held[l]; in {
			g.held = maps.Clone(g.held)
			delete(g.held, l)
		}
		if g.set || g.value != nil || l != nil && (!had || len(g.held) > 0) {
			flags = append(flags, g)
		}
	}
	s.flags = flags
}

// known lists the flags for an access to loc, or, if that is nil, for a call.
func (s *state) known(loc *path.Node) []summary.Flag {
	var out []summary.Flag
	for _, g := range s.flags {
		if g.value != nil || loc != nil && g.addr.Root() != loc.Root() && g.addr.Kind != path.Global {
			continue
		}
		at := g.at
		if !g.set {
			at = lockset.Relative{Plus: g.held}
		}
		out = append(out, summary.Flag{Addr: g.addr, Set: g.set, Locks: at})
	}
	return out
}
