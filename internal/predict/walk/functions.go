package walk

import (
	"math"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A made is a function value that is known, or the capacity of a channel.
type made struct {
	addr  uint64
	fn    *ssa.Function // nil: it is a channel
	free  []goval.Value // as recorded: the operands of a MakeClosure are pinned
	size  uint64        // capacity
	from  int64         // the event that has shown it
	until int64         // the event that allocates the memory anew
}

// facts are the function values, channels and type words that the walk has seen. It implements
// [alternative.Facts].
type facts struct {
	functions
	dynamics
}

// functions are the function values that are known, by page of their address: closures that walked
// code has made, and functions that it has stored. With them are the channels that it has made. An
// address has the same one until its memory is allocated anew. Alternatives look them up while the
// walk continues.
type functions struct {
	mu    sync.Mutex
	pages map[uint64][]made
}

const (
	functionPage = 13
	functionAge  = 1 << 22 // events for which a function value is kept when its memory is reused
)

// add notes the function value or channel that is at an address from an event on.
func (k *functions) add(m made) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pages == nil {
		k.pages = map[uint64][]made{}
	}
	no := m.addr >> functionPage
	list := k.pages[no]
	for i := range list {
		if list[i].addr == m.addr && list[i].until == math.MaxInt64 {
			if list[i].fn == m.fn && m.fn != nil && m.free == nil {
				// it captures nothing, and is static
				return
			}
			list[i].until = m.from
		}
	}
	m.until = math.MaxInt64
	k.pages[no] = append(slices.DeleteFunc(list, func(x made) bool { return x.until < m.from-functionAge }), m)
}

// allocated ends the function values in memory that is allocated anew.
func (k *functions) allocated(addr, size uint64, at int64) {
	if len(k.pages) == 0 || size == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	end := func(list []made) {
		for i := range list {
			if list[i].addr-addr < size && list[i].until == math.MaxInt64 {
				list[i].until = at
			}
		}
	}
	first, last := addr>>functionPage, (addr+size-1)>>functionPage
	if last-first > uint64(len(k.pages)) {
		for _, list := range k.pages { // the order does not matter
			end(list)
		}
		return
	}
	for no := first; no <= last; no++ {
		end(k.pages[no])
	}
}

// FunctionAt returns the function value at an address right before an event, with what it has
// captured.
func (k *functions) FunctionAt(addr uint64, event int64) (fn *ssa.Function, free []goval.Value, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.pages[addr>>functionPage] {
		if m.addr == addr && m.fn != nil && m.from < event && m.until >= event {
			return m.fn, m.free, true
		}
	}
	return nil, nil, false
}

// CapacityAt returns the capacity of the channel at an address right before an event.
func (k *functions) CapacityAt(addr uint64, event int64) (n uint64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.pages[addr>>functionPage] {
		if m.addr == addr && m.fn == nil && m.from < event && m.until >= event {
			return m.size, true
		}
	}
	return 0, false
}

// reallocated notes that memory is allocated anew.
func (w *Walker) reallocated(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	w.private.allocated(uint64(e.Obj), e.Val)
	if w.opts.branching {
		w.facts.allocated(uint64(e.Obj), e.Val, index)
	}
}
