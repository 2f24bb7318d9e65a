package order

import "sync"

type tasks struct{ wg sync.WaitGroup }

func (t *tasks) Go(f func()) {
	t.wg.Add(1)
	go func() {
		defer t.wg.Done()
		f()
	}()
}

func (t *tasks) Wait() error {
	t.wg.Wait()
	return nil
}

// Collected reads the variable when Wait has returned: the compiler evaluates calls first (package evalorder).
func Collected() (int, error) {
	var t tasks
	n := 0
	t.Go(func() { n++ })
	return n, t.Wait()
}

// Measured reads it before: len is evaluated in its place (package evalorder).
func Measured() (int, error) {
	var t tasks
	var list []int
	t.Go(func() { list = append(list, 1) }) // want "measured"
	return len(list), t.Wait()              // want "measured"
}

// Wrapped puts it into an argument of the call to the left, which comes before.
func Wrapped() (int, error) {
	var t tasks
	n := 0
	t.Go(func() { n++ })       // want "wrapped"
	return double(n), t.Wait() // want "wrapped"
}

func double(n int) int { return 2 * n }
