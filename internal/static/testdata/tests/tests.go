// Package tests holds tests that run at once: Run, Parallel, RunParallel, Fuzz (SY8, LI8). The functions stand in a file of their own
// package, as tests of a package do.
package tests

import (
	"sync"
	"testing"
)

func compute(n int) int { return n + 1 }

// Subtests of a loop write one captured variable after Parallel.
func TestLoopParallel(t *testing.T) {
	var got int
	for _, n := range []int{1, 2, 3} {
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			got += compute(n) // want "loop"
		})
	}
}

// The same without Parallel: one after the other.
func TestLoopSequential(t *testing.T) {
	var got int
	for _, n := range []int{1, 2, 3} {
		t.Run("n", func(t *testing.T) {
			got = compute(n)
			if got != n+1 {
				t.Error(got)
			}
		})
	}
	got++
}

// What comes before Parallel is not at once with anything: the parent waits.
func TestBeforeParallel(t *testing.T) {
	sum := 0
	for range 3 {
		t.Run("n", func(t *testing.T) {
			sum++
			t.Parallel()
			compute(1)
		})
	}
	sum++
}

// All statements of the parent, deferred ones as well, come before the parallel part.
func TestParentFirst(t *testing.T) {
	x := 0
	defer func() { x = 3 }()
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		x++
	})
	x = 2
}

// Two subtests of their own.
func TestTwo(t *testing.T) {
	x := 0
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		x++ // want "two"
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		x-- // want "two"
	})
	t.Run("three", func(t *testing.T) { x++ }) // before both
}

// Each round has a variable of its own.
func TestOwnVariable(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		got := 0
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			got = compute(n)
			t.Log(got)
		})
	}
}

// A lock guards it.
func TestLocked(t *testing.T) {
	var mu sync.Mutex
	got := 0
	for _, n := range []int{1, 2, 3} {
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			mu.Lock()
			defer mu.Unlock()
			got = compute(n)
			t.Log(got)
		})
	}
}

// A test that is not parallel itself ends after its parallel subtests: a group.
func TestGroups(t *testing.T) {
	x := 0
	t.Run("group", func(t *testing.T) {
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			x++
		})
	})
	x++
	t.Run("other group", func(t *testing.T) {
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			x++
		})
	})
	x++
}

// A group that is parallel itself.
func TestParallelGroups(t *testing.T) {
	x := 0
	t.Run("group", func(t *testing.T) {
		t.Parallel()
		t.Run("one", func(t *testing.T) {
			x++ // want "groups"
		})
	})
	t.Run("other group", func(t *testing.T) {
		t.Parallel()
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			x++ // want "groups"
		})
	})
}

// A helper is given t and calls Parallel.
func setUp(t *testing.T) int {
	t.Helper()
	t.Parallel()
	return 1
}

func TestHelper(t *testing.T) {
	x := 0
	for range 2 {
		t.Run("n", func(t *testing.T) {
			x += setUp(t) // want "helper"
		})
	}
}

// A helper runs the subtests.
func runAll(t *testing.T, f func(t *testing.T)) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, f)
	}
}

func TestRunner(t *testing.T) {
	x, y := 0, 0
	runAll(t, func(t *testing.T) {
		t.Parallel()
		x++ // want "runner"
	})
	runAll(t, func(t *testing.T) { y++ })
	y++
	x++ // before: the test has not returned
}

// Only some of the rounds are parallel.
func TestSome(t *testing.T) {
	x := 0
	for _, par := range []bool{true, false} {
		t.Run("n", func(t *testing.T) {
			if par {
				t.Parallel()
			}
			x++ // want "some"
		})
	}
}

// A goroutine that a test has started runs beside the parallel parts; one that it has waited for does not.
func TestGoroutine(t *testing.T) {
	x, y := 0, 0
	var wg sync.WaitGroup
	go func() { x++ }() // want "goroutine"
	wg.Add(1)
	go func() { defer wg.Done(); y++ }()
	t.Run("n", func(t *testing.T) {
		t.Parallel()
		x++ // want "goroutine"
		y++
	})
	wg.Wait()
}

// Package-level variables, of tests that are parallel.
var (
	shared  int
	alone   int
	guarded int
	mu      sync.Mutex
	setting int
)

type counter struct{ n int }

func (c *counter) inc() { c.n++ }

func use() { shared++ } // want "shared"

func TestOne(t *testing.T) {
	setting = 1 // not at once with anything
	t.Parallel()
	use()
	mu.Lock()
	guarded++
	mu.Unlock()
	c := &counter{}
	go c.inc()
}

func TestOther(t *testing.T) {
	t.Parallel()
	use()
	if alone+setting == 0 {
		t.Error("none")
	}
	mu.Lock()
	guarded++
	mu.Unlock()
	c := &counter{}
	go c.inc()
}

func TestNotParallel(t *testing.T) {
	alone++
	shared++
	setting = 0
}

// Subtests of two tests that are not parallel are not at once.
var inGroups int

func TestGroupA(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		t.Parallel()
		inGroups++
	})
}

func TestGroupB(t *testing.T) {
	t.Run("b", func(t *testing.T) {
		t.Parallel()
		inGroups++
	})
}

// Benchmarks: the body of RunParallel is executed by several goroutines, and it waits for them.
func BenchmarkParallel(b *testing.B) {
	hits, done := 0, 0
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			hits++ // want "hits"
		}
	})
	done = hits
	b.Run("sub", func(b *testing.B) { done++ })
	done++
}

// Inputs of a fuzz test are executed one after the other.
func FuzzSequential(f *testing.F) {
	seen := 0
	f.Fuzz(func(t *testing.T, n int) {
		seen++
	})
}

// Seeds of a fuzz test are subtests: with Parallel they run at once.
func FuzzParallel(f *testing.F) {
	seen := 0
	f.Fuzz(func(t *testing.T, n int) {
		t.Parallel()
		seen++ // want "seen"
	})
}

// What both tests append to has no room behind its length: each gets a slice of its own.
var methods = []string{"GET", "PUT"}

func TestAppendA(t *testing.T) {
	t.Parallel()
	t.Log(append(methods, "A"))
}

func TestAppendB(t *testing.T) {
	t.Parallel()
	t.Log(append(methods, "B"))
}
