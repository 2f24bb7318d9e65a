package shadow

import "github.com/presage-race/presage/internal/trace/format"

// Access is one of the two accesses in a report.
type Access struct {
	Index int64 // event number in the trace
	G     format.GoID
	Site  format.Site
	Kind  format.Kind // of the earlier access: Write for all plain writes, and so on
}

// Found is called for each report of a detector, with the earlier access, the later one, and the
// address of the later one.
type Found func(a, b Access, addr format.Addr)
