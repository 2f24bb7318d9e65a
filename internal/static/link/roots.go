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
	apart                // what a test does after Parallel (R26)
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
	by    string    // the function with the go statement
	made  bool      // a function that is no method starts it, for an object of home (R7)
	given bool      // it is given something of the call that starts it (R8)
	rest  int       // of a test that may call Parallel: the root after that call, 0 is none
	test  int       // of that one: the root before
	in    processes // that reach it; none of a call from outside, and in an open program (R21)
}

// unreached makes roots of what only unknown calls reach (R1): the functions without callers, then,
// for cycles, one at a time. A literal of a test is taken to be called by the test.
func (l *linker) unreached(keys []string) {
	called := map[string]bool{}
	for _, k := range keys {
		for _, e := range l.calls(k) {
			if e.Callee != k {
				called[e.Callee] = true
			}
		}
	}
	for _, cycles := range []bool{false, true} {
		for _, k := range keys {
			f := l.sums[k]
			if f.Target && len(l.contexts[k]) == 0 && inTest(k) {
				l.root(root{kind: test, fn: k, home: binary(f.Pkg)}, locks{}, nil)
				l.propagate()
			}
			if f.Target && len(l.contexts[k]) == 0 && !strings.Contains(k, "$") && (cycles || !called[k]) {
				l.root(root{kind: unknown, fn: k, home: typeOf(k)}, locks{}, receiver(k))
				if cycles {
					l.propagate()
				}
			}
		}
		l.propagate()
	}
}

// receiver is the formal that is the object of a method's type.
func receiver(key string) []string {
	if typeOf(key) == "" || strings.Contains(key, "$") {
		return nil
	}
	return []string{"$0"}
}

// root enters a function as a root, with locks that are held from the start, and the formals that
// are the object of its home (R7).
func (l *linker) root(r root, held locks, self []string) { l.begin(r, held, self, nil) }

// begin enters a function as a root, by the call that starts it, if that is known.
func (l *linker) begin(r root, held locks, self []string, e *call) {
	if r.kind < exported && l.reach.closed {
		r.in = l.reach.by[r.fn]
	}
	l.roots = append(l.roots, r)
	c := &context{locks: held, until: l.pending(r, e), lent: lender(r, e), self: self, roots: []int{len(l.roots) - 1}, forked: r.kind != first && r.kind != initial}
	if r.kind == spawned && r.spawn != nil {
		c.kept, c.makers = lendTo(l.sums[r.by], e)
	}
	if l.enter(r.fn, c) {
		l.push(r.fn)
	}
}

func (l *linker) findRoots(keys []string) {
	l.findTests(keys)
	for _, k := range keys {
		f := l.sums[k]
		name := k[strings.LastIndexByte(k, '.')+1:]
		switch {
		case (name == "init" || strings.HasPrefix(name, "init#")) && typeOf(k) == "":
			l.root(root{kind: initial, fn: k}, locks{}, nil)
		case isMain(k):
			l.root(root{kind: first, fn: k}, locks{}, nil)
		case isTest(name, k):
			l.root(root{kind: test, fn: k, home: binary(f.Pkg)}, locks{}, nil)
			if mayCallParallel(f) {
				l.setApart(root{kind: apart, fn: k, home: binary(f.Pkg)})
			}
		case f.Exported && f.Target && !l.command(f.Pkg):
			l.root(root{kind: exported, fn: k, home: typeOf(k)}, locks{}, receiver(k))
		}
		for _, s := range f.Spawns {
			l.active[typeOf(k)] = l.active[typeOf(k)] || s.Via == nil
		}
		for _, h := range f.Holes {
			l.active[typeOf(k)] = l.active[typeOf(k)] || h.Go
		}
		for _, e := range l.calls(k) {
			if e.Thread == 0 || e.Test {
				continue
			}
			if e.Thread > 0 && f.Spawns[e.Thread-1].Late != nil {
				l.inTest(k, f, &e)
				continue
			}
			if e.Thread == unknownThread {
				r := root{kind: spawned, fn: e.Callee, home: typeOf(k), by: k}
				l.begin(r, locks{}, receivers(ownReceiver(k), named(&e)), named(&e))
				continue
			}
			// What the goroutine begins with is a root where its go statement stands; what it calls
			// through a value, where that is known.
			s := f.Spawns[e.Thread-1]
			begins := e.Callee == s.Func
			if begins && s.Via != nil {
				continue
			}
			// what its starter has handed over, or it has taken itself
			held := carry(&context{}, named(&e))
			r := root{kind: spawned, many: s.Many, fn: e.Callee, home: typeOf(k), spawn: s, by: k, given: given(f, &e)}
			self := receivers(ownReceiver(k), named(&e))
			if home, formals := l.maker(k, &e); home != "" {
				r.home, r.made, self = home, true, formals
			}
			l.begin(r, held, self, named(&e))
		}
		for _, e := range f.Exits {
			for lock := range e.Locks.Plus {
				l.active[typeOf(lock.Class())] = true
			}
		}
		for _, a := range f.Accesses {
			for lock := range a.Locks.Plus {
				if a.Via == nil {
					l.active[typeOf(lock.Class())] = true
				}
			}
		}
	}
}

// entries makes roots of what libraries call for requests and events (M4 of package model).
func (l *linker) entries() {
	for _, e := range model.Entries {
		handlers, _ := l.sources(e.Place, 0, math.MaxInt)
		for _, f := range handlers {
			for _, key := range l.functions(f, e.Method, 0, 0) {
				l.entry(key, e.Many)
			}
		}
	}
	for _, place := range slices.Sorted(maps.Keys(l.flows)) {
		register, ok := model.Service(place)
		if !ok || l.sums[register] == nil {
			continue
		}
		servers, _ := l.sources(place, 0, math.MaxInt)
		for _, f := range servers {
			for _, method := range l.flows[place+summary.Methods] {
				if token.IsExported(method.from) {
					for _, key := range l.functions(f, method.from, 0, 0) {
						l.entry(key, true)
					}
				}
			}
		}
	}
}

// entry makes a root of a function that a library calls.
func (l *linker) entry(key string, many bool) {
	key = strings.TrimSuffix(key, boundSuffix)
	l.root(root{kind: spawned, many: many, fn: key, home: typeOf(key), by: key}, locks{}, ownReceiver(key))
}

// several reports whether more than one goroutine of a root may run at once on one object (R8).
func (l *linker) several(i int) bool {
	r := l.roots[i]
	if r.many || r.kind != spawned || !r.given {
		return r.many
	}
	for _, c := range l.contexts[r.by] {
		if len(c.locks) == 0 && len(r.spawn.Locks.Plus) == 0 {
			continue
		}
		for _, j := range c.roots {
			if q := l.roots[j]; q.kind >= exported || q.many {
				return true
			}
		}
	}
	return false
}

// each reports whether objects of the root's home each have a goroutine of it, and a caller may
// make several (R8).
func (l *linker) each(i int) bool {
	r := l.roots[i]
	if r.kind != spawned || !l.active[r.home] {
		return false
	}
	for _, c := range l.contexts[r.by] {
		for _, j := range c.roots {
			if l.roots[j].kind >= exported {
				return true
			}
		}
	}
	return false
}

// ownReceiver lists the formals of a function that are the receiver of the method in whose text it
// stands.
func ownReceiver(key string) []string {
	if typeOf(key) == "" {
		return nil
	}
	if !strings.Contains(key, "$") {
		return []string{"$0"}
	}
	return nil
}

// given reports whether a goroutine is given an argument of the call that starts it, other than its
// receiver and what only ends the goroutine or waits for it (R8).
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

// main reports whether the root is, by its name, the main loop of its object, called once (R15).
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

// hidden reports whether only unknown calls reach the root, and from inside: nothing shows which
// goroutines these are, nor whether the object was shared before (R11).
func (l *linker) hidden(r root) bool {
	name := r.fn[strings.LastIndexByte(r.fn, '.')+1:]
	return r.kind == unknown && (!ast.IsExported(name) || l.commanded[r.fn] != 0)
}

func isTest(name, key string) bool {
	for _, p := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, p) && key[0] != '(' && !strings.Contains(name, "$") {
			return true
		}
	}
	return false
}

// inTest reports whether the function is a literal in the text of a test.
func inTest(key string) bool {
	name, _, literal := strings.Cut(key[strings.LastIndexByte(key, '.')+1:], "$")
	return literal && isTest(name, key[:strings.LastIndexByte(key, '.')+1]+name)
}

// typeOf is the type in the key of a method or field, "" of a function.
func typeOf(key string) string {
	k := strings.TrimLeft(key, "(*")
	if i := strings.LastIndexByte(k, '.'); i >= 0 {
		k = strings.TrimSuffix(k[:i], ")")
	}
	slash := strings.LastIndexByte(k, '/')
	if !strings.Contains(k[slash+1:], ".") {
		return ""
	}
	return k
}
