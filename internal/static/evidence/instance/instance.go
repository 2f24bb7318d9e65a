// Package instance decides whether two accesses of one frame may be to the same memory: the
// evidence "may alias".
//
// # Rules
//
// (IS1) Equal paths are the same memory, but for memory that is made or chosen anew for each
// goroutine. A struct or array contains its fields and elements: offsets after the same prefix.
// Different paths through loads from different addresses are different here; package link compares
// them by class. What is known by its type only is likely another object for each goroutine; so is
// an object that is made too many calls below the frame to know by which call.
//
// (IS2) Let one go statement in a loop start two goroutines. An object that the loop makes or
// receives is different for the two, and so is an element whose index the loop changes, unless the
// loop is the goroutine's own. What a call in the loop returns is likely different in each round.
// Two loops over a map reach the same entries.
//
// (IS3) Elements with different constant indices are different. Any other two indices may be the
// same; if both are unknown, this is weak evidence.
package instance

import (
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
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
	var loop *summary.Spawn
	if a.Thread == b.Thread && a.Thread > 0 && sum.Spawns[a.Thread-1].Loop {
		loop = sum.Spawns[a.Thread-1]
	}
	return same(x, y, loop)
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

// same compares two paths; of goroutines that one go statement in a loop starts, loop is that.
func same(x, y *path.Node, loop *summary.Spawn) Alias {
	if x == y && x.Base == nil {
		return root(x, loop != nil)
	}
	if x.Kind != y.Kind || x.Base == nil || y.Base == nil || x.Name != y.Name {
		return No
	}
	base := same(x.Base, y.Base, loop)
	if base == No || x.Kind != path.Elem {
		return base
	}
	return min(base, index(x.Idx, y.Idx, loop))
}

// Rounds compares the objects that a loop makes or receives, as a root of paths, in different
// rounds (IS2).
func Rounds(x *path.Node) Alias { return root(x, true) }

// root compares a root with itself.
func root(x *path.Node, twins bool) Alias {
	switch {
	case x.Kind == path.Unknown, x.Kind == path.Alloc && strings.HasSuffix(x.Name, path.Deep):
		return Class // (IS1)
	case !twins || !x.Loop:
		return Same
	case x.Kind == path.Alloc || strings.HasPrefix(x.Name, "received#"): // (IS2)
		return No
	case x.Kind == path.Result:
		return Round
	}
	return Same
}

func index(i, j *path.Node, loop *summary.Spawn) Alias {
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
		return No // (IS3)
	}
	if i == j {
		switch {
		case loop == nil || !i.Loop:
			return Same
		case within(i, loop) && !ranges(i):
			return Weak // each goroutine has a loop of its own
		case within(i, loop):
			return Same // (IS2)
		}
		return No // (IS2)
	}
	if ranges(i) && ranges(j) {
		return Same // (IS2)
	}
	if i.Kind == path.Value && i.Loop && j.Kind == path.Const || j.Kind == path.Value && j.Loop && i.Kind == path.Const {
		return Same // a loop over the elements comes to each
	}
	return Weak
}

// within reports whether an index is of the text that the goroutine executes, or may be.
func within(i *path.Node, goroutine *summary.Spawn) bool {
	return strings.HasSuffix(i.Name, "@"+goroutine.Token.Name) || strings.HasSuffix(i.Name, path.Deep)
}

func ranges(i *path.Node) bool { return i.Kind == path.Value && strings.HasPrefix(i.Name, "range#") }

func all(i *path.Node) bool { return i != nil && i.Kind == path.Const && i.Index == path.All }
