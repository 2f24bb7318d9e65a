// Package broken has locks that are overwritten, and a flag that is freed by who does not have it (LI4).
package broken

import (
	"sync"
	"sync/atomic"
)

// Job is run by one at a time, unless it is cancelled meanwhile.
type Job struct {
	busy  atomic.Bool
	mu    sync.Mutex
	done  int
	tries int
}

// Do takes the flag.
func (j *Job) Do() {
	if !j.busy.CompareAndSwap(false, true) {
		return
	}
	defer j.busy.Store(false)
	j.done++ // want "cancelled"
	j.mu.Lock()
	j.tries++
	j.mu.Unlock()
}

// Cancel frees the flag, whoever has it.
func (j *Job) Cancel() {
	j.mu.Lock()
	j.tries = 0
	j.mu.Unlock()
	j.busy.Store(false)
}

// Task is run by one at a time.
type Task struct {
	busy atomic.Bool
	mu   sync.Mutex
	done int
}

// Do takes the flag.
func (t *Task) Do() {
	if !t.busy.CompareAndSwap(false, true) {
		return
	}
	t.done++
	t.finish()
}

func (t *Task) finish() { t.busy.Store(false) }

// Wait locks something else.
func (t *Task) Wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
}

// Config is loaded lazily, and again after Reload.
type Config struct {
	mu   sync.RWMutex
	once sync.Once
	vals map[string]string
	n    int
}

// Get loads the values once.
func (c *Config) Get(k string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.once.Do(c.load)
	return c.vals[k]
}

func (c *Config) load() { c.vals = map[string]string{"a": "b"} } // want "loaded"

// Reload lets the next Get load.
func (c *Config) Reload() { c.once = sync.Once{} }

var tableMu = sync.Mutex{}

var table map[string]int

// Set and Lookup hold a lock that is initialised as a variable is.
func Set(k string, n int) {
	tableMu.Lock()
	defer tableMu.Unlock()
	table = map[string]int{k: n}
}

// Lookup reads the table.
func Lookup(k string) int {
	tableMu.Lock()
	defer tableMu.Unlock()
	return table[k]
}
