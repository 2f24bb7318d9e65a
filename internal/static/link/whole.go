package link

import (
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// wholes are the types of which some access concerns a whole object: a copy of a struct, or a store
// of one through a pointer. Such an access is compared with those to the fields, which are in a
// class of the object's type as well (LI3). Fields of other types are not put there.
type wholes struct{ read, written map[string]bool }

func findWholes(prog *program, keys []string) *wholes {
	w := &wholes{map[string]bool{}, map[string]bool{}}
	for _, k := range keys {
		for _, a := range ownText(prog.sums[k]) {
			if t := whole(a.Loc); t != "" && a.Kind.Writes() {
				w.written[t] = true
			} else if t != "" {
				w.read[t] = true
			}
		}
	}
	return w
}

// whole is the type of an object that a location is, if a pointer to it was given or read; "" of
// other locations.
func whole(loc *path.Node) string {
	switch loc.Kind {
	case path.Param, path.Load, path.Result, path.Unknown:
		if typeOf(loc.Type+".x") == loc.Type {
			return loc.Type
		}
	}
	return ""
}

// apartWholes reports whether both sites are to whole objects that pointers in different fields
// lead to: only their type is the same.
func apartWholes(a, b *site) bool { return !a.part && !b.part && a.loc.Class() != b.loc.Class() }

// hides reports whether a is to a whole object, but only to fields that are not exported, and b to
// an exported field of it.
func hides(a, b *site) bool {
	if !a.access.Hidden || a.part || !b.part {
		return false
	}
	for n := b.access.Loc; n != nil && n != b.loc; n = n.Base {
		if n.Kind == path.Field && n.Base == b.loc {
			return n.Exported()
		}
	}
	return false
}

// of is the class for an access to a whole object, or to a part whose outermost struct is loc, and
// the object; "" if it has none.
func (w *wholes) of(a *summary.Access, loc *path.Node) (class string, object *path.Node) {
	if t := whole(loc); t != "" {
		return "whole " + t, loc
	}
	if loc.Kind != path.Field {
		return "", nil
	}
	if t := typeOf(loc.Name); t != "" && (w.written[t] || w.read[t] && a.Kind.Writes()) {
		return "whole " + t, loc.Base
	}
	return "", nil
}
