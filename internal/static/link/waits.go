package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// waiting knows with which objects goroutines are waited for.
type waiting struct {
	prog    *program
	joiners map[string]bool // classes of these objects
}

func newWaiting(prog *program, keys []string) *waiting {
	wt := &waiting{prog: prog}
	wt.findJoiners(keys)
	return wt
}

// waits are synchronisation objects by the key of their path: WaitGroups and channels (LI7).
type waits map[string]bool

// joiner reports whether goroutines are waited for with the object, and callers can name it.
func joiner(o *path.Node) bool {
	if o.Kind != path.Token || o.Base == nil || o.Name != "wg" && o.Name != "chan" {
		return false
	}
	return o.Formal() || o.Root().Kind == path.Global
}

// relevant keeps the objects by which some function waits for a goroutine.
func (wt *waiting) relevant(c order.Counts) waits {
	var w waits
	for o := range c {
		if !joiner(o) {
			continue
		}
		if k := o.Key(); wt.joiners[class(k)] {
			if w == nil {
				w = waits{}
			}
			w[k] = true
		}
	}
	return w
}

// findJoiners finds the classes of objects that goroutines release and that something waits for. A
// channel counts if only the goroutines of one go statement, which is not in a loop, send to it or
// close it.
func (wt *waiting) findJoiners(keys []string) {
	waited, released, senders := map[string]bool{}, map[string]map[string]bool{}, map[string][]string{}
	for _, k := range keys {
		f := wt.prog.sums[k]
		for _, e := range f.Exits {
			note(e.Sync.Acquired, func(c string) { waited[c] = true })
		}
		for _, a := range f.Accesses {
			if a.Thread == 0 {
				note(a.Sync.Acquired, func(c string) { waited[c] = true })
			}
		}
		note(f.Total, func(c string) { senders[c] = append(senders[c], k) })
		for _, s := range f.Spawns {
			if s.Via != nil {
				continue
			}
			add := func(c string) {
				if released[c] == nil {
					released[c] = map[string]bool{}
				}
				released[c][s.Func] = released[c][s.Func] || s.Many
			}
			note(s.Total, add)
			if g := wt.prog.sums[s.Func]; g != nil {
				// its summary names objects that its starter has made
				note(g.Total, add)
			}
		}
	}
	callers := map[string][]string{}
	for _, k := range keys {
		for _, e := range wt.prog.calls(k) {
			if e.Thread == 0 {
				callers[e.Callee] = append(callers[e.Callee], k)
			}
		}
	}
	wt.joiners = map[string]bool{}
	for c, by := range released {
		if waited[c] && (strings.HasSuffix(c, "#wg") || wt.onlySender(by, senders[c], callers)) {
			wt.joiners[c] = true
		}
	}
}

func note(c order.Counts, add func(class string)) {
	for o := range c {
		if joiner(o) {
			add(class(o.Key()))
		}
	}
}

// onlySender reports whether there is one goroutine that releases a channel, once, and all
// functions that do are called by it alone.
func (wt *waiting) onlySender(by map[string]bool, senders []string, callers map[string][]string) bool {
	if len(by) != 1 {
		return false
	}
	inside := map[string]bool{}
	for fn, many := range by {
		if many || len(callers[fn]) > 0 {
			return false
		}
		inside[fn] = true
	}
	for again := true; again; {
		again = false
		for _, s := range senders {
			from := callers[s]
			if !inside[s] && len(from) > 0 && !wt.prog.sums[s].Exported && !slices.ContainsFunc(from, func(c string) bool { return !inside[c] }) {
				inside[s], again = true, true
			}
		}
	}
	return !slices.ContainsFunc(senders, func(s string) bool { return !inside[s] })
}

// pending are the objects that a goroutine will release, when it begins.
func (wt *waiting) pending(r root, e *call) waits {
	if r.kind != spawned || e == nil {
		return nil
	}
	p := waits{}
	if f := wt.prog.sums[r.fn]; f != nil {
		maps.Copy(p, wt.relevant(f.Total))
	}
	if r.spawn != nil {
		carryWaits(p, wt.relevant(r.spawn.Total), e.Sync.Released, e)
	}
	return p
}

// onward is, for a callee, the objects that were waited for, and those that are yet to be released.
func (wt *waiting) onward(c *context, e *call) (after, until waits) {
	after, until = waits{}, waits{}
	carryWaits(after, c.after, nil, e)
	carryWaits(after, wt.relevant(e.Sync.Acquired), nil, e)
	carryWaits(until, c.until, e.Sync.Released, e)
	return after, until
}

// waitsAt is, for an access, the objects that were waited for, and those that are yet to be
// released.
func (wt *waiting) waitsAt(c *context, a *summary.Access) (after, until waits) {
	after, until = maps.Clone(c.after), maps.Clone(c.until)
	if own := wt.relevant(a.Sync.Acquired); len(own) > 0 {
		if after == nil {
			after = waits{}
		}
		maps.Copy(after, own)
	}
	maps.DeleteFunc(until, func(k string, _ bool) bool { return has(a.Sync.Released, k) || handedIn(a.Sync.Released) })
	return after, until
}

// both is the intersection.
func (w waits) both(v waits) waits {
	m := maps.Clone(w)
	maps.DeleteFunc(m, func(k string, _ bool) bool { return !v[k] })
	return m
}

// carryWaits adds to the callee's objects those of a caller, in the callee's terms, but for those
// that were released before the call.
func carryWaits(to, from waits, released order.Counts, e *call) {
	for k := range from {
		if n := rename(k, e); n[0] != '?' && !has(released, k) {
			to[n] = true
		}
	}
}

// handedIn reports whether a channel that the function was given is among those: it may have
// another name besides.
func handedIn(c order.Counts) bool {
	for o := range c {
		if o.Kind == path.Token && o.Base != nil && o.Base.Kind == path.Param && o.Name == "chan" {
			return true
		}
	}
	return false
}

// has reports whether an object of the class of k is among those.
func has(c order.Counts, k string) bool {
	for o := range c {
		if o.Kind == path.Token && o.Base != nil && class(o.Key()) == class(k) {
			return true
		}
	}
	return false
}

// joined reports whether b comes after a wait for the goroutine of a, and a is before the end of
// that (LI7).
func joined(a, b *site) bool {
	for k := range a.until {
		for w := range b.after {
			if class(k) == class(w) && (k == w && k[0] == '@' || relation(k, a.path) != "" && relation(k, a.path) == relation(w, b.path)) {
				return true
			}
		}
	}
	return false
}

// both leaves the locks that the two hold, in the weaker mode.
func (l locks) both(m locks) locks {
	n := maps.Clone(l)
	maps.DeleteFunc(n, func(k string, _ lockset.Mode) bool { return m[k] == 0 })
	for k := range n {
		n[k] = min(n[k], m[k])
	}
	return n
}

// onLoan names lent locks in the callee's terms, as long as the goroutine has not given them up nor
// released what it is waited for by (LI7).
func onLoan(lent locks, minus lockset.Set, out order.Counts, e *call) locks {
	if len(lent) == 0 || gone(out) {
		return nil
	}
	there := locks{}
	for k, m := range lent {
		if !released(k, minus) {
			there.add(rename(k, e), m)
		}
	}
	return there
}

// gone reports whether something was released by which the goroutine may be waited for.
func gone(c order.Counts) bool {
	for o := range c {
		if joiner(o) {
			return true
		}
	}
	return false
}

// lender lists the locks that the function which starts a goroutine lends it, in the terms of what
// it begins with.
func lender(r root, e *call) locks {
	if r.spawn == nil || e == nil || gone(e.Sync.Released) {
		return nil
	}
	held := locks{}
	for n, m := range r.spawn.Lent {
		held.add(rename(n.Key(), e), m)
	}
	return held
}

// excluded finds a lock that is lent to the goroutine of one site, and that the other site
// holds itself (LI7).
func (co *comparison) excluded(a, b *site) guardKind {
	if len(a.lent) == 0 || slices.ContainsFunc(a.roots, func(i int) bool { return co.contexts.roots[i].by == b.fn.Key }) {
		return none
	}
	return meet(a.lent, b.locks, a, b)
}
