package shadow

import "github.com/presage-race/presage/internal/trace/format"

// Access is one side of what a detector reports.
type Access struct {
	Index int64 // event number in the trace
	G     format.GoID
	Site  format.Site
	Kind  format.Kind // of the earlier side: Write stands for every plain write, and so on
}

// Found takes what a detector has found, as it finds it: the earlier access, the later one, and the
// address of the later.
type Found func(a, b Access, addr format.Addr)
