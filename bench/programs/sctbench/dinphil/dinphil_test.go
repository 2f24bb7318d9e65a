//go:build sctbench

// Package dinphil is din_phil2_sat to din_phil7_sat: the dining philosophers, each of whom takes
// the fork to the left first.
package dinphil

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func dine(n int) {
	forks := make([]sync.Mutex, n)
	meals := make([]int, n)
	var list []func()
	for i := range n {
		left, right := &forks[i], &forks[(i+1)%n]
		list = append(list, func() {
			left.Lock()
			right.Lock()
			meals[i]++
			right.Unlock()
			left.Unlock()
		})
	}
	thread.Run(list...)
}

func TestDinPhil2(*testing.T) { dine(2) }
func TestDinPhil3(*testing.T) { dine(3) }
func TestDinPhil4(*testing.T) { dine(4) }
func TestDinPhil5(*testing.T) { dine(5) }
func TestDinPhil6(*testing.T) { dine(6) }
func TestDinPhil7(*testing.T) { dine(7) }
