package static

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// Warning is a pair of accesses that may race.
type Warning struct {
	*pairs.Warning
	Tier   tier.Tier
	ID     string // fingerprint (ST1)
	Others int    // pairs with the same access that it stands for (ST1)
	Rank   Rank   // of a warning of Report
}

// merge makes warnings of what was found, one for each two places, by position.
func (r *Result) merge(found []*pairs.Warning) []*Warning {
	type place struct {
		a, b token.Position
	}
	best := map[place]*Warning{}
	for _, w := range found {
		a, b := r.Position(w.A.Pos), r.Position(w.B.Pos)
		if comparePositions(a, b) > 0 {
			a, b = b, a
			w.A, w.B = w.B, w.A
			w.RootA, w.RootB, w.HeldA, w.HeldB = w.RootB, w.RootA, w.HeldB, w.HeldA
			if w.Other != nil {
				w.Frame, w.Other = w.Other, w.Frame
			}
		}
		v := &Warning{Warning: w, Tier: tier.Of(w.Codes)}
		k := place{a, b}
		if old := best[k]; old == nil || better(v, old) {
			best[k] = v
		}
	}
	out := make([]*Warning, 0, len(best))
	for _, w := range best {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b *Warning) int {
		at := r.Position
		return cmp.Or(comparePositions(at(a.A.Pos), at(b.A.Pos)), comparePositions(at(a.B.Pos), at(b.B.Pos)))
	})
	identify(out)
	return out
}

// gather leaves of the warnings over roots one for each access and class; Others says how many it
// stands for (ST1). list is not changed.
func gather(list []*Warning) []*Warning {
	type shared struct {
		pos   summary.Pos
		class string
	}
	first := map[shared]*Warning{}
	var out []*Warning
	for _, w := range list {
		if w.Other == nil {
			out = append(out, w)
			continue
		}
		a := w.A
		if w.weaker() == 1 {
			a = w.B
		}
		k := shared{a.Pos, a.Loc.Class()}
		old := first[k]
		if old == nil {
			c := *w
			first[k] = &c
			out = append(out, &c)
			continue
		}
		if better(w, old) {
			old.Warning, old.Tier, old.ID = w.Warning, w.Tier, w.ID
		}
		old.Others++
	}
	return out
}

// Common is the access that the other pairs have, too: a or b; "" if there are none.
func (w *Warning) Common() string {
	if w.Others == 0 {
		return ""
	}
	return [...]string{"a", "b"}[w.weaker()]
}

// weaker is the access that a lock is missing at: 0 for A, 1 for B. It holds fewer locks; if both
// hold as many, it is one that writes.
func (w *Warning) weaker() int {
	n, m := len(w.A.Locks.Plus)+len(w.HeldA), len(w.B.Locks.Plus)+len(w.HeldB)
	if n > m || n == m && !w.A.Kind.Writes() {
		return 1
	}
	return 0
}

// better prefers the likelier, then what one frame has seen, then two writes, then the one with
// fewer calls, then the first by name.
func better(a, b *Warning) bool {
	if a.Tier != b.Tier {
		return tier.Shows(b.Tier, a.Tier)
	}
	if (a.Other == nil) != (b.Other == nil) {
		return a.Other == nil
	}
	if a.writes() != b.writes() {
		return a.writes()
	}
	if n, m := calls(a), calls(b); n != m {
		return n < m
	}
	if c := strings.Compare(a.Frame.Key, b.Frame.Key); c != 0 {
		return c < 0
	}
	return a.A.Func+"\x00"+a.B.Func+"\x00"+a.RootA+"\x00"+a.RootB < b.A.Func+"\x00"+b.B.Func+"\x00"+b.RootA+"\x00"+b.RootB
}

// writes reports whether both accesses write.
func (w *Warning) writes() bool { return w.A.Kind.Writes() && w.B.Kind.Writes() }

func calls(w *Warning) int {
	n := 0
	for _, a := range []*summary.Access{w.A, w.B} {
		for c := a.Via; c != nil; c = c.Next {
			n++
		}
	}
	return n
}

// Position is the source line of a place.
func (r *Result) Position(p summary.Pos) token.Position {
	fn := r.sums[p.Func]
	if fn == nil || int(p.Place) >= len(fn.Places) {
		return token.Position{}
	}
	l := fn.Places[p.Place]
	return token.Position{Filename: fn.Files[l.File], Line: int(l.Line), Column: int(l.Column)}
}

// Names are the names of the parameters of a function.
func (r *Result) Names(fn string) *path.Names {
	if f := r.sums[fn]; f != nil {
		return f.Names
	}
	return nil
}

func comparePositions(p, q token.Position) int {
	return cmp.Or(strings.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}
