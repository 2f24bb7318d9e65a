package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

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

// actuals yields the arguments of the call, each with the formal that it becomes.
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

func parseOwn(s string) own {
	rest, steps, _ := strings.Cut(s, "\t")
	if i := strings.IndexByte(rest, ' '); i >= 0 {
		return own{rest[:i], rest[i:], steps}
	}
	return own{rest, "", steps}
}

func (o own) String() string {
	if o.steps == "" {
		return o.formal + o.label
	}
	return o.formal + o.label + "\t" + o.steps
}

// maxBelow bounds the fields from a root's object to a formal that is known to lie below it.
const maxBelow = 3

// receivers lists the callee's formals that are the object which those of the caller are, or lie
// below it (LI3).
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

// passed is what the callee owns: arguments that the call shows to be owned, and parts of what its
// caller owns.
func passed(c *context, e *call) summary.Owned {
	own := e.Owned
	if c.owned == (summary.Owned{}) {
		return own
	}
	e.mark(&own, func(actual string) bool { return passes(c, actual) })
	return own
}

// passes reports whether the path is part of what the context owns (LI5).
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

// rename writes a lock in the callee's terms: below an argument, a global, above an argument (LI4),
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
