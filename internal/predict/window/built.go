package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// Built is a window with the part of the trace that it was made of.
//
// It is plain data: nothing in it reaches back into the builder. The window itself, Places, Kept,
// Loose and Alternatives are its own and stay valid. Records and Excluded share memory with the
// builder's buffer and are valid until the function that the window was emitted to returns; so are
// the results of methods that read them.
type Built struct {
	*Window
	From, To int64 // the trace events it spans: From ≤ i < To
	Done     int64 // two events both before Done were in the window before this one

	// Alternatives are paths off the recorded one (Variant).
	Alternatives []Way

	// Records are the events of the trace that the window was made of, in order.
	Records []*Record

	// What the reads among Records return in a reordering, by their number there. Sources are the
	// events of the window that must be intact for the read to return what it returned; none: it
	// always does. Contents are what it returns as a function of events; nil: this is not known.
	// Contents may be shorter than Records.
	Sources  [][]int32
	Contents []*Content

	// Places are where objects stand in memory, by Obj; the zero Place: nowhere, as versions of
	// contents.
	Places []Place

	// Kept are the edges of the window that are there because of excluded code.
	Kept []KeptOrder

	// Loose says why edges are there that Relaxed may leave out, LoosePins are the Pins that it
	// frees of their Deps.
	Loose     map[Edge]Looseness
	LoosePins []int32

	// Excluded is what the trace has of excluded code; nil: nothing, or it is ignored.
	Excluded *Excluded

	terms   expr.Replacer
	variant []Event // room for Variant
}

// A Record is an event of the trace, with what the walk found out about it. Reads are given by
// their trace index.
type Record struct {
	trace.Event
	Index    int64
	Needs    []int64        // reads that must keep their values for the event to happen
	From     []int64        // reads that the value written or sent is computed from
	Where    []int64        // of an append: reads that the place of the access rests on
	Appended *Appended      // of the first write of an append: what it returned
	Value    *expr.Expr     // the value written or sent, if it is a known function of reads
	Pair     *excluded.Pair // of MethodBegin and MethodEnd: the call
	Open     bool           // the reads of Where need not be intact (J5 of package window)
}

// Needed returns the reads that must be intact for the event to happen as recorded (J5 of package
// window).
func (r *Record) Needed() []int64 {
	if r.Open || len(r.Where) == 0 && r.Appended == nil {
		return r.Needs
	}
	list := append(slices.Clone(r.Needs), r.Where...)
	if r.Appended != nil {
		list = append(list, r.Appended.Moved...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A Place is where an Obj of a window stands in memory. A location is the bytes of Mask in the word
// at Addr; other objects have no Mask.
type Place struct {
	Addr uint64
	Mask uint8
}

// A KeptOrder is a hard edge of a window that is there because of excluded code.
type KeptOrder struct {
	Edge
	Method trace.Addr // the excluded function; 0: one of several
}

// Looseness says why Relaxed may leave out an edge.
type Looseness uint8

const (
	_         Looseness = iota
	LooseTurn           // it keeps a turn of outside code together (E4 of package window)
	// it orders outside code: its reads and writes, and operations of it that do not wait
	LooseOutside
)

// Excluded is what the trace has of excluded code, apart from Records.
type Excluded struct {
	Walked bool // Records have Needs and From
	// the calls that are open where the window begins, in the order of their Begin
	Open []*excluded.Pair
	Ends []Ended // ends of goroutines in the window that Records do not have, in order
}

// Ended is the end of a goroutine.
type Ended struct {
	G     trace.GoID
	Index int64
}

// recordOf returns the number of a trace event in Records, or -1.
func (b *Built) recordOf(index int64) int {
	i, ok := slices.BinarySearchFunc(b.Records, index, func(r *Record, x int64) int { return cmp.Compare(r.Index, x) })
	if !ok {
		return -1
	}
	return i
}

// Recorded returns an event of the trace, by its number, that the window was made of.
func (b *Built) Recorded(index int64) (e trace.Event, ok bool) {
	if i := b.recordOf(index); i >= 0 {
		return b.Records[i].Event, true
	}
	return e, false
}

// Term makes a term over reads of the trace one over events of the window. ok is false if one of
// the reads has no term.
func (b *Built) Term(e *expr.Expr) (t *Term, ok bool) {
	if b.terms.With == nil {
		b.terms.With = b.read
	}
	if e = b.terms.Replace(e, AlternativeBase); e == nil {
		return nil, false
	}
	return NewTerm(e), true
}

// read is what a read of the trace becomes in a term: a function of events of the window, nil if
// that is not known.
func (b *Built) read(r *expr.Expr) *expr.Expr {
	i := b.recordOf(r.Number())
	switch {
	case r.Number() >= AlternativeBase:
		return nil
	case i >= 0 && i < len(b.Contents) && b.Contents[i] != nil:
		return b.Contents[i].Word(ReadMask(&b.Records[i].Event))
	case i >= 0 && len(b.Sources[i]) > 0:
		return nil
	}
	recorded, _ := r.Recorded() // before the window, or it rests on nothing of the window
	return expr.Word(recorded)
}

// SourcesOf returns the events that must be intact for reads of the trace to return what they
// returned.
func (b *Built) SourcesOf(reads []int64) []int32 {
	var out []int32
	for _, x := range reads {
		if i := b.recordOf(x); i >= 0 {
			out = append(out, b.Sources[i]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
