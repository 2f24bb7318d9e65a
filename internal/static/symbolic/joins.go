package symbolic

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// joins is what the function knows of goroutines that it waits for, on any path (SY6).
// What one fixpoint gathers, the next one uses.
type joins struct {
	table *path.Table
	graph *flowgraph
	syncs *syncs
	draft *draft

	// object → Tokens of goroutines that release it → several for one object
	releasers map[*path.Node]map[*path.Node]bool
	stored    map[*path.Node]nodes // variable → channels that are stored in it
	// variables in which a channel was replaced that was not waited for
	early nodes
	// channels that are not in a variable when they are made anew, or may be nil though there is
	// one
	lost nodes
	// Token → locks that are given up while a goroutine of it may run (SY6)
	unlent map[*path.Node]nodes
	made   map[*path.Node]*ssa.BasicBlock // channels of the function's own text
}

func newJoins(table *path.Table, g *flowgraph, sy *syncs, dr *draft) *joins {
	return &joins{table: table, graph: g, syncs: sy, draft: dr,
		releasers: map[*path.Node]map[*path.Node]bool{}, stored: map[*path.Node]nodes{}, early: nodes{}, lost: nodes{},
		unlent: map[*path.Node]nodes{}, made: map[*path.Node]*ssa.BasicBlock{}}
}

// releases notes that the goroutines of a go statement release an object.
func (js *joins) releases(token, object *path.Node, several bool) {
	all := js.releasers[object]
	if all == nil {
		all = map[*path.Node]bool{}
		js.releasers[object] = all
	}
	all[token] = all[token] || several
}

// releasesOf notes what the goroutines of a go statement in this text release.
func (js *joins) releasesOf(total order.Counts, node func(*path.Node) *path.Node, token *path.Node) {
	for o := range total {
		if n := node(o); n != nil && n.Base != nil {
			made := js.made[n.Base]
			js.releases(token, n, js.graph.looping() && made != js.graph.block)
		}
	}
}

// joined notes what the goroutines that a callee starts release, and which goroutines are over
// because the callee waits for them (SY6).
func (js *joins) joined(s *state, b *binding, sum *summary.Function, sync order.Sync) {
	for _, sp := range sum.Spawns {
		if sp.Parent == 0 {
			token := b.node(sp.Token)
			for o := range sp.Total {
				js.releases(token, b.node(o), sp.Many)
			}
		}
	}
	b.givenReleases(sum, js.releases)
	for o := range sync.Acquired {
		if o.Kind == path.Token && o.Name == "wg" {
			js.waited(s, o, sync)
		}
	}
}

// waited notes that all goroutines that release a WaitGroup are over (SY6), except those that the
// callee itself has started.
func (js *joins) waited(s *state, group *path.Node, callee order.Sync) {
	if group.Root().Loop {
		return // each round has its own
	}
	for token := range js.releasers[group] {
		if callee.Released[token] == 0 {
			js.over(s, token, group)
		}
	}
}

func (js *joins) over(s *state, token, object *path.Node) {
	if strings.HasSuffix(token.Name, path.Deep) {
		return
	}
	if o := js.table.OverOf(token, object); s.sync.Acquired[o] == 0 {
		s.sync = s.sync.Acquire(o, 1)
	}
}

// received notes that the only goroutine that closes a channel, or sends one value, is over (SY6).
func (js *joins) received(s *state, token *path.Node) {
	if js.made[token.Base] == nil || token.Base.Loop {
		return
	}
	js.closed(s, token)
}

func (js *joins) closed(s *state, sent *path.Node) {
	all := js.releasers[sent]
	if len(all) != 1 || js.syncs.total[sent] > 0 {
		return
	}
	for token, several := range all {
		if !several {
			js.over(s, token, sent)
		}
	}
}

// cell reports whether an address is a variable of the function, or one that it captured, that
// holds a channel.
func cell(addr *path.Node) bool {
	return (addr.Kind == path.Alloc && addr.Cap == -2 && !strings.Contains(addr.Name, "@") || addr.Kind == path.Free) && channel(addr.Type)
}

func channel(typ string) bool {
	return strings.HasPrefix(typ, "chan ") || strings.HasPrefix(typ, "<-chan ")
}

// isChannel reports whether the node is a channel of which the site is known.
func isChannel(n *path.Node) bool { return n.Kind == path.Alloc && n.Cap != -2 }

// keep notes what is stored in a variable that holds channels (SY6).
func (js *joins) keep(s *state, addr *path.Node, vals aliases) {
	if !cell(addr) {
		return
	}
	if !s.waited[addr] {
		js.early[addr] = true
	}
	holds := false
	for _, v := range vals {
		holds = holds || !v.IsNil()
		if !isChannel(v) {
			continue
		}
		if js.stored[addr] == nil {
			js.stored[addr] = nodes{}
		}
		js.stored[addr][v] = true
		if len(vals) == 1 {
			s.loose = without(s.loose, v)
		}
	}
	if holds || len(vals) == 0 {
		s.waited = without(s.waited, addr)
	}
}

// makes notes a channel that is made here: until it is in a variable, no receive from the variable
// waits for it (SY6).
func (js *joins) makes(s *state, ch *path.Node) {
	if s.loose[ch] {
		js.lost[ch] = true
	}
	s.loose = with(s.loose, ch)
}

// await notes that the goroutines of the channels that were in a variable until now are over: the
// channel was received from, or is nil (SY6).
func (js *joins) await(s *state, addr *path.Node) {
	s.waited = with(s.waited, addr)
	if js.early[addr] {
		return
	}
	for ch := range js.stored[addr] {
		if !s.loose[ch] && !js.lost[ch] {
			js.closed(s, js.table.Of(path.Token, ch, "chan"))
		}
	}
	if addr.Kind == path.Free {
		o := js.table.Of(path.Token, js.table.Load(addr, addr.Type), "chan")
		if s.sync.Acquired[o] == 0 {
			s.sync = s.sync.Acquire(o, 1)
		}
	}
}

// handles notes the channels that a callee has made and returns (SY6): one that may be nil though a
// goroutine is there to close it is lost.
func (js *joins) handles(s *state, b *binding, sum *summary.Function) (nils map[int]bool) {
	for i, vals := range sum.Results {
		others := slices.ContainsFunc(vals, func(v *path.Node) bool { return !isChannel(v) && !v.IsNil() })
		for _, v := range vals {
			if !isChannel(v) {
				continue
			}
			n := b.node(v)
			js.makes(s, n)
			if others || mayHide(sum, i, v) {
				js.lost[n] = true
				if nils == nil {
					nils = map[int]bool{}
				}
				nils[i] = true
			}
		}
	}
	return nils
}

// mayHide reports whether a function may return something else than the channel although it has
// started a goroutine that releases it.
func mayHide(sum *summary.Function, result int, ch *path.Node) bool {
	for _, e := range sum.Exits {
		if e.Results[result] == summary.True {
			continue
		}
		for _, sp := range sum.Spawns {
			for o := range sp.Total {
				if o.Base == ch && e.Sync.Released[sp.Token] > 0 {
					return true
				}
			}
		}
	}
	return false
}

// joining keeps, of acquired and released objects, the WaitGroups and channels that callers can
// name.
func joining(s order.Sync) order.Sync {
	keep := func(o *path.Node) *path.Node {
		if o.Kind == path.Token && o.Base != nil && (o.Name == "wg" || o.Name == "chan") && (o.Formal() || o.Root().Kind == path.Global) {
			return o
		}
		return nil
	}
	return order.Sync{Acquired: s.Acquired.Map(keep), Released: s.Released.Map(keep)}
}

// again forgets what is known of the objects that a call makes anew.
func (s *state) again(site string) {
	stale := func(o *path.Node) bool {
		r := o.Root()
		return r.Kind == path.Alloc && strings.HasSuffix(r.Name, site)
	}
	for _, c := range []order.Counts{s.sync.Acquired, s.sync.Released} {
		for o := range c {
			if stale(o) {
				s.sync = s.sync.Forget(o)
			}
		}
	}
}

// unlend notes that a lock is given up, or may be by a caller of the function, while goroutines may
// run that the function has started (SY6).
func (js *joins) unlend(s *state, lock *path.Node) {
	if !js.draft.recording {
		return
	}
	ended := nodes{}
	for o := range s.sync.Acquired {
		if order.IsOver(o) {
			ended[o.Base] = true
		}
	}
	for o := range goTokens(s.sync.Released) {
		if !ended[o] {
			js.unlent[o] = with(js.unlent[o], lock)
		}
	}
}

// lend gives the goroutines of the function's own text the locks that it holds while they run
// (SY6).
func (js *joins) lend() {
	for _, sp := range js.draft.sum.Spawns {
		if sp.Via != nil || sp.Parent != 0 {
			continue
		}
		for l, m := range sp.Locks.Plus {
			if !js.unlent[sp.Token][l] {
				if sp.Lent == nil {
					sp.Lent = lockset.Set{}
				}
				sp.Lent[l] = m
			}
		}
	}
}
