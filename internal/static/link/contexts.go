package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

// locks are the locks of a context, by the key of their path in the function's own terms.
type locks map[string]lockset.Mode

// add adds a lock; of two with one name the stronger mode counts, whichever comes first.
func (l locks) add(name string, m lockset.Mode) { l[name] = max(l[name], m) }

// context describes how a function is entered.
type context struct {
	locks locks
	owned summary.Owned // the formals that no other goroutine reaches (LI5)
	// formals that are the object of the root's type or lie below it, sorted (LI3)
	self   []string
	after  waits         // objects that were waited for before (LI7)
	until  waits         // objects that the goroutine has yet to release (LI7)
	lent   locks         // lent by the function that waits for the goroutine (LI7)
	kept   summary.Owned // the formals that are not published (LI9)
	makers []maker       // that have not published it, sorted
	forked bool
	merged bool   // of several, of which not all held these locks (LI5)
	roots  []int  // sorted; at most two that are alike
	id     string // key, once it is known
}

func (c *context) key() string {
	if c.id == "" {
		c.id = c.name()
	}
	return c.id
}

func (c *context) name() string {
	var names []string
	for l, m := range c.locks {
		names = append(names, l+m.String())
	}
	slices.Sort(names)
	b := strings.Join(names, "\n")
	if c.forked {
		b += "\nforked"
	}
	for _, l := range slices.Sorted(maps.Keys(c.lent)) {
		b += "\nlent " + l + c.lent[l].String()
	}
	for _, w := range []waits{c.after, c.until} {
		if len(w) > 0 {
			b += "\n" + strings.Join(slices.Sorted(maps.Keys(w)), "\t")
		}
		b += ";"
	}
	return fmt.Sprintf("%s\n%v\n%s", b, c.owned, strings.Join(c.self, " "))
}

// contextTable has the roots, and the contexts in which they reach each function.
type contextTable struct {
	prog     *program
	reach    *reach
	roots    []root
	of       map[string][]*context
	merged   int                        // contexts beyond the bound
	active   map[string]bool            // types that show concurrency
	locking  map[string]bool            // methods that take a lock of their receiver
	expected map[string]promise.Verdict // goroutines in methods
	alike    alikeness
}

func newContextTable(prog *program, re *reach) *contextTable {
	return &contextTable{prog: prog, reach: re, of: map[string][]*context{}, active: map[string]bool{}, locking: map[string]bool{}, alike: alikeness{numbers: map[like]int{}}}
}

// kinds says of each function that a goroutine begins with what makes it a root.
func (ct *contextTable) kinds() map[string]string {
	kinds := map[string]string{}
	for _, r := range ct.roots {
		if kinds[r.fn] == "" || r.kind == spawned || r.kind == apart {
			kinds[r.fn] = r.kind.String()
		}
	}
	return kinds
}

// maxContexts bounds the contexts of a function. Further contexts are merged into one (LI5), with
// their locks joined (RL2), unless they hold no locks.
const maxContexts = 8

// enter adds a context to a function; it reports whether anything is new.
func (ct *contextTable) enter(key string, c *context) bool {
	list := ct.of[key]
	k := c.key()
	var bucket *context
	for _, old := range list {
		if old.merged {
			bucket = old
		} else if !c.merged && old.key() == k {
			kept := old.meetKept(c)
			return ct.addRoots(old, c.roots) || kept
		}
	}
	if !c.merged && (len(list) < maxContexts || len(c.locks) == 0 && len(c.after)+len(c.until)+len(c.lent) == 0) {
		ct.of[key] = append(list, c)
		return true
	}
	ct.merged++
	if bucket == nil {
		c.merged = true
		ct.of[key] = append(list, c)
		return true
	}
	return ct.meet(bucket, c)
}

// fromOutside reports whether only callers outside of the program enter a context.
func (ct *contextTable) fromOutside(c *context) bool {
	return !slices.ContainsFunc(c.roots, func(i int) bool { return !ct.reach.outside(ct.roots[i]) })
}

// apart are the roots after Parallel, of those that have one.
func (ct *contextTable) apart(roots []int) []int {
	out := slices.Clone(roots)
	for i, n := range out {
		if rest := ct.roots[n].rest; rest > 0 {
			out[i] = rest
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// meet merges another context into this one (LI5); it reports whether anything has changed.
func (ct *contextTable) meet(c, d *context) bool {
	met := locks{}
	for name, m := range c.locks {
		if o, in := d.locks[name]; in {
			met[name] = min(m, o)
		}
	}
	self := slices.DeleteFunc(slices.Clone(c.self), func(f string) bool { return !slices.Contains(d.self, f) })
	after, until := c.after.both(d.after), c.until.both(d.until)
	lent := c.lent.both(d.lent)
	owned := summary.Owned{Args: c.owned.Args & d.owned.Args, Free: c.owned.Free & d.owned.Free, Held: c.owned.Held & d.owned.Held}
	changed := !maps.Equal(lent, c.lent) || len(after) < len(c.after) || len(until) < len(c.until) || len(met) < len(c.locks) || owned != c.owned || d.forked && !c.forked || len(self) < len(c.self)
	c.after, c.until, c.lent = after, until, lent
	c.locks, c.owned, c.forked, c.self, c.id = met, owned, c.forked || d.forked, self, ""
	kept := c.meetKept(d)
	return ct.addRoots(c, d.roots) || changed || kept
}
