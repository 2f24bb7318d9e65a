package main

import (
	"context"
	"sync"
)

var (
	ctx, cancel = context.WithCancel(context.Background())
	x, y        int
	wg          sync.WaitGroup
)

func w() {
	x = 1
	cancel()
	wg.Done()
}

func main() {
	c1, f1 := context.WithCancel(ctx)
	if c1.Err() != nil {
		y = 3
	}
	wg.Add(1)
	go w()
	if ctx.Err() != nil {
		y = x
	}
	select {
	case <-ctx.Done():
		x = 2
	default:
	}
	<-ctx.Done()
	wg.Wait()
	c2, f := context.WithCancel(ctx)
	f()
	if c2.Err() != nil {
		y = 2
	}
	<-c1.Done()
	f1()
	own, stop := context.WithCancel(context.Background())
	child, end := context.WithCancel(own)
	end()
	select {
	case <-own.Done():
	case <-child.Done():
		stop()
	}
}
