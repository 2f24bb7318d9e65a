package walk

import (
	"math"
	"slices"
	"sync"
)

// places has what is known to be at addresses, by page. What is at an address stays there until its
// memory is allocated anew, or something else is found there. Alternatives look it up while the
// walk continues.
type places[T any] struct {
	mu    sync.Mutex
	pages map[uint64][]place[T]
}

type place[T any] struct {
	addr  uint64
	is    T
	from  int64 // the event that has shown it
	until int64 // the event from which on it is there no more
}

const (
	placesPage = 13
	placesAge  = 1 << 22 // events for which a place is kept when its memory is reused
)

// add notes what is at an address from an event on, unless same says that it is what is there.
func (k *places[T]) add(addr uint64, is T, from int64, same func(was T) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pages == nil {
		k.pages = map[uint64][]place[T]{}
	}
	no := addr >> placesPage
	list := k.pages[no]
	for i := range list {
		if list[i].addr == addr && list[i].until == math.MaxInt64 {
			if same(list[i].is) {
				return
			}
			list[i].until = from
		}
	}
	list = slices.DeleteFunc(list, func(x place[T]) bool { return x.until < from-placesAge })
	k.pages[no] = append(list, place[T]{addr, is, from, math.MaxInt64})
}

// allocated ends what is in memory that is allocated anew.
func (k *places[T]) allocated(addr, size uint64, at int64) {
	if len(k.pages) == 0 || size == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	end := func(list []place[T]) {
		for i := range list {
			if list[i].addr-addr < size && list[i].until == math.MaxInt64 && list[i].from < at {
				list[i].until = at
			}
		}
	}
	first, last := addr>>placesPage, (addr+size-1)>>placesPage
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

// replaced ends what is at one address.
func (k *places[T]) replaced(addr uint64, at int64) {
	if len(k.pages) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.pages[addr>>placesPage]
	for i := range list {
		if list[i].addr == addr && list[i].until == math.MaxInt64 {
			list[i].until = at
		}
	}
}

// at returns what is at an address right before an event, if accept accepts it.
func (k *places[T]) at(addr uint64, event int64, accept func(T) bool) (is T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.pages[addr>>placesPage] {
		if x.addr == addr && x.from < event && x.until >= event && accept(x.is) {
			return x.is, true
		}
	}
	return is, false
}

// within returns how many things that accept accepts were at an address between two events, one
// after the other.
func (k *places[T]) within(addr uint64, since, before int64, accept func(T) bool) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.pages[addr>>placesPage] {
		if x.addr == addr && x.from < before && x.until >= since && accept(x.is) {
			n++
		}
	}
	return n
}
