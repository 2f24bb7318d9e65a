// Package racy has races of all kinds that the tests of the linter need.
package racy

import (
	"sync"

	"racy/stats"
)

type S struct {
	mu sync.Mutex
	n  int
	m  int
	k  int
}

func (s *S) Run() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.n++       // want `write of s.n may race with write at racy.go:28:4: write in racy.\(\*S\).Run.func1 holding no lock, write in racy.\(\*S\).Run holding s.mu`
		s.m++       //presage:ignore it is only a count
		s.k++       /* want "needs a reason" `may race with write at racy.go:30:4` */ //presage:ignore
		stats.Add() // in package stats
	}()
	s.mu.Lock()
	s.n++
	s.m++
	s.k++
	s.mu.Unlock()
	stats.Add()
	wg.Wait()
}
