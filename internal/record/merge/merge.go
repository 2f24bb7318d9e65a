package merge

import (
	"container/heap"
	"fmt"

	"github.com/presage-race/presage/internal/host/private"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Stats counts what a merge did.
type Stats struct {
	Process
	Streams     int   // that have records
	Goroutines  int   // with a number
	Bytes       int64 // of raw records
	Events      int64 // written
	Values      int64 // reads whose value was compared
	Outside     int64 // records of outside code
	Late        int64 // late records of outside code
	Unexplained int   // reads that no write explains (ME6)
	Pulls       int   // (ME4)
	Moves       int   // (ME5)
	Dropped     int   // records left out because of a stop or damage (ME7)
	Damage      []string
	Points      []Point // of a steered run, in their order
}

// A Point is an access that is a point of a steered run: its event follows, of the same goroutine.
type Point struct {
	Event int64 // so many events of the trace come before
	G     trace.GoID
	Site  trace.Site
	Obj   trace.Addr
	Size  uint64
	Write bool
}

// Options say how records are merged. The zero value is the default.
type Options struct {
	// Full keeps every access of outside code, if the recording has them all (rt.EnvOutside),
	// instead of those that other goroutines may conflict with. Accesses of an audit have values.
	Full bool
	// Variables are the package-level variables by their numbers, without addresses: Plan.Globals
	// of the program. Nil: Meta.Globals stays empty.
	Variables []trace.Global
	// Over is called regularly. When it returns true, the merge stops, and the trace has the events
	// up to there. Nil stops never.
	Over func() bool
}

// Merge merges the raw records in dir, the directory of one process, and writes their events to w.
// It fills in the goroutines and the warnings of meta, with which the caller closes w.
func Merge(dir string, meta *trace.Meta, w *trace.Writer, opt Options) (Stats, error) {
	r, err := openRecording(dir)
	if err != nil {
		return Stats{}, err
	}
	defer r.close()
	m := newMerger(r, meta, w)
	m.outside.full, m.contexts.ignore, m.over = opt.Full, opt.Full, opt.Over
	m.variables.known = opt.Variables
	m.variables.hooked = !meta.Unhooked && len(meta.Missing) == 0 && r.Blind == 0 && r.Lost == 0
	m.contexts.variables = &m.variables
	m.run()
	m.finish()
	m.stats.Points = m.out.points
	return m.stats, m.out.err
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

// merger chooses the next record and routes it to the part that places its events. The parts share
// the shadow memory and the recent events.
type merger struct {
	recording *recording
	meta      *trace.Meta
	queue     byStamp
	limit     uint64 // records with later stamps are left out (ME7)
	widest    uint64 // bytes of the largest access that is taken for valid
	depth     int    // of nested pulls
	over      func() bool
	stopped   bool // over returned true
	stats     Stats

	shadow  *shadow
	current *current
	recent  *recent
	out     *output

	gos       *goroutines
	elements  elements
	variables variables
	readOnly  readOnlyData
	calls     calls
	reach     reachSets
	sites     *siteTable
	contexts  contexts
	outside   outside
}

const (
	maxDepth   = 32 // of nested pulls
	groupsOnce = 64 // groups between two calls of Options.Over
)

func newMerger(r *recording, meta *trace.Meta, w *trace.Writer) *merger {
	mem, out, gos := newShadow(), &output{w: w}, newGoroutines(meta)
	events, sites := &recent{out: out}, &siteTable{meta: meta, places: r.places}
	return &merger{
		recording: r, meta: meta, limit: noStamp, widest: 1 << 32,
		stats:   Stats{Process: r.Process, Streams: len(r.streams), Bytes: r.bytes},
		shadow:  mem,
		current: &current{streams: r.streams, shadow: mem, contended: make(map[uint64]*accessors)},
		recent:  events, out: out, gos: gos, elements: make(elements), variables: variables{shadow: mem},
		calls:    calls{meta: meta, recent: events},
		reach:    reachSets{recording: r, recent: events},
		sites:    sites,
		contexts: contexts{recorded: r.late, sites: sites, gos: gos, recent: events},
		outside:  outside{sites: sites, recent: events},
	}
}

// run merges the streams (ME1).
func (m *merger) run() {
	m.limit, m.stats.Dropped = m.recording.truncate()
	for i, s := range m.recording.streams {
		s.index, s.g = int32(i), -1
		s.setCursor(cursor{seg: -1})
		if m.load(s) {
			m.queue = append(m.queue, s)
		}
	}
	heap.Init(&m.queue)
	for n := 0; len(m.queue) > 0 && m.out.err == nil; n++ {
		s := m.queue[0]
		if s.stamp > m.limit {
			break
		}
		if m.over != nil && n%groupsOnce == 0 && m.over() {
			m.stopped = true
			break
		}
		s.busy = true
		more := m.step(s)
		s.busy = false
		if more {
			heap.Fix(&m.queue, 0)
		} else {
			heap.Pop(&m.queue)
			m.contexts.end(s)
			s.acc, s.rec = nil, record{}
		}
	}
	for _, s := range m.queue { // after the limit
		m.contexts.end(s)
		if !m.stopped { // counting takes about as long as merging
			m.stats.Dropped += m.recording.rest(s)
		}
	}
	m.recent.flush(len(m.recent.events))
	m.out.flush()
}

// step emits the group of s and the stamped record after it, and begins the next group. It returns
// false at the end of the stream.
func (m *merger) step(s *stream) bool {
	for m.out.err == nil {
		r, ok := m.emitNext(s)
		if !ok {
			return false
		}
		if r.has {
			break
		}
	}
	return m.out.err == nil && m.load(s)
}

// emitNext emits the next record of s.
func (m *merger) emitNext(s *stream) (r *record, ok bool) {
	c, r := s.cursor(), &s.rec
	c.shorts = &s.emitted
	if !c.read(m.recording, s, r) {
		return r, false
	}
	counted := m.counted(r)
	if counted { // before the cursor moves: a nested pull stops at this record
		m.order(s)
	}
	m.recording.release(s, &c)
	s.setCursor(c)
	if counted {
		s.next++
	}
	m.emit(s, r)
	return r, true
}

// order pulls the accesses that have to come before the next access of s (ME4).
func (m *merger) order(s *stream) {
	a := s.acc[s.next]
	if a.c == nil || !a.c.contended || m.depth >= maxDepth {
		return
	}
	busy := s.busy
	s.busy = true
	if a.kind == format.Write {
		m.pullReaders(s, a)
	} else if !a.c.holds(a.val, a.mask) {
		if t, i := m.current.writerFor(s, a); t != nil {
			m.pull(t, i)
		}
	}
	s.busy = busy
}

// pullReaders pulls the reads of the value that the write a of s overwrites.
func (m *merger) pullReaders(s *stream, a access) {
	after := *a.c
	after.store(a.val, a.mask)
	if (after.val^a.c.val)&spread[a.mask&a.c.known] == 0 {
		return
	}
	for range maxScan {
		t, i := m.current.readerOf(s, a, &after)
		if t == nil {
			return
		}
		m.pull(t, i)
	}
}

// pull emits the records of t up to and including its access i.
func (m *merger) pull(t *stream, i int) {
	m.stats.Pulls++
	m.depth++
	t.busy = true
	for t.next <= i && m.out.err == nil {
		m.emitNext(t)
	}
	t.busy = false
	m.depth--
}

// load begins the next group of s: it reads ahead to the stamp after it and collects its accesses.
// It returns false if no record is left.
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
			s.acc = append(s.acc, m.shadow.access(r))
		}
	}
	if some {
		m.current.enter(s)
	}
	return some
}

// counted reports whether r is one of the accesses of its group.
func (m *merger) counted(r *record) bool {
	if r.kind != format.Read && r.kind != format.Write {
		return false
	}
	return isValued(r) || isAudited(r) || r.flags&format.FlagNoValue != 0 && r.word(0) != 0 && r.word(1) != 0 && !m.tooWide(r.word(0), r.word(1))
}

// byStamp is a heap of streams, by the stamp after their current group.
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
