package format

// # sync.Map
//
// A key of a sync.Map is a word of memory at an address that stands for the map and the key, as far
// as the operations of the map are concerned. Its value is the number of what the map has for the
// key, 0 if it has nothing. Each value that is stored has a number of its own. An operation is an
// AtomicRead, AtomicWrite or AtomicRMW of the word. One that leaves the map as it is, although it
// might have changed it, is a read with FlagTry.
//
// The keys of a map are an object. An operation that adds or removes a key lies between two
// ReleaseMerge events of it. Range has an Acquire before it looks for the next key and when it has
// found it, Clear has both.
//
// Before it, each operation has an AtomicRead of outside code of a word of the map, which is 0. A
// plain write of this word replaces the map: an Observe of StateProgram stands before and behind
// it.
const (
	// MapWords is the lowest address of a word, and 1<<63 lies above all of them.
	MapWords Addr = 1 << 62

	// MapKeys is the lowest object of keys. MapWords lies above all of them.
	MapKeys Addr = 1 << 61
)

// MapTag returns a part of the address of a word that all keys of a sync.Map have. Few other maps
// have the same one.
func MapTag(word Addr) uint16 { return uint16(word>>50) & (1<<12 - 1) }

// IsMapWord reports whether an address stands for a key of a sync.Map.
func IsMapWord(a Addr) bool { return a >= MapWords && a < 1<<63 }

// IsMapKeys reports whether an object is the keys of a sync.Map.
func IsMapKeys(a Addr) bool { return a >= MapKeys && a < MapWords }
