package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/summary"
)

// processes is a set of the commands of the program, by number: each runs as a process of its own.
// Those beyond maxCommands share one number. The tests are one more.
type processes uint64

const (
	maxCommands = 62
	tested      = processes(1) << maxCommands
)

// commands is the set without the tests.
func (p processes) commands() processes { return p &^ tested }

// reach says which commands reach a function, directly or not.
type reach struct {
	by     map[string]processes
	closed bool // the commands are what the packages are for (R20)
}

// findReach finds what each command may reach, whatever the targets of calls through values are:
// what is called, what is a literal in the text, what is mentioned, stored or converted to an
// interface there, with its methods (R20, R21).
func (l *linker) findReach(keys []string) {
	l.literals, l.methodsOf = members(keys)
	from := map[string]processes{}
	n := 0
	for _, k := range keys {
		f := l.sums[k]
		switch p := processes(1) << min(n, maxCommands-1); {
		case !f.Target:
		case isMain(k) && !example(f.Pkg):
			from[k], from[f.Pkg+".init"] = p, p
			n++
		case isTest(k[strings.LastIndexByte(k, '.')+1:], k):
			from[k], from[f.Pkg+".init"] = tested, from[f.Pkg+".init"]|tested
		}
	}
	calls := func(key string) []summary.Edge { return l.sums[key].Edges }
	l.reach = &reach{by: l.closure(from, calls, func(f summary.Flow) bool { return !strings.HasPrefix(f.To, summary.Offered) })}
	l.reach.closed = n > 0 && l.most(keys)
}

// findCommanded finds what the commands of the program certainly call, as far as calls are known,
// and the methods of what they convert to interfaces with methods (R17).
func (l *linker) findCommanded(keys []string) {
	from := map[string]processes{}
	for _, r := range l.roots {
		if f := l.sums[r.fn]; r.kind == first && f.Target && !example(f.Pkg) {
			from[r.fn] = 1
		}
	}
	blank := func(f summary.Flow) bool {
		return f.To == "" || f.To == "any" || f.To == "interface{}" || f.To == "error" || strings.HasPrefix(f.To, summary.Offered)
	}
	l.commanded = l.closure(from, l.calls, func(f summary.Flow) bool { return !blank(f) })
}

// closure follows calls, literals and the flows that count.
func (l *linker) closure(from map[string]processes, calls func(key string) []summary.Edge, counts func(summary.Flow) bool) map[string]processes {
	by := map[string]processes{}
	var work []string
	reach := func(p processes, keys ...string) {
		for _, k := range keys {
			if old := by[k]; old|p != old && l.sums[k] != nil {
				by[k] = old | p
				work = append(work, k)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(from)) {
		reach(from[k], k)
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		p := by[key]
		l.leadsTo(key, calls, counts, func(keys ...string) { reach(p, keys...) })
	}
	return by
}

// leadsTo goes through what a function calls, the literals in its text, and the functions of the
// flows that count.
func (l *linker) leadsTo(key string, calls func(key string) []summary.Edge, counts func(summary.Flow) bool, reach func(keys ...string)) {
	for _, e := range calls(key) {
		reach(e.Callee)
	}
	reach(l.literals[key]...)
	for _, flow := range l.sums[key].Flows {
		if counts(flow) {
			reach(flow.From, strings.TrimSuffix(flow.From, boundSuffix))
			reach(l.methodsOf[flow.From]...)
			reach(l.methodsOf[strings.TrimPrefix(flow.From, "*")]...)
		}
	}
}

// members lists the literals in the text of functions, and the methods of types.
func members(keys []string) (literals, methods map[string][]string) {
	literals, methods = map[string][]string{}, map[string][]string{}
	for _, k := range keys {
		if i := strings.LastIndexByte(k, '$'); i > 0 {
			literals[k[:i]] = append(literals[k[:i]], k)
		} else if i := strings.LastIndex(k, ")."); i > 0 && k[0] == '(' {
			typ, _, _ := strings.Cut(k[1:i], "[")
			methods[typ] = append(methods[typ], k)
		}
	}
	return literals, methods
}

// parameters finds the type parameters of generic types, as they stand in the keys of their
// methods: flows name the types without them.
func parameters(keys []string) map[string]string {
	out := map[string]string{}
	for _, k := range keys {
		if i := strings.LastIndex(k, "])."); i > 0 && k[0] == '(' {
			name, params, _ := strings.Cut(k[1:i], "[")
			out[strings.TrimPrefix(name, "*")] = "[" + params + "]"
		}
	}
	return out
}

// most reports whether the commands reach most exported functions of the packages named (R20).
func (l *linker) most(keys []string) bool {
	all, reached := 0, 0
	for _, k := range keys {
		if f := l.sums[k]; f.Target && f.Exported && !f.Whole && !l.command(f.Pkg) && !example(f.Pkg) {
			all++
			if l.reach.by[k].commands() != 0 {
				reached++
			}
		}
	}
	return 3*reached >= 2*all
}

// example reports whether a package shows the use of others: it is not what they are for.
func example(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(dir string) bool { return dir == "example" || dir == "examples" })
}

// isMain reports whether the function is the main of a command, or one that is named so.
func isMain(key string) bool { return strings.HasSuffix(key, ".main") && typeOf(key) == "" }

// command reports whether a package is a command: nobody imports it.
func (l *linker) command(pkg string) bool { return l.sums[pkg+".main"] != nil }

// outside reports whether only an open world makes a root of a closed program: a call from outside,
// and what no command and no test reaches (R20).
func (l *linker) outside(r root) bool {
	if r.kind == exported || r.kind == unknown {
		return l.inside(r.fn)
	}
	return l.inside(r.fn) && r.kind == spawned && l.reach.by[r.fn] == 0
}

// inside reports whether a function is of a closed program.
func (l *linker) inside(fn string) bool { return l.reach.closed && l.sums[fn] != nil }

// guarded reports whether the type of both roots shows that its methods are called at once, though
// no known call of a command says so: one of the two holds a lock of the object. Either no command
// reaches the two methods (R20), or one stands for calls whose targets are not known, beside what
// the program does itself; or both do, and both hold one lock for reading (R17).
func (l *linker) guarded(r, q root, a, b *site) bool {
	unreached := func(r root) bool { return r.kind == exported && l.reach.by[r.fn].commands() == 0 }
	if r.home == "" || r.home != q.home {
		return false
	}
	switch s, t := l.stands(r), l.stands(q); {
	case unreached(r) && unreached(q), s && !l.outside(q), t && !l.outside(r), s && t && reading(a, b):
	default:
		return false
	}
	own := func(s *site) bool {
		for lock := range s.locks {
			if lock[0] != '@' && lock[0] != '?' && s.beside(lock) {
				return true
			}
		}
		return false
	}
	return own(a) || own(b)
}

// stands reports whether a root is an exported function to which no call of a command or its
// goroutines is known to lead, and that is no main loop: it stands for calls whose targets are not
// known.
func (l *linker) stands(r root) bool {
	return r.kind == exported && !r.main() && !slices.ContainsFunc(l.contexts[r.fn], func(c *context) bool { return !l.fromOutside(c) })
}

// sees reports whether calls of the processes p find what the text of the processes q makes (R20).
func (r *reach) sees(p, q processes) bool { return !r.closed || p == 0 || p&q != 0 }

// separate reports whether the accesses are made by different processes only (R21): each by those
// that reach both its root and its function. What a caller outside of the commands may do, any
// process may do.
func (l *linker) separate(i, j int, a, b *site) bool {
	r, q := &l.roots[i], &l.roots[j]
	return l.reach.closed && r.in != 0 && q.in != 0 && a.in != 0 && b.in != 0 && r.in&q.in&a.in&b.in == 0
}
