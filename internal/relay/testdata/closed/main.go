// A command calls Configure before it starts anything: that Configure is exported does not say that others call it at any time. What the
// command itself does beside the goroutine is a race.
package main

import (
	"fmt"
	"sync"
)

type Server struct {
	mu      sync.Mutex
	name    string
	retries int
	served  int
}

func (s *Server) Configure(name string) {
	s.mu.Lock()
	s.name = name
	s.mu.Unlock()
}

func (s *Server) Retry() {
	s.retries++ // want "retries"
}

func (s *Server) Run() {
	go s.loop()
}

func (s *Server) loop() {
	for range 10 {
		s.mu.Lock()
		s.served++
		s.mu.Unlock()
		fmt.Println(s.name, s.retries) // want "retries"
	}
}

func main() {
	s := &Server{}
	s.Configure("a")
	s.Run()
	s.Retry()
}
