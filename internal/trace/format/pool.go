package format

// # sync.Pool
//
// PoolWords is the lowest address of a word that stands for an object in a sync.Pool, as far as its
// operations are concerned: it has 1 while the object is in the pool. Put is an AtomicWrite of the
// word before it takes effect. A Get that returns the object is an AtomicRMW when it has. After a
// Get the word has 0, even if the object was put twice.
const PoolWords Addr = 1 << 58

// IsPoolWord reports whether an address stands for an object in a sync.Pool.
func IsPoolWord(a Addr) bool { return a >= PoolWords && a < Cancels }

// BeginsEmpty reports whether an address stands for something that is empty at first: a key of a
// sync.Map, an object in a sync.Pool, or a context. Its word is 0 before the first operation.
func BeginsEmpty(a Addr) bool { return IsMapWord(a) || IsPoolWord(a) || IsContext(a) }
