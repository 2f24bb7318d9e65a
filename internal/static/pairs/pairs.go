// Package pairs finds the warnings inside one frame: a function, and the goroutines that it or its
// callees start. Both accesses are paths of one frame, so objects, locks and synchronisation are
// compared exactly.
//
// # What is compared
//
// (PA1) A pair of accesses of two goroutines is a warning if one of them writes and not both are
// atomic, and if no evidence excludes a race: they may be to the same memory (package instance), no
// lock guards both (package lockset), and neither comes before the other (package before). This is
// GenerateWarnings of RELAY (Voung, Jhala, Lerner, ESEC/FSE 2007, Figure 7). A pair is judged in
// the lowest frame that has both accesses: a pair that came up from one call was judged in the
// callee, unless this frame starts the goroutine several times.
//
// # Locks
//
// (PA2) A path that both accesses hold names one lock, with two exceptions: a lock that a loop
// makes or receives anew for each goroutine, and an element whose index may be another number. Such
// a lock still guards what lies in the same object, or in an element with the same index. If the
// two locations are one, locks that lie by the same steps from it are one too, whatever their
// paths: l.mu guards l.x of the l that two loops over a map reach. A lock whose path was cut
// because it is too long (package path) may be any lock of an object: if both sides hold one, the
// code is same-lock-field.
//
// # Rounds of a loop
//
// (PA3) An object that a loop makes or receives before it starts a goroutine in the same round
// differs from the objects of the goroutines of earlier rounds. What a call has returned in the
// round likely differs: code other-round. The element with the index of the round likely differs
// from that of the goroutine which an earlier round has started: code index-unknown.
//
// # Other evidence
//
// (PA4) Two appends to the slice of a field or of a package-level variable write one element only
// if the slice has room: code append-append.
//
// (PA5) What is done inside of Once.Do comes before everything that follows a Do of the same Once.
package pairs

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/evidence/before"
	"github.com/presage-race/presage/internal/static/evidence/instance"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Warning is a pair of accesses that may race.
type Warning struct {
	Frame *summary.Function
	A, B  *summary.Access
	Codes []string // reasons against it

	// Of a warning of package link: the function of B, and the roots that reach the two.
	Other        *summary.Function
	RootA, RootB string
	HeldA, HeldB []lockset.Held // locks that callers hold, in the function's terms
}

// Counts says how many pairs each piece of evidence has taken out.
type Counts struct {
	Pairs, Locks, Ordered, Instances, Atomic int
	// pairs that were not compared, because a location has too many
	Cut int
	// searches for an order that were ended
	Chain int
	// positions of pairs that are ordered in their frame
	Judged map[[2]summary.Pos]bool
}

// maxPerLocation bounds the pairs that are compared at one location.
const maxPerLocation = 400

// Find returns the warnings of a frame, in the order of its accesses.
func Find(sum *summary.Function, n *Counts) []*Warning {
	if len(sum.Spawns) == 0 {
		return nil
	}
	frame := before.New(sum)
	groups := map[string][]*summary.Access{}
	var keys []string
	for _, a := range sum.Accesses {
		k := shape(a.Loc)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], a)
	}
	var out []*Warning
	for _, k := range keys {
		group := groups[k]
		for i, a := range group {
			n.Cut += max(0, len(group)-i-maxPerLocation)
			for _, b := range group[i:min(len(group), i+maxPerLocation)] {
				out = consider(out, sum, frame, a, b, n)
			}
			for up := a.Loc; up.Kind == path.Field || up.Kind == path.Elem; {
				//: b is to what contains a's memory
				up = up.Base
				for _, b := range groups[shape(up)] {
					out = consider(out, sum, frame, a, b, n)
				}
			}
		}
	}
	n.Chain += frame.Ended
	return slices.CompactFunc(out, func(a, b *Warning) bool {
		return a.A.Pos == b.A.Pos && a.B.Pos == b.B.Pos && a.A.Kind == b.A.Kind && a.B.Kind == b.B.Kind
	})
}

// shape is the path without indices.
func shape(n *path.Node) string {
	switch {
	case n.Base == nil:
		return n.String() + n.Name
	case n.Kind == path.Elem:
		return shape(n.Base) + "[]"
	case n.Kind == path.Load:
		return "*" + shape(n.Base)
	}
	return shape(n.Base) + "." + n.Name
}

// consider adds the warning of a pair, unless evidence excludes a race (PA1).
func consider(out []*Warning, sum *summary.Function, frame *before.Frame, a, b *summary.Access, n *Counts) []*Warning {
	if !a.Kind.Writes() && !b.Kind.Writes() || a.Thread == b.Thread && (a.Thread == 0 || !many(sum, a.Thread)) {
		return out
	}
	if a.Via != nil && b.Via != nil && a.Via.Pos == b.Via.Pos && a.Via.Func == b.Via.Func && judged(sum, a, b) {
		return out
	}
	n.Pairs++
	if a.Kind.Atomic() && b.Kind.Atomic() {
		n.Atomic++
		return out
	}
	alias := instance.Compare(sum, a, b)
	if alias == instance.No {
		n.Instances++
		return out
	}
	if apart(sum, a, b) {
		n.Locks++
		return out
	}
	if a.Thread == b.Thread && (frame.Joined(point(a)) || frame.Apart(point(a)) && frame.Apart(point(b))) || next(sum, a, b) && frame.Joined(point(b)) || next(sum, b, a) && frame.Joined(point(a)) {
		n.ordered(a, b)
		return out
	}
	if a.Thread != b.Thread || a != b {
		if once(a, b) || once(b, a) || frame.Ordered(point(a), point(b)) {
			n.ordered(a, b)
			return out
		}
	}
	if alias == instance.Same && (next(sum, a, b) || next(sum, b, a)) {
		alias = instance.Rounds(a.Loc.Root()) // (PA3)
		if alias == instance.Same && chosen(a.Loc, b.Loc) {
			alias = instance.Weak
		}
	}
	if alias == instance.No {
		n.ordered(a, b)
		return out
	}
	return append(out, &Warning{Frame: sum, A: a, B: b, Codes: codes(a, b, alias)})
}

// codes lists the evidence against a race of a pair.
func codes(a, b *summary.Access, alias instance.Alias) []string {
	var out []string
	if NoRoom(a, b) {
		out = append(out, "append-append")
	}
	if a.Taken || b.Taken {
		out = append(out, "taken-out")
	}
	switch alias {
	case instance.Weak:
		out = append(out, "index-unknown")
	case instance.Round:
		out = append(out, "other-round")
	case instance.Class:
		out = append(out, "type-only")
	}
	if unnamed(a, b) || unnamed(b, a) {
		out = append(out, "same-lock-field")
	}
	return out
}

// ordered counts a pair that is ordered.
func (n *Counts) ordered(a, b *summary.Access) {
	n.Ordered++
	if n.Judged == nil {
		n.Judged = map[[2]summary.Pos]bool{}
	}
	n.Judged[Positions(a, b)] = true
}

// beside reports whether both hold a lock that lies the same steps from the memory (PA2).
func beside(a, b *summary.Access) bool {
	for l, m := range a.Locks.Plus {
		up, x, ok := relation(l, a.Loc)
		if !ok {
			continue
		}
		for k, o := range b.Locks.Plus {
			if m != lockset.Write && o != lockset.Write || k.Name != l.Name {
				continue
			}
			if down, y, ok := relation(k, b.Loc); ok && up == down && x == y {
				return true
			}
		}
	}
	return false
}

// chosen reports whether both are to an element with one index that a loop changes (PA3), but for
// the keys of a map: all loops over it come to the same.
func chosen(a, b *path.Node) bool {
	for a != nil && b != nil {
		if a.Kind == path.Elem && b.Kind == path.Elem && a.Idx != nil && a.Idx == b.Idx && a.Idx.Kind == path.Value && a.Idx.Loop && !strings.HasPrefix(a.Idx.Name, "range#") {
			return true
		}
		a, b = a.Base, b.Base
	}
	return false
}

// unnamed reports whether a holds a lock of which only the type is known, and b one of an object
// (PA2).
func unnamed(a, b *summary.Access) bool {
	for l, m := range a.Locks.Plus {
		if l.Root().Kind != path.Unknown {
			continue
		}
		for k, o := range b.Locks.Plus {
			if k.Root().Kind != path.Global && (m == lockset.Write || o == lockset.Write) {
				return true
			}
		}
	}
	return false
}

// once reports whether a is inside of Once.Do, and b has come back from a Do of the same Once
// (PA5).
func once(a, b *summary.Access) bool {
	for l := range a.Locks.Plus {
		if l.Kind != path.Token || l.Name != "doing" {
			continue
		}
		for o := range b.Sync.Acquired {
			if o.Kind == path.Token && o.Name == "once" && o.Base == l.Base {
				return true
			}
		}
	}
	return false
}

// NoRoom reports whether both append to a slice that was not made here: they meet only if it has
// room behind its length (PA4).
func NoRoom(a, b *summary.Access) bool {
	o := a.Loc.Object()
	return a.Kind == summary.Append && b.Kind == summary.Append && o.Kind == path.Load && (o.Base.Kind == path.Field || o.Base.Kind == path.Global)
}

func point(a *summary.Access) before.Point { return before.Point{Thread: a.Thread, Sync: a.Sync} }

// next reports whether a is an access of the goroutine that starts b's in a loop, and in a's round
// it is not started yet: a comes before b of its own round, and after b of the rounds before if
// these are joined.
func next(sum *summary.Function, a, b *summary.Access) bool {
	if b.Thread == 0 {
		return false
	}
	s := sum.Spawns[b.Thread-1]
	return s.Parent == a.Thread && s.Loop && a.Round[s.Token] == 0
}

// judged reports whether the callee has seen the pair as it is here (PA1).
func judged(sum *summary.Function, a, b *summary.Access) bool {
	if a.Thread == b.Thread {
		s := sum.Spawns[a.Thread-1]
		return !s.Loop && (!s.Many || s.Via != nil)
	}
	return a.Thread > 0 && sum.Spawns[a.Thread-1].Via != nil || b.Thread > 0 && sum.Spawns[b.Thread-1].Via != nil
}

func many(sum *summary.Function, thread int) bool {
	for thread > 0 {
		s := sum.Spawns[thread-1]
		if s.Many {
			return true
		}
		thread = s.Parent
	}
	return false
}

// Positions is a pair of places, whichever comes first.
func Positions(a, b *summary.Access) [2]summary.Pos {
	if a.Pos.Compare(b.Pos) > 0 {
		a, b = b, a
	}
	return [2]summary.Pos{a.Pos, b.Pos}
}

// apart reports whether a lock that both hold keeps them apart (PA1): one that is the same object
// on both sides (PA2).
func apart(sum *summary.Function, a, b *summary.Access) bool {
	twins := a.Thread == b.Thread && a.Thread > 0
	if lockset.Common(a.Locks.Plus, b.Locks.Plus, func(l *path.Node) bool { return one(sum, l, a, b, twins) }) != nil {
		return true
	}
	return beside(a, b)
}
