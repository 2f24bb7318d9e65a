package predict

import (
	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Sight is a read of a witness that the witness depends on and that differs from the recorded
// run: it returns another value, or it was not executed there. A witness depends on a read if a
// branch or a dereferenced address does, or a value that another such read returns.
type Sight struct {
	Read     int64 // event of the trace, or step
	Kind     format.Kind
	Addr     trace.Addr
	Size     uint16
	Value    uint64
	Known    bool   // Value is known
	Recorded uint64 // of an event of the trace: its value in the recorded run
	// the event or step that wrote the value; -1: it is there when the witness begins
	Write int64
	Fork  bool // the choice at the fork of the path depends on it

	// Of a string whose content is known. The read of its pointer stands for the length as well.
	Text, RecordedText *string
}

// sights explains a witness that the checker has accepted.
func sights(b place, w *model.Window, p model.Pair, order []int32) []Sight {
	seen, err := witness.Sights(w, p, order)
	if err != nil {
		return nil
	}
	x := newSupport(b, w, p, order, seen)
	strings := stringsOf(w, b, order, p)
	lengths := make(map[int32]bool)
	for ptr, s := range strings {
		if n := s.length(); x.wanted[n] && x.at[ptr] != nil {
			x.wanted[ptr], x.fork[ptr] = true, x.fork[ptr] || x.fork[n]
			lengths[n] = true
		}
	}
	var list []Sight
	for _, s := range seen {
		e := &w.Events[s.Read]
		str, isString := strings[s.Read]
		differs := e.Index >= flow.AlternativeBase || !s.Known || s.Value != e.Val
		n := x.at[str.length()]
		if isString && n != nil {
			differs = differs || !n.Known || n.Value != w.Events[n.Read].Val
		}
		if !x.wanted[s.Read] || lengths[s.Read] || !differs {
			continue
		}
		v := b.sight(w, s, x.fork[s.Read])
		if isString && n != nil {
			v.Text = str.content(b.Names.Plain(s.Value), b.Names.Plain(n.Value), s.Known && n.Known)
			v.RecordedText = str.content(v.Recorded, b.Names.Plain(w.Events[n.Read].Val), s.Read < int32(len(b.Events)))
		}
		list = append(list, v)
	}
	return list
}

// support is the reads of a witness that its guards depend on, also by the values that other reads
// return.
type support struct {
	w      *model.Window
	at     map[int32]*witness.Sight // by the read
	wanted map[int32]bool
	fork   map[int32]bool // the choice at the fork depends on it
}

func newSupport(b place, w *model.Window, p model.Pair, order []int32, seen []witness.Sight) *support {
	x := &support{w: w, at: make(map[int32]*witness.Sight, len(seen)), wanted: make(map[int32]bool), fork: make(map[int32]bool)}
	for i := range seen {
		x.at[seen[i].Read] = &seen[i]
	}
	for _, i := range append(append([]int32(nil), order...), p.A, p.B) {
		for _, g := range w.Events[i].Guards {
			x.want(g.Term.Reads())
		}
	}
	for _, way := range b.ways {
		for _, g := range way.Holds {
			x.want(g.Term.Reads())
			for _, r := range g.Term.Reads() {
				x.fork[r] = true
			}
		}
	}
	return x
}

// want adds reads, and the reads from which the values that they return are computed.
func (x *support) want(reads []int32) {
	for _, r := range reads {
		s := x.at[r]
		if s == nil || x.wanted[r] {
			continue
		}
		x.wanted[r] = true
		if s.Write >= 0 && x.w.Events[s.Write].Value != nil {
			x.want(x.w.Events[s.Write].Value.Reads())
		}
	}
}

// A text is a string of a guard. Two reads have its pointer and its length.
type text struct{ at *expr.Expr }

func (x text) length() int32 {
	if x.at == nil {
		return -1
	}
	return int32(x.at.Args()[1].Number())
}

// content returns its content for a pointer and a length, nil if that is unknown.
func (x text) content(ptr, n uint64, known bool) *string {
	if s, ok := x.at.Texts().At(ptr, n); ok && known {
		return &s
	}
	return nil
}

// stringsOf returns the strings of the guards of a witness, by the read of the pointer.
func stringsOf(w *model.Window, b place, order []int32, p model.Pair) map[int32]text {
	found := make(map[int32]text)
	look := func(guards []model.Guard) {
		for _, g := range guards {
			g.Term.Expr.Walk(func(e *expr.Expr) {
				if e.Op() == expr.TextAt && e.Args()[0].Op() == expr.Read && e.Args()[1].Op() == expr.Read {
					found[int32(e.Args()[0].Number())] = text{e}
				}
			})
		}
	}
	for _, i := range append(append([]int32(nil), order...), p.A, p.B) {
		look(w.Events[i].Guards)
	}
	for _, way := range b.ways {
		look(way.Holds)
	}
	return found
}

func (b place) sight(w *model.Window, s witness.Sight, fork bool) Sight {
	e := &w.Events[s.Read]
	out := Sight{Read: e.Index, Kind: e.Kind, Value: b.Names.Plain(s.Value), Known: s.Known, Recorded: b.Names.Plain(e.Val), Write: -1, Fork: fork}
	if s.Write >= 0 {
		out.Write = w.Events[s.Write].Index
	}
	r, ok := b.Recorded(e.Index)
	if e.Index >= flow.AlternativeBase {
		r, ok = b.step(e.Index).Event, true
	}
	if ok {
		out.Addr, out.Size = r.Obj, r.Size
	}
	return out
}

// step returns the step of an alternative by its number.
func (b place) step(index int64) *flow.Step {
	k := int(index - flow.AlternativeBase)
	for _, way := range b.ways {
		if k < len(way.Steps) {
			return &way.Steps[k]
		}
		k -= len(way.Steps)
	}
	panic("predict: no step has this number")
}
