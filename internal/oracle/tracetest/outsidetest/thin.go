package outsidetest

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Thinning are faults of Thin: records that it leaves out although the recorder does not.
type Thinning struct {
	NoDirty bool // (SC7): reads by outside code of what inside code has written
	NoLate  bool // late records
}

// Thin returns the run as the recorder writes it. Of the accesses of outside code it has the first
// of each turn, and late records of the last ones. The recorder processes the records of inside
// code at random moments between two operations of synchronisation.
func (run *Run) Thin(r *rand.Rand, by Thinning) *Run {
	t := &thinner{r: r, run: run, by: by, gs: make([]cellG, len(run.Code)), cells: make([]cell, run.Vars), owner: []int{-1}, end: []int{0}, gone: make([]bool, len(run.Events))}
	for i := range run.Events {
		t.event(i)
	}
	for g := range t.gs {
		t.scan(g)
	}
	return t.finish()
}

// entry is an entry of a cell (presage_cell.go of the recorder).
type entry struct {
	id       int // context; 0: there is no entry
	shared   bool
	recorded bool
	bytes    uint8
	event    int // the access
}

// cell is the state of a word in the recorder.
type cell struct {
	w, r                    entry
	dirtyReads, dirtyWrites uint8
}

// cellG is the state of a goroutine in the recorder.
type cellG struct {
	key         int // the present context
	base, width int // contexts of the release epoch
	inside      int // context of its marks
	records     []int
}

// thinner is the state of Thin.
type thinner struct {
	r     *rand.Rand
	run   *Run
	by    Thinning
	gs    []cellG
	cells []cell
	owner []int // by context: goroutine
	end   []int // by context: the event that ends it, 0: none
	late  []entry
	gone  []bool
}

func (t *thinner) newID(g int) int {
	t.owner, t.end = append(t.owner, g), append(t.end, 0)
	return len(t.owner) - 1
}

func (t *thinner) owns(g int, e entry) bool { return t.owner[e.id] == g }

// mine reports whether no entry is of another goroutine.
func (t *thinner) mine(g int, e entry) bool { return e.id == 0 || t.owns(g, e) }

func (t *thinner) event(i int) {
	e := &t.run.Events[i]
	g := int(e.G) - 1
	s := &t.gs[g]
	switch {
	case isOutside(e):
		t.gone[i] = !t.hook(i, g, e)
	case e.Kind == format.Read || e.Kind == format.Write:
		if s.records = append(s.records, i); t.r.IntN(4) == 0 {
			t.scan(g)
		}
	case e.Kind.IsAtomic():
		if t.seen(g, variable(e)); e.Kind.IsWrite() && e.Flags&format.FlagOpaque == 0 {
			t.soil(e)
		}
		t.synchronises(i, g, e)
	case e.Kind >= format.Lock && e.Kind <= format.Observe:
		t.synchronises(i, g, e)
	}
}

func isOutside(e *trace.Event) bool {
	const flags = format.FlagOpaque | format.FlagNoValue
	return (e.Kind == format.Read || e.Kind == format.Write) && e.Flags&flags == flags
}

func variable(e *trace.Event) int { return int(e.Obj-memoryAt) / 8 }

func bytesOf(e *trace.Event) uint8 { return uint8(1<<e.Size - 1) }

// synchronises ends the context of g, and of a release the release epoch.
func (t *thinner) synchronises(i, g int, e *trace.Event) {
	t.scan(g)
	s := &t.gs[g]
	if s.key != 0 {
		t.end[s.key] = i
	}
	s.key = 0
	switch e.Kind {
	case format.Lock, format.TryFail, format.WGWait, format.OncePass, format.OnceBegin, format.AtomicRead, format.ChanLen, format.SelectCase, format.Observe:
		return
	}
	s.width = 0
}

func (t *thinner) context(g int) {
	s := &t.gs[g]
	if s.key != 0 {
		return
	}
	s.key = t.newID(g)
	if s.width == 0 {
		s.base = s.key
	}
	s.width = s.key - s.base + 1
}

// epoch reports whether an entry is of the release epoch of g.
func (t *thinner) epoch(g int, e entry) bool {
	s := &t.gs[g]
	return t.owns(g, e) && e.id >= s.base && e.id < s.base+s.width
}

// scan processes the records of inside code (SC4, SC7).
func (t *thinner) scan(g int) {
	s := &t.gs[g]
	for _, i := range s.records {
		e := &t.run.Events[i]
		t.seen(g, variable(e))
		if e.Kind == format.Write {
			t.soil(e)
		}
	}
	s.records = s.records[:0]
}

func (t *thinner) soil(e *trace.Event) {
	c := &t.cells[variable(e)]
	c.dirtyReads, c.dirtyWrites = 0xff, 0xff
}

// seen marks a word as used by inside code of g.
func (t *thinner) seen(g, x int) {
	s, c := &t.gs[g], &t.cells[x]
	if s.inside == 0 {
		s.inside = t.newID(g)
	}
	mark := entry{id: s.inside, recorded: true}
	if c.r.id == 0 && c.w.shared && c.w.bytes == 0 {
		return
	}
	if c.w.id == 0 && c.r.id == 0 {
		c.w = mark
	}
	if !t.mine(g, c.w) || !t.mine(g, c.r) {
		w, r := c.w, c.r
		mark.shared = true
		c.w, c.r = mark, entry{}
		t.flush(w)
		t.flush(r)
	}
}

// flush writes a late record, unless the access has one.
func (t *thinner) flush(e entry) {
	if e.id != 0 && !e.recorded && !t.by.NoLate {
		t.late = append(t.late, e)
	}
}

// hook takes an access of outside code, and reports whether it is recorded at its place.
func (t *thinner) hook(i, g int, e *trace.Event) bool {
	t.scan(g)
	c, b, write := &t.cells[variable(e)], bytesOf(e), e.Kind == format.Write
	dirty := c.dirtyReads&b != 0
	if write {
		dirty = c.dirtyWrites&b != 0
	}
	if dirty = dirty && !t.by.NoDirty; !dirty && t.noted(g, c, b, write) {
		return false
	}
	t.context(g)
	down := !t.noted(g, c, b, write) && t.taken(g, c, i, b, write)
	if dirty {
		if c.dirtyReads &^= b; write {
			c.dirtyWrites &^= b
		}
	}
	return down || dirty
}

// noted is (SC2).
func (t *thinner) noted(g int, c *cell, b uint8, write bool) bool {
	if write {
		return t.epoch(g, c.w) && b&^c.w.bytes == 0 && (c.r.id == 0 || t.epoch(g, c.r))
	}
	return t.epoch(g, c.r) && b&^c.r.bytes == 0 || t.epoch(g, c.w) && b&^c.w.bytes == 0
}

// continues reports whether an access is not the first of its kind in a turn.
func continues(c *cell, b uint8, write bool) bool {
	return b&^c.w.bytes == 0 || !write && b&^c.r.bytes == 0
}

// ownTurn takes an access to a word that no other goroutine has used.
func (t *thinner) ownTurn(g int, c *cell, i int, b uint8, write bool) bool {
	if !t.mine(g, c.w) || !t.mine(g, c.r) {
		return false
	}
	p := &c.r
	if write {
		p = &c.w
	}
	e := entry{id: t.gs[g].key, bytes: b, event: i, shared: c.w.shared || c.r.shared}
	switch {
	case e.shared && !continues(c, b, write):
		return false
	case p.id == e.id:
		e.bytes |= p.bytes
	case !p.recorded && p.bytes&^b != 0: // (SC3)
		return false
	}
	if *p = e; write && c.r.id != 0 && c.r.bytes&^b == 0 {
		c.r = entry{}
	}
	return true
}

// taken takes an access, and reports whether it is recorded.
func (t *thinner) taken(g int, c *cell, i int, b uint8, write bool) bool {
	for !t.ownTurn(g, c, i, b, write) {
		p := &c.r
		if write {
			p = &c.w
		}
		if t.mine(g, c.w) && t.mine(g, c.r) && (!(c.w.shared || c.r.shared) || continues(c, b, write)) {
			t.writeLate(g, p)
			continue
		}
		e := entry{id: t.gs[g].key, shared: true, recorded: true, bytes: b, event: i}
		old := *p
		if t.epoch(g, old) {
			e.bytes |= old.bytes
		}
		*p = e
		if t.flush(old); write {
			r := c.r
			c.r = entry{}
			t.flush(r)
			return true
		}
		if old.id != 0 && !t.owns(g, old) && c.w.id != 0 && t.owns(g, c.w) { // endWrites
			w := c.w
			c.w = entry{}
			t.flush(w)
		}
		t.writeLate(g, &c.w)
		return true
	}
	return false
}

// writeLate records the access of an entry late.
func (t *thinner) writeLate(g int, p *entry) {
	if p.id == 0 || p.recorded {
		return
	}
	t.flush(*p)
	p.recorded = true
	p.shared = p.shared || !t.owns(g, *p)
}

// finish puts late records where their contexts end.
func (t *thinner) finish() *Run {
	out := &Run{Program: t.run.Program, Schedule: t.run.Schedule}
	before := make([][]entry, len(t.run.Events)+1)
	for _, e := range t.late {
		at := len(t.run.Events)
		if t.end[e.id] > 0 {
			at = t.end[e.id]
		}
		before[at] = append(before[at], e)
	}
	at := make([]int64, len(t.run.Events))
	for i := range before {
		for _, l := range before[i] {
			t.place(out, l)
		}
		if i == len(t.run.Events) || t.gone[i] {
			continue
		}
		at[i] = int64(len(out.Events))
		out.Events, out.Flows = append(out.Events, t.run.Events[i]), append(out.Flows, renumbered(t.run.Flows[i], at))
	}
	return out
}

// place writes a late record, an event for each run of bytes.
func (t *thinner) place(out *Run, l entry) {
	for b := l.bytes; b != 0; {
		k := bits.TrailingZeros8(b)
		n := bits.TrailingZeros8(^(b >> k))
		e := t.run.Events[l.event]
		e.Obj, e.Size, e.Flags = e.Obj&^7+trace.Addr(k), uint16(n), e.Flags|format.FlagLate
		out.Events, out.Flows = append(out.Events, e), append(out.Flows, flow.Flow{})
		b &^= uint8(1<<n-1) << k
	}
}

// renumbered is a flow in which events have the numbers at.
func renumbered(f flow.Flow, at []int64) flow.Flow {
	move := func(list []int64) (out []int64) {
		for _, x := range list {
			out = append(out, at[x])
		}
		return out
	}
	term := func(e *expr.Expr) *expr.Expr {
		if e == nil {
			return nil
		}
		return e.Replace(func(e *expr.Expr) *expr.Expr {
			v, _ := e.Recorded()
			return expr.NewRead(at[e.Number()], 8, v)
		})
	}
	f.Needs, f.From, f.Value = move(f.Needs), move(f.From), term(f.Value)
	f.Guards = slices.Clone(f.Guards)
	for i := range f.Guards {
		f.Guards[i].Term = term(f.Guards[i].Term)
	}
	return f
}
