package std

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Reader reads an STD trace. It is a trace.Source.
type Reader struct {
	lines   *lines
	fields  fields
	threads table
	vars    table
	locks   table
	sites   table

	threadNames names
	objectNames names // by address/8 - 1
	siteNames   names

	thread     []thread   // by GoID
	lock       []lock     // by number in locks
	slow       bool       // without access (for tests)
	lastName   short      // thread of the last line that access read
	lastThread trace.GoID // its number

	queue []trace.Event
	head  int // of queue
	count counts
	err   error
}

// thread is what is known of a thread.
type thread struct {
	parent  trace.GoID
	forkAt  trace.Site
	started bool  // it has events
	forked  bool  //
	over    int64 // line of its end, or of the join
	edge    trace.Addr
	late    bool  // (TS3) Acquire edge before the next event
	wait    int32 // (TS2) lock to take again before the next event
	depth   int32 // (TS2) and how often
	owes    int32 // (TS2) lock whose wait must be the next event
}

// lock is what is known of a lock.
type lock struct {
	addr   trace.Addr
	cond   trace.Addr // (TS2), 0 before the first wait or notify
	holder trace.GoID // 0: free
	depth  int32      // acquires of the holder
	used   bool
	line   int64 // where it was acquired
}

// counts are the numbers of the warnings.
type counts struct{ reentrant, held, req, wait, notify, late int }

// NewReader begins to read an STD trace, compressed by gzip or not.
func NewReader(in io.Reader) (*Reader, error) {
	l, err := newLines(in)
	if err != nil {
		return nil, fmt.Errorf("reading gzip: %w", err)
	}
	return &Reader{
		lines: l, threads: newTable(), vars: newTable(), locks: newTable(), sites: newTable(),
		thread: make([]thread, 1), lock: make([]lock, 1),
	}, nil
}

// Next reads the next event. It returns io.EOF after the last, and an *Error where the
// text is not a trace.
func (r *Reader) Next(e *trace.Event) error {
	for {
		if r.head < len(r.queue) {
			*e = r.queue[r.head]
			r.head++
			return nil
		}
		if r.err != nil {
			return r.err
		}
		if r.step(e) {
			return nil
		}
	}
}

// Error says which line of an STD trace cannot be read, and why.
type Error struct {
	Line   int64 // from 1
	Offset int64 // of the line, in the text (after decompression)
	Text   string
	Err    error
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("line %d (offset %d): %v", e.Line, e.Offset, e.Err)
	}
	return fmt.Sprintf("line %d (offset %d): %v: %q", e.Line, e.Offset, e.Err, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (r *Reader) fail(line []byte, err error) bool {
	r.err = &Error{r.lines.line, r.lines.offset, string(line[:min(len(line), 200)]), err}
	return false
}

// step reads one line. If it is one event, e is that event and the result is true;
// otherwise its events, if any, are in the queue, or err is set.
func (r *Reader) step(e *trace.Event) bool {
	line, err := r.lines.next()
	if err == io.EOF {
		r.err = err
		return false
	}
	if err != nil {
		return r.fail(nil, err)
	}
	if len(line) == 0 {
		return false
	}
	if line[0] == mark[0] && bytes.HasPrefix(line, mark) {
		return r.fail(line, errMark)
	}
	if !r.slow && r.access(line, e) {
		return true
	}
	if err := r.fields.split(line); err != nil {
		return r.fail(line, err)
	}
	f := &r.fields
	g := r.threadID(f.thread)
	t := &r.thread[g]
	site := r.site(f.location)
	if t.over != 0 || t.late || t.wait != 0 || t.owes != 0 {
		if err := r.resume(g, site, f); err != nil {
			return r.fail(line, err)
		}
	}
	if len(f.op) == 1 && len(f.operand) != 0 && (f.op[0] == 'r' || f.op[0] == 'w') {
		kind := format.Read
		if f.op[0] == 'w' {
			kind = format.Write
		}
		t.started = true
		*e = trace.Event{Kind: kind, Flags: format.FlagNoValue, Size: 8, G: g, Site: site, Obj: r.variable(f.operand)}
		return r.emit(e)
	}
	e.Kind = format.Invalid
	if err := r.operation(e, g, site); err != nil {
		return r.fail(line, err)
	}
	r.thread[g].started = true
	return e.Kind != format.Invalid && r.emit(e)
}

// access reads the commonest lines, r and w with short names by threads that have nothing
// pending, without taking them apart first. It returns false for all others.
func (r *Reader) access(line []byte, e *trace.Event) bool {
	n := len(line)
	i := find(line, '|')
	if i <= 0 || i+5 >= n || line[i+2] != '(' || line[i+1] != 'r' && line[i+1] != 'w' || r.head < len(r.queue) {
		return false
	}
	k := find(line[i+3:], ')')
	end := i + 3 + k // of the operand
	if k <= 0 || end+2 >= n || line[end+1] != '|' || n-end-2 > maxShort {
		return false
	}
	if w := loadShort(line[:8], i); w != r.lastName {
		r.lastName, r.lastThread = w, r.threadID(line[:i])
	}
	t := &r.thread[r.lastThread]
	if t.over != 0 || t.late || t.wait != 0 || t.owes != 0 {
		return false
	}
	t.started = true
	*e = trace.Event{
		Kind: format.Read, Flags: format.FlagNoValue, Size: 8, G: r.lastThread,
		Site: r.site(line[end+2:]), Obj: r.variable(line[i+3 : end]),
	}
	if line[i+1] == 'w' {
		e.Kind = format.Write
	}
	return true
}

// find returns the place of c among the first 8 bytes at b, or -1.
func find(b []byte, c byte) int {
	const ones = 0x0101010101010101
	x := binary.LittleEndian.Uint64(b[:8:8]) ^ uint64(c)*ones
	x = (x - ones) &^ x & (ones << 7)
	if x == 0 {
		return -1
	}
	return bits.TrailingZeros64(x) / 8
}

// emit returns true if e can be the result of step. If events wait in the queue, it goes behind
// them.
func (r *Reader) emit(e *trace.Event) bool {
	if r.head == len(r.queue) {
		return true
	}
	r.queue = append(r.queue, *e)
	return false
}

// push puts an event into the queue, before the one of the line.
func (r *Reader) push(kind format.Kind, g trace.GoID, site trace.Site, obj trace.Addr) {
	if r.head == len(r.queue) {
		r.queue, r.head = r.queue[:0], 0
	}
	r.queue = append(r.queue, trace.Event{Kind: kind, G: g, Site: site, Obj: obj})
}

// operation interprets the operations other than r and w.
func (r *Reader) operation(e *trace.Event, g trace.GoID, site trace.Site) error {
	f := &r.fields
	if len(f.operand) == 0 && string(f.op) != "begin" && string(f.op) != "end" {
		if len(f.op) == 0 {
			return errSyntax
		}
		return fmt.Errorf("operation %q without operand", f.op)
	}
	*e = trace.Event{G: g, Site: site}
	switch string(f.op) {
	case "acq":
		return r.acquire(e, r.lockID(f.operand))
	case "rel":
		return r.release(e, r.lockID(f.operand))
	case "fork":
		return r.fork(e, r.threadID(f.operand))
	case "join":
		return r.join(e, r.threadID(f.operand))
	case "begin":
		e.Kind, e.Obj = format.Start, trace.Addr(r.thread[g].parent)
	case "end":
		e.Kind = format.End
		r.thread[g].over = r.lines.line
	case "req":
		r.count.req++
	case "wait":
		return r.wait(g, site, r.lockID(f.operand))
	case "notify", "notifyAll", "notifyall":
		r.count.notify++
		e.Kind, e.Obj = format.ReleaseMerge, r.cond(r.lockID(f.operand))
	default:
		return fmt.Errorf("unknown operation %q", f.op)
	}
	return nil
}

func (r *Reader) threadID(name []byte) trace.GoID {
	id, fresh := r.threads.intern(name, int32(len(r.thread)))
	if fresh {
		r.threadNames.add(name)
		r.thread = append(r.thread, thread{})
	}
	return trace.GoID(id)
}

func (r *Reader) variable(name []byte) trace.Addr {
	id, fresh := r.vars.intern(name, int32(r.objectNames.len()+1))
	if fresh {
		r.objectNames.add(name)
	}
	return trace.Addr(id) * 8
}

func (r *Reader) lockID(name []byte) int32 {
	id, fresh := r.locks.intern(name, int32(len(r.lock)))
	if fresh {
		r.lock = append(r.lock, lock{addr: r.object(string(name))})
	}
	return id
}

// object makes a new object.
func (r *Reader) object(name string) trace.Addr {
	r.objectNames.add([]byte(name))
	return trace.Addr(r.objectNames.len()) * 8
}

func (r *Reader) site(name []byte) trace.Site {
	if len(name) == 0 {
		return 0
	}
	id, fresh := r.sites.intern(name, int32(r.siteNames.len()+1))
	if fresh {
		r.siteNames.add(name)
	}
	return trace.Site(id)
}

// Meta returns the names and warnings of the trace, as far as it was read.
func (r *Reader) Meta() *trace.Meta {
	m := &trace.Meta{Source: "std", Sites: make([]trace.SiteInfo, 1, 1+r.siteNames.len())}
	for i := range r.siteNames.len() {
		m.Sites = append(m.Sites, trace.SiteInfo{File: -1, Name: r.siteNames.name(i)})
	}
	m.Goroutines = make([]trace.Goroutine, 1, len(r.thread))
	for i, t := range r.thread[1:] {
		m.Goroutines = append(m.Goroutines, trace.Goroutine{Name: r.threadNames.name(i), Parent: t.parent, Site: t.forkAt})
	}
	for i := range r.objectNames.len() {
		m.Objects = append(m.Objects, trace.Object{Addr: trace.Addr(8 * (i + 1)), Name: r.objectNames.name(i)})
	}
	m.Warn("std-reentrant", r.count.reentrant, "{{n}} inner {{acquire or release|acquires and releases}} of a lock by its holder {{was|were}} dropped")
	m.Warn("std-held-at-start", r.count.held, "{{n}} lock{{|s}} {{was|were}} held when the trace began: released without having been acquired")
	m.Warn("std-request", r.count.req, "{{n}} req operation{{|s}} {{was|were}} ignored")
	m.Warn("std-wait", r.count.wait, "{{n}} wait{{|s}} {{was|were}} taken as release and acquire, in the recorded order with notify")
	m.Warn("std-notify", r.count.notify, "{{n}} {{notify is|notifies are}} ordered with waits as recorded")
	m.Warn("std-late-fork", r.count.late, "{{n}} fork{{|s}} of {{a thread|threads}} that already ran {{is|are}} kept as order only")
	return m
}
