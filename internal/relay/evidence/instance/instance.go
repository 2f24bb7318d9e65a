// Package instance decides whether two accesses of one frame may be to the same memory: the evidence "may alias".
//
// # Rules
//
// (I1) Equal paths are the same memory, but for what is made or chosen anew for each goroutine.
//
// (I2) Of two goroutines that one go statement in a loop starts, an object that the loop makes, and an element whose index the
// loop changes, are different ones.
//
// (I3) Elements with different constant indices are different. Any other two indices may be the same; if both are not known, this is
// weak evidence.
//
// (I4) A struct or array contains its fields and elements: offsets after the same prefix.
//
// (I5) Different paths through loads from different places are different here; package link compares them by class.
package instance

import (
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// Alias is what is known of two locations.
type Alias int

const (
	No   Alias = iota
	Weak       // elements with indices that are not known
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
		if twins && x.Loop && x.Kind == path.Alloc { // (I2)
			return No
		}
		return Same
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
	if i.Kind == path.Value && i.Loop && j.Kind == path.Const || j.Kind == path.Value && j.Loop && i.Kind == path.Const {
		return Same // a loop over the elements comes to each
	}
	return Weak
}

func all(i *path.Node) bool { return i != nil && i.Kind == path.Const && i.Index == path.All }
