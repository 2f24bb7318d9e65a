package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The comparison of reads with their recorded writers.
//
// The writer of a read is the last write of its bytes that happens before it. The read is *racy* if
// a write of its bytes is unordered with it, wherever in the trace, or if two writes that happen
// before it are unordered. A racy read is counted and not compared.
//
// At each Alloc memory is unknown, or zero where the allocator says so. A write without a value
// makes it unknown. The first read of unknown bytes gives the *initial* value.
//
// A read that disagrees is a *mismatch*: code without hooks has written there. The read's value is
// taken for the memory's, so that one such write is one mismatch.
//
// Reads of emitted code are not compared: the recorder writes held writes too late for them.
// Package merge checks them against what they may see.

// place is a function and a source line.
type place struct{ function, position string }

func (p place) String() string {
	if p.position == "" {
		return p.function
	}
	return p.function + " " + p.position
}

// mismatch is the reads of one place that disagree with one writer.
type mismatch struct {
	reader, writer place
	count          int
	// The first one.
	addr           trace.Addr
	size           uint16
	recorded, read uint64
}

func (m *mismatch) String() string {
	return fmt.Sprintf("read in %v: %d× %d bytes at %#x: recorded %s by %v, read %s", m.reader, m.count, m.size, m.addr, hex(m.recorded), m.writer, hex(m.read))
}

// tally is what the comparison of traces has counted. Reads are of outside code, words of a wide
// one singly.
type tally struct {
	traces, events      int64
	compared            int64
	initial, zero, racy int64
	valueless           int64 // writes of outside code and of the kernel
	found               map[[2]place]*mismatch
	lost                []trace.Warning
	failed              bool // the suite's exit code is not 0
}

// mismatches lists the kinds, the most frequent first.
func (t *tally) mismatches() []*mismatch {
	var list []*mismatch
	for _, m := range t.found {
		if m.count > 0 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *mismatch) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.reader.String(), b.reader.String()), cmp.Compare(a.writer.String(), b.writer.String()))
	})
	return list
}

// comparison is the state of one trace.
type comparison struct {
	*tally
	meta   *trace.Meta
	order  *clock.Order
	memory *memory
}

// compare compares the reads of a trace. The meta is complete once src has ended, so places are
// looked up then.
func (t *tally) compare(src trace.Source) error {
	if t.found == nil {
		t.found = make(map[[2]place]*mismatch)
	}
	t.traces++
	c := &comparison{tally: t, meta: src.Meta(), order: clock.New(clock.Options{}), memory: newMemory()}
	var e trace.Event
	for {
		if err := src.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		t.events++
		c.step(&e)
	}
	for _, w := range c.meta.Warnings {
		switch w.Code {
		case "outside-lost", "outside-unrecorded", "recording-stopped", "raw-damaged", "records-dropped", "compiler":
			t.lost = append(t.lost, w)
		}
	}
	return nil
}

func (c *comparison) step(e *trace.Event) {
	switch {
	case e.IsText():
	case e.Kind.IsAccess():
		if e.Flags&format.FlagStack == 0 && e.Obj != 0 {
			c.access(e)
		}
	case e.Kind == format.Alloc:
		if e.Val > 0 {
			c.memory.alloc(e.Obj, e.Val, e.Flags&format.FlagZero != 0, e.Site)
		}
		c.order.Step(e)
	default:
		c.order.Step(e)
	}
}

func (c *comparison) access(e *trace.Event) {
	g := c.order.Goroutine(e.G)
	if e.Kind.IsAtomic() {
		c.order.AcquireAtomic(g, e)
		defer c.order.ReleaseAtomic(g, e)
	}
	w, mask, shift := c.memory.at(e.Obj), maskOf(e), 8*(e.Obj&7)
	if e.Kind == format.Read && e.Outside() { // reads of emitted code are not compared
		c.read(g, e, w, mask, e.Val<<shift)
	}
	if !e.Kind.IsWrite() {
		return
	}
	val := e.Val
	if e.Kind == format.AtomicRMW {
		val = e.Aux
	}
	c.write(g, e, w, mask, val<<shift)
}

// write takes a write of an atomic operation or a plain one.
func (c *comparison) write(g *clock.Goroutine, e *trace.Event, w *word, mask uint8, val uint64) {
	now := access{g.Epoch(), e.G, e.Site}
	from := written
	if e.Flags&format.FlagNoValue != 0 {
		from = unknown
	}
	if e.Flags&format.FlagOpaque != 0 && from == unknown {
		c.valueless++
	}
	w.each(mask, func(p *part) {
		p.missed = slices.DeleteFunc(p.missed, func(m miss) bool {
			racy := m.g != e.G && !g.Has(m.epoch) // racy
			if racy {
				m.kind.count--
				c.racy++
			}
			return racy
		})
		p.writes = slices.DeleteFunc(p.writes, func(a access) bool { return a.g == e.G || g.Has(a.epoch) })
		p.writes = append(p.writes, now)
		p.from, p.site, p.val = from, e.Site, val
	})
	if len(*w) > 1 {
		w.join(mask)
	}
}

// join makes one part of those of mask, if a write has made them the same.
func (w *word) join(mask uint8) {
	first := -1
	for i := range *w {
		p := &(*w)[i]
		if p.mask&^mask != 0 {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		if q := &(*w)[first]; slices.Equal(q.writes, p.writes) {
			q.mask |= p.mask
			p.mask = 0
		}
	}
	w.forget(0)
}

func (c *comparison) read(g *clock.Goroutine, e *trace.Event, w *word, mask uint8, val uint64) {
	if e.Flags&format.FlagNoValue != 0 {
		return
	}
	outcome, wrong := initial, part{}
	racy := false
	w.each(mask, func(p *part) {
		if len(p.writes) > 1 || len(p.writes) == 1 && p.writes[0].g != e.G && !g.Has(p.writes[0].epoch) {
			racy = true
			return
		}
		switch {
		case p.from == unknown:
			p.from, p.site, p.val = initial, e.Site, val
		case bytesOf(p.val^val, p.mask) != 0:
			if wrong.mask == 0 {
				wrong = *p
			}
			p.missed = append(p.missed, miss{access{g.Epoch(), e.G, e.Site}, c.mismatch(e, p, val)})
			p.from, p.site, p.val = learned, e.Site, val
		default:
			outcome = max(outcome, p.from)
		}
	})
	c.count(outcome, wrong.mask != 0, racy)
}

func (c *comparison) count(outcome source, wrong, racy bool) {
	switch {
	case racy:
		c.racy++
	case wrong || outcome > initial:
		c.compared++
		if outcome == zeroed && !wrong {
			c.zero++
		}
	default:
		c.initial++
	}
}

// mismatch returns the kind of a read that disagrees with p.
func (c *comparison) mismatch(e *trace.Event, p *part, val uint64) *mismatch {
	reader, writer := c.place(e.Site), c.place(p.site)
	switch p.from {
	case zeroed:
		writer.function = "the allocator for " + writer.function
	case initial:
		writer.function = "nobody before the first read in " + writer.function
	case learned:
		writer.function = "nobody before another read in " + writer.function
	}
	key := [2]place{reader, writer}
	m := c.found[key]
	if m == nil {
		m = &mismatch{reader: reader, writer: writer, addr: e.Obj, size: e.Size, recorded: bytesOf(p.val, p.mask) >> (8 * (e.Obj & 7)), read: bytesOf(val, p.mask) >> (8 * (e.Obj & 7))}
		c.found[key] = m
	}
	m.count++
	return m
}

func (c *comparison) place(s trace.Site) place {
	info := c.meta.SiteInfo(s)
	p := place{"code that was not recorded", c.meta.Position(s)}
	if s != 0 && int(info.Func) < len(c.meta.Funcs) {
		p.function = c.meta.Funcs[info.Func].Name
	}
	return p
}

func hex(x uint64) string { return fmt.Sprintf("%#x", x) }
