package window

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// word is one generation of an aligned word in a window: from an Alloc, or from the window's start,
// to the next Alloc or the end.
type word struct {
	addr    uint64
	alloced bool  // in this window
	alloc   int32 // with alloced: which of the layout's allocs
	zero    bool  // with alloced: its memory was cleared
	noValue bool  // values were not recorded; they stand for their writers
	outside bool  // outside code accesses it
	atoms   []atom
}

// atom is some bytes of a word that every access covers completely or not at all (package doc).
type atom struct {
	mask    uint8
	first   trace.GoID // the goroutine of the first access
	used    bool
	many    bool // several goroutines access it
	write   bool // an access writes
	off     bool // an alternative accesses it
	opaque  bool // an atomic access came from code that was not instrumented
	reached bool // an excluded call reaches it

	// With reached: its accesses have no events (quiet.go), and one has read what excluded code
	// has left.
	quiet, found bool

	// dirty: a write has come after the last MethodBegin that reads the atom and that comes before
	// all other such MethodBegins. strict are the reads of it since.
	dirty  bool
	strict []int32

	obj     model.Obj
	version model.Obj // of the contents as a whole, where values were not recorded
	entries entries   // of a map

	initial    uint64
	unknown    bool // initial stands for an unknown value
	cur        uint64
	curSet     bool
	firstWrite bool       // the first access of the window writes
	reads      []uint64   // with firstWrite and no initial value: what was read
	last       int64      // trace index of the last access
	events     []int32    // of a shared atom: the last event of each thread
	barrier    int32      // the last hidden write, or -1
	deps       []int32    // of an atom that is not shared: what its content was computed from
	value      *expr.Expr // and its bytes as a term; nil: unknown, or they do not change
	order      ordering

	guessed bool // initial is what the first access of the window reads
	settled bool // initial must not be changed
	wrote   bool // an access of the window has written
	lately  bool // outside code was the last to write
	vague   bool // of an atom that is not shared: outside code was the last to write

	outsideWrites []outsideWrite
	lanes         []lane // if outside code accesses its word
	log           []logged

	lost bool // the last write is by a goroutine that has ended in the window before it
	// a write by outside code of such a goroutine has come since one that is not lost
	lostOutside bool

	// insideBy is the goroutine whose inside write was the last write before the record that the
	// pass is at; 0: none. inside is what that write was computed from.
	insideBy trace.GoID
	inside   []int32
}

func (a *atom) shared() bool { return a.many && a.write || a.off || a.reached && !a.quiet }

// synch is an object of a window.
type synch struct {
	key        objKey
	first      trace.GoID
	many, keep bool
	noValue    bool // channel: values are sends
	opaque     bool // some operation came from code that was not instrumented
	reached    bool // an excluded call reaches it
	acquire    int  // hidden: record of the last Acquire
	pool       bool // hidden: what is got from a sync.Pool
	poisoned   bool // an operation that others must follow is not in the window
	init, cur  *object
	obj        model.Obj
	order      ordering
}

func (s *synch) kept() bool {
	return s.several() || s.keep || s.init.cap == 0 && len(s.init.queue) > 0 || len(s.init.waiters) > 0
}

// modelled reports whether the operation e of an alternative on the object can be an event: the
// model has all others, and the value that e sends or receives if they have theirs.
func (s *synch) modelled(e *trace.Event) bool {
	word := (e.Kind == format.ChanSend || e.Kind == format.ChanRecv) && e.Flags&(format.FlagNoValue|format.FlagClosed) == 0
	return !s.opaque && !(s.noValue && word)
}

// several reports whether several goroutines use the object.
func (s *synch) several() bool { return s.many }
