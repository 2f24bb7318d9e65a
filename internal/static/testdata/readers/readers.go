// Package readers takes a lock for reading that its caller holds for reading, too (RL2).
package readers

import "sync"

type devices struct {
	mu      sync.RWMutex
	byPod   map[string]int
	gone    int
	gone2   int
	between int
}

func (d *devices) one(pod string) int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byPod[pod]
}

// all still holds the lock behind each call of one.
func (d *devices) all(pods []string) int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n := 0
	for _, p := range pods {
		n += d.one(p) + d.byPod[p]
	}
	return n + d.byPod[""]
}

// pause gives the lock of its caller up, and takes it again.
func (d *devices) pause() int {
	d.mu.RUnlock()
	n := d.between // want "between"
	d.mu.RLock()
	return n
}

// drop gives up the lock of its caller, after it has taken it again.
func (d *devices) drop() {
	d.mu.RUnlock()
	d.mu.RLock()
	d.mu.RUnlock()
}

func (d *devices) paused() int {
	d.mu.RLock()
	n := d.pause() + d.gone
	d.mu.RUnlock()
	return n
}

func (d *devices) dropped() int {
	d.mu.RLock()
	d.drop()
	return d.gone2 // want "dropped"
}

func (d *devices) set(pod string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byPod[pod] = n
	d.gone = n
	d.gone2 = n   // want "dropped"
	d.between = n // want "between"
}

func serve(d *devices) {
	go func() {
		_ = d.all(nil) + d.paused() + d.dropped()
	}()
	d.set("a", 1)
}
