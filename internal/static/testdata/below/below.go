// Package below has fields below the objects of roots, structs without a name, and goroutines that a function starts for what it makes (LI3).
package below

import (
	"sync"
	"time"
)

type hits struct{ n, m int }

func (h *hits) add()     { h.n++ }      // want "hits"
func (h *hits) get() int { return h.n } // want "hits"

// Store has a goroutine that its constructor starts.
type Store struct {
	mu    sync.Mutex
	items map[string]int
	hits  hits
	size  int
	stats struct {
		mu   sync.Mutex
		miss int
		sum  int
	}
}

// NewStore starts the sweeper of the store.
func NewStore() *Store {
	s := &Store{items: map[string]int{}}
	go s.sweep()
	return s
}

func (s *Store) sweep() {
	for range time.Tick(time.Second) {
		s.mu.Lock()
		clear(s.items)
		s.mu.Unlock()
		s.size = 0 // want "size"
		s.hits.add()
		s.stats.mu.Lock()
		s.stats.sum = 0
		s.stats.miss = 0 // want "miss"
		s.stats.mu.Unlock()
	}
}

// Get looks up.
func (s *Store) Get(k string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.items[k]
	if !ok {
		s.stats.miss++ // want "miss"
		s.stats.mu.Lock()
		s.stats.sum++
		s.stats.mu.Unlock()
	}
	return v
}

// Size reads without the lock.
func (s *Store) Size() int { return s.size + s.hits.get() } // want "size"

// Cache has a goroutine in a literal of its constructor.
type Cache struct {
	mu   sync.Mutex
	m    map[string]string
	last time.Time
	done chan struct{}
}

// NewCache starts the goroutine of the cache.
func NewCache() *Cache {
	c := &Cache{m: map[string]string{}, done: make(chan struct{})}
	go func() {
		for {
			select {
			case <-c.done:
				return
			case t := <-time.After(time.Second):
				c.last = t // want "last"
				c.mu.Lock()
				clear(c.m)
				c.mu.Unlock()
			}
		}
	}()
	return c
}

// Last is when the cache was cleared.
func (c *Cache) Last() time.Time { return c.last } // want "last"

// Close ends the goroutine.
func (c *Cache) Close() { close(c.done) }

// Pair has two objects of one type, each with a goroutine: which is whose is not known.
type Pair struct{ a, b *part }

type part struct {
	mu sync.Mutex
	n  int
}

func (p *part) run() { p.n++ }

// NewPair starts both.
func NewPair() *Pair {
	a, b := &part{}, &part{}
	go a.run()
	go b.run()
	return &Pair{a, b}
}

// Server is called by many goroutines: its limiter is one for them all.
type Server struct {
	done chan struct{}
	lim  *limiter
	job  *job
}

type limiter struct {
	mu      sync.RWMutex
	buckets map[string]*bucket
}

type bucket struct{ tokens float64 }

type job struct{ step int }

// Run starts workers.
func (s *Server) Run(keys []string) {
	for _, k := range keys {
		go s.serve(k)
	}
}

func (s *Server) serve(key string) {
	s.lim.allow(key)
	s.job.next()
}

func (l *limiter) allow(key string) {
	l.mu.RLock()
	b := l.buckets[key]
	l.mu.RUnlock()
	b.tokens-- // want "tokens"
}

func (j *job) next() { j.step++ } // want "step"
