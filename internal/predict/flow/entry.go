package flow

import "go/types"

// An Entry says what an access to a map is about: a key of the map.
type Entry struct {
	Key     MapKey
	Address bool // the key is an address
	All     bool // it removes each key, as clear does

	// Only marks a lookup to which only matters whether the key is there.
	Only bool

	// Left is what a write leaves for the key. Of a lookup of an alternative that names no version
	// of the trace (Flow.Version), it is what the lookup finds.
	Left MapValue

	Elem  types.Type // of the map
	Facts MapFacts
}

// A MapValue is what a map has for a key: the key is not there, or it is there with a value. Values
// that are equal are the same to the program.
type MapValue struct {
	Present bool
	Known   bool // of a key that is there, Word or Text is its value
	Word    uint64
	Text    string
}

// MapFacts looks up what maps have. The answer is what operations before an event of the trace have
// shown.
type MapFacts interface {
	// MapValueAt returns what the map at an address, with values of a type, had for a key right
	// after the event at of the trace. Only if ok is set, it is known whether the key was there.
	MapValueAt(m uint64, key MapKey, elem types.Type, at, before int64) (v MapValue, ok bool)
}
