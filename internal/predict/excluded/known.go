package excluded

import (
	"sort"

	"github.com/presage-race/presage/internal/trace"
)

// Known is what comes before the event that Before is asked for in any case: no precedence is made
// of it.
type Known interface {
	// Before says whether event n is in every execution that has the event asked for, before it. Of
	// two events of one goroutine it is true of the first if it is of the second; and what was
	// before one event is before all later ones of its goroutine.
	Before(n int32) bool

	// Past says whether goroutine g has come to an event behind n, its own, or -1, before the event
	// asked for, in every execution that has that.
	Past(g trace.GoID, n int32) bool
}

func (s *Step) knows(n int32) bool { return s.Known != nil && s.Known.Before(n) }

func (s *Step) past(g trace.GoID, n int32) bool { return s.Known != nil && s.Known.Past(g, n) }

// log is what one goroutine accessed, in order.
type log struct {
	g       trace.GoID
	id      int // in Order.logs
	entries []logged
}

type logged struct {
	w     *touchedWord
	n     int32
	quiet bool // it has no event, and is behind event n
}

func (l *log) add(x logged) {
	if k := len(l.entries); k > 0 && l.entries[k-1].w == x.w {
		l.entries[k-1] = x
		return
	}
	l.entries = append(l.entries, x)
}

// has says whether the goroutine of s knows of an entry of l.
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

// entry returns a pointer to number i of a list, which is made as long.
func entry(list *[]int, i int) *int {
	for i >= len(*list) {
		*list = append(*list, 0)
	}
	return &(*list)[i]
}

// news returns the number of the first of the ended gaps of q that the goroutine of s does not know
// of.
func (o *Order) news(s *Step, q *past) int {
	if s.Known == nil {
		return 0
	}
	ended := entry(&o.member(s.G).ended, q.id)
	for *ended < len(q.ended) && s.Known.Before(q.ended[*ended].n) {
		*ended++
	}
	return *ended
}

// noNews says whether the goroutine of s was told of all gaps of others that have ended, and
// nothing has ended since.
func (o *Order) noNews(s *Step) bool {
	m := o.member(s.G)
	return m.heard == o.ends-m.own()
}

// hasHeard notes that it was.
func (o *Order) hasHeard(s *Step) {
	m := o.member(s.G)
	m.heard = o.ends - m.own()
}

// own is how many gaps of m itself have ended.
func (m *member) own() int {
	if m.past == nil {
		return 0
	}
	return len(m.past.ended)
}

// unknown returns what of l the goroutine of s does not know of.
func (o *Order) unknown(s *Step, l *log) []logged {
	if s.Known == nil {
		return l.entries
	}
	logged := entry(&o.member(s.G).logged, l.id)
	if *logged > 0 && !l.has(s, l.entries[*logged-1]) { // its number has changed since
		*logged--
	}
	rest := l.entries[*logged:]
	n := sort.Search(len(rest), func(i int) bool { return !l.has(s, rest[i]) })
	*logged += n
	return rest[n:]
}
