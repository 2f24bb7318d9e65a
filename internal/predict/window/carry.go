package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// carry is the state of the program before the next window.
type carry struct {
	objects map[objKey]*object
	pages   map[uint64][]objKey // objects by page, for Alloc
	mem     memory
	started map[trace.GoID]bool // by a Go, and has not begun
	runs    outsideRuns
}

const carryPageShift = 12

func newCarry() carry {
	return carry{objects: make(map[objKey]*object), pages: make(map[uint64][]objKey), started: make(map[trace.GoID]bool), runs: outsideRuns{last: make(map[trace.GoID]uint32)}}
}

func (c *carry) apply(e *trace.Event, cleared bool) {
	switch {
	case e.Kind == format.Alloc:
		c.alloc(uint64(e.Obj), e.Val, cleared || e.Flags&format.FlagZero != 0, e.Flags&format.FlagFirst != 0)
	case e.Kind.IsAccess():
		c.mem.access(e, c.runs.tick)
	case e.Kind == format.SelectCase:
	case e.Kind == format.Go:
		c.started[trace.GoID(e.Obj)] = true
	case e.Kind == format.Start:
		delete(c.started, e.G)
	default:
		if k, ok := classOf(e.Kind); ok && k != hiddenClass {
			c.object(objKey{k, e.Obj}).step(e, true)
		}
	}
}

func (c *carry) object(k objKey) *object {
	o := c.objects[k]
	if o == nil {
		o = new(object)
		c.objects[k] = o
		no := uint64(k.addr) >> carryPageShift
		c.pages[no] = append(c.pages[no], k)
	}
	return o
}

// alloc makes everything in a range new.
func (c *carry) alloc(addr, size uint64, zero, first bool) {
	c.mem.alloc(addr, size, zero, first, c.runs.tick)
	eachPage(c.pages, addr, size, func(list []objKey) {
		for _, k := range list {
			if uint64(k.addr)-addr < size {
				*c.objects[k] = object{known: k.class != chanClass}
			}
		}
	})
}

// eachPage calls f with the entries of the pages that a range meets.
func eachPage[T any](pages map[uint64]T, addr, size uint64, f func(T)) {
	if size == 0 || len(pages) == 0 {
		return
	}
	first, last := addr>>carryPageShift, (addr+size-1)>>carryPageShift
	if last-first > uint64(len(pages)) {
		for no, list := range pages { // f's calls commute
			if first <= no && no <= last {
				f(list)
			}
		}
		return
	}
	for no := first; no <= last; no++ {
		if list, ok := pages[no]; ok {
			f(list)
		}
	}
}
