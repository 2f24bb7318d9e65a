// Package instance decides whether two accesses of one frame may be to the same memory: the evidence "may alias".
//
// # Rules
//
// (I1) Equal paths are the same memory, but for what is made or chosen anew for each goroutine.
//
// (I2) Of two goroutines that one go statement in a loop starts, an object that the loop makes or receives, and an element whose index the
// loop changes, are different ones. What a call in the loop returns is likely another one in each round.
//
// (I3) Elements with different constant indices are different. Any other two indices may be the same; if both are not known, this is
// weak evidence.
//
// (I4) A struct or array contains its fields and elements: offsets after the same prefix.
//
// (I5) Different paths through loads from different places are different here; package link compares them by class.
//
// (I6) Two loops over a map come to the same entries.
//
// (I7) What is known by its type only is likely another object for each goroutine; so is what is made too many calls below to know by which.
package instance

import (
	"strings"

	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// Alias is what is known of two locations.
type Alias int

const (
	No    Alias = iota
	Class       // known by their type, or by the site that makes them, only
	Round       // results of one call in different rounds of a loop
	Weak        // elements with indices that are not known
	Same
)

// Compare compares two locations of the frame of sum, reached by the accesses a and b.
func Compare(sum *summary.Function, a, b *summary.Access) Alias {
	if !together(a.Kind, b.Kind) {
		return No
	}
	x, y := a.Loc, b.Loc
	for depth(x) > depth(y) {
		x = x.Base
	}
	for depth(y) > depth(x) {
		y = y.Base
	}
	twins := a.Thread == b.Thread && a.Thread > 0 && sum.Spawns[a.Thread-1].Loop
	return same(x, y, twins)
}

// together reports whether the kinds may be of one memory (append writes where nothing else reads).
func together(a, b summary.Kind) bool { return (a == summary.Append) == (b == summary.Append) }

func depth(n *path.Node) int {
	d := 0
	for ; n.Base != nil; n = n.Base {
		d++
	}
	return d
}

func same(x, y *path.Node, twins bool) Alias {
	if x == y && x.Base == nil {
		return root(x, twins)
	}
	if x.Kind != y.Kind || x.Base == nil || y.Base == nil || x.Name != y.Name {
		return No
	}
	base := same(x.Base, y.Base, twins)
	if base == No || x.Kind != path.Elem {
		return base
	}
	return min(base, index(x.Idx, y.Idx, twins))
}

// root compares a root with itself.
func root(x *path.Node, twins bool) Alias {
	switch {
	case x.Kind == path.Unknown, x.Kind == path.Alloc && strings.HasSuffix(x.Name, path.Deep):
		return Class // (I7)
	case !twins || !x.Loop:
		return Same
	case x.Kind == path.Alloc || strings.HasPrefix(x.Name, "received#"): // (I2)
		return No
	case x.Kind == path.Result:
		return Round
	}
	return Same
}

func index(i, j *path.Node, twins bool) Alias {
	if all(i) || all(j) {
		return Same
	}
	if i == nil || j == nil {
		return Weak
	}
	if i.Kind == path.Const && j.Kind == path.Const {
		if i == j {
			return Same
		}
		return No // (I3)
	}
	if i == j {
		if twins && i.Loop { // (I2)
			return No
		}
		return Same
	}
	if ranges(i) && ranges(j) {
		return Same // (I6)
	}
	if i.Kind == path.Value && i.Loop && j.Kind == path.Const || j.Kind == path.Value && j.Loop && i.Kind == path.Const {
		return Same // a loop over the elements comes to each
	}
	return Weak
}

func ranges(i *path.Node) bool { return i.Kind == path.Value && strings.HasPrefix(i.Name, "range#") }

func all(i *path.Node) bool { return i != nil && i.Kind == path.Const && i.Index == path.All }
