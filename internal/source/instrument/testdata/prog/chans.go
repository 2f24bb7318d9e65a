package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

func init() { subjects["chans"] = chans }

func produce(n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			c <- i
		}
	}()
	return c
}

func merge(cs ...<-chan int) (sum int) {
	a, b := cs[0], cs[1]
	for a != nil || b != nil {
		select {
		case x, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			sum += x
		case x, ok := <-b:
			if !ok {
				b = nil
				continue
			}
			sum += 100 * x
		}
	}
	return sum
}

type message struct {
	to   string
	body [3]int
	ack  chan<- struct{}
}

func chans() {
	fmt.Println(merge(produce(4), produce(3)))
	c := make(chan int, 2)
	c <- 1
	fmt.Println(len(c), cap(c))
	select {
	case c <- 2:
		fmt.Println("sent")
	default:
		fmt.Println("full")
	}
	select {
	case c <- 3:
		fmt.Println("sent")
	default:
		fmt.Println("full", len(c))
	}
	close(c)
	for x := range c {
		fmt.Print(x, " ")
	}
	x, ok := <-c
	fmt.Println(x, ok, len(c))
	caught("send on closed", func() { c <- 1 })
	caught("close closed", func() { close(c) })
	ack := make(chan struct{})
	ms := make(chan message)
	go func() {
		m := <-ms
		m.body[0]++
		fmt.Println(m.to, m.body)
		m.ack <- struct{}{}
	}()
	ms <- message{"bob", [3]int{1, 2, 3}, ack}
	<-ack
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	select {
	case <-ctx.Done():
		fmt.Println(ctx.Err())
	case <-time.After(time.Minute):
		fmt.Println("late")
	}
	var once sync.Once
	var n atomic.Int64
	var p atomic.Pointer[message]
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			once.Do(func() { fmt.Println("once") })
			n.Add(int64(i))
			p.CompareAndSwap(nil, &message{to: "first"})
		})
	}
	wg.Wait()
	fmt.Println(n.Load(), p.Load().to)
	var mu sync.RWMutex
	cond := sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; mu.Unlock(); cond.Broadcast() }()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	fmt.Println(mu.TryRLock(), mu.TryLock())
	var nilchan chan int
	select {
	case <-nilchan:
	default:
		fmt.Println("nil channel", len(nilchan), cap(nilchan))
	}
}
