// Package ownership holds the ways in which an object is one goroutine's.
package ownership

import "sync"

type server struct {
	mu    sync.Mutex
	name  string
	conns int
	quit  chan bool
}

// New starts a goroutine when all is set.
func New(name string) *server {
	s := &server{quit: make(chan bool)}
	s.init(name)
	go s.loop()
	return s
}

func (s *server) init(name string) { s.name = name }

func (s *server) loop() {
	for {
		s.mu.Lock()
		s.conns++ // want "conns"
		s.mu.Unlock()
		_ = s.name
	}
}

// Conns forgets the lock: package link sees it, from two roots.
func (s *server) Conns() int {
	return s.conns // want "conns"
}

func (s *server) Close() { close(s.quit) }
