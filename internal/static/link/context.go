package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// locks are the locks of a context, by the key of their path in the function's own terms.
type locks map[string]lockset.Mode

// add adds a lock; of two with one name the stronger mode counts, whichever comes first.
func (l locks) add(name string, m lockset.Mode) { l[name] = max(l[name], m) }

// context is one way in which a function is entered.
type context struct {
	locks locks
	owned summary.Owned // of the formals, what no other goroutine reaches (R6)
	// formals that are the object of the root's type or lie below it, sorted (R7)
	self   []string
	after  waits         // what was waited for before (R22)
	until  waits         // what the goroutine has still to release (R22)
	lent   locks         // held by who waits for the goroutine (R23)
	kept   summary.Owned // of the formals, what is not published (R32)
	makers []maker       // that have not published it, sorted
	forked bool
	merged bool   // of several, of which not all held these locks (C2)
	roots  []int  // sorted; of those that are alike two
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

// maxContexts bounds the contexts of a function. (C1) What is beyond it is merged into one context
// more, their meet (K3), but for contexts without locks. (C2) That no lock is held in a merged
// context says little: code merged-contexts.
const maxContexts = 8

// enter adds a context to a function; it reports whether anything is new.
func (l *linker) enter(key string, c *context) bool {
	list := l.contexts[key]
	k := c.key()
	var bucket *context
	for _, old := range list {
		if old.merged {
			bucket = old
		} else if !c.merged && old.key() == k {
			kept := old.meetKept(c)
			return l.addRoots(old, c.roots) || kept
		}
	}
	if !c.merged && (len(list) < maxContexts || len(c.locks) == 0 && len(c.after)+len(c.until)+len(c.lent) == 0) {
		l.contexts[key] = append(list, c)
		return true
	}
	l.merged++
	if bucket == nil {
		c.merged = true
		l.contexts[key] = append(list, c)
		return true
	}
	return l.meet(bucket, c)
}

// meet merges another context into this one (C1); it reports whether anything has changed.
func (l *linker) meet(c, d *context) bool {
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
	return l.addRoots(c, d.roots) || changed || kept
}

// propagate carries contexts from the roots along the calls.
func (l *linker) propagate() {
	for l.Len() > 0 {
		key := l.pop()
		for _, edge := range l.calls(key) {
			if l.sums[edge.Callee] == nil {
				continue
			}
			e := named(&edge)
			if edge.Thread != 0 { // goroutines are roots of their own
				l.keepOn(key, e)
				continue
			}
			for _, c := range slices.Clone(l.contexts[key]) {
				d := &context{locks: carry(c, e), self: receivers(c.self, e), forked: c.forked || e.Forked, merged: c.merged, roots: c.roots}
				if edge.Apart {
					d.roots = l.apart(c.roots)
				}
				d.after, d.until = l.onward(c, e)
				d.lent = onLoan(c.lent, e.Locks.Minus, e.Sync.Released, e)
				d.owned = passed(c, e)
				d.kept, d.makers = l.kept(key, c, e)
				if l.enter(e.Callee, d) {
					l.push(e.Callee)
				}
			}
		}
	}
}

// call is a call with the keys of its paths; "" where there is none.
type call struct {
	*summary.Edge
	args, free, held []string
}

func named(e *summary.Edge) *call {
	keys := func(list []*path.Node) []string {
		out := make([]string, len(list))
		for i, n := range list {
			if n != nil {
				out[i] = n.Key()
			}
		}
		return out
	}
	return &call{e, keys(e.Args), keys(e.Free), keys(e.Held)}
}

// actuals goes through what the callee is given, each with the formal that it becomes.
func (e *call) actuals(yield func(actual, formal string)) {
	for i, a := range e.args {
		yield(a, "$"+digits(i))
	}
	for i, a := range e.free {
		yield(a, "^"+digits(i))
	}
	for i, a := range e.held {
		yield(a, "^"+digits(i)+"*")
	}
}

// own is an element of context.self: a formal that is an object of the root, or lies below it. It
// is written formal, label, a tab and the steps.
type own struct {
	formal string
	// which of the root's objects, with a leading space; "" is that of the root's home
	label string
	steps string // from the object to the formal
}

func (o own) String() string {
	if o.steps == "" {
		return o.formal + o.label
	}
	return o.formal + o.label + "\t" + o.steps
}

func parseOwn(s string) own {
	rest, steps, _ := strings.Cut(s, "\t")
	if i := strings.IndexByte(rest, ' '); i >= 0 {
		return own{rest[:i], rest[i:], steps}
	}
	return own{rest, "", steps}
}

// maxBelow bounds the fields from a root's object to a formal that is known to lie below it.
const maxBelow = 3

// receivers lists the callee's formals that are the object which those of the caller are, or lie
// below it (R7).
func receivers(self []string, e *call) []string {
	if len(self) == 0 {
		return nil
	}
	var out []string
	for _, s := range self {
		o := parseOwn(s)
		add := func(actuals []string, form, load string) {
			for i, a := range actuals {
				if a == "" || !within(a+load, o.formal) {
					continue
				}
				steps := o.steps + (a + load)[len(o.formal):]
				if !strings.Contains(steps, "[") && strings.Count(steps, "!") <= maxBelow {
					out = append(out, own{fmt.Sprintf(form, i), o.label, steps}.String())
				}
			}
		}
		add(e.args, "$%d", "")
		add(e.free, "^%d", "")
		add(e.held, "^%d*", "")
		add(e.free, "^%d*", "*") // a variable that the caller has captured itself
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mark marks the formals whose actuals have a property.
func (e *call) mark(own *summary.Owned, has func(actual string) bool) {
	each := func(bits *uint32, list []string, suffix string) {
		for i, a := range list {
			if i < 32 && a != "" && has(a+suffix) {
				*bits |= 1 << i
			}
		}
	}
	each(&own.Args, e.args, "")
	each(&own.Free, e.free, "")
	each(&own.Held, e.held, "")
	each(&own.Held, e.free, "*") // a variable that the caller has captured itself
}

// passed is what the callee owns: what the call itself shows, and what is part of what its caller
// owns.
func passed(c *context, e *call) summary.Owned {
	own := e.Owned
	if c.owned == (summary.Owned{}) {
		return own
	}
	e.mark(&own, func(actual string) bool { return passes(c, actual) })
	return own
}

// passes reports whether the path is part of what the context owns (R6, R19).
func passes(c *context, arg string) bool {
	rest, ok := leads(c.owned, arg)
	return ok && !strings.Contains(rest, "*")
}

// leads reports whether the path begins at a formal that is marked, and the steps from there.
func leads(marked summary.Owned, arg string) (rest string, ok bool) {
	if len(arg) < 2 || arg[0] != '$' && arg[0] != '^' {
		return "", false
	}
	i, n := 0, 1
	for ; n < len(arg) && arg[n] >= '0' && arg[n] <= '9'; n++ {
		i = 10*i + int(arg[n]-'0')
	}
	if i >= 32 {
		return "", false
	}
	switch rest := arg[n:]; {
	case arg[0] == '$':
		return rest, marked.Args&(1<<i) != 0
	case strings.HasPrefix(rest, "*"):
		return rest[1:], marked.Held&(1<<i) != 0
	default:
		return rest, marked.Free&(1<<i) != 0
	}
}

// carry names the locks that are held at a call in the callee's terms.
func carry(c *context, e *call) locks {
	held := locks{}
	for name, m := range c.locks {
		if !released(name, e.Locks.Minus) {
			held.add(rename(name, e), m)
		}
	}
	for n, m := range e.Locks.Plus {
		held.add(rename(n.Key(), e), m)
	}
	return held
}

func released(name string, minus lockset.Set) bool {
	for n := range minus {
		if n.Key() == name {
			return true
		}
	}
	return false
}

// rename writes a lock in the callee's terms: below an argument, a global, above an argument (R30),
// or only by its class.
func rename(name string, e *call) string {
	if name[0] == '@' {
		return name
	}
	best, as := "", ""
	try := func(arg string, formal string) {
		if len(arg) > len(best) && arg[0] != '?' && within(name, arg) {
			best, as = arg, formal
		}
	}
	e.actuals(try)
	if as != "" {
		return as + name[len(best):]
	}
	if above := enclosing(name, e); above != "" {
		return above
	}
	return "?" + class(name)
}

// within reports whether the path name begins with the path prefix.
func within(name, prefix string) bool {
	if !strings.HasPrefix(name, prefix) {
		return false
	}
	rest := name[len(prefix):]
	return rest == "" || strings.IndexByte("![*#", rest[0]) >= 0
}

// class is the last step of a path: the field with its type.
func class(name string) string {
	if name[0] == '@' {
		return name
	}
	return guard.LastStep(name)
}

func digits(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return digits(i/10) + digits(i%10)
}
