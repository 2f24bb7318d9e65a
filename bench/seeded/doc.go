// Package seeded puts races into real code where its authors had none: it takes the operations on one mutex out of the source of a module. What the mutex protected is then accessed
// by the module's own code, as its own tests have it, with nothing in between: the usual ground truth of experiments with race detectors where real races are too few to count.
//
// The rules:
//
//	S1  A mutex is a field, or a variable, of type sync.Mutex or sync.RWMutex, embedded ones too, or an array or slice of them: one for all elements. All instances of its struct
//	    go together.
//	S2  m.Lock(), m.Unlock(), m.RLock() and m.RUnlock(), in a statement or behind defer, become _ = &m (_ = m where m is a pointer to what embeds it): operands are evaluated as before. m.TryLock() and
//	    m.TryRLock() become true.
//	S3  Nothing else changes, and no line moves. A function that has no other operation of synchronisation has none any more.
//	S4  A mutex is kept, and why, if anything else is done with it, since then not all of its operations are known: its address is taken (a Cond's, one that is handed to other code), a
//	    method of it is a value, it is assigned or read. So is one without an operation. Mutexes behind pointers and sync.Locker are whose they are, not the field's.
//
// The result is a program like any other: which pairs of it race is for the analysis of its full trace to find, not for this package.
package seeded
