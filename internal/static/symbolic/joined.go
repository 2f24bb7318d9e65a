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

// joins is what the function knows of goroutines that it waits for, whatever the way (X16, X17).
// What is gathered in one fixpoint is used in the next.
type joins struct {
	// object → Tokens of goroutines that release it → several for one object
	releasers map[*path.Node]map[*path.Node]bool
	stored    map[*path.Node]nodes // variable → channels that are stored in it
	// variables in which a channel was replaced that was not waited for
	early nodes
	// channels that are not in a variable when they are made anew, or may be nil though there is
	// one
	lost nodes
	// Token → locks that are given up while a goroutine of it may run (X23)
	unlent map[*path.Node]nodes
	made   map[*path.Node]*ssa.BasicBlock // channels of the function's own text
}

func newJoins() joins {
	return joins{releasers: map[*path.Node]map[*path.Node]bool{}, stored: map[*path.Node]nodes{}, early: nodes{}, lost: nodes{},
		unlent: map[*path.Node]nodes{}, made: map[*path.Node]*ssa.BasicBlock{}}
}

// releases notes that the goroutines of a go statement release an object.
func (f *function) releases(token, object *path.Node, several bool) {
	all := f.joins.releasers[object]
	if all == nil {
		all = map[*path.Node]bool{}
		f.joins.releasers[object] = all
	}
	all[token] = all[token] || several
}

// releasesOf notes what the goroutines of a go statement in this text release.
func (f *function) releasesOf(total order.Counts, node func(*path.Node) *path.Node, token *path.Node) {
	for o := range total {
		if n := node(o); n != nil && n.Base != nil {
			made := f.joins.made[n.Base]
			f.releases(token, n, f.loop[f.block.Index] > 0 && made != f.block)
		}
	}
}

// joined notes what the goroutines that a callee starts release, and says which goroutines are over
// because it waits for them (X16).
func (f *function) joined(s *state, b *binding, sum *summary.Function, sync order.Sync) {
	for _, sp := range sum.Spawns {
		if sp.Parent == 0 {
			token := b.node(sp.Token)
			for o := range sp.Total {
				f.releases(token, b.node(o), sp.Many)
			}
		}
	}
	for o := range sync.Acquired {
		if o.Kind == path.Token && o.Name == "wg" {
			f.waited(s, o, sync)
		}
	}
}

// waited says of every goroutine that is done with a WaitGroup that it is over (X16). A goroutine
// that the callee itself has started is not meant.
func (f *function) waited(s *state, group *path.Node, callee order.Sync) {
	if group.Root().Loop {
		return // each round has its own
	}
	for token := range f.joins.releasers[group] {
		if callee.Released[token] == 0 {
			f.over(s, token, group)
		}
	}
}

func (f *function) over(s *state, token, object *path.Node) {
	if strings.HasSuffix(token.Name, path.Deep) {
		return
	}
	if o := f.Table.OverOf(token, object); s.sync.Acquired[o] == 0 {
		s.sync = s.sync.Acquire(o, 1)
	}
}

// received says of the only goroutine that closes a channel, or sends one value, that it is over
// (X16).
func (f *function) received(s *state, token *path.Node) {
	if f.joins.made[token.Base] == nil || token.Base.Loop {
		return
	}
	f.closed(s, token)
}

func (f *function) closed(s *state, sent *path.Node) {
	all := f.joins.releasers[sent]
	if len(all) != 1 || f.total[sent] > 0 {
		return
	}
	for token, several := range all {
		if !several {
			f.over(s, token, sent)
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

// keep notes what is stored in a variable that holds channels (X17).
func (f *function) keep(s *state, addr *path.Node, vals aliases) {
	if !cell(addr) {
		return
	}
	if !s.waited[addr] {
		f.joins.early[addr] = true
	}
	holds := false
	for _, v := range vals {
		holds = holds || !v.IsNil()
		if !isChannel(v) {
			continue
		}
		if f.joins.stored[addr] == nil {
			f.joins.stored[addr] = nodes{}
		}
		f.joins.stored[addr][v] = true
		if len(vals) == 1 {
			s.loose = without(s.loose, v)
		}
	}
	if holds || len(vals) == 0 {
		s.waited = without(s.waited, addr)
	}
}

// make notes a channel that is made here: until it is in a variable nobody can wait for it there
// (X17).
func (f *function) make(s *state, ch *path.Node) {
	if s.loose[ch] {
		f.joins.lost[ch] = true
	}
	s.loose = with(s.loose, ch)
}

// await says that what was in a variable until now is over: it was received from, or is nil (X17).
func (f *function) await(s *state, addr *path.Node) {
	s.waited = with(s.waited, addr)
	if f.joins.early[addr] {
		return
	}
	for ch := range f.joins.stored[addr] {
		if !s.loose[ch] && !f.joins.lost[ch] {
			f.closed(s, f.Table.Of(path.Token, ch, "chan"))
		}
	}
	if addr.Kind == path.Free {
		o := f.Table.Of(path.Token, f.Table.Load(addr, addr.Type), "chan")
		if s.sync.Acquired[o] == 0 {
			s.sync = s.sync.Acquire(o, 1)
		}
	}
}

// variable is the variable that a channel was read from just before an instruction, nil if there is
// none.
func (f *function) variable(s *state, ch ssa.Value, at ssa.Instruction) *path.Node {
	load, ok := ch.(*ssa.UnOp)
	if !ok || load.Block() != at.Block() {
		return nil
	}
	a := f.eval(s, load.X)
	if len(a) != 1 || !cell(a[0]) {
		return nil
	}
	since := false
	for _, in := range at.Block().Instrs {
		switch in.(type) {
		case *ssa.Store, *ssa.Call, *ssa.Go, *ssa.RunDefers, *ssa.Send, *ssa.Select:
			if since && in != at {
				return nil
			}
		}
		since = since || in == load
		if in == at {
			break
		}
	}
	return a[0]
}

// handles notes the channels that a callee has made and returns (X17): one that may be nil though a
// goroutine is there to close it is lost.
func (f *function) handles(s *state, b *binding, sum *summary.Function) (nils map[int]bool) {
	for i, vals := range sum.Results {
		others := slices.ContainsFunc(vals, func(v *path.Node) bool { return !isChannel(v) && !v.IsNil() })
		for _, v := range vals {
			if !isChannel(v) {
				continue
			}
			n := b.node(v)
			f.make(s, n)
			if others || mayHide(sum, i, v) {
				f.joins.lost[n] = true
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

// joining leaves of what was acquired and released the WaitGroups and channels that callers can
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

// unlend notes that a lock is given up, or may be by who calls the function, while goroutines may
// run that the function has started (X23).
func (f *function) unlend(s *state, lock *path.Node) {
	if !f.recording {
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
			f.joins.unlent[o] = with(f.joins.unlent[o], lock)
		}
	}
}

// lend gives the goroutines of the function's own text the locks that it holds while they run
// (X23).
func (f *function) lend() {
	for _, sp := range f.sum.Spawns {
		if sp.Via != nil || sp.Parent != 0 {
			continue
		}
		for l, m := range sp.Locks.Plus {
			if !f.joins.unlent[sp.Token][l] {
				if sp.Lent == nil {
					sp.Lent = lockset.Set{}
				}
				sp.Lent[l] = m
			}
		}
	}
}
