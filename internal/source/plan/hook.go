package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// Hook is one record that an instruction writes. A Read or Write of more than one aligned
// word becomes several events in the trace, with FlagMore on all but the last; a
// Value longer than a word is followed by Word events.
type Hook struct {
	Kind   format.Kind // Read, Write, Value, ChanLen
	Extent Extent      // Read, Write: what is accessed
	Addr   ssa.Value   // Read, Write: what Extent refers to. ChanLen: the channel
	Offset int64       // Text: where the string is in Addr
	Val    ssa.Value   // the value recorded; nil: none (FlagNoValue)
	Index  int         // component of Val when that is a tuple, else -1
	Case   int         // select: state index, present only if that was chosen; else -1
	Type   types.Type  // type of the value recorded, or of the element accessed
	Size   int64       // its bytes; -1: depends on type parameters
}

// Extent says which memory a Read or Write covers.
type Extent uint8

const (
	// Pointee: Size bytes at the pointer Addr.
	Pointee Extent = iota
	// MapObject: the map's header, 8 bytes at Addr, without a value.
	MapObject
	// Elements: all elements of the slice Addr.
	Elements
	// AppendTail: the elements that append(Addr, …) added, in its result.
	AppendTail
	// AppendGrown: all elements of the slice Addr, if the result of append starts elsewhere.
	AppendGrown
	// Copied: the first n elements of the slice Addr, n the result of copy.
	Copied
	// Text: the bytes of the string at offset Offset of the value Addr (PL8).
	Text
)

// MaxValues is the number of bytes up to which Elements, AppendTail, Copied and Text are recorded
// with values (one event per word). Longer ranges have FlagNoValue.
const MaxValues = 64

// Dynamic reports whether the extent's length is known only at run time.
func (e Extent) Dynamic() bool { return e >= Elements }

func value(v ssa.Value, sizes types.Sizes) Hook {
	return component(v, -1, v.Type(), sizes)
}

func component(v ssa.Value, index int, t types.Type, sizes types.Sizes) Hook {
	return Hook{Kind: format.Value, Val: v, Index: index, Case: -1, Type: t, Size: sizeOf(t, sizes)}
}

func access(k format.Kind, addr, val ssa.Value, t types.Type, sizes types.Sizes) Hook {
	return Hook{Kind: k, Addr: addr, Val: val, Index: -1, Case: -1, Type: t, Size: sizeOf(t, sizes)}
}

func mapAccess(k format.Kind, m ssa.Value) Hook {
	return Hook{Kind: k, Extent: MapObject, Addr: m, Index: -1, Case: -1, Type: types.Typ[types.Uintptr], Size: 8}
}

func elements(k format.Kind, e Extent, slice, result ssa.Value, elem types.Type, sizes types.Sizes) Hook {
	return Hook{Kind: k, Extent: e, Addr: slice, Val: result, Index: -1, Case: -1, Type: elem, Size: sizeOf(elem, sizes)}
}

// sizeOf returns the size of t in bytes, -1 if it depends on type parameters.
func sizeOf(t types.Type, sizes types.Sizes) int64 {
	if Open(t) {
		return -1
	}
	return sizes.Sizeof(t)
}

// Open reports whether the size of t depends on a type parameter.
func Open(t types.Type) bool { return open(t, nil) }

// Sizeof returns the size of a type of fixed size for the one architecture that is recorded.
func Sizeof(t types.Type) int64 { return types.SizesFor("gc", "amd64").Sizeof(t) }

func open(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		if seen == nil {
			seen = map[types.Type]bool{}
		}
		seen[t] = true
		return open(t.Underlying(), seen)
	case *types.Array:
		return open(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if open(t.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Tuple:
		for i := range t.Len() {
			if open(t.At(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}
