package offpath

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// valuation has the values of the witness: of terms at the fork, of the reads of the alternative,
// and of what its writes leave.
type valuation struct {
	in    *subject
	fresh renaming
}

func newValuation(in *subject, h *heap) *valuation {
	return &valuation{in, renaming{here: map[uint64]uint64{}, there: map[uint64]uint64{}, heap: h}}
}

// conditions checks that what the snapshot rests on holds in the witness (CP2).
func (v *valuation) conditions() {
	for _, i := range v.in.window.SourcesOf(v.in.snap.Needs) {
		if !v.in.exec.Intact(i) {
			reject("CP2", "the fork needs the recorded value of the read %d, which returns another one", i)
		}
	}
	for _, g := range v.in.snap.Guards {
		if word, ok := v.term(g.Term); !ok || word != g.Want {
			reject("CP2", "a guard of the fork does not hold")
		}
	}
}

// term evaluates a term over reads of the trace.
func (v *valuation) term(f *expr.Expr) (word uint64, known bool) {
	t, ok := v.in.window.Term(f)
	switch {
	case !ok:
		return 0, false
	case t.Copies():
		if word, known = v.in.exec.Seen(t.Reads()[0]); !known {
			return 0, false
		}
		return v.pointed(word).bits()
	}
	return v.in.exec.Value(t)
}

// content evaluates a term of type string.
func (v *valuation) content(f *expr.Expr) (text string, known bool) {
	if t, ok := v.in.window.Term(f); ok {
		return v.in.exec.Text(t)
	}
	return "", false
}

// pointed is a word that was read, as the program sees it. A number within memory that the window
// allocates anew may be a pointer to the object before or to the new one. The window has names for
// pointers to the new one; a number without such a name is unknown (CP6).
func (v *valuation) pointed(w uint64) value {
	word := v.in.window.Names.Plain(w)
	times := 0
	v.in.variant.Names.Allocated(func(addr, size uint64) {
		if word-addr < size && word >= 4096 && word < notProgram {
			times++
		}
	})
	if times > 1 || times == 1 && word == w {
		return unknown(8)
	}
	return number(word, 8)
}

// seen is what a read of the alternative returns in the witness (CP2).
func (v *valuation) seen(s *step, size int) value {
	x := unknown(size)
	for _, i := range s.events {
		w, ok := v.in.exec.Seen(i)
		if !ok || !v.in.exec.Done(i) {
			continue
		}
		word := v.pointed(w)
		if !s.Event.Kind.IsAccess() {
			x = v.fresh.toHere(word).part(0, size)
			continue
		}
		mask := v.mask(i)
		if size == 8 && mask == 0xff {
			x = v.fresh.toHere(word)
			continue
		}
		eachByte(s, mask, func(in, at int) { x = x.with(at, word.part(in, 1)) })
	}
	return x
}

// mask is the bytes of the location of an event.
func (v *valuation) mask(event int32) uint8 {
	return v.in.window.Places[v.in.variant.Events[event].Obj].Mask
}

// eachByte calls f for each byte of an atom: its number in the word of the atom's event, and in the
// access.
func eachByte(s *step, mask uint8, f func(in, at int)) {
	low := -1
	for i := range 8 {
		if mask>>i&1 == 0 {
			continue
		}
		if low < 0 {
			low = i
		}
		f(i-low, i-int(s.Event.Obj&7))
	}
}

// written checks that the witness has what the program writes in a step (CP4). An event whose value
// the witness does not know has no event that depends on it.
func (v *valuation) written(s *step, x value) {
	for _, i := range s.events {
		w, ok := v.in.exec.Wrote(i)
		if !v.in.exec.Done(i) || !ok {
			continue
		}
		if v.nobodys(i, w) {
			continue
		}
		word := number(v.in.window.Names.Plain(w), 8)
		if !s.Event.Kind.IsAccess() {
			v.agree(word.part(0, len(x.img)), x)
			continue
		}
		v.agreeOn(s, v.mask(i), word, x)
	}
}

// nobodys reports whether w, which event i writes, is a value that stands for an unknown one: no
// other event has it, and no term can compute with it.
func (v *valuation) nobodys(i int32, w uint64) bool {
	names := &v.in.variant.Names
	if _, named := names.Words[w]; named || !names.Mixed[w] || w < notProgram {
		return false
	}
	for k := range v.in.variant.Events {
		if e := &v.in.variant.Events[k]; int32(k) != i && e.Kind.IsAccess() && (e.Val == w || e.Kind == format.AtomicRMW && e.Aux == w) {
			return false
		}
	}
	return !slices.ContainsFunc(v.in.variant.Init, func(s model.ObjState) bool { return s.Val == w })
}

// finds checks a compare-and-swap that is an access of the race and is not executed: its events
// must expect the value old, since with no other value it writes.
func (v *valuation) finds(s *step, old value) {
	for _, i := range s.events {
		word := number(v.in.window.Names.Plain(v.in.variant.Events[i].Val), 8)
		v.agreeOn(s, v.mask(i), word, old)
	}
}

// agreeOn compares the bytes of an atom.
func (v *valuation) agreeOn(s *step, mask uint8, word, computed value) {
	if mask == 0xff && len(computed.img) == 8 {
		v.agree(word, computed)
		return
	}
	eachByte(s, mask, func(in, at int) { v.agree(word.part(in, 1), computed.part(at, 1)) })
}

// agree compares a value of the witness with the one that the program computes.
func (v *valuation) agree(witness, computed value) {
	w, _ := witness.bits()
	x, ok := computed.bits()
	switch {
	case !ok:
		reject("CP4", "the witness writes %#x, but what the program writes is unknown", w)
	case len(computed.img) == 8 && v.fresh.allocated(x):
		v.fresh.match(w, x)
	case x != w:
		reject("CP4", "the witness writes %#x, but the program writes %#x", w, x)
	}
}

// renaming is a partial bijection between the objects that the alternative allocates, as the events
// of the variant number them, and the objects of the interpreter's heap (CP4).
type renaming struct {
	here  map[uint64]uint64 // by the variant's number: the address here
	there map[uint64]uint64 // by the number here: the variant's
	heap  *heap
}

// allocated reports whether x is the address of an object of the heap.
func (r *renaming) allocated(x uint64) bool {
	return x >= freshBase && x < freshBase+uint64(len(r.heap.objects))<<freshShift
}

// toHere turns an address of the variant's numbering into the one of the heap.
func (r *renaming) toHere(v value) value {
	x, ok := v.bits()
	if !ok {
		return v
	}
	if base, ok := r.here[x>>freshShift]; ok && x >= notProgram {
		return number(base+x&(freshSize-1), 8)
	}
	return v
}

// match checks that the address w of the variant may be x here, and remembers it.
func (r *renaming) match(w, x uint64) {
	a, b := w>>freshShift, x>>freshShift
	base, ok := r.here[a]
	back, ok2 := r.there[b]
	if w < notProgram || w&(freshSize-1) != x&(freshSize-1) || ok && base != b<<freshShift || ok2 && back != a {
		reject("CP4", "the witness writes the address %#x, which is not that of the program's object %#x", w, x)
	}
	r.here[a], r.there[b] = b<<freshShift, a
}
