package link

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// makers finds the objects for which functions, not methods, start goroutines.
type makers struct {
	prog *program
	// by function and type; nil if there are several objects of the type
	made map[string]map[string]*path.Node
}

// maker finds the object for which a function that is not a method starts a goroutine: its type, ""
// if there is none, and the formals of the goroutine that are the object (LI3).
func (mk *makers) maker(k string, e *summary.Edge) (home string, formals []string) {
	if typeOf(k) != "" || strings.Contains(k, "$") || e.Thread <= 0 || mk.prog.sums[k].Spawns[e.Thread-1].Many {
		return "", nil
	}
	mk.objects(k, e, func(typ, formal string, _ *path.Node) {
		switch {
		case mk.onlyMade(k)[typ] == nil:
		case home == "":
			home, formals = typ, []string{formal}
		case home == typ:
			formals = append(formals, formal)
		default:
			home = "several"
		}
	})
	if home == "several" {
		return "", nil
	}
	return home, formals
}

// meant reports whether an object of the path to the memory, beyond a pointer in the object of the
// root, is of a type that shows concurrency (LI3).
func (co *comparison) meant(s *site) bool {
	_, beyond, _ := strings.Cut(s.self, "*")
	for i, field := range strings.Split(beyond, "!") {
		if end := strings.IndexAny(field, "*[#"); end >= 0 {
			field = field[:end]
		}
		if i > 0 && co.contexts.active[typeOf(field)] {
			return true
		}
	}
	return false
}

// objects yields each object that a goroutine may be started for: its type, the formal that it
// becomes and its path.
func (mk *makers) objects(k string, e *summary.Edge, yield func(typ, formal string, object *path.Node)) {
	if home := typeOf(e.Callee); home != "" && !strings.Contains(e.Callee, "$") {
		if len(e.Args) > 0 && e.Args[0] != nil {
			yield(home, "$0", e.Args[0])
		}
		return
	}
	if !strings.HasPrefix(e.Callee, k+"$") {
		return
	}
	for i, n := range e.Held {
		if n != nil && n.Kind == path.Alloc && len(mk.prog.methodsOf[n.Type])+len(mk.prog.methodsOf["*"+n.Type]) > 0 {
			yield(n.Type, fmt.Sprintf("^%d*", i), n)
		}
	}
}

// onlyMade finds the objects for which a function starts goroutines, by type; nil for a type with
// several.
func (mk *makers) onlyMade(k string) map[string]*path.Node {
	if m, known := mk.made[k]; known {
		return m
	}
	m := map[string]*path.Node{}
	for _, e := range mk.prog.calls(k) {
		if e.Thread <= 0 {
			continue
		}
		mk.objects(k, &e, func(typ, _ string, object *path.Node) {
			if old, seen := m[typ]; seen && (old == nil || old.Class() != object.Class() || old.Key() != object.Key()) {
				object = nil
			}
			m[typ] = object
		})
	}
	mk.made[k] = m
	return m
}
