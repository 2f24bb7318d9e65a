package merge

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Memory that the program has mapped and that is not private (FlagShared) may be at several
// addresses: a file that is mapped twice. To the rest of presage these are different locations, and
// an access to one of them has nothing to do with an access to the other. So each access to such
// memory is an operation on files as well: a read looks at them, a write may change them too, and
// an Observe says so on both sides of the access. A prediction keeps the order of what looks and
// what changes. The happens-before pass does not see an Observe, so it reports the same races as
// without.
//
// Both sides: an Observe keeps its order with other Observes, and the access lies between its two
// in program order. With one side alone the access could move away from it, in front of a look or
// behind one.

// isMapped reports whether an event is an access to shared memory.
func (m *merger) isMapped(e *trace.Event) bool {
	if len(m.mapped) == 0 || !e.Kind.IsAccess() {
		return false
	}
	for _, r := range m.mapped {
		if x := uint64(e.Obj); x < r[1] && r[0] < x+max(uint64(e.Size), 1) {
			return true
		}
	}
	return false
}

// observe writes what an access to shared memory does to files.
func (m *merger) observe(e *trace.Event) {
	if e.Kind.IsWrite() {
		m.observes(e.G, format.FlagWrite)
	}
	m.observes(e.G, format.FlagRead)
}

func (m *merger) observes(g trace.GoID, flag format.Flags) {
	if m.stats.Events < m.varsAt {
		m.varsAt++
	}
	m.writeOne(&trace.Event{Kind: format.Observe, Flags: format.FlagOpaque | flag, G: g, Obj: format.StateFiles})
}
