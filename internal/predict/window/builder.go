package window

import (
	"slices"

	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// BuildOptions are the choices of a Builder. The zero value is the recommended one.
type BuildOptions struct {
	// Size is the number of events of a window that matter for races; 0: 10,000.
	Size int
	// Raw bounds the number of trace events a window spans; 0: 64 times Size.
	Raw int
	// Apart lets windows follow each other without overlap. By default the second
	// half of a window is the first half of the next.
	Apart bool
	// NoValues says that the trace has no values at all (another tool's): every read
	// keeps its writer, and no write is a function of what was there.
	NoValues bool
	// Cleared says that all allocated memory is zero until it is written, also without FlagZero.
	Cleared bool
	// Walked says that Flows come from a walk.
	Walked bool
	// All has windows without promise made as well (promise).
	All bool
	// Symbolic says that the walk makes terms: windows have guards and values (MO11).
	Symbolic bool
	// Paths says that windows have alternatives. It needs Symbolic.
	Paths bool
	// Excluded says what the excluded calls of the trace may do.
	Excluded excluded.Mode
	// Meta names the functions of opaque calls; it may be nil.
	Meta *trace.Meta
}

// BuildCounts is what a Builder did and what it left out.
type BuildCounts struct {
	Windows int
	// Cut and Hidden count in windows that hold conflicting accesses; others are not made.
	//
	// Crowded is the number of words with more kinds of accesses than Apart compares with, and of
	// accesses to words that it does not keep because there are too many.
	Crowded int64
	// Cut is the number of times a thread ended early in a window, because the recorded order does
	// not enable its next event ("The recorded order" in docs/theory/model.md).
	Cut int64
	// Unpromising is the number of windows in which accesses conflict, and no race can be
	// (promise).
	Unpromising int
	// Hidden is the number of reads that returned what no recorded write wrote.
	Hidden int64
	// Forks is the number of forks whose choice depends on what other goroutines write; Unexplored
	// of these were not explored, because there are many at the same source line.
	Forks, Unexplored int64
	// Bounded of the explored forks have more alternatives than were executed.
	Bounded int64
	// Executed is the number of instructions that were executed in alternatives.
	Executed int64
	// Ends counts the alternatives by why they go no further.
	Ends map[string]int64
	// Uncertain is the number of times that a goroutine ended early in a window because the trace
	// does not say which write it read (WI2).
	Uncertain int64
	// Excluded is the number of excluded calls; Everywhere of these may reach everything.
	Excluded, Everywhere int64
}

// record is a trace event in the builder's buffer, which holds up to BuildOptions.Raw of them:
// small fields stand together.
type record struct {
	built.Record
	guards  []flow.Guard
	forks   []flow.Fork
	mem     int32
	obj     int32
	alt     int32       // of an alternative: its number, from 1
	padding uint8       // the padding of an unexplained read (flow.Flow)
	entry   *flow.Entry // of a map
	locks   lockset.Set // that its goroutine holds
	walked  bool
	chosen  bool // a case of a select
	// the first of a goroutine without a known start: excluded code may have started it (EX7)
	unstarted bool
	skip      bool // not in any window
	hot       bool // a read whose value may come from an event of the window
	// a read in a callback from excluded code, which keeps its value only as far as that code can
	// learn of it (EX12)
	back bool
}

// state is the part of a builder that the passes read: the buffer, and the state before it.
type state struct {
	opt BuildOptions
	buffer
	stacks
	room   int                 // capacity for events of a window: some more than the last had
	carry  carry               // the state before buf
	excode excludedCode        // what is known of excluded code
	pkgs   packages            // their initialisation and variables
	seeded bool                // carry has the package-level variables
	texts  map[uint64]struct{} // addresses of strings whose bytes were read
	racy   map[uint64]struct{} // words with an observed race
	run    *Races              // the races of the whole trace; nil: not known
	count  BuildCounts
	table  []*built.Record // of the window that is emitted
	rest   []flow.Fork     // with the last window: how goroutines go on that have not ended
}

// Builder cuts a trace into windows. Add the events in order, then Flush.
type Builder struct {
	state
	emit      func(*built.Window) error
	past      past
	done      int64
	needs     []int64 // of the last record that has needs: the next one often has the same
	from      []int64
	where     []int64
	selecting map[trace.GoID]bool // its last event was a SelectCase
	locks     lockset.Locks
	lent      int64 // the last event that unlocked what its goroutine did not hold; -1: none
	backoff   backoff
	races     int64 // an event of one, that is added next
}

// NewBuilder returns a builder that calls emit for each window.
func NewBuilder(opt BuildOptions, emit func(*built.Window) error) *Builder {
	if opt.Size == 0 {
		opt.Size = 10_000
	}
	if opt.Raw == 0 {
		opt.Raw = 64 * opt.Size
	}
	return &Builder{
		state: state{
			opt: opt, buffer: buffer{seen: newInterest()}, stacks: stacks{meta: opt.Meta},
			carry: newCarry(), excode: newExcludedCode(opt.Excluded), racy: make(map[uint64]struct{}),
			pkgs: packages{meta: opt.Meta, after: make(map[trace.GoID]bool), away: make(map[away]bool), lost: make(map[trace.Addr]bool)},
		},
		emit: emit, past: past{apart: make(map[[2]trace.Site]bool)}, selecting: make(map[trace.GoID]bool), lent: -1, races: -1,
	}
}

// Counts returns what was done so far.
func (b *Builder) Counts() BuildCounts {
	c := b.count
	c.Crowded = b.past.crowded
	c.Excluded, c.Everywhere = b.excode.pairs.Begun, b.excode.pairs.All
	return c
}

// Add takes the next event of the trace. The slices of f are copied.
func (b *Builder) Add(index int64, e *trace.Event, f flow.Flow) error {
	n := b.locks.Lent()
	if b.locks.Step(e); b.locks.Lent() > n {
		b.lent = index
	}
	r := record{Record: built.Record{Event: *e, Index: index}, locks: b.locks.Of(e.G), walked: f.Walked && e.Flags&format.FlagOpaque == 0, mem: -1, obj: -1}
	if keep, err := b.excode.step(&r); err != nil || !keep {
		return err
	}
	b.call(e)
	switch e.Kind {
	case format.Observe:
		b.pkgs.observes(index, e)
	case format.Alloc:
		b.pkgs.allocates(index, e)
	}
	if b.begun(index); e.Kind == format.Alloc && b.inside(e.G) {
		// outside code fills what it allocates
		r.Event.Flags &^= format.FlagZero
	}
	if !b.wants(&r, &f) {
		return nil
	}
	if index == b.races {
		b.racy[uint64(e.Obj)>>3] = struct{}{}
	}
	b.copyFlow(&r, &f)
	switch {
	case e.IsText():
		b.noteText(e)
		fallthrough
	case e.Kind.IsAccess():
		b.past.missed(e)
	case e.Kind == format.Go:
		b.pkgs.starts(index, e)
		b.past.born(trace.GoID(e.Obj), birth{e.G, index, e.Site})
	case e.Kind == format.SelectCase:
		b.selecting[e.G] = true
	case b.selecting[e.G]:
		r.chosen = true
		delete(b.selecting, e.G)
	}
	b.buf = append(b.buf, r)
	b.fresh++
	b.place()
	b.noteLast()
	// no window ends between a MethodBegin and the list of its D
	if (b.seen.n >= b.opt.Size || len(b.buf) >= b.opt.Raw) && b.seen.meeting == 0 && e.Kind != format.MethodBegin {
		return b.window(false)
	}
	return nil
}

// copyFlow copies what the walk found about a record.
func (b *Builder) copyFlow(r *record, f *flow.Flow) {
	if len(f.Needs) > 0 {
		b.needs = kept(b.needs, f.Needs)
		r.Needs = b.needs
	}
	if len(f.From) > 0 && !f.Own {
		b.from = kept(b.from, f.From)
		r.From = b.from
	}
	if len(f.Where) > 0 {
		b.where = kept(b.where, f.Where)
		r.Where = b.where
	}
	r.Appended, r.padding, r.entry = f.Appended, f.Padding, f.Entry
	if !b.opt.Symbolic { // the reads of a guard are needed
		for _, g := range f.Guards {
			r.Needs = append(slices.Clone(r.Needs), numbers(g.Term)...)
		}
		return
	}
	r.guards = append([]flow.Guard(nil), f.Guards...)
	if !f.Own {
		r.Value = f.Value
	}
	r.forks = append([]flow.Fork(nil), f.Forks...)
}

// kept returns a copy of reads, or the last copy if that is equal.
func kept(last, reads []int64) []int64 {
	if equal(last, reads) {
		return last
	}
	return append([]int64(nil), reads...)
}

// Flush makes the last window. rest is how the goroutines would go on that have not ended
// ([flow.Rester]).
func (b *Builder) Flush(rest []flow.Fork) error {
	if b.fresh == 0 && (len(rest) == 0 || len(b.buf) == 0) {
		return nil
	}
	if b.opt.Paths {
		b.rest = rest
	}
	return b.window(true)
}

// wants reports whether an event can matter in a window.
func (b *Builder) wants(r *record, f *flow.Flow) bool {
	switch e := &r.Event; {
	case e.Kind.IsControl():
		return len(f.Needs) > 0 || len(f.Guards) > 0 || len(f.Forks) > 0 || b.showsOutside(e)
	case e.Kind == format.Read, e.Kind == format.Write:
		return e.Obj != 0 && (e.Flags&format.FlagStack == 0 || b.opt.Walked) // 0: a nil map
	case e.Kind == format.End:
		b.excode.end(r)
	}
	return true
}

// window builds a window of the buffer, emits it, and drops what the next one does not need. If no
// fresh access conflicts with another access, the window is empty: it has no candidates.
func (b *Builder) window(last bool) error {
	first, end := b.buf[0].Index, b.buf[len(b.buf)-1].Index+1
	var p promise
	switch {
	case len(b.rest) > 0:
		p = promise{live: true}
	case b.seen.live || b.opt.Paths && b.forked(b.seen.varies):
		p = b.promise()
	}
	var m *product
	w := &built.Window{Window: &model.Window{}}
	if p.live {
		m = b.made()
		w = m.built()
	} else if b.seen.live {
		b.count.Unpromising++
	}
	w.From, w.To, w.Done = first, end, b.done
	b.count.Windows++
	b.fresh = 0
	if err := b.emit(w); err != nil {
		return err
	}
	b.forget(m)
	b.done = end
	if last {
		b.buf = nil
		return nil
	}
	b.slide(b.next(m, p))
	return nil
}

// next returns where in the buffer the window after m starts: in the middle of the events that
// matter, but not between a non-blocking send and its partner. m is nil if no window was made.
func (b *Builder) next(m *product, p promise) int {
	if b.opt.Apart {
		return len(b.buf)
	}
	// A window that is full of events that do not matter must move on all the same.
	least := max(1, len(b.buf)/8)
	if len(b.buf) >= b.opt.Raw || !b.seen.live {
		least = len(b.buf) / 2
	}
	if !p.live { // it has no events to count
		least = max(least, p.half)
	}
	events := 0
	if m != nil {
		events = len(m.w.Events)
	}
	n, meeting := 0, make(map[trace.Addr]bool)
	for i := range b.buf {
		r := &b.buf[i]
		if 2*n >= events && len(meeting) == 0 && i >= least && b.buf[i-1].Event.Flags&format.FlagMore == 0 {
			return i
		}
		if m != nil && m.kept[i] {
			n++
		}
		trackMeeting(meeting, r)
	}
	return len(b.buf)
}

// trackMeeting keeps the unbuffered channels on which a send waits for its receive, if the send is
// non-blocking or a case of a select.
func trackMeeting(meeting map[trace.Addr]bool, r *record) {
	if r.Event.Aux != 0 {
		return
	}
	switch {
	case r.Event.Kind == format.ChanSend && (r.chosen || r.Event.Flags&format.FlagNonBlocking != 0):
		meeting[r.Event.Obj] = true
	case r.Event.Kind == format.ChanRecv:
		delete(meeting, r.Event.Obj)
	}
}

// slide drops the first n records and takes them into the state before the buffer.
func (b *Builder) slide(n int) {
	for i := range b.buf[:n] {
		r := &b.buf[i]
		if !b.opt.NoValues || !r.Event.Kind.IsAccess() {
			b.carry.apply(&r.Event, b.opt.Cleared)
		}
		if b.showsOutside(&r.Event) {
			b.carry.runs.step(r.Event.G, b.apart(&r.Event))
		}
		b.excode.pass(r)
		switch {
		case r.Event.Kind.IsAccess():
			b.past.pass(r.Index, &r.Event)
		case r.Event.Kind == format.Alloc:
			b.past.renew(uint64(r.Event.Obj), r.Event.Val)
		}
	}
	k := copy(b.buf, b.buf[n:])
	clear(b.buf[k:])
	b.buf = b.buf[:k]
	b.seen.next()
	b.replace()
	b.noteAll()
	// A window that is full again at once would never end: at least its second half is new.
	b.seen.n = min(b.seen.n, b.opt.Size/2)
}
