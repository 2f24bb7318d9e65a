package window

import (
	"slices"
	"strings"

	"presage/internal/footprint"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// touch is the number of a footprint: of an opaque call, or of a traced access.
type touch int32

const nothing touch = 0

// footprints numbers the footprints of sites and remembers which of them meet.
type footprints struct {
	meta    *trace.Meta
	sites   map[trace.Site][3]touch // by use, +1; 0: not looked up
	texts   map[string]touch
	sets    []footprint.Set
	defers  map[trace.Site][]touch
	meets   map[[2]touch]bool
	written bool // some traced functions stay as written: they can access everything
}

// Uses of a site. A site without a footprint touches anything, but a read only reads.
const (
	asCall = iota
	asRead
	asWrite
)

func newFootprints(meta *trace.Meta) footprints {
	f := footprints{
		meta: meta, sites: make(map[trace.Site][3]touch), texts: make(map[string]touch), meets: make(map[[2]touch]bool), defers: make(map[trace.Site][]touch),
	}
	f.number(footprint.Set{})
	f.written = meta != nil && slices.ContainsFunc(meta.Funcs, func(f trace.Func) bool { return f.Opaque != "" })
	return f
}

func (f *footprints) number(s footprint.Set) touch {
	text := s.String()
	t, ok := f.texts[text]
	if !ok {
		t = touch(len(f.sets))
		f.texts[text] = t
		f.sets = append(f.sets, s)
	}
	return t
}

// at returns the footprint of a site.
func (f *footprints) at(s trace.Site, use int) touch {
	known := f.sites[s]
	if known[use] == 0 {
		known[use] = f.lookup(s, use) + 1
		f.sites[s] = known
	}
	return known[use] - 1
}

func (f *footprints) lookup(s trace.Site, use int) touch {
	text := ""
	if f.meta != nil && int(s) < len(f.meta.Sites) {
		text = f.meta.Sites[s].Touch
	}
	if text != "" {
		set := footprint.Parse(text)
		if use != asCall {
			set.Effect = footprint.Read
			if use == asWrite {
				set.Effect = footprint.Write
			}
		} else if f.written && (set.Scope != footprint.Named || set.Dynamic) {
			set.Effect, set.Scope = footprint.Write, footprint.Everything
		}
		return f.number(set)
	}
	switch use {
	case asRead:
		return f.number(footprint.Set{Effect: footprint.Read, Scope: footprint.Everything})
	case asWrite:
		return f.number(footprint.Set{Effect: footprint.Write, Scope: footprint.Everything})
	}
	return f.number(footprint.Anything)
}

// described says whether the trace knows what a site touches.
func (f *footprints) described(s trace.Site) bool {
	return f.meta != nil && int(s) < len(f.meta.Sites) && f.meta.Sites[s].Touch != ""
}

// deferred returns the footprints of the calls that the function of a site defers.
func (f *footprints) deferred(s trace.Site) []touch {
	if !f.described(s) {
		return nil
	}
	list, ok := f.defers[s]
	if !ok {
		for text := range strings.SplitSeq(f.meta.Sites[s].Touch, "\n") {
			list = append(list, f.number(footprint.Parse(text)))
		}
		f.defers[s] = list
	}
	return list
}

func (f *footprints) meet(a, b touch) bool {
	if a == nothing || b == nothing {
		return false
	}
	if a > b {
		a, b = b, a
	}
	m, ok := f.meets[[2]touch{a, b}]
	if !ok {
		m = footprint.Meets(&f.sets[a], &f.sets[b])
		f.meets[[2]touch{a, b}] = m
	}
	return m
}

// empty says whether an opaque call of this footprint orders nothing.
func (f *footprints) empty(t touch) bool {
	s := &f.sets[t]
	return s.Effect == footprint.None && s.State == ""
}

// calls are the opaque calls that a goroutine is in, while the trace is read.
type calls struct {
	open  []openCall
	depth uint64 // of the innermost frame
}

type openCall struct {
	depth uint64
	touch touch
}

// call follows the opaque calls of a goroutine and gives r, if it is an end of one, its
// footprint. A call of an instrumented function through a function value or an interface (FlagDirect) has nothing opaque about it,
// but what a wrapper loaded to have the receiver (FlagWrapper), of which the footprint says nothing.
func (b *Builder) call(r *record) {
	e := &r.e
	for int(e.G) >= len(b.calls) {
		b.calls = append(b.calls, calls{})
	}
	c := &b.calls[e.G]
	switch e.Kind {
	case format.OpaqueBegin:
		t := b.prints.at(e.Site, asCall)
		switch wrapped, direct := e.Flags&format.FlagWrapper != 0, e.Flags&format.FlagDirect != 0; {
		case wrapped && direct:
			t = b.prints.number(wrapper)
		case wrapped:
			t = b.prints.wrapped(t)
		case direct || b.prints.empty(t):
			t = nothing
		}
		r.touch = t
		c.open = append(c.open, openCall{depth: c.depth, touch: t})
	case format.OpaqueEnd:
		if n := len(c.open); n > 0 {
			r.touch = c.open[n-1].touch
			c.open = c.open[:n-1]
		} else if t := b.prints.at(e.Site, asCall); !b.prints.empty(t) {
			r.touch = t
		}
		if r.touch != nothing {
			b.count.Opaque++
		}
	case format.Enter:
		c.leave(e.Aux)
		c.depth = e.Aux
	case format.Exit:
		c.leave(e.Aux)
		c.depth = max(1, e.Aux) - 1
	}
}

// leave drops the calls made by frames of depth d and more, which are gone.
func (c *calls) leave(d uint64) {
	for n := len(c.open); n > 0 && c.open[n-1].depth >= d; n-- {
		c.open = c.open[:n-1]
	}
}

// wrapper is what a compiler's wrapper may do on its way to a method: follow pointers to the receiver, and copy it.
var wrapper = footprint.Set{Effect: footprint.Read, Scope: footprint.Shared}

// wrapped returns footprint t with that of a wrapper.
func (f *footprints) wrapped(t touch) touch {
	s := f.sets[t]
	s.Effect, s.Scope, s.Types = max(s.Effect, wrapper.Effect), max(s.Scope, wrapper.Scope), nil
	return f.number(s)
}
