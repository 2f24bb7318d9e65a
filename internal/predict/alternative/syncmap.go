package alternative

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// syncMap executes an operation of sync.Map (AL3): an atomic operation on the word of the key
// (package format). Which number it finds is a choice of the schedule.
type syncMap struct {
	operation
	keys trace.Addr // the state of the keys of the map; 0: not known
}

// A mapped is what a sync.Map may have for a key: nothing (number 0), a value with a number, or, if
// other is set, some value with another number than those that are known.
type mapped struct {
	number uint64
	value  Value
	stored *flow.Stored // the value is what an alternative of another goroutine has stored
	other  bool
}

func (x *mapped) present() bool { return x.number != 0 || x.other }

// call executes the method of a name: args[1] is the map, args[2] the key.
func (o syncMap) call(name string, args []Value) bool {
	p := o.p
	m, ok := args[1].Concrete.Bits()
	switch {
	case !ok || args[1].symbolic():
		return p.stop("unknown-address")
	case m < lowestPointer:
		return p.stop("panic")
	case m >= freshMemory:
		return p.stop("new-object")
	case !p.x.around.Settled(m):
		return p.stop("reused-memory")
	}
	key, ok := p.interfaces().key(args[2])
	if !ok {
		return p.stop("unknown-value")
	}
	word, ok := p.x.fork.Facts.WordAt(m, key, p.x.around.Until())
	if !ok {
		return p.stop("synchronisation")
	}
	o.keys = p.x.fork.Facts.KeysAt(m, p.x.around.Until())
	var arg Value
	if len(args) > 3 {
		arg = args[3]
	}
	e := trace.Event{Obj: trace.Addr(word), Size: 8}
	if name == "Store" {
		stored := o.stored(arg)
		e.Kind, e.Val = format.AtomicWrite, p.memory.numberOf(arg, stored)
		_, going := p.access(o.in, e, flow.Flow{}, true)
		p.events.last().Stored = stored
		if p.events.last().Keys = o.keys; going {
			o.results(nil)
		}
		return true
	}
	var choices []func(*path)
	list := o.mayHave(word)
	for _, x := range list {
		do := o.found(name, e, x, arg, list)
		if do == nil {
			return p.stop("synchronisation")
		}
		choices = append(choices, do)
	}
	return p.split(choices)
}

// mayHave returns what the map may have for the key with a word.
func (o syncMap) mayHave(word uint64) []mapped {
	p := o.p
	list := []mapped{{value: zero(16)}}
	for _, n := range p.x.around.Values(word, 8) {
		v, _, ok := p.x.fork.Facts.StoredAt(n, p.x.around.Until())
		if ok && n != 0 && len(list) < maxVersions {
			list = append(list, mapped{number: n, value: Value{Concrete: v}})
		}
	}
	has := func(n uint64) bool { return slices.ContainsFunc(list, func(x mapped) bool { return x.number == n }) }
	for _, x := range p.memory.numbered {
		if !has(x.number) {
			list = append(list, mapped{number: x.number, value: x.value})
		}
	}
	for _, x := range p.x.around.Stored(word) {
		if !has(x.Number) && len(list) < 2*maxVersions {
			list = append(list, mapped{number: x.Number, stored: x})
		}
	}
	return append(list, mapped{other: true})
}

// found returns the execution of a method that finds x, one of list. It is nil if the method is not
// modelled.
func (o syncMap) found(name string, e trace.Event, x mapped, arg Value, list []mapped) func(*path) {
	results := []Value{x.value, truth(x.present())}
	keep, remove := false, false
	switch name {
	case "Load":
		keep = true
	case "LoadOrStore":
		if keep = x.present(); !keep {
			results[0] = arg
		} else {
			e.Flags = format.FlagTry
		}
	case "LoadAndDelete", "Delete":
		if keep, remove = !x.present(), true; keep {
			e.Flags = format.FlagTry
		}
	case "Swap":
	case "CompareAndSwap", "CompareAndDelete":
		if x.present() {
			return func(q *path) { q.stop("synchronisation") }
		}
		keep, e.Flags, results = true, format.FlagTry, []Value{truth(false)}
	default:
		return nil
	}
	return func(q *path) {
		o := syncMap{operation{q, o.in}, o.keys}
		q.memory.learns(x.value.Concrete)
		results := results
		if x.stored != nil && keepsFound(name, keep) {
			results = append([]Value{q.interfaces().restored(x.stored)}, results[1:]...)
		}
		var stored *flow.Stored
		e, f := e, flow.Flow{}
		if e.Kind = format.AtomicRead; !keep {
			e.Kind = format.AtomicRMW
			if !remove {
				stored = o.stored(arg)
				e.Aux = q.memory.numberOf(arg, stored)
			}
			f.Value = expr.Word(e.Aux)
		}
		going := o.finds(e, f, x, list)
		if q.events.last().Stored = stored; going {
			o.results(results)
		}
	}
}

// results gives the operation its results, and goes on. A deferred one has none.
func (o syncMap) results(list []Value) {
	if _, ok := o.in.SSA.(*ssa.Defer); !ok {
		o.p.frame.returned(list)
	}
}

// finds makes the step of an operation that finds x, and no other one of list.
func (o syncMap) finds(e trace.Event, f flow.Flow, x mapped, list []mapped) (going bool) {
	p := o.p
	e.Val = x.number
	step, going := p.access(o.in, e, f, true)
	if p.events.last().Keys = o.keys; !x.other {
		p.events.last().Compares = true
		return going
	}
	found := readValue(step, 8).Term.Word(0)
	for _, y := range list {
		if !y.other {
			p.events.require(flow.Guard{Term: expr.Unary(expr.Not, expr.Bool, goval.Equal(found, expr.Word(y.number))), Want: 1})
		}
	}
	return going
}

// keepsFound reports whether the first result of a method is what it has found.
func keepsFound(name string, keep bool) bool { return name != "LoadOrStore" || keep }

// stored returns what an operation stores, nil if it is not a known value of a basic type.
func (o syncMap) stored(v Value) *flow.Stored {
	c := o.p.interfaces()
	t, ok := c.dynamic(v)
	if !ok || goval.TypeKey(t.Type) == "" {
		return nil
	}
	if _, ok := t.Type.Underlying().(*types.Basic); !ok {
		return nil
	}
	content := c.unbox(t.Type, v.piece(8, 8))
	is := MapValueOf(t.Type, content.Concrete)
	if content.symbolic() || !is.Known {
		return nil
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %q", goval.TypeKey(t.Type), is.Word, is.Text)
	return &flow.Stored{Number: firstNumber | knownNumber | h.Sum64()&(knownNumber-1), Type: t.Type, Prog: t.Prog, Is: is}
}

// restored returns the interface with what an alternative has stored.
func (c interfaces) restored(x *flow.Stored) Value {
	content := contentOf(x.Is, x.Type)
	box := c.memory.allocate()
	if size := c.code.Sizes.Sizeof(x.Type); size > 0 {
		c.memory.store(box, size, Value{Concrete: content.Value})
	}
	return c.of(types.NewInterfaceType(nil, nil), &goval.Dynamic{Type: x.Type, Prog: x.Prog}, known(box))
}

// Numbers of values that alternatives store. firstNumber is higher than the numbers that a recorded
// sync.Map has. Those with knownNumber stand for a type and a value (flow.Stored).
const (
	firstNumber = uint64(1) << 52
	knownNumber = uint64(1) << 51
)

// A numbered is a value that the path has stored in a sync.Map, with its number.
type numbered struct {
	number uint64
	value  Value
}

// numberOf returns the number of a value that the path stores in a sync.Map. If the value is not
// known, no other alternative of the window has the number, but those of the same fork.
func (m *memory) numberOf(v Value, known *flow.Stored) uint64 {
	n := firstNumber | m.around.Number()<<16 | uint64(len(m.numbered))
	if known != nil {
		n = known.Number
	}
	m.numbered = append(slices.Clip(m.numbered), numbered{n, v})
	return n
}
