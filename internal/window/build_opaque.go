package window

import (
	"slices"
	"strings"

	"presage/internal/barrier"
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
	sites   [][3]touch // by site and use, +1; 0: not looked up
	odd     [3]touch   // likewise, of all sites that the trace says nothing of
	texts   map[string]touch
	sets    []footprint.Set
	access  []bool // of sets: of accesses
	reach   touch  // of calls of which what they reach is known by addresses
	funcs   map[trace.Site]unrecorded
	meets   [][]answer      // by both
	written map[string]bool // traced functions that stay as written, by name: they can access everything; nil: none
	some    bool            // of the sites are inward
	looks   bool            // and some see goroutines
}

// Uses of a site. A site without a footprint touches anything, but a read only reads.
const (
	asCall = iota
	asRead
	asWrite
)

func newFootprints(meta *trace.Meta) footprints {
	f := footprints{
		meta: meta, texts: make(map[string]touch), funcs: make(map[trace.Site]unrecorded),
	}
	if meta != nil {
		f.sites = make([][3]touch, len(meta.Sites))
	}
	f.number(footprint.Set{})
	f.reach = f.number(footprint.Set{Effect: footprint.Write, State: reachable})
	f.some = meta != nil && slices.ContainsFunc(meta.Sites, func(s trace.SiteInfo) bool { return footprint.Inward(s.Touch) })
	f.looks = meta != nil && slices.ContainsFunc(meta.Sites, func(s trace.SiteInfo) bool { return footprint.SeesAny(s.Touch) })
	if meta != nil {
		f.written = asWritten(meta.Funcs)
	}
	return f
}

func asWritten(list []trace.Func) (names map[string]bool) {
	for _, fn := range list {
		if fn.Opaque == "" {
			continue
		}
		if names == nil {
			names = make(map[string]bool)
		}
		names[fn.Name] = true
	}
	return names
}

func (f *footprints) number(s footprint.Set) touch { return f.numberOf(s, false) }

func (f *footprints) numberOf(s footprint.Set, access bool) touch {
	text := s.String()
	if access {
		text += "\taccess"
	}
	t, ok := f.texts[text]
	if !ok {
		t = touch(len(f.sets))
		f.texts[text] = t
		f.sets, f.access = append(f.sets, s), append(f.access, access)
	}
	return t
}

// reachable is a hidden state that no other call has.
const reachable = "=reachable"

// at returns the footprint of a site.
func (f *footprints) at(s trace.Site, use int) touch {
	known := &f.odd
	if int(s) < len(f.sites) {
		known = &f.sites[s]
	}
	if known[use] == 0 {
		known[use] = f.lookup(s, use) + 1
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
			// By a typed operation (R15 of package plan): what that accesses, the footprint of the call does not say.
			if set.Dynamic && set.Effect != footprint.None {
				set = footprint.Set{Scope: footprint.Everything}
			}
			set.Effect = footprint.Read
			if use == asWrite {
				set.Effect = footprint.Write
			}
		} else {
			set = f.calling(set)
		}
		return f.numberOf(set, use != asCall)
	}
	switch use {
	case asRead:
		return f.numberOf(footprint.Set{Effect: footprint.Read, Scope: footprint.Everything}, true)
	case asWrite:
		return f.numberOf(footprint.Set{Effect: footprint.Write, Scope: footprint.Everything}, true)
	}
	return f.number(footprint.Anything)
}

// calling returns the footprint of a call, which may lead to functions that stay as written.
func (f *footprints) calling(s footprint.Set) footprint.Set {
	if f.written != nil && (s.Scope != footprint.Named || s.Dynamic) {
		s.Effect, s.Scope = footprint.Write, footprint.Everything
	}
	return s
}

// inward says whether the function that is called at a site synchronises for itself alone.
func (f *footprints) inward(s trace.Site) bool {
	return f.described(s) && footprint.Inward(f.meta.Sites[s].Touch)
}

// missing returns the footprint of a call into package n of those that are left out, beside what its D has: the hidden state of code that it calls.
func (f *footprints) missing(n trace.Addr) touch {
	if f.meta == nil || n == 0 || int(n) > len(f.meta.Missing) || f.meta.Missing[n-1].State == "" {
		return nothing
	}
	return f.number(footprint.Set{Effect: footprint.Write, State: f.meta.Missing[n-1].State})
}

// described says whether the trace knows what a site touches.
func (f *footprints) described(s trace.Site) bool {
	return f.meta != nil && int(s) < len(f.meta.Sites) && f.meta.Sites[s].Touch != ""
}

// unrecorded is what happens around a function without a record.
type unrecorded struct {
	before   touch   // wrappers load this and enter it
	deferred touch   // its deferred calls of code outside touch this,
	writes   []touch // and these of them write
}

// function returns what the function of a site has.
func (f *footprints) function(s trace.Site) unrecorded {
	if !f.described(s) {
		return unrecorded{}
	}
	u, ok := f.funcs[s]
	if !ok {
		var all footprint.Set
		for text := range strings.SplitSeq(f.meta.Sites[s].Touch, "\n") {
			set := footprint.Parse(text)
			if set.Effect == footprint.None {
				u.before = f.number(set.OfLoads())
				continue
			}
			set = f.calling(set)
			all = footprint.Union(all, set)
			if set.Effect == footprint.Write {
				u.writes = append(u.writes, f.number(set))
			}
		}
		u.deferred = f.number(all)
		f.funcs[s] = u
	}
	return u
}

// both returns the footprint of what touches a, and of what touches b.
func (f *footprints) both(a, b touch) touch {
	switch {
	case a == nothing || a == b:
		return b
	case b == nothing:
		return a
	}
	return f.number(footprint.Union(f.sets[a], f.sets[b]))
}

func (f *footprints) meet(a, b touch) bool {
	if a == nothing || b == nothing {
		return false
	}
	if a == f.reach || b == f.reach { // (B15): their Ds say whether two of them meet
		other := a
		if a == f.reach {
			other = b
		}
		return other != f.reach && !f.access[other] && f.memory(other)
	}
	if a > b {
		a, b = b, a
	}
	for int(a) >= len(f.meets) {
		f.meets = append(f.meets, nil)
	}
	row := f.meets[a]
	if int(b) >= len(row) {
		row = append(row, make([]answer, int(b)+1-len(row))...)
		f.meets[a] = row
	}
	if row[b] == unasked {
		if row[b] = no; footprint.Meets(&f.sets[a], &f.sets[b]) {
			row[b] = yes
		}
	}
	return row[b] == yes
}

// answer is what is known of a question.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// empty says whether an opaque call of this footprint orders nothing.
func (f *footprints) empty(t touch) bool {
	s := &f.sets[t]
	return s.Effect == footprint.None && s.State == "" && len(s.Loads) == 0 && s.Sees == footprint.NoGoroutines
}

// calls are the opaque calls that a goroutine is in, while the trace is read.
type calls struct {
	missing trace.Site // of the MethodBegin that was the goroutine's last record but those of its D
	method  trace.Addr
	own     bool // that is a call whose synchronisation is its own
	open    []openCall
	frames  []frame
	depth   uint64 // of the innermost frame
}

type frame struct {
	depth uint64
	site  trace.Site
}

type openCall struct {
	depth uint64
	touch touch
}

// call follows the opaque calls of a goroutine and gives r, if it is an end of one, its
// footprint. A call of an instrumented function through a function value or an interface (FlagDirect) has nothing opaque about it,
// but what a wrapper loaded to have the receiver (FlagWrapper).
//
// A call that the run has found to touch nothing (FlagSilent; F13 of package footprint) has none.
//
// A call that turned out to be one of a typed operation has no record of kind OpaqueBegin (R15 of
// package plan). An Exit after deferred calls of which all were such (FlagTyped) has no
// footprint.
//
// Deferred calls and what a go statement calls have no records of their own. Where they come back to recorded code, by an Enter with Val 0 or a
// send, that has a footprint as well: of what they may have read to come there.
func (b *Builder) call(r *record) {
	e := &r.e
	for int(e.G) >= len(b.calls) {
		b.calls = append(b.calls, calls{})
	}
	c := &b.calls[e.G]
	missing := e.Kind == format.OpaqueBegin && c.missing == e.Site && e.Site != 0
	c.missing = 0
	switch e.Kind {
	case format.MethodBegin:
		c.missing, c.method, c.own = e.Site, e.Obj, r.pair != nil && r.pair.Own && b.miss.mode == barrier.Reachable
		b.reaches(r)
	case format.MethodEnd:
		b.reaches(r)
	case format.OpaqueBegin:
		t := b.prints.at(e.Site, asCall)
		switch wrapped, direct := e.Flags&format.FlagWrapper != 0, e.Flags&format.FlagDirect != 0; {
		case e.Flags&format.FlagSilent != 0: // (F13)
			t = nothing
		case missing && c.own:
			t = nothing
		case missing: // what a wrapper may load is in its D
			t = b.prints.missing(c.method)
		case wrapped && direct:
			t = b.prints.loaded(t)
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
	case format.ChanSend:
		if e.Flags&format.FlagOpaque != 0 {
			b.between(r, c, nothing)
		}
	case format.Enter:
		c.leave(e.Aux)
		c.depth = max(1, e.Aux) - 1
		switch {
		case e.Val != 0:
		case e.Flags&(format.FlagDirect|format.FlagWrapper) == format.FlagDirect: // nothing has loaded the receiver, or anything else
			b.between(r, c, nothing)
		default:
			b.between(r, c, b.prints.function(e.Site).before)
		}
		c.depth = e.Aux
		c.frames = append(c.frames, frame{e.Aux, e.Site})
	case format.Exit: // it stands for the deferred calls
		c.leave(e.Aux)
		c.depth = max(1, e.Aux) - 1
		if e.Flags&format.FlagTyped != 0 {
			return
		}
		if r.touch = b.prints.function(e.Site).deferred; r.touch != nothing {
			b.count.Opaque++
		}
	}
}

// reaches gives an end of a missing method its footprint (B15). If the method reaches nothing, listed takes that of the beginning back.
func (b *Builder) reaches(r *record) {
	if b.miss.mode != barrier.Ignore && r.pair != nil && (r.e.Kind == format.MethodBegin || !r.pair.D.Empty()) {
		r.touch = b.prints.reach
	}
}

// between gives r, which is not in an opaque call of the innermost frame, the footprint t and that of the deferred calls of the frame.
func (b *Builder) between(r *record, c *calls, t touch) {
	if n := len(c.open); n > 0 && c.open[n-1].depth == c.depth {
		return
	}
	if n := len(c.frames); n > 0 && c.frames[n-1].depth == c.depth {
		t = b.prints.both(t, b.prints.function(c.frames[n-1].site).deferred)
	}
	if r.touch = t; t != nothing {
		b.count.Opaque++
	}
}

// leave drops the frames of depth d and more, which are gone, and the calls that they made.
func (c *calls) leave(d uint64) {
	for n := len(c.frames); n > 0 && c.frames[n-1].depth >= d; n-- {
		c.frames = c.frames[:n-1]
	}
	for n := len(c.open); n > 0 && c.open[n-1].depth >= d; n-- {
		c.open = c.open[:n-1]
	}
}

// wrapper is what a compiler's wrapper of which the trace knows nothing may do on its way to a method: follow pointers to the receiver, and copy it.
var wrapper = footprint.Set{Effect: footprint.Read, Scope: footprint.Shared}

// loaded returns the part of footprint t that is a wrapper's.
func (f *footprints) loaded(t touch) touch {
	if s := f.sets[t].OfLoads(); s.Effect != footprint.None {
		return f.number(s)
	}
	return f.number(wrapper)
}

// wrapped returns footprint t with that of a wrapper.
func (f *footprints) wrapped(t touch) touch {
	s := f.sets[t]
	s.Effect, s.Scope, s.Types = max(s.Effect, wrapper.Effect), max(s.Scope, wrapper.Scope), nil
	return f.number(s)
}
