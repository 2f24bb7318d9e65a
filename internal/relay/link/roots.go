package link

import (
	"strings"

	"presage/internal/relay/summary"
)

// kind of a root.
type kind int

const (
	initial  kind = iota // package initialisation
	first                // main
	test                 // tests, one after the other
	spawned              // a goroutine
	exported             // called from outside
)

func (k kind) String() string {
	return [...]string{"init", "main", "test", "goroutine", "exported"}[k]
}

// root is where a goroutine begins.
type root struct {
	kind  kind
	many  bool
	fn    string
	home  string // the type or function that starts it
	spawn *summary.Spawn
}

// unreached makes roots of what only unknown calls reach (R1): the functions without callers, then, for cycles, one at a time.
func (l *linker) unreached(keys []string) {
	called := map[string]bool{}
	for _, k := range keys {
		for _, e := range l.sums[k].Edges {
			if e.Callee != k {
				called[e.Callee] = true
			}
		}
	}
	for _, cycles := range []bool{false, true} {
		for _, k := range keys {
			f := l.sums[k]
			if f.Target && len(l.contexts[k]) == 0 && !strings.Contains(k, "$") && (cycles || !called[k]) {
				l.root(root{kind: exported, fn: k, home: typeOf(k)}, locks{})
				if cycles {
					l.propagate()
				}
			}
		}
		l.propagate()
	}
}

// root enters a function as a root, with locks that are held from the start.
func (l *linker) root(r root, held locks) {
	l.roots = append(l.roots, r)
	c := &context{locks: held, roots: map[int]bool{len(l.roots) - 1: true}, forked: r.kind != first && r.kind != initial}
	if l.enter(r.fn, c) {
		l.push(r.fn)
	}
}

func (l *linker) findRoots(keys []string) {
	for _, k := range keys {
		f := l.sums[k]
		name := k[strings.LastIndexByte(k, '.')+1:]
		switch {
		case name == "init" || strings.HasPrefix(name, "init#"):
			l.root(root{kind: initial, fn: k}, locks{})
		case name == "main" && typeOf(k) == "":
			l.root(root{kind: first, fn: k}, locks{})
		case isTest(name, k):
			l.root(root{kind: test, fn: k}, locks{})
		case f.Exported && f.Target && !strings.HasPrefix(k, "main."):
			l.root(root{kind: exported, fn: k, home: typeOf(k)}, locks{})
		}
		for _, s := range f.Spawns {
			l.active[typeOf(k)] = l.active[typeOf(k)] || s.Via == nil
		}
		for _, e := range f.Edges {
			if e.Thread == 0 {
				continue
			}
			// What the goroutine begins with is a root where its go statement stands; what it calls through a value, where that is known.
			s := f.Spawns[e.Thread-1]
			begins := e.Callee == s.Func
			if begins && s.Via != nil {
				continue
			}
			held := locks{}
			if !begins {
				held = carry(&context{}, &e)
			}
			l.root(root{kind: spawned, many: s.Many, fn: e.Callee, home: typeOf(k), spawn: s}, held)
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

func isTest(name, key string) bool {
	for _, p := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, p) && !strings.HasPrefix(key, "(") {
			return true
		}
	}
	return false
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
