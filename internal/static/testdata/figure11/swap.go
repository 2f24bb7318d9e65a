// Package figure11 is the false positive of conditional locking (Figure 11): the function returns nil, or not nil and holding
// the lock. The paper's filters had no answer to it.
package figure11

import "sync"

type info struct{ used, total int }

var (
	swapLock sync.Mutex
	swaps    [8]info
	count    int
	tries    int
)

func get(entry int) *info {
	if entry == 0 {
		return nil
	}
	p := &swaps[entry]
	swapLock.Lock()
	return p
}

func free(entry int) {
	p := get(entry)
	if p != nil {
		p.used--
		count++
		swapLock.Unlock()
	}
	tries++ // want "tries"
}

// maybe checks the same condition twice.
func maybe(locked bool) {
	if locked {
		swapLock.Lock()
	}
	entry := 3
	if locked {
		count++
		swapLock.Unlock()
	}
	_ = entry
}

func try() {
	if swapLock.TryLock() {
		count++
		swapLock.Unlock()
	}
}

func Start() {
	for i := range 4 {
		go free(i)
		go maybe(i > 2)
		go try()
	}
}
