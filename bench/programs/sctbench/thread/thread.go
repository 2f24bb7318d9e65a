// Package thread has what the programs of SCTBench need of a library of threads: threads that are
// joined, and variables that they share.
//
// The programs are those of the family CS, which Thomson, Donaldson and Betts collected
// ("Concurrency Testing Using Schedule Bounding: an Empirical Study", PPoPP 2014). They are written
// anew here, from what is published about them. A test fails if the bug of its program shows: an
// error that begins with the word BUG, a panic, or a deadlock.
//
// The study finds the variables that race in a program first, and then has a scheduling point at
// each of their accesses. A steered run has such points at operations of synchronisation only. So a
// program with races has two tests. In one, the variables are [Plain]: they race. In the other one,
// which has a name that ends with Atomic, they are [Atomic]: there is no race, but the bug can
// show.
package thread

import (
	"sync"
	"sync/atomic"
)

// Run runs functions, each in a goroutine, and waits for all.
func Run(functions ...func()) {
	var wg sync.WaitGroup
	for _, f := range functions {
		wg.Go(f)
	}
	wg.Wait()
}

// Times is n times the same function, for Run.
func Times(n int, f func()) (list []func()) {
	for range n {
		list = append(list, f)
	}
	return list
}

// An Int is a variable.
type Int interface {
	Load() int
	Store(v int)
}

// Plain makes a variable of the language.
func Plain() Int { return &plain{} }

// Atomic makes an atomic variable.
func Atomic() Int { return &atomically{} }

type plain struct{ v int }

func (p *plain) Load() int   { return p.v }
func (p *plain) Store(v int) { p.v = v }

type atomically struct{ v atomic.Int64 }

func (a *atomically) Load() int   { return int(a.v.Load()) }
func (a *atomically) Store(v int) { a.v.Store(int64(v)) }
