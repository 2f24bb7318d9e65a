// Package order says which synchronisation comes before an access: what was certainly acquired, and
// what may have been released, since the function was entered or the goroutine started. It is to
// happens-before what package lockset is to mutual exclusion: relative, so that a summary can be
// used in every caller.
//
// # What it computes
//
// A synchronisation object is a path: a channel, a WaitGroup, a Once, the Token of a go statement,
// the Recv side of a channel.
//
// Acquired is a must multiset: how many acquires of the object have certainly been made. Its join
// is the minimum. Released is a may multiset: how many releases may have been made. Its join is the
// maximum, and [Many] is absorbing. Both add up over calls. A go statement releases its Token, and
// the goroutine has acquired it, together with everything that its creator had acquired.
//
// Access b comes before access a if a has acquired some object more often than there are releases
// that need not come after b (the pigeonhole principle). For a WaitGroup one release after b is
// enough: Wait needs all of them.
//
// # Over
//
// Over(t, o) is an acquired object. It says that all goroutines started at go statement t so far
// have released o. Executing t removes it. Where t was not executed it holds of no goroutine: a
// join keeps it if the other branch has not released t, and a call keeps what the callee says of
// the goroutines it starts if it held of those before.
package order

import (
	"maps"

	"github.com/presage-race/presage/internal/static/path"
)

// Many is more than any number.
const Many = 1 << 20

// Counts is a multiset of synchronisation objects. It is immutable.
type Counts map[*path.Node]int

// Sync is the synchronisation before a point of a function.
type Sync struct{ Acquired, Released Counts }

// Acquire adds n acquires of o.
func (s Sync) Acquire(o *path.Node, n int) Sync {
	s.Acquired = s.Acquired.Plus(Counts{o: n})
	return s
}

// Release adds n possible releases of o.
func (s Sync) Release(o *path.Node, n int) Sync {
	if isGo(o) {
		s.Acquired = s.Acquired.without(func(a *path.Node) bool { return IsOver(a) && a.Base == o })
	}
	s.Released = s.Released.Plus(Counts{o: n})
	return s
}

func isGo(o *path.Node) bool { return o.Kind == path.Token && o.Base == nil }

// IsOver reports whether an object says that goroutines have released another one.
func IsOver(o *path.Node) bool { return o.Kind == path.Token && o.Name == path.Over }

// without takes out the objects of which drop is true.
func (c Counts) without(drop func(*path.Node) bool) Counts {
	for o := range c {
		if drop(o) {
			d := maps.Clone(c)
			maps.DeleteFunc(d, func(o *path.Node, _ int) bool { return drop(o) })
			return d
		}
	}
	return c
}

// Forget takes out an object that is made anew.
func (s Sync) Forget(o *path.Node) Sync {
	return Sync{s.Acquired.minus(o), s.Released.minus(o)}
}

func (c Counts) minus(o *path.Node) Counts {
	if _, in := c[o]; !in {
		return c
	}
	d := maps.Clone(c)
	delete(d, o)
	return d
}

// Plus adds two multisets.
func (c Counts) Plus(d Counts) Counts {
	if len(d) == 0 {
		return c
	}
	if len(c) == 0 {
		return d
	}
	e := maps.Clone(c)
	for o, n := range d {
		e[o] = min(e[o]+n, Many)
	}
	return e
}

// Then is the synchronisation before a point that comes after e.
func (s Sync) Then(e Sync) Sync {
	all := s.Acquired.Plus(e.Acquired).without(func(o *path.Node) bool {
		if !IsOver(o) {
			return false
		}
		before := s.Acquired[o] > 0 || s.Released[o.Base] == 0
		after := e.Acquired[o] > 0 || e.Released[o.Base] == 0
		return !before || !after
	})
	return Sync{all, s.Released.Plus(e.Released)}
}

// Join is the synchronisation before a point where two branches join.
func (s Sync) Join(t Sync) Sync {
	least := Least(s.Acquired, t.Acquired)
	for _, pair := range [][2]Sync{{s, t}, {t, s}} {
		for o := range pair[0].Acquired {
			if IsOver(o) && pair[1].Acquired[o] == 0 && pair[1].Released[o.Base] == 0 {
				least = least.Plus(Counts{o: 1})
			}
		}
	}
	return Sync{least, Most(s.Released, t.Released)}
}

// Least is the pointwise minimum.
func Least(a, b Counts) Counts {
	var c Counts
	for o, n := range a {
		if m := b[o]; m > 0 {
			if c == nil {
				c = Counts{}
			}
			c[o] = min(n, m)
		}
	}
	return c
}

// Most is the pointwise maximum.
func Most(a, b Counts) Counts {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	c := maps.Clone(a)
	for o, n := range b {
		c[o] = max(c[o], n)
	}
	return c
}

// Times multiplies every count.
func (c Counts) Times(n int) Counts {
	if n == 1 || len(c) == 0 {
		return c
	}
	d := Counts{}
	for o, k := range c {
		d[o] = min(k*n, Many)
	}
	return d
}

// Map rebuilds a multiset with other objects; those for which f returns nil are left out.
func (c Counts) Map(f func(*path.Node) *path.Node) Counts {
	if len(c) == 0 {
		return nil
	}
	d := Counts{}
	for o, n := range c {
		if m := f(o); m != nil {
			d[m] = min(d[m]+n, Many)
		}
	}
	return d
}

// Equal reports whether the two are the same.
func (s Sync) Equal(t Sync) bool {
	return maps.Equal(s.Acquired, t.Acquired) && maps.Equal(s.Released, t.Released)
}
