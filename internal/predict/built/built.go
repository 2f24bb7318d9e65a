package built

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// A Window is a window with the part of the trace that it was made of.
type Window struct {
	*model.Window
	From, To int64 // the trace events it spans: From ≤ i < To
	Done     int64 // two events both before Done were in the window before this one

	// Alternatives are paths off the recorded one (Variant).
	Alternatives []Way

	// Records are the events of the trace that the window was made of, in order.
	Records []*Record

	// What the reads among Records return in a reordering, by their number there. Sources are the
	// events of the window that must be intact for the read to return what it returned. If there
	// are none, it always does. Contents are what the read returns as a function of events, nil
	// if that is unknown. Contents may be shorter than Records.
	Sources  [][]int32
	Contents []*Content

	// Places are where objects are in memory, by Obj. An object that is not in memory, such as a
	// version of contents, has the zero Place.
	Places []Place

	// Entries are the objects that stand for what maps have.
	Entries map[model.Obj]Entry

	// Kept are the edges of the window that are there because of excluded code.
	Kept []KeptOrder

	// Loose says why edges are there that Relaxed may leave out. LoosePins are the Pins whose Deps
	// it drops.
	Loose     map[model.Edge]Looseness
	LoosePins []int32

	// Excluded is what the trace has of excluded code; nil if it has none, or it is ignored.
	Excluded *Excluded

	terms   expr.Replacer
	variant []model.Event // room for Variant
}

// A Record is an event of the trace, with what the walk found out about it (flow.Flow). Reads are
// given by their trace index.
type Record struct {
	trace.Event
	Index    int64
	Needs    []int64        // reads that must keep their values for the event to happen
	From     []int64        // reads that the value written or sent is computed from
	Where    []int64        // of an append: reads that the place of the access rests on
	Appended *flow.Appended // of the first write of an append: what it returned
	Value    *expr.Expr     // the value written or sent, if it is a known function of reads
	Pair     *excluded.Pair // of MethodBegin and MethodEnd: the call
	Open     bool           // the reads of Where need not be intact (WI8)
}

// Needed returns the reads that must be intact for the event to happen as recorded (WI8).
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

// A Place is where an Obj of a window is in memory. A location is the bytes of Mask in the word at
// Addr. Other objects have no Mask.
type Place struct {
	Addr uint64
	Mask uint8
}

// An Entry says that an Obj of a window stands for what a map has for a key, by a number, or for
// whether the key is there. Equal numbers stand for equal contents.
type Entry struct {
	Map      model.Obj // the location of the map
	Key      flow.MapKey
	Presence bool // 0: the key is not there, 1: it is
	Whole    bool // it stands for the contents of the map as a whole
}

// A KeptOrder is a hard edge of a window that is there because of excluded code.
type KeptOrder struct {
	model.Edge
	Method trace.Addr // the excluded function; 0: one of several
}

// Looseness says why Relaxed may leave out an edge.
type Looseness uint8

const (
	_            Looseness = iota
	LooseTurn              // it keeps a turn of outside code together (WI3)
	LooseOutside           // it orders accesses of outside code, or operations that do not wait
)

// Excluded is what the trace has of excluded code, apart from Records.
type Excluded struct {
	Walked bool             // Records have Needs and From
	Open   []*excluded.Pair // the calls that are open where the window begins, by Begin
	Ends   []Ended          // ends of goroutines in the window that Records do not have, in order
}

// Ended is the end of a goroutine.
type Ended struct {
	G     trace.GoID
	Index int64
}

// recordOf returns the number in Records of an event of the trace, or -1.
func (b *Window) recordOf(index int64) int {
	at := func(r *Record, x int64) int { return cmp.Compare(r.Index, x) }
	i, ok := slices.BinarySearchFunc(b.Records, index, at)
	if !ok {
		return -1
	}
	return i
}

// Recorded returns an event of the trace by its number, if the window was made of it.
func (b *Window) Recorded(index int64) (e trace.Event, ok bool) {
	if i := b.recordOf(index); i >= 0 {
		return b.Records[i].Event, true
	}
	return e, false
}

// Term turns a term over reads of the trace into one over events of the window. ok is false if one
// of the reads has no term.
func (b *Window) Term(e *expr.Expr) (t *model.Term, ok bool) {
	if b.terms.With == nil {
		b.terms.With = b.read
	}
	if e = b.terms.Replace(e, flow.AlternativeBase); e == nil {
		return nil, false
	}
	return model.NewTerm(e), true
}

// read returns what a read of the trace becomes in a term: a function of events of the window, nil
// if that is unknown.
func (b *Window) read(r *expr.Expr) *expr.Expr {
	i := b.recordOf(r.Number())
	switch {
	case r.Number() >= flow.AlternativeBase:
		return nil
	case i >= 0 && i < len(b.Contents) && b.Contents[i] != nil:
		return b.Contents[i].Word(ReadMask(&b.Records[i].Event))
	case i >= 0 && len(b.Sources[i]) > 0:
		return nil
	}
	recorded, _ := r.Recorded() // before the window, or it depends on nothing of the window
	return expr.Word(recorded)
}

// SourcesOf returns the events that must be intact for reads of the trace to return what they
// returned.
func (b *Window) SourcesOf(reads []int64) []int32 {
	var out []int32
	for _, x := range reads {
		if i := b.recordOf(x); i >= 0 {
			out = append(out, b.Sources[i]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
