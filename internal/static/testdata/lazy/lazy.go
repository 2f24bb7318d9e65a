// Package lazy sets fields once: where they are nil, under a lock (LI7).
package lazy

import "sync"

type runtime struct {
	mu     sync.Mutex
	rw     sync.RWMutex
	bucket chan bool
	client *int
	again  *int
	other  *int
	gap    *int
	early  *int
}

// pull sets the bucket, and uses it without the lock: it has passed the lock.
func (r *runtime) pull() {
	r.mu.Lock()
	if r.bucket == nil {
		r.bucket = make(chan bool, 1) // want "unblock" "unblock2"
	}
	r.mu.Unlock()
	<-r.bucket
}

// unblock has not passed the lock.
func (r *runtime) unblock() {
	if r.bucket != nil { // want "unblock"
		r.bucket <- true // want "unblock2"
	}
}

func open() *int { return new(int) }

// get reads what it has seen under the lock for reading.
func (r *runtime) get() *int {
	r.rw.RLock()
	if r.client != nil {
		r.rw.RUnlock()
		return r.client
	}
	r.rw.RUnlock()
	r.rw.Lock()
	defer r.rw.Unlock()
	if r.client != nil {
		return r.client
	}
	r.client = open()
	return r.client
}

// use is set back to nil by reset: it can be set again.
func (r *runtime) use() int {
	r.mu.Lock()
	if r.again == nil {
		r.again = open() // want "again"
	}
	r.mu.Unlock()
	return *r.again // want "again" "reset"
}

func (r *runtime) reset() {
	r.mu.Lock()
	r.again = nil // want "reset"
	r.mu.Unlock()
}

// byOther has seen the field under another lock.
func (r *runtime) byOther() int {
	r.mu.Lock()
	if r.other == nil {
		r.other = open() // want "other" "other2"
	}
	r.mu.Unlock()
	return 0
}

func (r *runtime) readOther() int {
	r.rw.RLock()
	if r.other == nil { // want "other2"
		r.rw.RUnlock()
		return 0
	}
	r.rw.RUnlock()
	return *r.other // want "other"
}

// twice gives up the lock between the look and the write.
func (r *runtime) twice() int {
	r.mu.Lock()
	nothing := r.gap == nil
	r.mu.Unlock()
	if nothing {
		r.mu.Lock()
		r.gap = open() // want "gap"
		r.mu.Unlock()
	}
	return 0
}

func (r *runtime) readGap() int {
	r.mu.Lock()
	if r.gap == nil {
		r.mu.Unlock()
		return 0
	}
	r.mu.Unlock()
	return *r.gap // want "gap"
}

// first may leave the field nil: who comes later may set it.
func (r *runtime) first(v *int) *int {
	r.mu.Lock()
	if r.early == nil {
		r.early = v // want "early"
	}
	r.mu.Unlock()
	return r.early // want "early"
}

func serve(r *runtime) {
	for range 2 {
		go func() {
			r.pull()
			r.unblock()
			_ = r.get()
			_ = r.use()
			r.reset()
			_ = r.byOther() + r.readOther() + r.twice() + r.readGap()
			_ = r.first(new(int))
		}()
	}
}
