// Package setup holds fields that are written inside of Once.Do (LI7): by another object's Once, once in the life of the program, or by one
// beside the field, which whoever reads the field should have called.
package setup

import (
	"fmt"
	"sync"
)

type plugin struct {
	mu    sync.Mutex
	table map[string]int
	extra map[string]int
}

// start is called when the program is set up.
func (p *plugin) start() { p.table = map[string]int{} }

// reset is called whenever somebody wants it.
func (p *plugin) reset() {
	p.extra = map[string]int{} // want "extra"
}

func (p *plugin) get(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.table[name] + p.extra[name] // want "extra"
}

func (p *plugin) has(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.table[name]
	return ok
}

type Server struct {
	once sync.Once
	mu   sync.Mutex
	p    *plugin
	lazy *int
}

func (s *Server) Sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once.Do(s.init) // a method: it is not what packages begin with
	s.p.reset()
}

func (s *Server) init() { s.p.start() }

func (s *Server) Serve() {
	go func() {
		for {
			s.mu.Lock()
			fmt.Println("serving")
			s.mu.Unlock()
			if s.p.has("a") {
				s.p.get("a")
			}
		}
	}()
}

func (s *Server) Lazy() *int {
	s.once.Do(func() {
		s.lazy = new(int) // want "lazy"
	})
	return s.lazy
}

// Peek does not come by the Once.
func (s *Server) Peek() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Println(s.lazy) // want "lazy"
}
