// Package figure13 is a race of the Linux kernel (Figure 13): the size of an area is read after the list's read lock was given
// back, and written by whoever holds the write lock.
package figure13

import "sync"

type area struct {
	addr, phys, size int
	next             *area
}

var (
	lock   sync.RWMutex
	vmlist *area
)

func change(page, size int) {}

func iounmap(addr int) {
	lock.RLock()
	p := vmlist
	for ; p != nil; p = p.next {
		if p.addr == addr {
			break
		}
	}
	lock.RUnlock()
	change(p.phys, p.size>>12) // want "size"
}

// removeArea is called with the write lock.
func removeArea(addr int) *area {
	t := vmlist
	for ; t != nil; t = t.next {
		if t.addr == addr {
			break
		}
	}
	t.size -= 4096 // want "size"
	return t
}

func remove(addr int) {
	lock.Lock()
	defer lock.Unlock()
	removeArea(addr)
}

func Start() {
	go iounmap(1)
	go remove(1)
}
