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
	pages map[uint64][]placesAt[T]
}

// placesAt is what was at one address, in the order in which it ended. Only the last may still be
// there.
type placesAt[T any] struct {
	addr uint64
	list []place[T]
}

type place[T any] struct {
	is    T
	from  int64 // the event that has shown it
	until int64 // the event from which on it is there no more
}

const (
	placesPage = 13
	placesAge  = 1 << 22 // events for which a place is kept when its memory is reused
)

func (k *placesAt[T]) last() *place[T] { return &k.list[len(k.list)-1] }

// end says that nothing is at the address any more. What another goroutine has shown for a later
// event was never there.
func (k *placesAt[T]) end(at int64) {
	x := k.last()
	if x.until != math.MaxInt64 {
		return
	}
	if x.until = at; x.until <= x.from && len(k.list) > 1 {
		k.list = k.list[:len(k.list)-1]
	}
}

// add notes what is at an address from an event on, unless same says that it is what is there. It
// takes time proportional to the number of addresses of a page.
func (k *places[T]) add(addr uint64, is T, from int64, same func(was T) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pages == nil {
		k.pages = map[uint64][]placesAt[T]{}
	}
	no := addr >> placesPage
	x := k.of(addr)
	if x == nil {
		page := slices.DeleteFunc(k.pages[no], func(x placesAt[T]) bool { return x.last().until < from-placesAge })
		k.pages[no] = append(page, placesAt[T]{addr, []place[T]{{is, from, math.MaxInt64}}})
		return
	}
	if last := x.last(); last.until == math.MaxInt64 && same(last.is) {
		return
	}
	x.end(from)
	for len(x.list) > 0 && x.list[0].until < from-placesAge {
		x.list = x.list[1:]
	}
	x.list = append(x.list, place[T]{is, from, math.MaxInt64})
}

// of returns what was at an address; nil: nothing.
func (k *places[T]) of(addr uint64) *placesAt[T] {
	page := k.pages[addr>>placesPage]
	for i := range page {
		if page[i].addr == addr {
			return &page[i]
		}
	}
	return nil
}

// allocated ends what is in memory that is allocated anew.
func (k *places[T]) allocated(addr, size uint64, at int64) {
	if len(k.pages) == 0 || size == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	end := func(page []placesAt[T]) {
		for i := range page {
			if page[i].addr-addr < size && page[i].last().from < at {
				page[i].end(at)
			}
		}
	}
	first, last := addr>>placesPage, (addr+size-1)>>placesPage
	if last-first > uint64(len(k.pages)) {
		for _, page := range k.pages { // the order does not matter
			end(page)
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
	if x := k.of(addr); x != nil {
		x.end(at)
	}
}

// at returns what is at an address right before an event, if accept accepts it.
func (k *places[T]) at(addr uint64, event int64, accept func(T) bool) (is T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.of(addr); p != nil {
		for _, x := range slices.Backward(p.list) {
			if x.until < event { // and so are all before it
				break
			}
			if x.from < event && accept(x.is) {
				return x.is, true
			}
		}
	}
	return is, false
}

// within returns how many things that accept accepts were at an address between two events, one
// after the other.
func (k *places[T]) within(addr uint64, since, before int64, accept func(T) bool) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.of(addr); p != nil {
		for _, x := range slices.Backward(p.list) {
			if x.until < since {
				break
			}
			if x.from < before && accept(x.is) {
				n++
			}
		}
	}
	return n
}
