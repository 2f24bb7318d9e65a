// Package seeded puts races into real code where its authors had none: it takes the synchronisation
// of one object out of the source of a module. What the object protected is then accessed by the
// module's own code, as its own tests have it, with nothing in between: the usual ground truth of
// experiments with race detectors where real races are too few to count.
//
// The rules:
//
//	S1  An object is a field, or a variable, of one of the types below, or an array or slice of them: one for all elements. All instances of its struct
//	    go together, and all of its operations go.
//	S2  Operator mutex, of sync.Mutex or sync.RWMutex, embedded ones too: m.Lock(), m.Unlock(), m.RLock() and m.RUnlock(), in a statement or behind defer, become _ = &m (_ = m where m is a pointer to what embeds
//	    it): operands are evaluated as before. m.TryLock() and m.TryRLock() become true.
//	S3  Operator readers, of a sync.RWMutex that is locked in both ways: the same with m.RLock(), m.RUnlock() and m.TryRLock() alone.
//	S4  Operator atomic, of what functions of sync/atomic are given the address of, or of one of its types but Value and Uintptr: Load becomes a read, Store a write, Add, Swap and CompareAndSwap a read and a write, in
//	    a function literal where the result is used. atomic.Int64 becomes int64, atomic.Pointer[T]
//	    becomes *T. The address of a field of the old type is nowhere else.
//	S5  Operator once, of sync.Once: o.Do(f) becomes if !o.done { o.done = true; f() }, its type struct{ done bool }.
//	S6  Nothing else changes, and no line moves; a file that imports a package for nothing now gets a variable of its type at the end. A function that has no other operation of synchronisation has none any more.
//	S7  An object is kept, and why, if anything else is done with it, since then not all of its operations are known: its address is taken (a Cond's, one that is handed to other code), a
//	    method of it is a value, it is assigned or read. So is one without an operation. Mutexes
//	    behind pointers and sync.Locker are whose they are, not the field's.
//
// The result is a program like any other: which pairs of it race is for the analysis of its full
// trace to find, not for this package.
package seeded
