// Package cancel: no race. Cancelling a context comes before Done is closed for whoever waits.
package cancel

import "context"

// Run cancels a context and reads, after Done, what was written before.
func Run() string {
	ctx, cancel := context.WithCancel(context.Background())
	var reason string
	got := make(chan string)
	go func() {
		<-ctx.Done()
		got <- reason
	}()
	reason = "enough"
	cancel()
	return <-got
}
