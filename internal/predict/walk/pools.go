package walk

import (
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// pools are the objects that walked code has put into sync.Pools (package format). Alternatives
// look them up while the walk continues.
type pools struct {
	put places[*pooled] // by address

	mu     sync.Mutex
	list   map[uint64][]*pooled // by the address of the pool, the first one put first
	byWord map[uint64]*pooled
}

// A pooled is an object that was put into a pool.
type pooled struct {
	pool, word uint64
	is         goval.Value // the interface
	at         int64       // the event that has shown it
	in         bool        // it is in the pool
	twice      int64       // the event that has put it while it was there; 0: none
}

// moved notes a Put or a Get of an object. One that is put while it is in the pool is there twice,
// which its word does not tell.
func (k *pools) moved(e *trace.Event, at int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x := k.byWord[uint64(e.Obj)]
	if x == nil {
		return
	}
	if put := e.Kind == format.AtomicWrite; put && x.in && x.twice == 0 {
		x.twice = at
	} else {
		x.in = put
	}
}

// maxPooled bounds the objects of a pool that are kept: they are the last ones.
const maxPooled = 16

// ObjectsAt returns the objects that were put into the pool at an address before an event, and
// whose memory was not allocated anew since, the last ones first.
func (k *pools) ObjectsAt(pool uint64, before int64) (list []flow.Pooled) {
	k.mu.Lock()
	all := k.list[pool]
	k.mu.Unlock()
	for i := len(all) - 1; i >= 0; i-- {
		x := all[i]
		data, _ := x.is.Word(1)
		if _, ok := k.put.at(data, before, func(y *pooled) bool { return x == y }); ok && x.at < before && (x.twice == 0 || x.twice >= before) {
			word, _ := x.is.Word(0)
			list = append(list, flow.Pooled{Word: x.word, Type: word, Data: data, At: x.at})
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
	if !ok || len(in.Args) != 3 || call.Call.StaticCallee() == nil || call.Call.StaticCallee().String() != "(*sync.Pool).Put" {
		return
	}
	pool, ok := f.Value(&in.Args[1]).Bits()
	v := f.Value(&in.Args[2])
	data, ok2 := v.Word(1)
	if !ok || !ok2 || !v.IsKnown(16) || l.stacks.contains(pool) || l.stacks.contains(data) {
		return
	}
	x := &pooled{pool: pool, word: uint64(e.Obj), is: v, at: event}
	known := false
	l.facts.put.add(data, x, event, func(was *pooled) bool {
		known = was.pool == pool && was.word == x.word && !goval.Differ(was.is, v, 16)
		return known
	})
	if known {
		return
	}
	k := &l.facts.pools
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list == nil {
		k.list, k.byWord = map[uint64][]*pooled{}, map[uint64]*pooled{}
	}
	x.in, k.byWord[x.word] = true, x
	list := append(k.list[pool], x)
	if len(list) > 2*maxPooled {
		list = append([]*pooled(nil), list[maxPooled:]...)
	}
	k.list[pool] = list
}
