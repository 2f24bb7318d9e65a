// Command airline is ConTest's airlinetickets: ten sellers, more tickets than seats, and a flag that stops the sales.
//
// The known bug: the number of seats sold and the flag are plain variables, and the office looks at both while the sellers sell.
package main

import (
	"fmt"
	"sync"
)

const (
	issued   = 10
	cushion  = 3
	capacity = issued - cushion
)

type airline struct {
	sold      int
	stopSales bool
}

// sell is a seller: one sale, then a look whether the limit was reached.
func (a *airline) sell() {
	a.sold++
	if a.sold > capacity {
		a.stopSales = true
	}
}

// open starts the sellers one by one, until the sales are stopped.
func (a *airline) open(wg *sync.WaitGroup) {
	for range issued {
		if a.stopSales {
			a.sold--
			break
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.sell()
		}()
	}
}

func main() {
	a := &airline{}
	var wg sync.WaitGroup
	a.open(&wg)
	oversold := a.sold > capacity
	wg.Wait() // as a virtual machine waits for its threads
	fmt.Println("oversold", oversold)
}
