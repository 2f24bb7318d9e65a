package merge

import (
	"fmt"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// output writes events to the trace, and adds the Observe events of shared memory, and those of
// sync.Maps that are replaced (replaced.go).
//
// Memory that the program has mapped as shared (FlagShared) may be visible at several addresses, if
// a file is mapped twice. The rest of presage takes these addresses for different locations, so it
// would see no conflict between an access at one and an access at the other. Each access to such
// memory therefore counts as an operation on files too: a read observes the state of the files, and
// a write may also change it. A prediction keeps the order of observations and changes. The
// happens-before pass ignores Observe events, so its races do not change.
//
// An Observe stands on both sides of the access. It keeps its order with other Observes, and
// program order keeps the access between its two. With an Observe on one side only, the access
// could move away from it on the other.
type output struct {
	w       *trace.Writer
	events  int64 // written
	err     error // of the first write that failed
	mapped  [][2]uint64
	partial bool // the last event written is continued by the next one
	shared  bool // and is an access of shared memory
	maps    syncMaps
	points  []Point
	// The number of events before the main goroutine read the package-level variables. The Observe
	// events that are added before them count.
	variablesAt int64
}

// write writes an event, and the Observe events around it if it is an access of shared memory, or
// replaces a sync.Map.
func (o *output) write(e *trace.Event) {
	if k := o.maps.kept; len(k) > 0 && (e.Kind != format.Write || e.G != k[0].G) {
		o.flush()
	}
	if e.Kind == format.AtomicRead && format.IsPointWord(e.Obj) {
		at, size, write := format.PointAt(e.Obj)
		o.points = append(o.points, Point{o.events, e.G, e.Site, at, size, write})
		return
	}
	switch keeps := o.maps.note(e); {
	case !keeps:
		o.put(e)
	case e.Flags&format.FlagMore == 0:
		o.flush()
	}
}

// flush writes the events that were kept back.
func (o *output) flush() {
	list, replaces := o.maps.take()
	if replaces {
		o.observe(list[0].G, format.StateProgram, format.FlagWrite)
	}
	for i := range list {
		o.put(&list[i])
	}
	if replaces {
		o.observe(list[0].G, format.StateProgram, format.FlagRead)
	}
}

// put writes an event, and the Observe events around it if it is an access of shared memory.
func (o *output) put(e *trace.Event) {
	if e.Kind == format.Alloc && e.Flags&format.FlagShared != 0 {
		o.mapped = append(o.mapped, [2]uint64{uint64(e.Obj), uint64(e.Obj) + e.Val})
	}
	if !o.partial {
		o.shared = o.isShared(e)
	}
	if o.shared && !o.partial {
		o.observeAccess(e)
	}
	o.writeOne(e)
	if o.partial = e.Kind.IsAccess() && e.Flags&format.FlagMore != 0; o.shared && !o.partial {
		o.observeAccess(e)
	}
}

// isShared reports whether an event is an access to shared memory.
func (o *output) isShared(e *trace.Event) bool {
	if len(o.mapped) == 0 || !e.Kind.IsAccess() {
		return false
	}
	for _, r := range o.mapped {
		if x := uint64(e.Obj); x < r[1] && r[0] < x+max(uint64(e.Size), 1) {
			return true
		}
	}
	return false
}

// observeAccess writes the effect of an access to shared memory on the state of the files.
func (o *output) observeAccess(e *trace.Event) {
	if e.Kind.IsWrite() {
		o.observe(e.G, format.StateFiles, format.FlagWrite)
	}
	o.observe(e.G, format.StateFiles, format.FlagRead)
}

func (o *output) observe(g trace.GoID, state trace.Addr, flag format.Flags) {
	if o.events < o.variablesAt {
		o.variablesAt++
	}
	o.writeOne(&trace.Event{Kind: format.Observe, Flags: format.FlagOpaque | flag, G: g, Obj: state})
}

func (o *output) writeOne(e *trace.Event) {
	if err := o.w.Write(e); o.err == nil && err != nil {
		o.err = fmt.Errorf("writing event %d: %w", o.events, err)
		return
	}
	o.events++
}
