// Package condwait is a gate with a Cond. A goroutine that had to wait counts that after it has
// released the lock. In most runs the gate opens before anyone waits; the race needs two goroutines
// that wait.
package condwait

import (
	"sync"
	"testing"
)

type gate struct {
	mu    sync.Mutex
	cond  *sync.Cond
	open  bool
	waits int
}

func (g *gate) enter() {
	waited := false
	g.mu.Lock()
	for !g.open {
		waited = true
		g.cond.Wait()
	}
	g.mu.Unlock()
	if waited {
		g.waits++ // race
	}
}

// pass is enter with the defect repaired.
func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	waited := false
	for !g.open {
		waited = true
		g.cond.Wait()
	}
	if waited {
		g.waits++
	}
}

func TestCondwait(t *testing.T)      { run((*gate).enter) }
func TestCondwaitFixed(t *testing.T) { run((*gate).pass) }

func run(enter func(*gate)) {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { enter(g) })
	}
	g.mu.Lock()
	g.open = true
	g.cond.Broadcast()
	g.mu.Unlock()
	wg.Wait()
}
