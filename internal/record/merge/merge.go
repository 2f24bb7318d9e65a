package merge

import (
	"container/heap"
	"fmt"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Stats is what a merge did.
type Stats struct {
	Process
	Streams     int   // that have records
	Goroutines  int   // numbers given
	Bytes       int64 // of raw records
	Events      int64 // written
	Values      int64 // reads whose value was compared
	Outside     int64 // records of outside code,
	Late        int64 // and late ones
	Unexplained int   // of those, reads that no write explains (V5)
	Pulls       int   // (V1), (V2)
	Moves       int   // (V3), (V4)
	Dropped     int   // records left out because of a stop or damage (C2), (C3)
	Damage      []string
}

// Options say how records are merged. The zero value is the usual way.
type Options struct {
	// Full keeps every access of outside code, of a recording that has them all (rt.EnvOutside), in
	// place of those that other goroutines can conflict with. Those of an audit have their values.
	Full bool
	// Over is asked now and then whether to stop: the trace has what comes before. Nil: never.
	Over func() bool
}

// Merge merges the raw records in dir, the directory of one process, and writes
// their events to w. It fills in the goroutines and the warnings of meta;
// the caller closes w with it.
func Merge(dir string, meta *trace.Meta, w *trace.Writer, opt Options) (Stats, error) {
	r, err := openRecording(dir)
	if err != nil {
		return Stats{}, err
	}
	defer r.close()
	m := newMerger(r, meta, w)
	m.full, m.over = opt.Full, opt.Over
	m.run()
	m.finish()
	return m.stats, m.err
}

// File merges the raw records in dir into a trace file, as Merge does.
func File(dir, name string, meta *trace.Meta, opt Options) (Stats, error) {
	f, err := private.Create(name)
	if err != nil {
		return Stats{}, err
	}
	w, err := trace.NewWriter(f, meta)
	if err != nil {
		f.Close()
		return Stats{}, err
	}
	s, err := Merge(dir, meta, w, opt)
	if closeErr := w.Close(meta); err == nil {
		err = closeErr
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		err = fmt.Errorf("writing trace %s: %w", name, err)
	}
	return s, err
}

// merger is the state of a merge.
type merger struct {
	*recording
	w       *trace.Writer
	meta    *trace.Meta
	shadow  *shadow
	hot     map[uint64]*contention // by word; cell.hot says which have one
	heap    byStamp
	widest  uint64 // range of bytes that is believed (G4)
	limit   uint64 // records with later stamps are left out (C2), (C3)
	depth   int    // pulls under way
	written []rehearsed
	buf     []placed // the last events
	fails   int
	wide    []wide  // (O3)
	holders []int32 // (O3): streams
	gos     map[uint64]trace.GoID
	chans   map[uint64]*sends // (G3)
	vars    []variable
	varsAt  int64
	mapped  [][2]uint64 // memory that may be at other addresses as well
	more    bool        // the last event written goes on in the next
	shared  bool        // it is an access of such memory
	consts  constants
	leftOut []leftOut   // by package, from 1
	told    told        // sets that Ds have named
	lost    int         // sets without a record
	away    uint64      // time of goroutines in calls of these,
	time    uint64      // and all of it
	full    bool        // every access of outside code
	over    func() bool // Options.Over
	late    bool        // it was
	stats   Stats
	err     error
}

// sends are the numbers of the next send and receive of a channel.
type sends struct{ sent, received uint64 }

func newMerger(r *recording, meta *trace.Meta, w *trace.Writer) *merger {
	m := &merger{
		recording: r, w: w, meta: meta, shadow: newShadow(), hot: make(map[uint64]*contention), limit: noStamp, widest: 1 << 32,
		gos: map[uint64]trace.GoID{1: 1}, chans: make(map[uint64]*sends),
	}
	m.stats = Stats{Process: r.Process, Streams: len(r.streams), Bytes: r.bytes}
	m.goroutine(1)
	return m
}

// run merges (O1).
func (m *merger) run() {
	m.cut()
	for i, s := range m.streams {
		s.index, s.g = int32(i), -1
		s.setCursor(cursor{seg: -1})
		if m.load(s) {
			m.heap = append(m.heap, s)
		}
	}
	heap.Init(&m.heap)
	for n := 0; len(m.heap) > 0 && m.err == nil; n++ {
		s := m.heap[0]
		if s.stamp > m.limit {
			break
		}
		if m.over != nil && n%steps == 0 && m.over() {
			m.late = true
			break
		}
		s.busy = true
		more := m.step(s)
		s.busy = false
		if more {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
			m.endContext(s)
			s.acc, s.rec = nil, record{}
		}
	}
	for _, s := range m.heap { // behind the limit
		m.endContext(s)
		if !m.late { // else to count them would take as long as to merge them
			m.stats.Dropped += m.rest(s)
		}
	}
	m.flush(len(m.buf))
}

// steps is the number of groups between two calls of Over.
const steps = 64

// step emits the group of s and the stamped record behind it, and begins the next
// group. It returns false at the end of the stream.
func (m *merger) step(s *stream) bool {
	for m.err == nil {
		r, ok := m.emitPlain(s)
		if !ok {
			return false
		}
		if r.has {
			break
		}
	}
	return m.err == nil && m.load(s)
}

// emitPlain emits the next record of s.
func (m *merger) emitPlain(s *stream) (r *record, ok bool) {
	c, r := s.cursor(), &s.rec
	c.shorts = &s.emitted
	if !c.read(m.recording, s, r) {
		return r, false
	}
	counted := m.counted(r)
	if counted { // a pull must find the record it stops at still to come
		m.order(s)
	}
	m.release(s, &c)
	s.setCursor(c)
	if counted {
		s.next++
	}
	m.emit(s, r)
	return r, true
}

// order arranges what has to come before the next access of s.
func (m *merger) order(s *stream) {
	a := s.acc[s.next]
	if a.c == nil || !a.c.hot {
		return
	}
	busy := s.busy
	s.busy = true
	if a.kind == format.Write {
		m.beforeWrite(s, a)
	} else if !a.c.holds(a.val, a.mask) {
		m.beforeRead(s, a)
	}
	s.busy = busy
}

// counted reports whether r is an element of its group's acc.
func (m *merger) counted(r *record) bool {
	if r.kind != format.Read && r.kind != format.Write {
		return false
	}
	return isValued(r) || isAudited(r) || r.flags&format.FlagNoValue != 0 && r.word(0) != 0 && r.word(1) != 0 && !m.tooWide(r.word(0), r.word(1))
}

// isValued reports whether r is a plain access with a value that the order rests on.
func isValued(r *record) bool {
	return isPlain(r) && r.site&format.OutsidePC == 0 && r.word(0) != 0 && r.size > 0 && r.size <= 8
}

// isAudited reports whether r is an access of outside code with a value, of an audit. No order
// rests on it.
func isAudited(r *record) bool { return isPlain(r) && r.site&format.OutsidePC != 0 }

// load begins the next group of s: it finds the stamp behind it and its accesses. It
// returns false if nothing is left.
func (m *merger) load(s *stream) bool {
	s.number++
	s.from = s.stamp
	s.acc, s.next = s.acc[:0], 0
	s.stamp = noStamp
	c, r := s.cursor(), &s.rec
	c.shorts = &s.found
	some := false
	for c.read(m.recording, s, r) {
		some = true
		if r.has {
			s.stamp = r.stamp
			break
		}
		if m.counted(r) {
			s.acc = append(s.acc, m.accessOf(r))
		}
	}
	if some {
		m.enter(s)
	}
	return some
}

func (m *merger) accessOf(r *record) access {
	x := r.word(0)
	if r.flags&format.FlagNoValue != 0 {
		return access{x: x, val: r.word(1), kind: r.kind}
	}
	if isAudited(r) {
		return access{x: x, val: uint64(r.size), kind: r.kind}
	}
	return access{
		x: x &^ 7, c: m.shadow.cell(x), val: r.word(1) << (8 * (x & 7)), mask: byteMask(x, uint64(r.size)), kind: r.kind,
	}
}

// rest counts the records of s that were not emitted.
func (m *merger) rest(s *stream) (n int) {
	c := s.cursor()
	var r record
	for c.read(m.recording, s, &r) {
		n++
	}
	return n
}

// cut applies (C2) and (C3).
func (m *merger) cut() {
	if m.Stopped != format.NotStopped {
		if m.StopAt != 0 {
			m.limit = m.StopAt
		}
		for _, s := range m.streams {
			m.cutAfterSync(s)
		}
	}
	for _, s := range m.streams {
		var r record
		c := cursor{seg: -1}
		last, end := uint64(0), false
		if !s.broken && !m.endsBadly(s) {
			continue
		}
		for !end {
			if end = !c.read(m.recording, s, &r); !end && r.has {
				last = r.stamp
			}
		}
		m.limit = min(m.limit, last)
	}
}

// endsBadly reports whether a span of s ends in a word that is no record.
func (m *merger) endsBadly(s *stream) bool {
	if len(m.damage) == 0 {
		return false
	}
	var r record
	c := cursor{seg: -1}
	for c.read(m.recording, s, &r) {
	}
	return c.at < c.end
}

// cutAfterSync ends s at its last record of synchronisation (C2).
func (m *merger) cutAfterSync(s *stream) {
	var r record
	c, last := cursor{seg: -1}, cursor{seg: -1}
	dropped := 0
	for c.read(m.recording, s, &r) {
		dropped++
		if r.has && r.kind != format.RawStamp && r.kind != format.RawGC && r.kind != format.Alloc {
			last, dropped = c, 0
		}
	}
	m.stats.Dropped += dropped
	s.spans = s.spans[:last.span]
	if last.span > 0 {
		s.spans[last.span-1].end = last.at
	}
}

// finish fills in the warnings.
func (m *merger) finish() {
	m.stats.Goroutines = len(m.meta.Goroutines) - 1
	m.variables()
	m.meta.Texts = m.consts.texts()
	if m.meta.Process == nil {
		m.meta.Process = &trace.Process{}
	}
	m.meta.Process.Seed, m.meta.Process.Args = m.Seed, m.Args
	m.warnLeftOut()
	m.meta.Warn("sets-lost", m.lost, "sets of memory that calls of missing methods can reach were not recorded; they are taken to be everything")
	m.meta.Warn("unexplained-read", m.stats.Unexplained, "reads returned what no write in the trace explains: code that was not instrumented wrote it, or goroutines that race did, in an order that was not found")
	if m.Stopped != format.NotStopped {
		m.meta.Warn("recording-stopped", 1, "the program ran on without being recorded: "+WhyStopped(m.Stopped, m.Limit, m.in))
	}
	if m.late {
		m.meta.Warn("merge-stopped", 1, fmt.Sprintf("processes have recorded more than could be put in order in the time for it; what is behind the first %d events is not searched (-time gives it more)", m.stats.Events))
	}
	switch m.Blind {
	case 0:
	case 2:
		m.meta.Warn("outside-unrecorded", 1, "processes ran so long that accesses of code that is not instrumented were not recorded to the end: races in it may be missed")
	default:
		m.meta.Warn("outside-unrecorded", 1, "processes ran without records of the accesses of code that is not instrumented, because the system refused 2 TiB of address space: races in it are missed; look at `ulimit -v` and /proc/sys/vm/overcommit_memory (0 or 1)")
	}
	m.meta.Warn("outside-lost", m.Lost, "accesses could not be recorded, because there was no room on the stack or the loop that made them was not known: a race of them may be missed")
	if !m.Ended && m.Stopped == format.NotStopped && m.out.used {
		m.meta.Warn("outside-unfinished", 1, "processes were ended by a signal, a fatal error or syscall.Exit: races between what instrumented code did after each goroutine's last synchronisation and other code may be missed")
	}
	m.stats.Damage = m.damage
	m.meta.Warn("raw-damaged", len(m.damage), "raw records could not be read: the trace ends there")
	m.meta.Warn("records-dropped", m.stats.Dropped, "records behind the point up to which the recording is whole were left out")
}

// WhyStopped says why a process was not recorded any more. The directory is that of the run; limit
// is what the run may take on the disk.
func WhyStopped(r format.StopReason, limit int64, dir string) string {
	switch r {
	case format.StopNoFile:
		return "a file could not be created"
	case format.StopNoDisk:
		return "the disk is full, or files may not have that size: " + disk.Where(dir)
	case format.StopNoMap:
		return "a file could not be mapped"
	case format.StopLimit:
		return fmt.Sprintf("the run's records have taken as much of the disk as they may, %s (flag -disk)", disk.Size(limit))
	}
	return fmt.Sprintf("reason %d", r)
}

// byStamp is a heap of streams.
type byStamp []*stream

func (h byStamp) Len() int { return len(h) }
func (h byStamp) Less(i, j int) bool {
	return h[i].stamp < h[j].stamp || h[i].stamp == h[j].stamp && h[i].index < h[j].index
}
func (h byStamp) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byStamp) Push(x any)   { *h = append(*h, x.(*stream)) }
func (h *byStamp) Pop() any {
	s := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return s
}
