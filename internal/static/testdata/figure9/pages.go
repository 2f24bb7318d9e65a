// Package figure9 is the false positive of unsharing (Figure 9): an object is taken out of the shared list under the list's lock, and
// written to without it. In forget the object stays in the list, and the write is a race.
package figure9

import "sync"

type page struct {
	virtual int
	kept    int
	next    *page
}

var (
	poolLock sync.Mutex
	pool     *page
	busyLock sync.Mutex
	busy     *page
)

func set(virtual int) {
	poolLock.Lock()
	p := pool
	pool = p.next
	poolLock.Unlock()
	p.virtual = virtual
	busyLock.Lock()
	p.next = busy
	busy = p
	busyLock.Unlock()
}

func forget(virtual int) {
	poolLock.Lock()
	p := pool
	poolLock.Unlock()
	p.kept = virtual // want "kept"
}

func Start() {
	for i := range 4 {
		go set(i)
		go forget(i)
	}
}
