package quietcgo

import (
	"sync"
	"testing"
)

func TestC(t *testing.T) {
	var mu sync.Mutex
	b := make([]byte, 100)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			Fill(b)
			if b[3] != 7 {
				t.Error("bad")
			}
			Back(i)
			Thread()
			n++
			_ = N()
			Str("abc")
			Handle(&mu)
		})
	}
	wg.Wait()
}

func TestCHandles(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if Handle(i) != i || Str("xyz") != "xyz" {
				t.Error("bad")
			}
		})
	}
	wg.Wait()
}

var shared int

func TestCLock(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			Lock()
			shared++
			Unlock()
		})
	}
	wg.Wait()
}
