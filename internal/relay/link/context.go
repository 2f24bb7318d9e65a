package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"presage/internal/relay/lockset"
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// locks are the locks of a context, by the key of their path in the function's own terms.
type locks map[string]lockset.Mode

// context is one way in which a function is entered.
type context struct {
	locks  locks
	owned  uint32   // parameters whose objects no other goroutine reaches
	self   []string // formals that are the object of the root's type, sorted (R7)
	forked bool
	roots  map[int]bool
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
	return fmt.Sprintf("%s\n%d\n%s", b, c.owned, strings.Join(c.self, " "))
}

// maxContexts bounds the contexts of a function; more are merged into their meet (K3).
const maxContexts = 6

// enter adds a context to a function; it reports whether anything is new.
func (l *linker) enter(key string, c *context) bool {
	list := l.contexts[key]
	k := c.key()
	for _, old := range list {
		if old.key() == k {
			n := len(old.roots)
			maps.Copy(old.roots, c.roots)
			return len(old.roots) > n
		}
	}
	if len(list) < maxContexts {
		l.contexts[key] = append(list, c)
		return true
	}
	l.merged++
	last := list[len(list)-1]
	met := locks{}
	for name, m := range last.locks {
		if o, in := c.locks[name]; in {
			met[name] = min(m, o)
		}
	}
	self := slices.DeleteFunc(slices.Clone(last.self), func(f string) bool { return !slices.Contains(c.self, f) })
	changed := len(met) < len(last.locks) || last.owned&c.owned != last.owned || c.forked && !last.forked || len(self) < len(last.self)
	last.locks, last.owned, last.forked, last.self, last.id = met, last.owned&c.owned, last.forked || c.forked, self, ""
	n := len(last.roots)
	maps.Copy(last.roots, c.roots)
	return changed || len(last.roots) > n
}

// propagate carries contexts from the roots along the calls.
func (l *linker) propagate() {
	for len(l.work) > 0 {
		key := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		delete(l.queued, key)
		fn := l.sums[key]
		if fn == nil {
			continue
		}
		for _, e := range fn.Edges {
			if e.Thread > 0 || l.sums[e.Callee] == nil {
				continue // goroutines are roots of their own
			}
			for _, c := range slices.Clone(l.contexts[key]) {
				d := &context{locks: carry(c, &e), self: receivers(c.self, &e), forked: c.forked || e.Forked, roots: maps.Clone(c.roots)}
				d.owned = e.Owned
				for i, a := range e.Args {
					if a != nil && i < 32 && passes(c, a.Key()) {
						d.owned |= 1 << i
					}
				}
				if l.enter(e.Callee, d) {
					l.push(e.Callee)
				}
			}
		}
	}
}

// receivers lists the callee's formals that are the object which those of the caller are.
func receivers(self []string, e *summary.Edge) []string {
	if len(self) == 0 {
		return nil
	}
	var out []string
	add := func(actuals []*path.Node, form string) {
		for i, a := range actuals {
			if a != nil && slices.Contains(self, a.Key()) {
				out = append(out, fmt.Sprintf(form, i))
			}
		}
	}
	add(e.Args, "$%d")
	add(e.Free, "^%d")
	add(e.Held, "^%d*")
	for i, a := range e.Free {
		if a != nil && slices.Contains(self, a.Key()+"*") { // a variable that the caller has captured itself
			out = append(out, fmt.Sprintf("^%d*", i))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *linker) push(key string) {
	if !l.queued[key] {
		l.queued[key] = true
		l.work = append(l.work, key)
	}
}

// passes reports whether the argument is part of a parameter that the context owns.
func passes(c *context, arg string) bool {
	if c.owned == 0 || len(arg) < 2 || arg[0] != '$' || strings.Contains(arg, "*") {
		return false
	}
	i := 0
	for _, d := range arg[1:] {
		if d < '0' || d > '9' {
			break
		}
		i = 10*i + int(d-'0')
	}
	return i < 32 && c.owned&(1<<i) != 0
}

// carry names the locks that are held at a call in the callee's terms.
func carry(c *context, e *summary.Edge) locks {
	held := locks{}
	for name, m := range c.locks {
		if !released(name, e.Locks.Minus) {
			held[rename(name, e)] = m
		}
	}
	for n, m := range e.Locks.Plus {
		held[rename(n.Key(), e)] = m
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

// rename writes a lock in the callee's terms: below an argument, a global, or only by its class.
func rename(name string, e *summary.Edge) string {
	if name[0] == '@' {
		return name
	}
	best, as := "", ""
	try := func(arg string, formal string) {
		if arg[0] != '?' && len(arg) > len(best) && within(name, arg) {
			best, as = arg, formal
		}
	}
	for i, a := range e.Args {
		if a != nil {
			try(a.Key(), "$"+digits(i))
		}
	}
	for i, a := range e.Free {
		if a != nil {
			try(a.Key(), "^"+digits(i))
		}
	}
	for i, a := range e.Held {
		if a != nil {
			try(a.Key(), "^"+digits(i)+"*")
		}
	}
	if as != "" {
		return as + name[len(best):]
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
	if i := strings.LastIndexByte(name, '!'); i >= 0 && name[0] != '@' {
		return name[i:]
	}
	return name
}

func digits(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return digits(i/10) + digits(i%10)
}
