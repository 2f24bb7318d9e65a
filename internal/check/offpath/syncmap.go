package offpath

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// syncMap executes the method of a sync.Map with a name (CP4): an atomic operation on the word of
// the key, which has the number of the value (package format). What the map has for the key is what
// was stored with the number that the step finds.
func (m *machine) syncMap(site trace.Site, args []value, name string) value {
	p := m.process
	at := pointer(args[0])
	key, ok := m.env.dynamicKey(args[1])
	if at >= freshBase || !ok {
		throw("a sync.Map that is new, or a key that is not known")
	}
	word, ok := p.in.snap.Word(at, key, p.in.window.To)
	if !ok {
		throw("a key of a sync.Map that no operation of the recorded run has")
	}
	if name == "Store" {
		p.stores(m.env, m.steps.expect(format.AtomicWrite, 0, site, &word, 8), args[2])
		return value{}
	}
	kind, flags := format.AtomicRMW, format.Flags(0)
	if m.steps.ahead(site).Event.Kind == format.AtomicRead {
		if kind = format.AtomicRead; name != "Load" {
			flags = format.FlagTry
		}
	}
	s := m.steps.expect(kind, flags, site, &word, 8)
	n, ok := m.ops.values.seen(s, 8).bits()
	if !ok {
		reject("CP4", "the number that the operation of a sync.Map finds is unknown")
	}
	found, present := p.stored(m.env, n), n != 0
	changes := kind == format.AtomicRMW
	wants := func(does bool) {
		if changes != does {
			reject("CP4", "%s of a sync.Map finds the number %d, which is not the outcome of the step", name, n)
		}
	}
	switch name {
	case "Load":
		wants(false)
	case "LoadOrStore":
		if wants(!present); changes {
			p.stores(m.env, s, args[2])
			found = args[2]
		}
	case "LoadAndDelete", "Delete":
		// a last step that finds nothing writes what is there
		if wants(present || changes && m.steps.empty()); changes {
			m.ops.values.written(s, number(0, 8))
		}
	case "Swap":
		wants(true)
		p.stores(m.env, s, args[2])
	case "CompareAndSwap", "CompareAndDelete":
		if wants(false); present {
			throw("a comparison with the value of a sync.Map")
		}
		return truth(false)
	default:
		throw("%s of a sync.Map is not modelled", name)
	}
	if name == "Delete" {
		return value{}
	}
	return value{tuple: []value{found, truth(present)}}
}

// stored is what a sync.Map has that was stored with a number.
func (p *process) stored(e *env, n uint64) value {
	if n == 0 {
		return zero(16)
	}
	if v, ok := p.numbered[n]; ok {
		return v
	}
	if d, _, ok := p.in.snap.Stored(n, p.in.window.To); ok {
		return e.words(d.Words, 16)
	}
	if x := p.in.storedOff(n); x != nil {
		t := concrete{x.Type, x.Prog}
		box := e.heap.allocate(e.owner, mapValue(x.Type, x.Is), false)
		return words(e.types.word(types.NewInterfaceType(nil, nil), t), number(box.base, 8))
	}
	return unknown(16)
}

// storedOff is what other alternatives say that they store with a number. The check of each of them
// verifies it. It is nil if none does, or they do not say the same.
func (in *subject) storedOff(n uint64) (x *flow.Stored) {
	for i := len(in.window.Events); i < len(in.variant.Events); i++ {
		if e := &in.variant.Events[i]; writesNumber(e, n) {
			s := in.stepOf(e)
			if s == nil || s.Stored == nil || x != nil && !x.Same(s.Stored) {
				return nil
			}
			x = s.Stored
		}
	}
	return x
}

// writesNumber reports whether an event writes a number of a value in a sync.Map.
func writesNumber(e *model.Event, n uint64) bool {
	return e.Kind == format.AtomicWrite && e.Val == n || e.Kind == format.AtomicRMW && e.Aux == n
}

// stores gives a value the number that a step writes. Nothing else in the window may write it, but
// alternatives that store the same.
func (p *process) stores(env *env, s *step, v value) {
	if len(s.events) != 1 {
		reject("CP4", "a step of a sync.Map has %d events", len(s.events))
	}
	e := &p.in.variant.Events[s.events[0]]
	n := e.Val
	if e.Kind == format.AtomicRMW {
		n = e.Aux
	}
	if n == 0 || p.in.variant.Init[e.Obj].Val == n {
		reject("CP4", "the number %d of a value is not a new one", n)
	}
	if s.Stored != nil && !env.holds(v, s.Stored) {
		reject("CP4", "the program stores another value in a sync.Map than the step says")
	}
	for i := range p.in.variant.Events {
		x := &p.in.variant.Events[i]
		if int32(i) == s.events[0] || x.Obj != e.Obj || !writesNumber(x, n) {
			continue
		}
		if y := p.in.stepOf(x); y == nil || y.Stored == nil || s.Stored == nil || !y.Stored.Same(s.Stored) {
			reject("CP4", "event %d writes the number %d, too", i, n)
		}
	}
	p.values.written(s, number(n, 8))
	if p.numbered == nil {
		p.numbered = map[uint64]value{}
	}
	p.numbered[n] = v
}

// holds reports whether an interface holds what a step says that it stores.
func (e *env) holds(v value, x *flow.Stored) bool {
	t, ok := e.types.of(v)
	return ok && x.Is.Known && types.Identical(t.typ, x.Type) && isMapValue(e.inside(t.typ, v), t.typ, x.Is)
}

// dynamicKey is the key of a sync.Map that an interface has.
func (e *env) dynamicKey(v value) (k flow.DynamicKey, ok bool) {
	t, ok := e.types.of(v)
	if !ok {
		return k, false
	}
	if k.Type, _ = v.word(0); k.Type >= freshBase {
		k.Type, k.Name = 0, types.TypeString(t.typ, nil)
	}
	k.MapKey, ok = mapKey(t.typ, e.inside(t.typ, v))
	return k, ok
}

// inside is the value in an interface, of its type t. A value that is not a pointer is known if the
// alternative has boxed it, or code before the fork.
func (e *env) inside(t types.Type, v value) value {
	data, ok := v.word(1)
	if yes, sure := asItIs(t); ok && !yes && sure && data < freshBase {
		if d, ok := e.types.in.snap.Box(data, int64(sizeof(t)), e.types.in.window.To); ok {
			return e.datum(d, t)
		}
	}
	return e.types.inside(e.owner, t, v)
}
