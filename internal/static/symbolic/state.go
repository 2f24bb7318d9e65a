package symbolic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// maxGuesses bounds the conditional locks of a state.
const maxGuesses = 16

// MaxAliases bounds a may-set (SY1).
const MaxAliases = 4

type (
	aliases = []*path.Node // sorted by no order, without duplicates
	nodes   = map[*path.Node]bool
)

// guess is a conditional lock (SY4): it is held if the value has this truth.
type guess struct {
	value ssa.Value
	truth summary.Truth
	lock  *path.Node
	mode  lockset.Mode
}

// deferred is a stack of deferred calls. may says that the call need not have been deferred; gap
// and held then concern the branch on which it was, where that joined another one (SY2). gap has
// the locks that only this branch had released, with the mode in which the other branch holds them,
// 0 if only its caller does. held has the locks that this branch held.
type deferred struct {
	call *ssa.Defer
	may  bool
	gap  lockset.Set
	held lockset.Set
	next *deferred
}

// state is what is known at a program point. Its maps are immutable: a change copies. A copy of a
// state is made by fork.
type state struct {
	locks   lockset.Relative
	sync    order.Sync
	round   order.Counts // Tokens released since the head of the loop
	mem     memory
	escaped nodes
	open    nodes // of the escaped, those that are published (SY3)
	// of escaped objects that are not published: the formal in whose memory they are stored
	holder  map[*path.Node]*path.Node
	places  map[*path.Node]*path.Node // of objects of the function: where they are stored (SY3)
	owned   nodes                     // paths that were taken out of shared memory (SY3)
	given   nodes                     // of what these lead to, what was shared again (SY3)
	guesses []guess
	flags   []flag             // (SY7)
	truth   map[ssa.Value]bool // conditions that held
	defers  *deferred
	forked  bool  // a goroutine may have been started
	waited  nodes // variables of which the channel was received from, or is nil (SY6)
	// WaitGroups to which the goroutine has added without a lock, and started nothing since (SY6)
	added   nodes
	handed  nodes // locks that were given to goroutines (SY6)
	loose   nodes // channels that are in no variable yet (SY6)
	dropped int   // conditional locks that the join that made the state has left out
}

// merge adds b to a without duplicates; nil, false if there are too many.
func merge(a, b aliases) (aliases, bool) {
	out := slices.Clip(a)
	for _, n := range b {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, len(out) <= MaxAliases
}

// join is the state where two branches join.
func (s *state) join(o *state) *state {
	j := &state{locks: s.locks.Join(o.locks), sync: s.sync.Join(o.sync), round: order.Most(s.round, o.round), forked: s.forked || o.forked}
	j.mem = s.mem.join(&o.mem)
	j.escaped, j.open = either(s.escaped, o.escaped), either(s.open, o.open)
	j.holder = s.holder
	for r, home := range o.holder {
		j.publish([]*path.Node{r}, into, home)
	}
	j.places = s.places
	for r, place := range s.places {
		if o.places[r] != place {
			j.places = maps.Clone(j.places)
			delete(j.places, r)
		}
	}
	j.waited, j.loose = both(s.waited, o.waited), either(s.loose, o.loose)
	j.handed = both(s.handed, o.handed)
	j.added, j.given = both(s.added, o.added), either(s.given, o.given)
	for n := range s.owned {
		if o.owned[n] {
			if j.owned == nil {
				j.owned = nodes{}
			}
			j.owned[n] = true
		}
	}
	for v, t := range s.truth {
		if u, ok := o.truth[v]; ok && t == u {
			if j.truth == nil {
				j.truth = map[ssa.Value]bool{}
			}
			j.truth[v] = t
		}
	}
	j.guesses, j.dropped = joinGuesses(s, o)
	j.flags = joinFlags(s.flags, o.flags)
	j.defers = joinDefers(s, o)
	return j
}

func either(a, b nodes) nodes {
	if len(b) == 0 || maps.Equal(a, b) {
		return a
	}
	if len(a) == 0 {
		return b
	}
	c := maps.Clone(a)
	maps.Copy(c, b)
	return c
}

// joinGuesses keeps the conditional locks that both branches have, or that one has and the other
// holds for certain. A lock that only one branch holds becomes conditional on a condition by which
// the branches differ (SY4). Beyond the bound those that a branch has already are kept first.
func joinGuesses(s, o *state) (out []guess, dropped int) {
	var made []guess
	for _, pair := range [][2]*state{{s, o}, {o, s}} {
		a, b := pair[0], pair[1]
		for _, g := range a.guesses {
			t, known := b.truth[g.value]
			_, held := b.locks.Plus[g.lock]
			if (slices.Contains(b.guesses, g) || held || known && t != (g.truth == summary.True)) && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
		for l, m := range a.locks.Plus {
			if _, held := b.locks.Plus[l]; held {
				continue
			}
			for v, t := range a.truth {
				if u, ok := b.truth[v]; ok && u != t {
					truth := summary.False
					if t {
						truth = summary.True
					}
					made = append(made, guess{v, truth, l, m})
				}
			}
		}
	}
	slices.SortFunc(made, guess.compare)
	for _, g := range made {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	dropped = max(0, len(out)-maxGuesses)
	out = out[:len(out)-dropped]
	slices.SortFunc(out, guess.compare)
	return out, dropped
}

// compare orders conditional locks. A parameter may have the name of a register: then the source
// position decides.
func (g guess) compare(h guess) int {
	return cmp.Or(strings.Compare(g.value.Name(), h.value.Name()), strings.Compare(g.lock.String(), h.lock.String()), path.Compare(g.lock, h.lock),
		cmp.Compare(g.value.Pos(), h.value.Pos()), cmp.Compare(g.truth, h.truth), cmp.Compare(g.mode, h.mode))
}

func joinDefers(s, o *state) *deferred {
	if s.defers == o.defers {
		return s.defers
	}
	var la, lb []*deferred
	for d := s.defers; d != nil; d = d.next {
		la = append(la, d)
	}
	for d := o.defers; d != nil; d = d.next {
		lb = append(lb, d)
	}
	slices.Reverse(la)
	slices.Reverse(lb)
	var out *deferred
	i := 0
	for ; i < len(la) && i < len(lb) && la[i].call == lb[i].call; i++ {
		g := la[i].gap
		if g == nil || lb[i].gap != nil && !maps.Equal(g, lb[i].gap) {
			g = lb[i].gap
		}
		out = &deferred{la[i].call, la[i].may || lb[i].may, g, la[i].held.Both(lb[i].held), out}
	}
	seen := map[*ssa.Defer]bool{}
	for k, rest := range [][]*deferred{la[i:], lb[i:]} {
		on, off := s, o
		if k == 1 {
			on, off = o, s
		}
		for _, d := range rest {
			if !seen[d.call] {
				seen[d.call] = true
				g, held := d.gap, d.held
				if !d.may {
					g, held = gap(on, off), on.locks.Plus
				}
				out = &deferred{d.call, true, g, held, out}
			}
		}
	}
	return out
}

// gap are the locks that on has released and off has not.
func gap(on, off *state) lockset.Set {
	var g lockset.Set
	for l := range on.locks.Minus {
		if _, gone := off.locks.Minus[l]; !gone {
			if g == nil {
				g = lockset.Set{}
			}
			g[l] = off.locks.Plus[l]
		}
	}
	return g
}

func (s *state) equal(o *state) bool {
	return maps.Equal(s.round, o.round) && s.locks.Equal(o.locks) && s.sync.Equal(o.sync) && s.forked == o.forked && maps.Equal(s.escaped, o.escaped) &&
		maps.Equal(s.waited, o.waited) && maps.Equal(s.loose, o.loose) && maps.Equal(s.added, o.added) && maps.Equal(s.given, o.given) && maps.Equal(s.handed, o.handed) &&
		maps.Equal(s.open, o.open) && maps.Equal(s.holder, o.holder) && maps.Equal(s.places, o.places) &&
		maps.Equal(s.owned, o.owned) && maps.Equal(s.truth, o.truth) && slices.Equal(s.guesses, o.guesses) && sameDefers(s.defers, o.defers) &&
		slices.EqualFunc(s.flags, o.flags, flag.equal) &&
		s.mem.equal(&o.mem)
}

func sameDefers(a, b *deferred) bool {
	for a != b {
		if a == nil || b == nil || a.call != b.call || a.may != b.may || !maps.Equal(a.gap, b.gap) || !maps.Equal(a.held, b.held) {
			return false
		}
		a, b = a.next, b.next
	}
	return true
}

// forget removes everything that is known of an object that is made anew.
func (s *state) forget(o *path.Node) {
	stale := func(n *path.Node) bool { return n.Root() == o }
	s.mem.drop(o)
	if s.escaped[o] {
		s.escaped = maps.Clone(s.escaped)
		delete(s.escaped, o)
	}
	if s.open[o] {
		s.open = maps.Clone(s.open)
		delete(s.open, o)
	}
	if s.places[o] != nil {
		s.places = maps.Clone(s.places)
		delete(s.places, o)
	}
	if s.holder[o] != nil {
		s.holder = maps.Clone(s.holder)
		delete(s.holder, o)
	}
	for _, c := range []order.Counts{s.sync.Acquired, s.sync.Released} {
		for n := range c {
			if stale(n) {
				s.sync = s.sync.Forget(n)
			}
		}
	}
	s.flags = slices.DeleteFunc(slices.Clone(s.flags), func(g flag) bool { return stale(g.addr) })
	for l := range s.locks.Plus {
		if stale(l) {
			s.locks = s.locks.Release(l)
		}
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(s.locks.Minus)), stale) {
		minus := maps.Clone(s.locks.Minus)
		maps.DeleteFunc(minus, func(n *path.Node, _ lockset.Mode) bool { return stale(n) })
		s.locks.Minus = minus
	}
}

// pushDefer puts a deferred call on the stack; a call in a loop is there once.
func (s *state) pushDefer(call *ssa.Defer) {
	for d := s.defers; d != nil; d = d.next {
		if d.call == call {
			return
		}
	}
	s.defers = &deferred{call: call, next: s.defers}
}

// fork is a copy that may be changed.
func (s *state) fork() *state {
	s.mem.own = false
	c := *s
	return &c
}

func with(set nodes, n *path.Node) nodes {
	if set[n] {
		return set
	}
	c := maps.Clone(set)
	if c == nil {
		c = nodes{}
	}
	c[n] = true
	return c
}

func without(set nodes, n *path.Node) nodes {
	if !set[n] {
		return set
	}
	c := maps.Clone(set)
	delete(c, n)
	return c
}

func both(a, b nodes) nodes {
	if maps.Equal(a, b) {
		return a
	}
	var c nodes
	for n := range a {
		if b[n] {
			c = with(c, n)
		}
	}
	return c
}
