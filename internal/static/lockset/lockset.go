// Package lockset holds relative locksets: the locks taken and released since a function was
// entered.
//
// # What it computes
//
// The pair (L+, L−) of RELAY (Voung, Jhala, Lerner, ESEC/FSE 2007, section 3.2), with the modes
// that Go's locks have. Locks are paths of package path.
//
//   - (RL1) L+ is a must set: the locks that are held on every path from the entry, each with its
//     mode. L− is a may set: the locks that may have been released on some path.
//   - (RL2) Join: (L+ ∩ L'+, L− ∪ L'−); a lock that is held in two modes is held in the weaker one.
//     Call: ((L+ ∪ L'+) − L'−, (L− ∪ L'−) − L'+), Figure 3. A lock that is taken and released for
//     reading may be held for reading by the caller too: it is in L− only if it was in L− when it
//     was taken. So a lock taken for reading stays in L−; while it is in L+ as well, it is held.
//   - (RL3) Two accesses exclude each other if a lock is in both L+ and one of them holds it in
//     mode Write. The lock of a Choice does not count: two goroutines may have chosen differently.
//
// Sets are immutable: every operation returns a set that may share memory with its operands.
package lockset

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
)

// Mode is how a lock is held.
type Mode uint8

const (
	Read  Mode = 1
	Write Mode = 2
)

func (m Mode) String() string {
	if m == Read {
		return "rlock"
	}
	return "lock"
}

// Held is a lock that is held, by the key of its path.
type Held struct {
	Key  string
	Mode Mode
}

// Set is a set of locks with modes.
type Set map[*path.Node]Mode

// Relative is a relative lockset. The zero value is that of a function's entry.
type Relative struct{ Plus, Minus Set }

// Acquire adds a lock.
func (r Relative) Acquire(l *path.Node, m Mode) Relative {
	if m == Read {
		return Relative{union(r.Plus, Set{l: m}), r.Minus} // (RL2)
	}
	return r.Then(Relative{Plus: Set{l: m}})
}

// Release removes a lock.
func (r Relative) Release(l *path.Node) Relative {
	return r.Then(Relative{Minus: Set{l: Write}})
}

// ReleaseRead gives up a lock that was taken for reading (RL2).
func (r Relative) ReleaseRead(l *path.Node) Relative {
	if r.Plus[l] == Read {
		return Relative{without(r.Plus, Set{l: Read}), r.Minus}
	}
	return r.Release(l)
}

// Then is the set after a call whose effect is e (RL2).
func (r Relative) Then(e Relative) Relative {
	if len(e.Plus) == 0 && len(e.Minus) == 0 {
		return r
	}
	return Relative{union(without(r.Plus, e.Minus), e.Plus), without(union(r.Minus, e.Minus), e.Plus)}
}

// Join is the set where two branches join (RL2). A lock that one branch has taken again, and the
// other has not taken, is as before on both.
func (r Relative) Join(o Relative) Relative {
	plus := intersect(r.Plus, o.Plus)
	return Relative{plus, union(r.gone(plus), o.gone(plus))}
}

// gone is what is released and not taken again, except the locks that both branches hold.
func (r Relative) gone(both Set) Set { return without(r.Minus, without(r.Plus, both)) }

// Close takes back a release that was made up for; m is the mode in which the lock was held before,
// 0 if it was not taken here.
func (r Relative) Close(l *path.Node, m Mode) Relative {
	r.Minus = without(r.Minus, Set{l: Write})
	if m > 0 {
		r.Plus = union(r.Plus, Set{l: m})
	}
	return r
}

// Equal reports whether the sets are the same.
func (r Relative) Equal(o Relative) bool {
	return maps.Equal(r.Plus, o.Plus) && maps.Equal(r.Minus, o.Minus)
}

// Both is the intersection, in the weaker modes.
func (s Set) Both(o Set) Set { return intersect(s, o) }

func union(a, b Set) Set {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	u := maps.Clone(a)
	for l, m := range b {
		u[l] = max(u[l], m)
	}
	return u
}

func without(a, b Set) Set {
	cut := false
	for l := range b {
		_, in := a[l]
		cut = cut || in
	}
	if !cut {
		return a
	}
	d := Set{}
	for l, m := range a {
		if _, in := b[l]; !in {
			d[l] = m
		}
	}
	return d
}

func intersect(a, b Set) Set {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	var c Set
	for l, m := range a {
		if n, in := b[l]; in {
			if c == nil {
				c = Set{}
			}
			c[l] = min(m, n)
		}
	}
	return c
}

// Common returns a lock that keeps accesses with these sets apart (RL3), nil if there is none. one
// says whether a path names one lock on both sides.
func Common(a, b Set, one func(*path.Node) bool) *path.Node {
	var found *path.Node
	for l, m := range a {
		if n, in := b[l]; in && (m == Write || n == Write) && l.Root().Kind != path.Choice && one(l) && (found == nil || l.String() < found.String()) {
			found = l
		}
	}
	return found
}

// Map rebuilds a set with other locks; those for which f returns nil are left out.
func (s Set) Map(f func(*path.Node) *path.Node) Set {
	if len(s) == 0 {
		return nil
	}
	m := Set{}
	for l, mode := range s {
		if n := f(l); n != nil {
			m[n] = max(m[n], mode)
		}
	}
	return m
}

// Sorted lists the locks by name.
func (s Set) Sorted() []*path.Node {
	return slices.SortedFunc(maps.Keys(s), func(a, b *path.Node) int { return cmp.Or(strings.Compare(a.String(), b.String()), path.Compare(a, b)) })
}
