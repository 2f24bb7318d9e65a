// Package seeded puts races into real code that has none. It removes the synchronisation of one
// object from the source of a module. The module's own code then accesses what the object
// protected, as its own tests do, without synchronisation. Experiments with race detectors use
// such races as ground truth where real ones are too few to count.
//
// # Objects
//
// An object is a field or a variable of one of the types below, or an array or slice of them,
// which is one object for all elements. All instances of its struct go together, and all of its
// operations are removed.
//
// An object is kept, with the reason, if anything else is done with it, because then not all of
// its operations are known: its address is taken (a Cond's, or one that is given to other code), a
// method of it is a value, or it is assigned or read. An object without an operation is kept as
// well. Mutexes behind pointers and sync.Locker are no objects: they belong to what owns the
// mutex, not to the field.
//
// # Operators
//
//	mutex    of sync.Mutex or sync.RWMutex, embedded ones too
//	readers  of a sync.RWMutex that is locked in both modes: the operations of readers alone
//	atomic   of variables of sync/atomic's functions, and of its types but Value and Uintptr
//	once     of sync.Once
//
// Mutex: m.Lock(), m.Unlock(), m.RLock() and m.RUnlock(), in a statement or after defer, become _
// = &m; or _ = m, where m is a pointer to a struct that embeds the mutex. So operands are
// evaluated as before. m.TryLock() and m.TryRLock() become true. Readers: the same for m.RLock(),
// m.RUnlock() and m.TryRLock() alone.
//
// Atomic: Load becomes a read, Store a write, Add, Swap and CompareAndSwap a read and a write, in
// a function literal where the result is used. atomic.Int64 becomes int64, and atomic.Pointer[T]
// becomes *T. The address of a field of the old type is nowhere else.
//
// Once: o.Do(f) becomes if !o.done { o.done = true; f() }, and the type becomes struct{ done bool
// }.
//
// Nothing else changes, and no line moves. A file with an import that is now unused gets a
// variable of a type of the import at its end. A function without other synchronisation has none
// any more.
//
// The result is a program like any other. Which pairs of it race is found by the analysis of its
// full trace, not by this package.
package seeded
