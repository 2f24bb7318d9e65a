package link

import (
	"go/ast"
	"go/token"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// kind of a root.
type kind int

const (
	initial  kind = iota // package initialisation
	first                // main
	test                 // tests, one after the other
	apart                // what a test does after Parallel (LI8)
	spawned              // a goroutine
	exported             // called from outside
	unknown              // called by unknown calls only
)

func (k kind) String() string {
	return [...]string{"init", "main", "test", "parallel", "goroutine", "exported", "unknown"}[k]
}

// root is where a goroutine begins.
type root struct {
	kind  kind
	many  bool
	fn    string
	home  string // the type or function that starts it
	spawn *summary.Spawn
	by    string // the function with the go statement
	made  bool   // a function that is not a method starts it, for an object of home (LI3)
	given bool   // it has an argument of the call that starts it (LI1)
	// of a test that may call Parallel: the root of what follows that call; 0 is none
	rest int
	test int // of such a root: the root of what precedes the call
	// the commands that reach it; none for a call from outside, and in an open program (LI6)
	in processes
}

// rootFinder makes the roots, and enters them into the table of contexts.
type rootFinder struct {
	prog     *program
	reach    *reach
	resolver *resolver
	contexts *contextTable
	waiting  *waiting
	carrier  *carrier
	makers   *makers
	// of a statement that runs a test: the root of what the test does after Parallel
	tests map[string]int
	// functions of internal packages whose callers are known (LI1)
	within map[string]bool
	// of a literal: the captured variables that no loop makes anew, a bit each
	same map[string]uint32
}

func newRootFinder(prog *program, re *reach, rs *resolver, ct *contextTable, wt *waiting, ca *carrier) *rootFinder {
	return &rootFinder{prog: prog, reach: re, resolver: rs, contexts: ct, waiting: wt, carrier: ca,
		makers: &makers{prog: prog, made: map[string]map[string]*path.Node{}}, tests: map[string]int{}, same: map[string]uint32{}}
}

// unreached makes roots of functions that only unknown calls reach (LI1): first those without
// callers, then one function of each cycle. A literal of a test is taken to be called by the test.
// Other literals are roots if they are stored or become a named function type: what is only passed
// to an unknown call is likely called by that.
func (fi *rootFinder) unreached(keys []string) {
	called, specialised := map[string]bool{}, map[string]bool{}
	for _, k := range keys {
		for _, e := range fi.prog.calls(k) {
			if g := summary.General(e.Callee); g != k {
				called[g] = true
				specialised[g] = specialised[g] || g != e.Callee
			}
		}
	}
	stored := fi.resolver.stored()
	for _, k := range keys {
		if f := fi.prog.sums[k]; f.Target && len(fi.contexts.of[k]) == 0 && stored[k] && strings.Contains(k, "$") && !inTest(k) {
			fi.root(root{kind: unknown, fn: k}, locks{}, nil)
		}
	}
	fi.carrier.propagate()
	// what calls with known values enter has their contexts, and not those of the function
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return specialised[k] || summary.General(k) != k })
	for _, cycles := range []bool{false, true} {
		for _, k := range keys {
			f := fi.prog.sums[k]
			if f.Target && len(fi.contexts.of[k]) == 0 && inTest(k) {
				fi.root(root{kind: test, fn: k, home: binary(f.Pkg)}, locks{}, nil)
				fi.carrier.propagate()
			}
			if f.Target && len(fi.contexts.of[k]) == 0 && !strings.Contains(k, "$") && (cycles || !called[k]) {
				fi.root(root{kind: unknown, fn: k, home: typeOf(k)}, locks{}, receiver(k))
				if cycles {
					fi.carrier.propagate()
				}
			}
		}
		fi.carrier.propagate()
	}
}

// root enters a function as a root. It holds locks from the start; self are the formals that are
// the object of its home (LI3).
func (fi *rootFinder) root(r root, held locks, self []string) { fi.begin(r, held, self, nil) }

// begin enters a function as a root. e is the call that starts it, nil if that is unknown.
func (fi *rootFinder) begin(r root, held locks, self []string, e *call) {
	if r.kind < exported && fi.reach.closed {
		r.in = fi.reach.by[r.fn]
	}
	fi.contexts.roots = append(fi.contexts.roots, r)
	c := &context{locks: held, until: fi.waiting.pending(r, e), lent: lender(r, e), self: self, roots: []int{len(fi.contexts.roots) - 1}, forked: r.kind != first && r.kind != initial}
	if r.kind == spawned && r.spawn != nil {
		c.kept, c.makers = lendTo(fi.prog.sums[r.by], e)
	}
	if fi.contexts.enter(r.fn, c) {
		fi.carrier.work.push(r.fn)
	}
}

func (fi *rootFinder) findRoots(keys []string) {
	fi.findTests(keys)
	fi.within = fi.prog.within(keys)
	for _, k := range keys {
		f := fi.prog.sums[k]
		fi.enters(k, f)
		fi.starts(k, f)
		fi.shows(k, f)
	}
}

// enters makes a root of a function that a goroutine without a go statement in the program begins
// with.
func (fi *rootFinder) enters(k string, f *summary.Function) {
	name := k[strings.LastIndexByte(k, '.')+1:]
	switch {
	case (name == "init" || strings.HasPrefix(name, "init#")) && typeOf(k) == "":
		fi.root(root{kind: initial, fn: k}, locks{}, nil)
	case isMain(k):
		fi.root(root{kind: first, fn: k}, locks{}, nil)
	case isTest(name, k):
		fi.root(root{kind: test, fn: k, home: binary(f.Pkg)}, locks{}, nil)
		if mayCallParallel(f) {
			fi.setApart(root{kind: apart, fn: k, home: binary(f.Pkg)})
		}
	case f.Exported && f.Target && !fi.prog.command(f.Pkg) && !fi.within[k]:
		fi.root(root{kind: exported, fn: k, home: typeOf(k)}, locks{}, receiver(k))
	}
}

// starts makes roots of the goroutines that a function starts.
func (fi *rootFinder) starts(k string, f *summary.Function) {
	for _, e := range fi.prog.calls(k) {
		if e.Thread == 0 || e.Test {
			continue
		}
		if e.Thread > 0 && f.Spawns[e.Thread-1].Late != nil {
			fi.inTest(k, f, &e)
			continue
		}
		if e.Thread == unknownThread {
			r := root{kind: spawned, fn: e.Callee, home: typeOf(k), by: k}
			fi.begin(r, locks{}, receivers(ownReceiver(k), named(&e)), named(&e))
			continue
		}
		// The function that a goroutine begins with is a root in the function with the go
		// statement. A function that it calls through a value is one where that is known.
		s := f.Spawns[e.Thread-1]
		begins := e.Callee == s.Func
		if begins && s.Via != nil {
			continue
		}
		// locks that its starter has handed over, or that it has taken itself
		held := carry(&context{}, named(&e))
		r := root{kind: spawned, many: s.Many, fn: e.Callee, home: typeOf(k), spawn: s, by: k, given: given(f, &e)}
		self := receivers(ownReceiver(k), named(&e))
		if home, formals := fi.makers.maker(k, &e); home != "" {
			r.home, r.made, self = home, true, formals
		}
		fi.begin(r, held, self, named(&e))
	}
}

// shows notes the types that a function shows to be meant for several goroutines: its own, if it
// starts goroutines, and those with a lock that it holds.
func (fi *rootFinder) shows(k string, f *summary.Function) {
	for _, s := range f.Spawns {
		fi.contexts.active[typeOf(k)] = fi.contexts.active[typeOf(k)] || s.Via == nil
	}
	for _, h := range f.Holes {
		fi.contexts.active[typeOf(k)] = fi.contexts.active[typeOf(k)] || h.Go
	}
	for _, e := range f.Exits {
		for lock := range e.Locks.Plus {
			fi.contexts.active[typeOf(lock.Class())] = true
		}
	}
	for _, a := range f.Accesses {
		for lock := range a.Locks.Plus {
			if a.Via == nil {
				fi.contexts.active[typeOf(lock.Class())] = true
			}
			if a.Thread == 0 && ofReceiver(k, lock) {
				fi.contexts.locking[k] = true
			}
		}
	}
}

// ofReceiver reports whether a lock is a field of the receiver of a method.
func ofReceiver(method string, lock *path.Node) bool {
	home, r := typeOf(method), lock.Root()
	return home != "" && r.Kind == path.Param && r.Index == 0 && typeOf(lock.Class()) == home && !strings.Contains(method, "$")
}

// entries makes roots of the functions that libraries call for requests and events (package model).
func (fi *rootFinder) entries() {
	for _, e := range model.Entries {
		handlers, _ := fi.resolver.sources(e.Place, 0, math.MaxInt)
		for _, f := range handlers {
			for _, key := range fi.resolver.functions(f, e.Method, 0, 0) {
				fi.entry(key, e.Many)
			}
		}
	}
	for _, place := range slices.Sorted(maps.Keys(fi.resolver.flows)) {
		register, ok := model.Service(place)
		if !ok || fi.prog.sums[register] == nil {
			continue
		}
		servers, _ := fi.resolver.sources(place, 0, math.MaxInt)
		for _, f := range servers {
			for _, method := range fi.resolver.flows[place+summary.Methods] {
				if token.IsExported(method.from) {
					for _, key := range fi.resolver.functions(f, method.from, 0, 0) {
						fi.entry(key, true)
					}
				}
			}
		}
	}
}

// entry makes a root of a function that a library calls.
func (fi *rootFinder) entry(key string, many bool) {
	key = strings.TrimSuffix(key, boundSuffix)
	fi.root(root{kind: spawned, many: many, fn: key, home: typeOf(key), by: key}, locks{}, ownReceiver(key))
}

// several reports whether more than one goroutine of a root may run at once on one object (LI1).
func (co *comparison) several(i int) bool {
	r := co.contexts.roots[i]
	if r.many || r.kind != spawned || !r.given {
		return r.many
	}
	for _, c := range co.contexts.of[r.by] {
		if len(c.locks) == 0 && len(r.spawn.Locks.Plus) == 0 {
			continue
		}
		for _, j := range c.roots {
			if q := co.contexts.roots[j]; q.kind >= exported || q.many {
				return true
			}
		}
	}
	return false
}

// each reports whether objects of the root's home each have a goroutine of it, and a caller may
// make several (LI1).
func (co *comparison) each(i int) bool {
	r := co.contexts.roots[i]
	if r.kind != spawned || !co.contexts.active[r.home] {
		return false
	}
	for _, c := range co.contexts.of[r.by] {
		for _, j := range c.roots {
			if co.contexts.roots[j].kind >= exported {
				return true
			}
		}
	}
	return false
}

// given reports whether a goroutine has an argument of the call that starts it. The receiver does
// not count, nor does an argument that only ends the goroutine or waits for it (LI1).
func given(f *summary.Function, e *summary.Edge) bool {
	method := typeOf(f.Key) != ""
	argument := func(n *path.Node) bool {
		switch r := n.Root(); r.Kind {
		case path.Param:
			return (r.Index > 0 || !method) && !control(r.Type)
		case path.Alloc: // the cell of an argument that a closure captures
			label, _, _ := strings.Cut(r.Name, "#")
			i := slices.Index(f.Names.Params, label)
			return n == r && i >= 0 && (i > 0 || !method) && !control(r.Type)
		}
		return false
	}
	return slices.ContainsFunc(slices.Concat(e.Args, e.Free), func(n *path.Node) bool { return n != nil && argument(n) })
}

// control reports whether values of the type end a goroutine or wait for it.
func control(typ string) bool {
	return typ == "context.Context" || typ == "sync.WaitGroup" || strings.Contains(typ, "chan ")
}

// main reports whether the root is, by its name, the main loop of its object, called once (LI1).
func (r root) main() bool {
	if r.kind < exported || r.home == "" {
		return false
	}
	name := r.fn[strings.LastIndexByte(r.fn, '.')+1:]
	for _, p := range []string{"Run", "Start", "Serve", "Listen"} {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || !unicode.IsLower(rune(rest[0]))) {
			return true
		}
	}
	return false
}

// hidden reports whether only unknown calls inside the program reach the root. Nothing shows which
// goroutines these are, nor whether the object was shared before (LI1).
func (co *comparison) hidden(r root) bool {
	name := r.fn[strings.LastIndexByte(r.fn, '.')+1:]
	return r.kind == unknown && (!ast.IsExported(name) || co.reach.commanded[r.fn] != 0)
}

// findCommanded finds the functions that known calls of the commands lead to, and the methods of
// types that the commands convert to interfaces with methods (LI6).
func (fi *rootFinder) findCommanded(keys []string) {
	from := map[string]processes{}
	for _, r := range fi.contexts.roots {
		if f := fi.prog.sums[r.fn]; r.kind == first && f.Target && !example(f.Pkg) {
			from[r.fn] = 1
		}
	}
	blank := func(f summary.Flow) bool {
		return f.To == "" || f.To == "any" || f.To == "interface{}" || f.To == "error" || strings.HasPrefix(f.To, summary.Offered)
	}
	fi.reach.commanded = fi.prog.closure(from, fi.prog.calls, func(f summary.Flow) bool { return !blank(f) })
}
