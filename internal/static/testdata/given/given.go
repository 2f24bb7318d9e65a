// Package given starts goroutines with functions that the caller gives (SY2).
package given

import "sync"

func spawn(f func())        { go f() }
func spawnIn(f func())      { go func() { f() }() }
func spawnWith(f func(int)) { go f(1) }
func spawnAll(fs ...func()) {
	for _, f := range fs {
		go f()
	}
}
func again(f func())                     { spawn(f) }
func call(f func())                      { f() }
func join(f func())                      { done := make(chan bool); go func() { f(); close(done) }(); <-done }
func group(wg *sync.WaitGroup, f func()) { wg.Add(1); go func() { defer wg.Done(); f() }() }

type worker struct{ f func() }

func (w *worker) start() { go w.f() }

type job interface{ run() }

func startJob(j job) { go j.run() }

type counter struct{ n int }

func (c *counter) run() { c.n++ } // want "interface"

func parameter() { n := 0; spawn(func() { n++ }); n++ }                           // want "parameter"
func nested()    { n := 0; spawnIn(func() { n++ }); n++ }                         // want "nested"
func argument()  { n := 0; spawnWith(func(int) { n++ }); n++ }                    // want "argument"
func passedOn()  { n := 0; again(func() { n++ }); n++ }                           // want "passedOn"
func field()     { n := 0; w := &worker{}; w.f = func() { n++ }; w.start(); n++ } // want "field"

func variadic() {
	n := 0
	spawnAll(func() { n++ }, // want "first" "both"
		func() { n++ }) // want "second" "both"
}

func method() {
	c := &counter{}
	startJob(c)
	c.n++ // want "interface"
}

func loop() {
	n := 0
	for range 3 {
		spawn(func() { n++ }) // want "loop"
	}
}

// What follows is ordered.

func called() { n := 0; call(func() { n++ }); n++ }
func joined() { n := 0; join(func() { n++ }); n++ }
func before() { n := 0; n++; spawn(func() { n++ }) }

func waited() {
	n := 0
	var wg sync.WaitGroup
	group(&wg, func() { n++ })
	wg.Wait()
	n++
}

func released() {
	n := 0
	var wg sync.WaitGroup
	wg.Add(1)
	spawn(func() { n++; wg.Done() })
	wg.Wait()
	n++
}

func received() {
	n := 0
	done := make(chan bool)
	spawn(func() { n++; close(done) })
	<-done
	n++
}

func locked() {
	n := 0
	var mu sync.Mutex
	spawn(func() { mu.Lock(); n++; mu.Unlock() })
	mu.Lock()
	n++
	mu.Unlock()
}

func each() {
	for range 3 {
		n := 0
		spawn(func() { n++ })
	}
}

func Run() {
	parameter()
	nested()
	argument()
	passedOn()
	field()
	variadic()
	method()
	loop()
	called()
	joined()
	before()
	waited()
	released()
	received()
	locked()
	each()
}
