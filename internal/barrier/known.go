package barrier

import (
	"sort"

	"presage/internal/trace"
)

// Known is what comes before the event that Before is asked for in any case: no precedence is made of it.
type Known interface {
	// Before says whether event n is in every execution that has the event asked for, before it. Of two events of one goroutine it
	// is true of the first if it is of the second; and what was before one event is before all later ones of its goroutine.
	Before(n int32) bool

	// Past says whether goroutine g has come to an event behind n, its own, or -1, before the event asked for, in every execution that has that.
	Past(g trace.GoID, n int32) bool
}

func (s *Step) knows(n int32) bool { return s.Known != nil && s.Known.Before(n) }

func (s *Step) past(g trace.GoID, n int32) bool { return s.Known != nil && s.Known.Past(g, n) }

// log is what one goroutine accessed, in order.
type log struct {
	g       trace.GoID
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
	for _, l := range o.logs {
		if l.g == g {
			return l
		}
	}
	l := &log{g: g}
	o.logs = append(o.logs, l)
	return l
}

// known is how much of what one goroutine did comes before another's events anyway: numbers of its gaps that have ended, and of its log.
type known struct{ ended, logged int }

func (o *Order) knownOf(s *Step, g trace.GoID) *known {
	k := [2]trace.GoID{s.G, g}
	x := o.knows[k]
	if x == nil {
		if o.knows == nil {
			o.knows = make(map[[2]trace.GoID]*known)
		}
		x = &known{}
		o.knows[k] = x
	}
	return x
}

// news returns the number of the first of the ended gaps of q that the goroutine of s does not know of.
func (o *Order) news(s *Step, q *past) int {
	if s.Known == nil {
		return 0
	}
	x := o.knownOf(s, q.g)
	for x.ended < len(q.ended) && s.Known.Before(q.ended[x.ended].n) {
		x.ended++
	}
	return x.ended
}

// unknown returns what of l the goroutine of s does not know of.
func (o *Order) unknown(s *Step, l *log) []logged {
	if s.Known == nil {
		return l.entries
	}
	x := o.knownOf(s, l.g)
	if x.logged > 0 && !l.has(s, l.entries[x.logged-1]) { // its number has changed since
		x.logged--
	}
	rest := l.entries[x.logged:]
	n := sort.Search(len(rest), func(i int) bool { return !l.has(s, rest[i]) })
	x.logged += n
	return rest[n:]
}
