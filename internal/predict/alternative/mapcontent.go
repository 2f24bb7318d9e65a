package alternative

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// MapContent is what a map has for a key, as far as it is known.
type MapContent struct {
	Value      goval.Value // the zero value if the key is not there
	HasValue   bool        // it is known
	Present    bool        // the key is there
	HasPresent bool        // that is known
	absent     bool        // nothing is there; Value is not set
}

// Absent says that the key is not there, as far as c does not say otherwise.
func (c *MapContent) Absent() {
	if !c.HasPresent {
		c.Present, c.HasPresent = false, true
	}
	if !c.HasValue {
		c.absent = true
	}
}

// value returns the value of size bytes that a lookup returns.
func (c *MapContent) value(size int64) Value {
	switch {
	case c.HasValue:
		return Value{Concrete: c.Value}
	case c.absent:
		return zero(size)
	}
	return Value{}
}

// present returns whether the key is there.
func (c *MapContent) present() Value {
	if !c.HasPresent {
		return Value{}
	}
	return truth(c.Present)
}

// same reports whether what c and d say of a key, with a value of size bytes, is the same, or too
// little to tell.
func (c *MapContent) same(d *MapContent, size int64) bool {
	if c.HasPresent && d.HasPresent && c.Present != d.Present {
		return false
	}
	x, y := c.value(size), d.value(size)
	if s, ok := x.Concrete.Content(); ok {
		if t, ok := y.Concrete.Content(); ok {
			return s == t
		}
	}
	return !x.Concrete.IsKnown(size) || !y.Concrete.IsKnown(size) || !goval.Differ(x.Concrete, y.Concrete, size)
}

// known reports whether c says anything.
func (c *MapContent) known() bool { return c.HasValue || c.HasPresent }

// mapKeys reports whether a known value of a type can be a MapKey.
func mapKeys(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0 || Address(t)
}

// Address reports whether the bits of a key of a type are an address.
func Address(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}

// MapKeyOf returns a key of a type, if it is one that MapKey can be, and known.
func MapKeyOf(t types.Type, v goval.Value) (key flow.MapKey, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			key.Text, ok = v.Content()
			return key, ok
		case u.Info()&(types.IsInteger|types.IsBoolean) == 0:
			return key, false
		}
	case *types.Pointer, *types.Chan:
	default:
		return key, false
	}
	bits, ok := v.Bits()
	if ok {
		key.Bits = bits & goval.Mask(plan.Sizeof(t))
	}
	return key, ok
}

// MapValueOf returns what a map whose values are of type elem has for a key that is there with a
// value. It is known of numbers and texts alone: an address is that of another object once memory
// was allocated anew.
func MapValueOf(elem types.Type, v goval.Value) flow.MapValue {
	x := flow.MapValue{Present: true}
	switch t := elem.Underlying().(type) {
	case *types.Struct:
		x.Known = t.NumFields() == 0
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsString != 0:
			x.Text, x.Known = v.Content()
		case info&(types.IsInteger|types.IsBoolean|types.IsFloat) != 0:
			n := plan.Sizeof(elem)
			if x.Known = v.IsKnown(n); x.Known {
				bits, _ := v.Bits()
				x.Word = bits & goval.Mask(n)
			}
		}
	}
	return x
}

// MapValueIn is MapValueOf of what is known of a map. ok is false if it is not known whether the
// key is there.
func (c *MapContent) MapValueIn(elem types.Type) (v flow.MapValue, ok bool) {
	switch {
	case !c.HasPresent || !c.Present:
		return flow.MapValue{}, c.HasPresent
	case !c.HasValue:
		return flow.MapValue{Present: true}, true
	}
	return MapValueOf(elem, c.Value), true
}

// contentOf is what a map has that has v.
func contentOf(v flow.MapValue, elem types.Type) MapContent {
	c := MapContent{Present: v.Present, HasPresent: true, absent: !v.Present}
	if v.Present && v.Known {
		c.HasValue = true
		if b, ok := elem.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			c.Value = goval.Text(v.Text)
		} else {
			c.Value = goval.Known(v.Word)
		}
	}
	return c
}
