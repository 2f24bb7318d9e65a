// Package afterfunc is a connection that a cancelled context expires (context.AfterFunc). The stop
// function does not wait for a call that has begun. In most runs it stops the call before the
// context is cancelled.
package afterfunc

import (
	"context"
	"sync"
	"testing"
)

type conn struct{ deadline int }

func TestAfterfunc(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{}
	var wg sync.WaitGroup
	stop := context.AfterFunc(ctx, func() {
		c.deadline = 1 // race
	})
	wg.Go(cancel)
	stop()
	c.deadline = 0 // race
	wg.Wait()
}

func TestAfterfuncFixed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{}
	var wg sync.WaitGroup
	done := make(chan bool)
	stop := context.AfterFunc(ctx, func() {
		c.deadline = 1
		close(done)
	})
	wg.Go(cancel)
	if !stop() {
		<-done
	}
	c.deadline = 0
	wg.Wait()
}
