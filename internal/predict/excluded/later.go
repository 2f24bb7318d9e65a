package excluded

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Later is a union of many Ds that is read rarely, once in thousands of calls. Parts that are added
// wait, and are joined all at once, because moving the parts of a large union for each call would
// take most of the time.
type Later struct {
	all  Set
	wait [2][]span // by kindOf: parts of sets that are Seen, and of others
	// a cache of the parts added last, by their first address: most calls reach what other calls
	// reached just before
	recent [2][]span
}

// maxWaiting bounds the parts that wait.
const maxWaiting = 1 << 16

const (
	maxRecent   = 1 << 12
	recentShift = 64 - 12
)

// NewLater returns an empty union.
func NewLater() Later { return Later{all: Union()} }

func kindOf(seen bool) int {
	if seen {
		return 1
	}
	return 0
}

// Join adds the part that the Reach e lists, of a D d.
func (l *Later) Join(d *Set, e *trace.Event) {
	l.hold(kindOf(d.Seen), part(uint64(e.Obj), e.Val))
}

// JoinAll makes the union everything, if d is everything.
func (l *Later) JoinAll(d *Set) { l.all.JoinAll(d) }

// AddGo adds goroutine g: whether it runs.
func (l *Later) AddGo(g trace.GoID) { l.all.AddGo(g) }

// Add adds all of d.
func (l *Later) Add(d *Set) {
	if l.all.includes(d) {
		return
	}
	l.JoinAll(d)
	for _, g := range d.gos {
		l.AddGo(g)
	}
	l.hold(kindOf(d.Seen), d.spans...)
}

func (l *Later) hold(k int, list ...span) {
	if l.recent[k] == nil {
		l.recent[k] = make([]span, maxRecent)
	}
	for _, x := range list {
		if r := &l.recent[k][x.from*0x9E3779B97F4A7C15>>recentShift]; *r != x {
			*r = x
			l.wait[k] = append(l.wait[k], x)
		}
	}
	if len(l.wait[k]) > maxWaiting {
		l.join()
	}
}

// Hits reports whether the union has something that x acts on.
func (l *Later) Hits(x Touch) bool {
	l.join()
	return l.all.Hits(x)
}

// join adds the parts that wait.
func (l *Later) join() {
	for k, list := range l.wait {
		if len(list) > 0 {
			l.all.Add(&Set{union: true, Seen: k == kindOf(true), spans: sorted(list)})
			l.wait[k] = l.wait[k][:0]
		}
	}
}

// sorted sorts spans and joins those that touch.
func sorted(list []span) []span {
	slices.SortFunc(list, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	out := list[:0]
	for _, x := range list {
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
		} else {
			out = append(out, x)
		}
	}
	return out
}
