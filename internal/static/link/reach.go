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

// findReach finds what each command may reach, whatever the targets of calls through values are:
// what is called, what is a literal in the text, what is mentioned, stored or converted to an
// interface there, with its methods (LI6).
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

// example reports whether a package shows the use of others: it is not what they are for.
func example(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(dir string) bool { return dir == "example" || dir == "examples" })
}

// outside reports whether only an open world makes a root of a closed program: a call from outside,
// and what no command and no test reaches (LI6).
func (re *reach) outside(r root) bool {
	if r.kind == exported || r.kind == unknown {
		return re.inside(r.fn)
	}
	return re.inside(r.fn) && r.kind == spawned && re.by[r.fn] == 0
}

// inside reports whether a function is of a closed program.
func (re *reach) inside(fn string) bool { return re.closed && re.prog.sums[fn] != nil }

// guarded reports whether the type of both roots shows that its methods are called at once, though
// no known call of a command says so: one of the two holds a lock of the object. Either no command
// reaches the two methods (LI6), or one stands for calls whose targets are not known, beside what
// the program does itself; or both do, and both hold one lock for reading (LI6).
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

// stands reports whether a root is an exported function to which no call of a command or its
// goroutines is known to lead, and that is no main loop: it stands for calls whose targets are not
// known.
func (co *comparison) stands(r root) bool {
	return r.kind == exported && !r.main() && !slices.ContainsFunc(co.contexts.of[r.fn], func(c *context) bool { return !co.contexts.fromOutside(c) })
}

// sees reports whether calls of the processes p find what the text of the processes q makes (LI6).
func (r *reach) sees(p, q processes) bool { return !r.closed || p == 0 || p&q != 0 }

// separate reports whether the accesses are made by different processes only (LI6): each by those
// that reach both its root and its function. What a caller outside of the commands may do, any
// process may do.
func (co *comparison) separate(i, j int, a, b *site) bool {
	r, q := &co.contexts.roots[i], &co.contexts.roots[j]
	return co.reach.closed && r.in != 0 && q.in != 0 && a.in != 0 && b.in != 0 && r.in&q.in&a.in&b.in == 0
}
