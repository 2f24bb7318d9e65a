package explore

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An execution is the synchronisation of a recorded run.
type execution struct {
	ops     []op
	threads map[trace.GoID]*thread
}

// A thread is a goroutine of an execution.
type thread struct {
	number  uint64 // by which schedules name it
	kids    uint64
	records uint64 // of synchronisation, so far
	ops     int    // of the execution
	slot    int    // in clocks
}

// An op is an operation of synchronisation, or the start of a goroutine.
type op struct {
	g       trace.GoID
	records uint64 // that its goroutine has made with it
	kind    format.Kind
	flags   format.Flags
	obj     trace.Addr
	site    trace.Site
	nth     int // of its goroutine
}

// read returns the execution of a trace.
func read(src trace.Source) (*execution, error) {
	x := &execution{threads: map[trace.GoID]*thread{}}
	meta := src.Meta()
	var e trace.Event
	for {
		if err := src.Next(&e); err == io.EOF {
			return x, nil
		} else if err != nil {
			return nil, err
		}
		if !recorded(e.Kind) {
			continue
		}
		t := x.thread(e.G)
		t.records++
		if e.Kind == format.Go {
			x.starts(t, e, meta)
		}
		if e.Kind == format.Observe || e.Kind == format.End {
			continue
		}
		x.ops = append(x.ops, op{g: e.G, records: t.records, kind: e.Kind, flags: e.Flags, obj: e.Obj, site: e.Site, nth: t.ops})
		t.ops++
	}
}

// recorded reports whether the recorder counts a record of this kind as one of synchronisation.
func recorded(k format.Kind) bool {
	return k.IsAtomic() || k >= format.Lock && k <= format.Go || k == format.End || k == format.Acquire || k == format.Release || k == format.ReleaseMerge || k == format.Observe
}

func (x *execution) thread(g trace.GoID) *thread {
	t := x.threads[g]
	if t == nil {
		t = &thread{number: steer.Main, slot: len(x.threads)}
		x.threads[g] = t
	}
	return t
}

// starts numbers the goroutine that t starts.
func (x *execution) starts(t *thread, e trace.Event, meta *trace.Meta) {
	child := x.thread(trace.GoID(e.Obj))
	t.kids++
	child.number = steer.Child(t.number, t.kids)
	if g := int(e.Obj); g < len(meta.Goroutines) && meta.Goroutines[g].RunID >= format.FirstFiring {
		child.number = steer.Child(steer.Firings, meta.Goroutines[g].RunID-format.FirstFiring+1)
	}
}

// class is a hash of what is the same in all executions that differ only in the order of operations
// that do not depend on each other: of each object, its operations in the order in which they
// depend on each other. Goroutines and objects have the names that they get in this order.
func (x *execution) class() uint64 {
	h := fnv.New64a()
	byObj := map[trace.Addr][]string{}
	for i := range x.ops {
		o := &x.ops[i]
		if !ordering(o.kind) {
			continue
		}
		list := byObj[o.obj]
		s := fmt.Sprintf("%x.%d", x.threads[o.g].number, o.nth)
		if n := len(list); n > 0 && commutes(o.kind) {
			s = "~" + s
		}
		byObj[o.obj] = append(list, s)
	}
	var all []string
	for _, list := range byObj {
		// neighbours that commute have no order
		for i := 0; i < len(list); {
			j := i + 1
			for j < len(list) && list[j][0] == '~' {
				j++
			}
			slices.Sort(list[i+1 : j])
			i = j
		}
		all = append(all, fmt.Sprint(list))
	}
	slices.Sort(all)
	for _, s := range all {
		io.WriteString(h, s)
	}
	return h.Sum64()
}

// ordering reports whether the order of operations of this kind on an object matters.
func ordering(k format.Kind) bool {
	switch k {
	case format.Go, format.Acquire, format.Release, format.ReleaseMerge, format.SelectCase, format.SelectDefault, format.Unlock:
		return false
	}
	return true
}

// commutes reports whether two operations of this kind on one object have no order.
func commutes(k format.Kind) bool {
	return k == format.AtomicRead || k == format.WGAdd || k == format.WGWait || k == format.OncePass || k == format.ChanLen
}
