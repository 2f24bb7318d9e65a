package offpath_test

import (
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
)

// aliasText has a variable that the recorded run accesses through a pointer alone. Off its path,
// the first goroutine stores to it by name, before it releases the second one: there is no race on
// x.
const aliasText = `package main

import "sync"

var (
	wg   sync.WaitGroup
	mu   sync.Mutex
	k    int
	pk   = &k
	flag int
	done int
	x    int
)

func main() {
	mu.Lock()
	mu.Unlock()
	wg.Add(2)
	go func() {
		if flag == 1 {
			k = 5
			mu.Lock()
			done = 1
			mu.Unlock()
			x = 1
		} else {
			mu.Lock()
			done = 1
			mu.Unlock()
		}
		wg.Done()
	}()
	go func() {
		flag = 1
		mu.Lock()
		d := done
		mu.Unlock()
		if d == 1 {
			if *pk == 0 {
				x = 2
			}
		}
		wg.Done()
	}()
	wg.Wait()
}
`

// TestAlias has no race on x, neither from the explorer nor past the checker.
func TestAlias(t *testing.T) {
	p, err := progtest.NewLoader().Load(aliasText)
	if err != nil {
		t.Fatal(err)
	}
	truth := p.Explore(100_000)
	for seed := range uint64(20) {
		run, err := p.Record(seed)
		if err != nil {
			t.Fatal(err)
		}
		races(t, "alias", p, run, nil, func(f *found) {
			a, b := &f.w.Events[f.pair.A], &f.w.Events[f.pair.B]
			if q := progtest.PairOf(a.Site, b.Site); !truth.Has(q) {
				_, err := f.check()
				t.Errorf("run %d: %s; the checker: %v", seed, p.Describe(q), err)
			}
		})
	}
}
