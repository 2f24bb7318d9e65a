package pairs

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// one reports whether a path names one lock on both sides (PA2).
func one(sum *summary.Function, l *path.Node, a, b *summary.Access, twins bool) bool {
	for n := l; n != nil; n = n.Base {
		if above(n, a.Loc) && above(n, b.Loc) {
			// it lies with the memory: if that is one, so is the lock (PA2)
			return true
		}
		if n.Kind == path.Elem && !fixed(n.Idx, twins) && !(alike(n.Idx, a.Loc) && alike(n.Idx, b.Loc)) {
			return false
		}
	}
	r := l.Root()
	made := r.Kind == path.Alloc || r.Kind == path.Result
	return !(twins && made && r.Loop && sum.Spawns[a.Thread-1].Loop)
}

// above reports whether memory lies in n, or behind loads from it.
func above(n, memory *path.Node) bool {
	for ; memory != nil; memory = memory.Base {
		if memory == n {
			return true
		}
	}
	return false
}

// fixed reports whether an index is the same number wherever it is named in the frame.
func fixed(i *path.Node, twins bool) bool {
	switch {
	case i == nil:
		return false
	case i.Kind == path.Value:
		return !i.Loop && !(twins && strings.Contains(i.Name, "@"))
	}
	return !(twins && i.Root().Loop)
}

// alike reports whether memory lies in an element with the index i: of arrays side by side, the
// lock with an index guards what has it, too.
func alike(i, memory *path.Node) bool {
	for ; memory != nil; memory = memory.Base {
		if memory.Kind == path.Elem && memory.Idx == i {
			return true
		}
	}
	return false
}

// relation is how a lock lies to memory: the steps to each from the deepest place that both have.
// No step may be to an element: which one it is would not be known.
func relation(lock, memory *path.Node) (toLock, toMemory string, ok bool) {
	above := map[*path.Node]bool{}
	for n := memory; n != nil; n = n.Base {
		above[n] = true
	}
	steps := func(n *path.Node) (string, *path.Node) {
		s := ""
		for ; n != nil && !above[n]; n = n.Base {
			if n.Kind == path.Elem {
				return "", nil
			}
			s += fmt.Sprint(n.Kind, n.Name, ".")
		}
		return s, n
	}
	toLock, meet := steps(lock)
	if meet == nil {
		return "", "", false
	}
	for n := memory; n != meet; n = n.Base {
		if n.Kind == path.Elem {
			return "", "", false
		}
		toMemory += fmt.Sprint(n.Kind, n.Name, ".")
	}
	return toLock, toMemory, true
}
