package analyse

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
	"presage/internal/witness"
)

// Sight is a read of a witness that sees another value than in the recorded run, or that was not executed there, and on which
// something rests: which way a goroutine goes, what it dereferences, or a value that such a read sees.
type Sight struct {
	Read     int64 // event of the trace, or step
	Kind     format.Kind
	Addr     trace.Addr
	Size     uint16
	Value    uint64
	Known    bool   // otherwise Value says nothing
	Recorded uint64 // what it saw in the recorded run, of an event of the trace
	Write    int64  // the event or step that put the value there; -1: it is there when the witness begins
	Fork     bool   // the choice at the fork of the path rests on it
}

// sights explains a witness that the checker has accepted.
func sights(b place, w *window.Window, p window.Pair, order []int32) []Sight {
	seen, err := witness.Sights(w, p, order)
	if err != nil {
		return nil
	}
	at := make(map[int32]*witness.Sight, len(seen))
	for i := range seen {
		at[seen[i].Read] = &seen[i]
	}
	wanted := make(map[int32]bool)
	var want func(reads []int32)
	want = func(reads []int32) {
		for _, r := range reads {
			s := at[r]
			if s == nil || wanted[r] {
				continue
			}
			wanted[r] = true
			if s.Write >= 0 && w.Events[s.Write].Value != nil {
				want(w.Events[s.Write].Value.Reads())
			}
		}
	}
	for _, i := range append(append([]int32(nil), order...), p.A, p.B) {
		for _, g := range w.Events[i].Guards {
			want(g.Term.Reads())
		}
	}
	fork := make(map[int32]bool)
	if b.way != nil {
		for _, g := range b.way.Holds {
			want(g.Term.Reads())
			for _, r := range g.Term.Reads() {
				fork[r] = true
			}
		}
	}
	var list []Sight
	for _, s := range seen {
		if e := &w.Events[s.Read]; wanted[s.Read] && (e.Index >= window.AlternativeBase || !s.Known || s.Value != e.Val) {
			list = append(list, b.sight(w, s, fork[s.Read]))
		}
	}
	return list
}

func (b place) sight(w *window.Window, s witness.Sight, fork bool) Sight {
	e := &w.Events[s.Read]
	out := Sight{Read: e.Index, Kind: e.Kind, Value: b.Plain(s.Value), Known: s.Known, Recorded: b.Plain(e.Val), Write: -1, Fork: fork}
	if s.Write >= 0 {
		out.Write = w.Events[s.Write].Index
	}
	r, ok := b.Recorded(e.Index)
	if e.Index >= window.AlternativeBase {
		r, ok = b.way.Steps[e.Index-window.AlternativeBase].Event, true
	}
	if ok {
		out.Addr, out.Size = r.Obj, r.Size
	}
	return out
}
