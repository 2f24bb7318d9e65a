package walk

import (
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// pools are the objects that walked code has put into sync.Pools (package format). Alternatives
// look them up while the walk continues.
type pools struct {
	put   places[*object]      // by address
	lists places[*pooledInOne] // by the address of the pool

	mu sync.Mutex // of what these point to
}

// An object is memory that was put into pools, until it is allocated anew.
type object struct {
	typ   uint64         // the type word of the interface
	mixed int64          // the event that has put it as a value of another type; 0: none
	in    []*pooledInOne // the pools
}

// pooledInOne is what was put into one pool, until its memory is allocated anew or overwritten: the
// first one put first.
type pooledInOne struct {
	list []pooled
	old  int // the first of them that are older than placesAge
}

// A pooled is an object that was put into a pool.
type pooled struct {
	*object
	word, data uint64
	at         int64 // the event that has shown it
}

// maxPooled bounds the objects of a pool that are known at an event: they are the last ones.
const maxPooled = 16

// ObjectsAt returns the objects that were put into the pool at an address before an event, and
// whose memory was not allocated anew since, the last ones first. An object that was put as values
// of two types is not among them: its word does not say which one a Get returns.
func (k *pools) ObjectsAt(pool uint64, before int64) (list []flow.Pooled) {
	in, ok := k.lists.at(pool, before, func(*pooledInOne) bool { return true })
	if !ok {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, x := range slices.Backward(in.list) {
		if x.at >= before {
			continue
		}
		if n++; n > maxPooled {
			break
		}
		_, ok := k.put.at(x.data, before, func(o *object) bool { return x.object == o })
		if ok && (x.mixed == 0 || x.mixed >= before) {
			list = append(list, flow.Pooled{Word: x.word, Type: x.typ, Data: x.data, At: x.at})
		}
	}
	return list
}

// pooled notes what the Put of a sync.Pool has put, of which e is the record.
func (l *learner) pooled(f *Frame, e *trace.Event, event int64) {
	if f == nil || !f.walked || !f.stage.inside {
		return
	}
	in := f.Instr()
	call, ok := in.SSA.(*ssa.Call)
	if !ok || len(in.Args) != 3 {
		return
	}
	if callee := call.Call.StaticCallee(); callee == nil || callee.String() != "(*sync.Pool).Put" {
		return
	}
	pool, ok := f.Value(&in.Args[1]).Bits()
	v := f.Value(&in.Args[2])
	typ, ok2 := v.Word(0)
	data, ok3 := v.Word(1)
	if !ok || !ok2 || !ok3 || !v.IsKnown(16) || l.stacks.contains(pool) || l.stacks.contains(data) {
		return
	}
	l.facts.pools.add(pool, typ, pooled{word: uint64(e.Obj), data: data, at: event})
}

// add notes that an object is put into a pool as a value of a type. The same object may be in
// several pools, and be put into one of them several times.
func (k *pools) add(pool, typ uint64, x pooled) {
	x.object = &object{typ: typ}
	k.put.add(x.data, x.object, x.at, func(was *object) bool { x.object = was; return true })
	in := &pooledInOne{}
	k.lists.add(pool, in, x.at, func(was *pooledInOne) bool { in = was; return true })
	k.mu.Lock()
	defer k.mu.Unlock()
	if x.typ != typ && x.mixed == 0 {
		x.mixed = x.at
	}
	if slices.Contains(x.in, in) {
		return
	}
	x.in = append(x.in, in)
	in.add(x)
}

// add appends an object. Of those that are too old for a lookup among newer ones, the last
// maxPooled stay.
func (in *pooledInOne) add(x pooled) {
	in.list = append(in.list, x)
	for in.list[in.old].at < x.at-placesAge {
		in.old++
	}
	if in.old > 2*maxPooled {
		in.list = slices.Clone(in.list[in.old-maxPooled:])
		in.old = maxPooled
	}
}

// allocated notes memory that is allocated anew: a pool in it is another one, and so is an object.
func (k *pools) allocated(addr, size uint64, at int64) {
	k.put.allocated(addr, size, at)
	k.lists.allocated(addr, size, at)
}

// written notes a plain write. A pool whose first word is written to is replaced by another one.
func (k *pools) written(e *trace.Event, at int64) { k.lists.replaced(uint64(e.Obj), at) }
