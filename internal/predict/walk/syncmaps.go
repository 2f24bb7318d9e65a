package walk

import (
	"fmt"
	"hash/fnv"
	"math"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// syncMaps is what the trace shows of the keys and values of sync.Maps (package format), and of the
// contents of interfaces. Alternatives look it up while the walk continues.
type syncMaps struct {
	maps  places[*mapWords] // by the address of the map
	boxes places[goval.Value]

	mu       sync.Mutex
	others   map[uint16]int64       // the first unknown operation, by the tag of the map
	replaced map[uint64]int64       // the first write to a map, by the address of the map
	values   map[uint64]storedValue // by number
	order    []uint64               // numbers of values, the first one noted first
}

// mapWords are the words of the keys of one sync.Map.
type mapWords struct {
	words  map[flow.DynamicKey]mapWord
	tag    uint16
	broken int64 // the event that has shown a second word of a key

	keys   trace.Addr // the state of the keys; 0: not known
	keysAt int64      // the event that has shown it
}

type mapWord struct {
	word uint64
	at   int64 // the event that has shown it
}

// A storedValue is a value with a number, and the event that has shown it.
type storedValue struct {
	is goval.Value
	at int64
}

// word notes the word of a key of the map at an address. If the operation changes the keys, it has
// the state of the keys as well.
func (k *syncMaps) word(m uint64, key flow.DynamicKey, word uint64, keys trace.Addr, at int64) {
	var t *mapWords
	k.maps.add(m, &mapWords{words: map[flow.DynamicKey]mapWord{}, tag: format.MapTag(trace.Addr(word)), broken: math.MaxInt64}, at, func(was *mapWords) bool { t = was; return true })
	if t == nil {
		t, _ = k.maps.at(m, at+1, anyMap)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if keys != 0 && t.keys == 0 {
		t.keys, t.keysAt = keys, at
	}
	was, ok := t.words[key]
	if ok && was.word != word || t.tag != format.MapTag(trace.Addr(word)) || keys != 0 && keys != t.keys {
		// another map
		t.broken = min(t.broken, at)
	}
	if !ok {
		t.words[key] = mapWord{word, at}
	}
}

func anyMap(*mapWords) bool { return true }

// WordAt implements [alternative.Facts].
func (k *syncMaps) WordAt(m uint64, key flow.DynamicKey, before int64) (word uint64, ok bool) {
	t, ok := k.maps.at(m, before, anyMap)
	k.mu.Lock()
	defer k.mu.Unlock()
	if at, written := k.replaced[m]; written && at < before || ok && t.broken < before {
		return 0, false
	}
	if ok {
		if w, ok := t.words[key]; ok && w.at < before {
			return w.word, true
		}
	}
	if !ok {
		return newWord(m, key), !k.othersBefore(before)
	}
	other, ok := k.others[t.tag]
	return newWord(m, key), !ok || other >= before
}

// othersBefore reports whether an operation before an event is on a key or map that is not known.
func (k *syncMaps) othersBefore(event int64) bool {
	for _, at := range k.others { // the order does not matter
		if at < event {
			return true
		}
	}
	return false
}

// KeysAt implements [alternative.Facts].
func (k *syncMaps) KeysAt(m uint64, before int64) trace.Addr {
	t, ok := k.maps.at(m, before, anyMap)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !ok || t.keys == 0 || t.keysAt >= before {
		return 0
	}
	return t.keys
}

// newWord returns the word of a key that no operation has.
func newWord(m uint64, key flow.DynamicKey) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %s %d %s", m, key.Type, key.Name, key.Bits, key.Text)
	return uint64(format.MapWords) | h.Sum64()&(1<<62-8)
}

// unclear notes an operation on a key or map that is not known.
func (k *syncMaps) unclear(word trace.Addr, at int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.others == nil {
		k.others = map[uint16]int64{}
	}
	if _, ok := k.others[format.MapTag(word)]; !ok {
		k.others[format.MapTag(word)] = at
	}
}

// stored notes the value with a number.
func (k *syncMaps) stored(number uint64, v goval.Value, at int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil {
		k.values = map[uint64]storedValue{}
	}
	if _, ok := k.values[number]; ok {
		return
	}
	for len(k.order) > 0 && k.values[k.order[0]].at < at-placesAge {
		delete(k.values, k.order[0])
		k.order = k.order[1:]
	}
	k.values[number], k.order = storedValue{v, at}, append(k.order, number)
}

// StoredAt implements [alternative.Facts].
func (k *syncMaps) StoredAt(number uint64, before int64) (v goval.Value, at int64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x, ok := k.values[number]
	return x.is, x.at, ok && x.at < before
}

// BoxAt implements [alternative.Facts].
func (k *syncMaps) BoxAt(data uint64, size, before int64) (v goval.Value, ok bool) {
	return k.boxes.at(data, before, func(v goval.Value) bool {
		_, text := v.Content()
		return text && size == 16 || v.IsKnown(size)
	})
}

// allocated forgets the maps and interfaces in memory that is allocated anew.
func (k *syncMaps) allocated(addr, size uint64, at int64) {
	k.maps.allocated(addr, size, at)
	k.boxes.allocated(addr, size, at)
}

// written notes a plain write. A map that is written to is replaced by another one, and an
// alternative may use either.
func (k *syncMaps) written(e *trace.Event, at int64) {
	m := uint64(e.Obj)
	if _, ok := k.maps.at(m, at+1, anyMap); !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.replaced == nil {
		k.replaced = map[uint64]int64{}
	}
	if _, ok := k.replaced[m]; !ok {
		k.replaced[m] = at
	}
}

// boxed notes the content of an interface that an instruction has made, if it is of a basic type.
func (l *learner) boxed(f *Frame, in *regcode.Instr, x *ssa.MakeInterface, event int64) {
	data, ok := f.regs[in.Reg].Word(1)
	v := f.Value(&in.Args[0])
	if !ok || data < 4096 || l.stacks.contains(data) || !alternative.Boxed(x.X.Type(), v) {
		return
	}
	n := plan.Sizeof(x.X.Type())
	if _, constant := x.X.(*ssa.Const); !constant && n > 1 && !l.lasts(data) {
		return // on the stack; the compiler has constants and bytes as static data
	}
	l.facts.boxes.add(data, v, event, func(was goval.Value) bool {
		s, text := v.Content()
		t, text2 := was.Content()
		return text && text2 && s == t || was.IsKnown(n) && v.IsKnown(n) && !goval.Differ(was, v, n)
	})
}

// mapWord notes what an operation of a sync.Map shows: the word of the key, and the value that it
// stores.
func (l *learner) mapWord(f *Frame, in *regcode.Instr, e *trace.Event, event int64) {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || !format.IsMapWord(e.Obj) || plan.MapMethod(call.Call.StaticCallee()) == "" {
		return
	}
	m, ok := f.Value(&in.Args[1]).Bits()
	if !ok {
		return
	}
	if key, ok := l.dynamicKey(f.Value(&in.Args[2]), event); ok && !l.stacks.contains(m) {
		l.facts.word(m, key, uint64(e.Obj), l.keys, event)
		l.known = event
	}
	number := e.Aux
	if e.Kind == format.AtomicWrite {
		number = e.Val
	}
	if e.Kind == format.AtomicRead || number == 0 || len(in.Args) < 4 {
		return
	}
	if v := f.Value(&in.Args[len(in.Args)-1]); v.IsKnown(16) {
		l.facts.stored(number, v, event)
	}
}

// changesKeys notes the keys that an operation of a sync.Map is about to change, which is what the
// goroutine does next. A second ReleaseMerge follows the operation.
func (l *learner) changesKeys(e *trace.Event) {
	switch {
	case e.Kind == format.Alloc:
	case l.changed == 0 && e.Kind == format.ReleaseMerge && format.IsMapKeys(e.Obj):
		l.keys = e.Obj
	case l.keys != 0 && format.IsMapWord(e.Obj):
		l.keys, l.changed = 0, l.keys
	default:
		l.keys, l.changed = 0, 0
	}
}

// dynamicKey returns the key that an interface has.
func (l *learner) dynamicKey(v goval.Value, event int64) (k flow.DynamicKey, ok bool) {
	word, ok := v.Word(0)
	data, ok2 := v.Word(1)
	if !ok || !ok2 || word == 0 {
		return k, false
	}
	t, ok := l.facts.TypeOf(word, event)
	if !ok {
		return k, false
	}
	content := goval.Known(data)
	if !alternative.Direct(t.Type) {
		if content, ok = l.facts.BoxAt(data, plan.Sizeof(t.Type), event); !ok {
			return k, false
		}
	}
	k.Type = word
	k.MapKey, ok = alternative.MapKeyOf(t.Type, content)
	return k, ok
}
