package pairs

import (
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// apart reports whether a lock that both hold keeps them apart (F3): one that is the same object on
// both sides (F9).
func apart(sum *summary.Function, a, b *summary.Access) bool {
	twins := a.Thread == b.Thread && a.Thread > 0
	if lockset.Common(a.Locks.Plus, b.Locks.Plus, func(l *path.Node) bool { return one(sum, l, a, b, twins) }) != nil {
		return true
	}
	return beside(a, b)
}

// one reports whether a path names one lock on both sides (F9).
func one(sum *summary.Function, l *path.Node, a, b *summary.Access, twins bool) bool {
	for n := l; n != nil; n = n.Base {
		if above(n, a.Loc) && above(n, b.Loc) {
			// it lies with the memory: if that is one, so is the lock (F4)
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
