package excluded

import (
	"sort"

	"github.com/presage-race/presage/internal/trace"
)

// Known is the order that holds in any case before the event that Before is called for. Before does
// not state such an order again.
type Known interface {
	// Before reports whether every execution that has the event has event n before it. If it holds
	// for an event n, it holds for earlier events of n's goroutine; and what comes before one event
	// comes before all later events of its goroutine.
	Before(n int32) bool

	// Past reports whether every execution that has the event has, before it, an event of goroutine
	// g after g's event n. If n is -1, any event of g counts.
	Past(g trace.GoID, n int32) bool
}

func (s *Step) knows(n int32) bool { return s.Known != nil && s.Known.Before(n) }

func (s *Step) past(g trace.GoID, n int32) bool { return s.Known != nil && s.Known.Past(g, n) }

// log is the accesses of one goroutine, in order.
type log struct {
	g       trace.GoID
	id      int // in Order.logs
	entries []logged
}

type logged struct {
	w     *touchedWord
	n     int32
	quiet bool // the access has no event, and is right after event n
}

func (l *log) add(x logged) {
	if k := len(l.entries); k > 0 && l.entries[k-1].w == x.w {
		l.entries[k-1] = x
		return
	}
	l.entries = append(l.entries, x)
}

// has reports whether an entry of l is known to come before s.
func (l *log) has(s *Step, x logged) bool {
	if x.quiet {
		return s.Known.Past(l.g, x.n)
	}
	return s.Known.Before(x.n)
}

func (o *Order) logOf(g trace.GoID) *log {
	m := o.member(g)
	if m.log == nil {
		m.log = &log{g: g, id: len(o.logs)}
		o.logs = append(o.logs, m.log)
	}
	return m.log
}

// entry returns a pointer to element i of a list, which grows if necessary.
func entry(list *[]int, i int) *int {
	for i >= len(*list) {
		*list = append(*list, 0)
	}
	return &(*list)[i]
}

// firstUnknown returns the number of the first ended gap of q that is not known to come before s.
func (o *Order) firstUnknown(s *Step, q *past) int {
	if s.Known == nil {
		return 0
	}
	ended := entry(&o.member(s.G).ended, q.id)
	for *ended < len(q.ended) && s.Known.Before(q.ended[*ended].n) {
		*ended++
	}
	return *ended
}

// upToDate reports whether all ended gaps of other goroutines are known to come before s.
func (o *Order) upToDate(s *Step) bool {
	m := o.member(s.G)
	return m.upTo == o.ends-m.own()
}

// markUpToDate notes that they are.
func (o *Order) markUpToDate(s *Step) {
	m := o.member(s.G)
	m.upTo = o.ends - m.own()
}

// own is the number of ended gaps of m itself.
func (m *member) own() int {
	if m.past == nil {
		return 0
	}
	return len(m.past.ended)
}

// unknown returns the entries of l that are not known to come before s.
func (o *Order) unknown(s *Step, l *log) []logged {
	if s.Known == nil {
		return l.entries
	}
	logged := entry(&o.member(s.G).logged, l.id)
	if *logged > 0 && !l.has(s, l.entries[*logged-1]) { // the entry was replaced by a later access
		*logged--
	}
	rest := l.entries[*logged:]
	n := sort.Search(len(rest), func(i int) bool { return !l.has(s, rest[i]) })
	*logged += n
	return rest[n:]
}
