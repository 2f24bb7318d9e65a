// A closed program (LI6): the commands reach most of what the packages export, and what they do not reach nobody calls.
package main

import (
	"fmt"
	"sync"
)

// A Disk is what the command makes; a Fake is made by nobody.
type Store interface{ Put(n int) }

type Disk struct{ last int }

func (d *Disk) Put(n int) {
	d.last = n // want "put"
}

type Fake struct{ Puts int }

func (f *Fake) Put(n int) { f.Puts++ }

func NewFake() Store { return &Fake{} }

// A Server puts from many goroutines.
type Server struct {
	mu    sync.RWMutex
	store Store
	prober
}

func NewServer(s Store) *Server { return &Server{store: s} }

func (s *Server) Serve() {
	for range 10 {
		go func() {
			s.mu.RLock()
			defer s.mu.RUnlock()
			s.store.Put(1)
		}()
	}
}

// Drain is called by nobody.
func (s *Server) Drain() {
	s.mu.Lock()
	s.store = nil
	s.mu.Unlock()
}

// The prober is called through a field that another value may be stored in, too.
type probed interface{ probe() int }

type prober struct{ p probed }

type none struct{}

func (none) probe() int { return 0 }

type dialer struct {
	mu    sync.Mutex
	count int
}

func (d *dialer) probe() int {
	d.count++ // want "probe"
	return d.count
}

func (p *prober) use(o probed) {
	if o == nil {
		o = none{}
	}
	p.p = o
}

func (s *Server) Probe() {
	for range 10 {
		go s.round()
	}
}

func (s *Server) round() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fmt.Println(s.p.probe())
}

func main() {
	s := NewServer(&Disk{})
	s.use(&dialer{})
	s.Serve()
	s.Probe()
}
