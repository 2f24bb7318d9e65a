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

var (
	once  sync.Once
	gauge *int
)

// Register calls InitGauge once; only others than this command call InitGauge alone.
func Register() { once.Do(InitGauge) }

func InitGauge() { gauge = new(int) }

func report() { fmt.Println(gauge) }

func main() {
	go report()
	Register()
	s := &Server{}
	s.Configure("a")
	s.Run()
	s.Retry()
}
