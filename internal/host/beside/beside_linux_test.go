package beside

import (
	"runtime"
	"testing"
)

// TestOneProcessor: the first process that limits and the last one that ends count, and an end
// counts once.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	a, b := OneProcessor(), OneProcessor()
	for i, step := range []struct {
		do   func()
		want int
	}{{func() {}, 1}, {a, 1}, {a, 1}, {b, 3}, {b, 3}} {
		if step.do(); runtime.GOMAXPROCS(0) != step.want {
			t.Errorf("step %d: %d processors, not %d", i, runtime.GOMAXPROCS(0), step.want)
		}
	}
}

// TestGo: the thread of the work has a low priority, and no thread has when it is done.
func TestGo(t *testing.T) {
	usual, err := niceness()
	if err != nil || usual == 19 {
		t.Skip("skipped: there is no lower priority than that of the test", err)
	}
	got := make(chan int)
	look := func() {
		n, err := niceness()
		if err != nil {
			t.Error(err)
		}
		got <- n
	}
	Go(look)
	if n := <-got; n != min(19, usual+less) {
		t.Errorf("nice value %d, and %d before", n, usual)
	}
	for range 100 { // threads that are taken from the pool, or made
		go look()
	}
	for range 100 {
		if n := <-got; n != usual {
			t.Fatalf("another goroutine has the nice value %d", n)
		}
	}
}
