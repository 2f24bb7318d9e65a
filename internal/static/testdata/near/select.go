package near

import "context"

// Deadline comes back early, and reads what the goroutine still writes (BE3).
func Deadline(ctx context.Context, work func() string) (string, string) {
	var late, early string
	done := make(chan struct{})
	go func() {
		early = work()
		done <- struct{}{}
	}()
	never := make(chan struct{})
	select {
	case <-done:
	case <-never:
	}
	go func() {
		late = work() // want "late"
		done <- struct{}{}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return early, late // want "late"
}
