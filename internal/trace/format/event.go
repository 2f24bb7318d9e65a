package format

// GoID numbers the goroutines of a trace densely in order of creation: 1 is the
// main goroutine; 0 stands for the runtime itself (timers, finalizer queue).
type GoID int32

// Addr is a memory address or the identity of a synchronisation object.
type Addr uint64

// Site is a static position in the program: an index into trace.Meta.Sites. 0 is unknown.
type Site uint32

// Event is one step of one goroutine. What Obj, Val, Aux and Size mean depends on
// Kind; the table of kinds says it.
type Event struct {
	Kind  Kind
	Flags Flags
	Size  uint16
	G     GoID
	Site  Site
	Obj   Addr
	Val   uint64
	Aux   uint64
}

// Outside reports whether the event is an access of code that was not re-emitted, which the
// compiler's access hooks have recorded. It has no value.
func (e *Event) Outside() bool {
	return (e.Kind == Read || e.Kind == Write) && e.Flags&FlagOpaque != 0 && e.Site != 0
}

// WriteLike reports whether an access counts as a write in a data race: it may change memory, or is
// a CompareAndSwap that has met another value. ("The Go Memory Model", section Memory Model: a
// compare-and-swap is both read-like and write-like.)
func (e *Event) WriteLike() bool {
	return e.Kind.IsWrite() || e.Kind == AtomicRead && e.Flags&FlagTry != 0
}

// IsText reports whether the event is a read of what a string says: it is in no race.
func (e *Event) IsText() bool { return e.Kind == Read && e.Flags&FlagText != 0 }
