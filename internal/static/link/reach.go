package link

import (
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
	prog      *program
	by        map[string]processes
	closed    bool                 // the commands are what the packages are for (LI6)
	commanded map[string]processes // functions that commands of the program call
}

func newReach(prog *program, keys []string) *reach {
	re := &reach{prog: prog}
	re.findReach(keys)
	return re
}

// findReach finds the functions that each command may reach, whatever the targets of calls through
// values are (LI6). A function reaches what it calls, the literals in its text, and what it
// mentions, stores or converts to an interface, with the methods.
func (re *reach) findReach(keys []string) {
	from := map[string]processes{}
	n := 0
	for _, k := range keys {
		f := re.prog.sums[k]
		switch p := processes(1) << min(n, maxCommands-1); {
		case !f.Target:
		case isMain(k) && !example(f.Pkg):
			from[k], from[f.Pkg+".init"] = p, p
			n++
		case isTest(k[strings.LastIndexByte(k, '.')+1:], k):
			from[k], from[f.Pkg+".init"] = tested, from[f.Pkg+".init"]|tested
		}
	}
	calls := func(key string) []summary.Edge { return re.prog.sums[key].Edges }
	re.by = re.prog.closure(from, calls, func(f summary.Flow) bool { return !strings.HasPrefix(f.To, summary.Offered) })
	re.closed = n > 0 && re.most(keys)
}

// most reports whether the commands reach most exported functions of the packages named (LI6).
func (re *reach) most(keys []string) bool {
	all, reached := 0, 0
	for _, k := range keys {
		if f := re.prog.sums[k]; f.Target && f.Exported && !f.Whole && !re.prog.command(f.Pkg) && !example(f.Pkg) {
			all++
			if re.by[k].commands() != 0 {
				reached++
			}
		}
	}
	return 3*reached >= 2*all
}

// example reports whether a package is an example: a command that only shows the use of others.
func example(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(dir string) bool { return dir == "example" || dir == "examples" })
}

// outside reports whether a root of a closed program is one only in an open world: it is called
// from outside, or no command and no test reaches it (LI6).
func (re *reach) outside(r root) bool {
	if r.kind == exported || r.kind == unknown {
		return re.inside(r.fn)
	}
	return re.inside(r.fn) && r.kind == spawned && re.by[r.fn] == 0
}

// inside reports whether a function is of a closed program.
func (re *reach) inside(fn string) bool { return re.closed && re.prog.sums[fn] != nil }

// guarded reports whether the type of both roots shows that its methods are called at once, though
// no known call of a command does so (LI6). One of the two must hold a lock of the object. Further,
// no command reaches either method; or one method represents unknown calls, and the other root
// belongs to the program; or both represent unknown calls, and both hold one lock for reading.
func (co *comparison) guarded(r, q root, a, b *site) bool {
	unreached := func(r root) bool { return r.kind == exported && co.reach.by[r.fn].commands() == 0 }
	if r.home == "" || r.home != q.home {
		return false
	}
	switch s, t := co.stands(r), co.stands(q); {
	case unreached(r) && unreached(q), s && !co.reach.outside(q), t && !co.reach.outside(r), s && t && reading(a, b):
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

// stands reports whether a root represents calls with unknown targets: it is an exported function
// and no main loop, and no known call of a command or its goroutines leads to it.
func (co *comparison) stands(r root) bool {
	return r.kind == exported && !r.main() && !slices.ContainsFunc(co.contexts.of[r.fn], func(c *context) bool { return !co.contexts.fromOutside(c) })
}

// sees reports whether calls of the commands p resolve to values that the text of the commands q
// makes (LI6).
func (r *reach) sees(p, q processes) bool { return !r.closed || p == 0 || p&q != 0 }

// separate reports whether only different commands make the accesses (LI6): a command makes an
// access if it reaches its root and its function. Any command may be the caller from outside.
func (co *comparison) separate(i, j int, a, b *site) bool {
	r, q := &co.contexts.roots[i], &co.contexts.roots[j]
	return co.reach.closed && r.in != 0 && q.in != 0 && a.in != 0 && b.in != 0 && r.in&q.in&a.in&b.in == 0
}
