package offpath

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// poolGet executes the Get of a sync.Pool: it takes an object, if the next step does so (CP4).
// Otherwise it has none, and returns what the function New returns, or nil (CP3). It reports
// whether it has entered New.
func (m *machine) poolGet(in *ssa.Call) (entered bool) {
	f := m.frame
	pool := pointer(f.val(in.Call.Args[0]))
	if m.takes(in, pool) {
		return false
	}
	at := pool + uint64(fieldOffset(pointee(in.Call.Args[0].Type()), "New"))
	function, ok := m.memory.word(at)
	if !ok {
		throw("a sync.Pool of unknown New")
	}
	if function == 0 {
		f.vals[in] = zero(16)
		return false
	}
	fn, free := m.functionAt(function)
	if binds(fn) {
		throw("a sync.Pool whose New is a bound method")
	}
	inner := m.invocation(m.body(fn), nil, free)
	inner.caller = f
	m.frame = inner
	return true
}

// takes executes a Get that takes an object, if the next step is one of its word: the word has 1,
// and 0 from then on.
func (m *machine) takes(in *ssa.Call, pool uint64) bool {
	if m.steps.empty() {
		return false
	}
	site, next := m.frame.at().Site, m.steps.next().Event
	if next.Site != site || !format.IsPoolWord(next.Obj) {
		return false
	}
	p := m.process
	for _, x := range p.in.snap.Objects(pool, p.in.window.To) {
		if x.Word != uint64(next.Obj) {
			continue
		}
		if p.in.stoodForAnother(pool, x) {
			reject("CP6", "the word of the object that a Get takes may stand for what was there before")
		}
		if p.in.emptied(pool, x) {
			reject("CP6", "the sync.Pool may have been overwritten since the object was put")
		}
		p.called = append(p.called, pool)
		if p.in.takenTwice(x.Word) {
			reject("CP4", "another Get takes the object when its word is 0")
		}
		s := m.steps.expect(format.AtomicRMW, 0, site, &x.Word, 8)
		if n, ok := m.ops.values.seen(s, 8).bits(); !ok || n != 1 {
			reject("CP4", "the object that a Get takes is not in the sync.Pool")
		}
		m.ops.values.written(s, number(0, 8))
		m.frame.vals[in] = words(number(x.Type, 8), number(x.Data, 8))
		return true
	}
	reject("CP4", "the object that a Get takes was never put into the sync.Pool")
	return false
}

// stoodForAnother reports whether the word of an object in a sync.Pool may stand for another object
// at the same address, or for what another pool had: the object or the pool was allocated anew
// after the object was put, or the word was not 0 before that.
func (in *subject) stoodForAnother(pool uint64, x flow.Pooled) bool {
	if in.allocates(pool, x.At) || in.allocates(x.Data, x.At) {
		return true
	}
	return in.has(x.At) && (in.isSet(x.Word) || slices.ContainsFunc(in.window.Records, func(r *built.Record) bool {
		return uint64(r.Obj) == x.Word && r.Kind.IsWrite() && r.Index < x.At
	}))
}

// has reports whether an event of the trace is in the window.
func (in *subject) has(event int64) bool {
	return event >= in.window.From && event < in.window.To
}

// isSet reports whether a word is not 0 at the beginning of the window.
func (in *subject) isSet(word uint64) bool {
	for o, place := range in.window.Places {
		if init := &in.window.Init[o]; place.Addr == word && (init.Val != 0 || init.Unknown) {
			return true
		}
	}
	return false
}

// emptied reports whether a goroutine, on its recorded path or on another one, may have overwritten
// the first word of a sync.Pool since an object was put. It has not, if it has done so before each
// Put of the object, or before the goroutine of that has started.
func (in *subject) emptied(pool uint64, x flow.Pooled) bool {
	for _, way := range append(slices.Clone(in.beside), in.alt) {
		if slices.ContainsFunc(way.Steps, func(s flow.Step) bool { return s.Event.Kind == format.Write && uint64(s.Event.Obj)&^7 == pool }) {
			return true
		}
	}
	put, overwritten := false, false
	after := map[trace.GoID]bool{} // goroutines of which what is left comes after the last write
	for _, r := range in.window.Records {
		switch {
		case r.Kind == format.Write && uint64(r.Obj)&^7 == pool:
			if put || overwritten && !after[r.G] {
				return true
			}
			overwritten = true
			clear(after)
			after[r.G] = true
		case r.Kind == format.Go && after[r.G]:
			after[trace.GoID(r.Obj)] = true
		case r.Kind == format.AtomicWrite && uint64(r.Obj) == x.Word:
			if put = true; overwritten && !after[r.G] {
				return true
			}
		}
	}
	return overwritten && in.isSet(x.Word)
}

// takenTwice reports whether a Get of the recorded run takes an object in the window when its word
// is 0. The object was put twice, or there is a Put that the trace does not have. So the word does
// not tell when the object is in the sync.Pool.
func (in *subject) takenTwice(word uint64) bool {
	holds := false
	for o, place := range in.window.Places {
		if place.Addr == word {
			holds = in.window.Init[o].Val == 1 && !in.window.Init[o].Unknown
		}
	}
	for _, r := range in.window.Records {
		if uint64(r.Obj) != word {
			continue
		}
		if r.Kind == format.AtomicRMW && !holds {
			return true
		}
		holds = r.Kind == format.AtomicWrite
	}
	return false
}
