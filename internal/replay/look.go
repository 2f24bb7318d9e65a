package replay

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// sharing says which goroutines use a word of memory, or an object.
type sharing struct {
	g              trace.GoID
	several, write bool
}

// bracket is a call of code that was not instrumented.
type bracket struct {
	site     trace.Site
	acts     []act
	included bool    // one of the hidden ones is in the witness
	pair     int64   // an access of the race that is hidden in it, -1: none
	cut      bool    // an access of the race is within it
	from, to float64 // the places of the hidden ones in the order
}

// act is an operation within a bracket that others may notice.
type act struct {
	obj        trace.Addr
	hidden, in bool
}

// look is the first pass.
func (k *walker) look(i int64, e *trace.Event) {
	if i > k.last {
		k.classify(e)
		return
	}
	switch {
	case e.Kind == format.Go:
		g := trace.GoID(e.Obj)
		if k.kids[e.G] = append(k.kids[e.G], g); i < 0 {
			k.begun[g] = e.Site
		}
	case e.Kind == format.Enter && k.pkg == "":
		k.findTest(e)
	}
	s := k.state(e.G)
	s.seq++
	if _, ok := k.at(i); ok {
		s.last, s.pair = s.seq, i == k.pair[0] || i == k.pair[1]
	}
	k.bracket(s, i, e)
	k.inside(s, i, e)
	k.classify(e)
	if !hidden(e) && e.Kind.IsAccess() {
		use(k.words, e.Obj&^7, e)
	}
}

func (k *walker) classify(e *trace.Event) {
	if !hidden(e) && int(e.Site) < len(k.classes) {
		k.classes[e.Site] = max(k.classes[e.Site], classOf(e.Kind))
	}
}

// findTest notes the package of the first test function.
func (k *walker) findTest(e *trace.Event) {
	if int(e.Site) >= len(k.meta.Sites) {
		return
	}
	info := &k.meta.Sites[e.Site]
	if f := info.File; f >= 0 && int(f) < len(k.meta.Files) && isTest(k.meta.Files[f].Name) {
		k.pkg = k.meta.Funcs[info.Func].Pkg
	}
}

func use(m map[trace.Addr]*sharing, obj trace.Addr, e *trace.Event) {
	s := m[obj]
	if s == nil {
		s = &sharing{g: e.G}
		m[obj] = s
	}
	s.several = s.several || s.g != e.G
	s.write = s.write || e.Kind.IsWrite() || !e.Kind.IsAccess()
}

// bracket keeps the calls under way of code that was not instrumented, and returns the one that
// ends.
func (k *walker) bracket(s *goState, i int64, e *trace.Event) *bracket {
	switch e.Kind {
	case format.OpaqueBegin:
		if k.brackets[i] == nil {
			k.brackets[i] = &bracket{site: e.Site, pair: -1}
		}
		s.open = append(s.open, i)
	case format.OpaqueEnd:
		for n := len(s.open) - 1; n >= 0; n-- {
			if b := k.brackets[s.open[n]]; b.site == e.Site {
				s.open = s.open[:n]
				return b
			}
		}
	}
	return nil
}

// inside notes an event with the calls that it is part of, the innermost last.
func (k *walker) inside(s *goState, i int64, e *trace.Event) {
	hides := hidden(e)
	if hides && acts(e.Kind) || !hides && acts(e.Kind) && !(e.Kind == format.Read || e.Kind == format.Write) {
		use(k.objects, e.Obj, e)
		key, in := k.at(i)
		for n, begin := range s.open {
			b := k.brackets[begin]
			b.acts = append(b.acts, act{e.Obj, hides, in})
			if hides && in && n == len(s.open)-1 {
				if !b.included {
					b.from = key
				}
				b.included, b.from, b.to = true, min(b.from, key), max(b.to, key)
			}
		}
	}
	if i != k.pair[0] && i != k.pair[1] {
		return
	}
	for n, begin := range s.open {
		b := k.brackets[begin]
		b.cut = true
		if hides && !e.Outside() && n == len(s.open)-1 {
			b.pair = i
		}
	}
}

// relevant reports whether a call does in the witness what other goroutines can notice.
func (k *walker) relevant(b *bracket) bool {
	return b.included && slices.ContainsFunc(b.acts, func(a act) bool { return a.hidden && a.in && k.objects[a.obj].several })
}

// whole reports whether all that a call does is in the witness.
func (k *walker) whole(b *bracket) bool {
	return !b.cut && !slices.ContainsFunc(b.acts, func(a act) bool { return !a.in && k.objects[a.obj].several })
}
