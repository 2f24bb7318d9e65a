// Package enclosing has locks of objects above the memory that they guard, and locks that are held above memory that they do not guard (LI4).
package enclosing

import (
	"net/http"
	"sync"
)

type cache struct {
	mu   sync.RWMutex
	keys *list
}

type list struct{ used, seen int }

// Get writes below a lock that is held for reading: it lies above the list, and was meant for it.
func (c *cache) Get() {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.keys.touch()
}

func (l *list) touch() { l.used++ } // want "used"

// Look and Drop hold it as they should.
func (c *cache) Look() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.keys.last()
}

func (c *cache) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys.forget()
}

func (l *list) last() int { return l.seen }
func (l *list) forget()   { l.seen = 0 }

// server holds a lock of its own while it goes through what each request opens for itself.
type server struct {
	mu  sync.RWMutex
	src source
}

type source interface{ open() cursor }

type cursor interface{ next() bool }

type table struct{ rows int }

type scan struct{ at, end int }

func (t table) open() cursor { return &scan{end: t.rows} }

func (s *scan) next() bool {
	s.at++
	return s.at < s.end
}

func (s *server) ServeHTTP(http.ResponseWriter, *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for c := s.src.open(); c.next(); {
	}
}

func Serve() error { return http.ListenAndServe("", &server{src: table{3}}) }
