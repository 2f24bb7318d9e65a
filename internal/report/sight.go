package report

import (
	"strconv"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Seen is a read of a witness, as the analysis knows it, and what it sees.
type Seen struct {
	Read     int64
	Addr     trace.Addr
	Size     uint16
	Value    uint64
	Known    bool // otherwise Value says nothing
	Recorded uint64
	Write    int64 // what the value is from,
	Initial  bool  // unless it is there from the beginning of the witness
	Fork     bool  // a path is left because of it

	Text, RecordedText *string // of a string, if the content is known; Value is its pointer
}

// Types says what the instruction at a site reads or writes. Without the program, both are nil.
type Types struct {
	// Shape says how to write values: a basic type, "pointer", or "".
	Shape func(trace.Site) string
	// Content says what the memory holds (Content), "" if it is not known.
	Content func(trace.Site) Content
}

// shape is the Shape at a site, "" without the program.
func (t *Types) shape(s trace.Site) string {
	if t.Shape == nil {
		return ""
	}
	return t.Shape(s)
}

// events are those of a spec.
func (s *Spec) events() []int64 {
	list := append([]int64{s.A, s.B}, s.Order...)
	for _, x := range s.Seen {
		list = append(list, x.Read)
		if !x.Initial {
			list = append(list, x.Write)
		}
	}
	return list
}

// detour returns the detour that an event is a step of, nil if it is a recorded event.
func (s *Spec) detour(event int64) *Detour {
	k := int(-1 - event)
	for i := range s.Detours {
		if d := &s.Detours[i]; k < 0 {
			break
		} else if k < len(d.Steps) {
			return d
		} else {
			k -= len(d.Steps)
		}
	}
	return nil
}

// sights explains what the reads of a witness see.
func (l *Locator) sights(spec int) []Sight {
	var list []Sight
	for k, x := range l.specs[spec].Seen {
		e := l.seen[x.Read].event
		shape := l.types.shape(e.Site)
		s := Sight{Step: l.step(x.Read, &e), Expr: l.expr(&e), Fork: x.Fork}
		if !format.BeginsEmpty(e.Obj) { // the numbers of values of a sync.Map say nothing
			s.Value, s.Recorded = x.values(shape)
		}
		if !x.Initial {
			w := l.seen[x.Write].event
			from := l.step(x.Write, &w)
			s.From = &from
		} else if w := l.watches.found[watchKey{spec, k}]; w != nil {
			from := l.step(w.index, &w.event)
			s.From = &from
		}
		list = append(list, s)
	}
	return list
}

// values are what a read sees and what it saw, as literals; empty where that is not known.
func (x *Seen) values(shape string) (sees, saw string) {
	switch {
	case x.Text != nil:
		sees = strconv.Quote(*x.Text)
	case x.Known && shape != "string":
		sees = literal(x.Value, shape, x.Size)
	}
	switch {
	case x.Read < 0:
	case x.RecordedText != nil:
		saw = strconv.Quote(*x.RecordedText)
	case shape != "string":
		saw = literal(x.Recorded, shape, x.Size)
	}
	return sees, saw
}

// watches find the last writes before a witness of what its reads see from its beginning.
type watches struct {
	words map[trace.Addr][]watch // by address / 8
	found map[watchKey]*wrote
}

type watchKey struct{ spec, seen int }

type watch struct {
	watchKey
	addr, end    trace.Addr
	from, allocs int64 // writes count before from, allocations before allocs
}

type wrote struct {
	index int64
	event trace.Event
}

func newWatches(specs []Spec) watches {
	w := watches{words: make(map[trace.Addr][]watch), found: make(map[watchKey]*wrote)}
	for i := range specs {
		s := &specs[i]
		for k, x := range s.Seen {
			if !x.Initial || x.Size == 0 {
				continue
			}
			v := watch{watchKey{i, k}, x.Addr, x.Addr + trace.Addr(x.Size), s.From, x.Read}
			if d := s.detour(x.Read); d != nil {
				v.allocs = d.Before
			}
			for word := v.addr >> 3; word <= (v.end-1)>>3; word++ {
				w.words[word] = append(w.words[word], v)
			}
		}
	}
	return w
}

func (w *watches) step(i int64, e *trace.Event) {
	switch {
	case len(w.words) == 0:
	case e.Kind == format.Alloc:
		for _, list := range w.words {
			for _, v := range list {
				if i < v.allocs && e.Obj < v.end && v.addr < e.Obj+trace.Addr(e.Val) {
					delete(w.found, v.watchKey)
				}
			}
		}
	case e.Kind.IsWrite():
		end := e.Obj + trace.Addr(e.Size)
		for word := e.Obj >> 3; word <= (end-1)>>3 && e.Size > 0; word++ {
			for _, v := range w.words[word] {
				if i < v.from && e.Obj < v.end && v.addr < end {
					w.found[v.watchKey] = &wrote{i, *e}
				}
			}
		}
	}
}
