package runtime

import "internal/runtime/sys"

// What each P keeps for the calls of its goroutines that leave traced code, so that most of them
// take no lock that others take: memory for a walk, and for calls under way. What was used last is
// used next, while it is in the processor's cache.

const pgPs = 256 // Ps that keep anything

// A pgFree is what is not in use, of one kind. It stands first in what it is.
type pgFree struct {
	_    sys.NotInHeap
	next *pgFree
}

// The kinds.
const (
	pgWalks = iota
	pgMissings
	pgKinds
)

// pgMost is how many of a kind a P keeps.
var pgMost = [pgKinds]uint32{pgWalks: 2, pgMissings: 8}

type pgLocal struct {
	free [pgKinds]*pgFree
	n    [pgKinds]uint32
	_    [40]byte // a line of the cache
}

var (
	pgLocals [pgPs]pgLocal
	pgShared [pgKinds]*pgFree // what no P keeps; under presage.mu
)

// pgMine returns what the running P keeps, or nil. It is the caller's until that calls a function:
// package runtime is preempted where functions begin.
func pgMine() *pgLocal {
	if p := getg().m.p.ptr(); p != nil && p.id < pgPs {
		return &pgLocals[p.id]
	}
	return nil
}

// pgReuse returns memory for one of a kind; nil: there is none.
func pgReuse(kind int) *pgFree {
	if l := pgMine(); l != nil && l.free[kind] != nil {
		x := l.free[kind]
		l.free[kind] = x.next
		l.n[kind]--
		return x
	}
	lock(&presage.mu)
	x := pgShared[kind]
	if x != nil {
		pgShared[kind] = x.next
	}
	unlock(&presage.mu)
	return x
}

// pgKeep gives it back.
func pgKeep(kind int, x *pgFree) {
	if l := pgMine(); l != nil && l.n[kind] < pgMost[kind] {
		x.next = l.free[kind]
		l.free[kind] = x
		l.n[kind]++
		return
	}
	lock(&presage.mu)
	x.next = pgShared[kind]
	pgShared[kind] = x
	unlock(&presage.mu)
}
