package tree

import (
	"github.com/presage-race/presage/internal/detect/lockset"
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/trace/format"
)

// key is a node of Θ of one site: a location and a context.
type key struct {
	addr    uint64 // of the word
	segment uint64
	stamp   uint32 // of the word (TR5)
	set     lockset.Set
	mask    uint8 // bytes of the word
	write   bool
}

// history is a node with its representatives: serial numbers of goroutines, or 0. A history with
// stamp 0 is free.
type history struct {
	key
	stack [2]uint32
}

// theta has the concurrency histories of all sites.
type theta struct {
	perSite int // histories of a site, at most
	sites   int // sites with histories, at most; 0: no limit

	index   table.Table
	list    []*site // by index
	live    int     // how many have histories
	hand    int     // the search for a site to remove continues here
	evicted int64
}

// site has the histories of a site in a hash table. A key is in one of the ways slots from its hash
// on. So one history can replace another without moving others.
type site struct {
	slots  []history
	n      int
	turn   uint32
	recent bool // it was accessed since the hand was here
}

const ways = 4

// at returns the history of a key, and whether it existed. If not, it is made.
func (h *theta) at(s format.Site, k key) (*history, bool) {
	i, fresh := h.index.At(uint64(s))
	if fresh {
		h.list = append(h.list, new(site))
	}
	t := h.list[i]
	if t.slots == nil {
		h.admit(t)
	}
	t.recent = true
	hash := k.hash()
	for w := range uint64(ways) {
		if e := &t.slots[(hash+w)&uint64(len(t.slots)-1)]; e.key == k {
			return e, true
		}
	}
	return h.insert(t, hash, k), false
}

func (k *key) hash() uint64 {
	x := k.addr>>3*0x9e3779b97f4a7c15 ^ k.segment*0xc2b2ae3d27d4eb4f ^ uint64(k.stamp)*0x165667b19e3779f9 ^ uint64(k.set)*0x27d4eb2f165667c5 ^ uint64(k.mask)<<32
	if k.write {
		x = ^x
	}
	return x ^ x>>29
}

// insert makes a history in a free slot, in a larger table, or in place of another history.
func (h *theta) insert(t *site, hash uint64, k key) *history {
	for {
		for w := range uint64(ways) {
			if e := &t.slots[(hash+w)&uint64(len(t.slots)-1)]; e.stamp == 0 {
				*e = history{key: k}
				t.n++
				return e
			}
		}
		if 2*t.n < len(t.slots) || 2*len(t.slots) > h.perSite {
			break
		}
		h.grow(t)
	}
	t.turn++
	h.evicted++
	e := &t.slots[(hash+uint64(t.turn%ways))&uint64(len(t.slots)-1)]
	*e = history{key: k}
	return e
}

// grow doubles a table. Histories without a free slot are removed.
func (h *theta) grow(t *site) {
	old := t.slots
	t.slots, t.n = make([]history, 2*len(old)), 0
	for i := range old {
		if old[i].stamp == 0 {
			continue
		}
		hash, placed := old[i].hash(), false
		for w := range uint64(ways) {
			if e := &t.slots[(hash+w)&uint64(len(t.slots)-1)]; e.stamp == 0 && !placed {
				*e, placed = old[i], true
				t.n++
			}
		}
		if !placed {
			h.evicted++
		}
	}
}

// admit gives a site a table. If too many sites have one, it removes the table of a site that was
// not accessed for long.
func (h *theta) admit(t *site) {
	for h.sites > 0 && h.live >= h.sites {
		h.hand = (h.hand + 1) % len(h.list)
		switch old := h.list[h.hand]; {
		case old.slots == nil:
		case old.recent:
			old.recent = false
		default:
			h.evicted += int64(old.n)
			*old = site{}
			h.live--
		}
	}
	t.slots = make([]history, min(8, h.perSite))
	h.live++
}

// kept is the number of histories.
func (h *theta) kept() (n int64) {
	for _, t := range h.list {
		n += int64(t.n)
	}
	return n
}
