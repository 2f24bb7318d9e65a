// Package joined holds goroutines that are waited for in another function than the one that starts them (package order; SY6).
package joined

import (
	"errors"
	"sync"
	"sync/atomic"
)

type watch struct{ n, early, late, lost, hidden, shadow, missed int }

var source func() (int, error)

// start starts a goroutine that closes the channel that it returns; without one it returns nil.
func (w *watch) start() (chan struct{}, error) {
	n, err := source()
	if err != nil {
		return nil, err
	}
	w.n = n
	stop := make(chan struct{})
	go func() {
		for {
			if m, err := source(); err != nil {
				close(stop)
				return
			} else {
				w.n = m
			}
		}
	}()
	return stop, nil
}

// Start starts again only what has ended.
func (w *watch) Start() error {
	stop, err := w.start()
	if err != nil {
		return err
	}
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			stop, err = w.start()
		}
	}()
	return nil
}

func (w *watch) startEarly() chan struct{} {
	w.early = 1 // want "early"
	stop := make(chan struct{})
	go func() {
		close(stop)
		w.early = 2 // want "early" "early2"
	}()
	return stop
}

// Early goes on after the close.
func (w *watch) Early() {
	stop := w.startEarly()
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			stop = w.startEarly()
		}
	}()
}

func (w *watch) startLate() chan struct{} {
	w.late = 1 // want "late"
	stop := make(chan struct{})
	go func() {
		w.late = 2 // want "late" "late2"
		close(stop)
	}()
	return stop
}

// Late starts twice without a wait.
func (w *watch) Late() {
	stop := w.startLate()
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			stop = w.startLate()
			if _, err := source(); err != nil {
				stop = w.startLate()
			}
		}
	}()
}

func (w *watch) startLost() (chan struct{}, error) {
	w.lost = 1
	stop := make(chan struct{})
	go func() {
		w.lost = 2 // want "lost"
		close(stop)
	}()
	_, err := source()
	return stop, err
}

// Lost forgets the channel when there is an error.
func (w *watch) Lost() {
	var stop chan struct{}
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			s, err := w.startLost()
			if err != nil {
				continue
			}
			stop = s
		}
	}()
}

func (w *watch) startHidden() (chan struct{}, error) {
	w.hidden = 1 // want "hidden"
	stop := make(chan struct{})
	go func() {
		w.hidden = 2 // want "hidden" "hidden2"
		close(stop)
	}()
	if _, err := source(); err != nil {
		return nil, err
	}
	return stop, nil
}

// Hidden gets nil though a goroutine was started.
func (w *watch) Hidden() {
	stop, _ := w.startHidden()
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			stop, _ = w.startHidden()
		}
	}()
}

// Own starts the goroutine itself.
func (w *watch) Own() {
	var stop chan struct{}
	go func() {
		for {
			if stop != nil {
				<-stop
			}
			w.shadow++
			stop = make(chan struct{})
			go func(stop chan struct{}) {
				w.shadow++
				close(stop)
			}(stop)
		}
	}()
}

// Missed waits in some rounds only.
func (w *watch) Missed() {
	var stop chan struct{}
	go func() {
		for {
			if _, err := source(); err != nil && stop != nil {
				<-stop
			}
			w.missed++ // want "missed"
			stop = make(chan struct{})
			go func(stop chan struct{}) {
				w.missed++ // want "missed" "missed2"
				close(stop)
			}(stop)
		}
	}()
}

var errNone = errors.New("none")

// each starts n goroutines that call a function of the caller, and waits for them.
func each(n int, f func(int) error) error {
	if n == 0 {
		return errNone
	}
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
	return nil
}

// Each reads what the goroutines of each have made.
func Each(n int) int {
	var mu sync.Mutex
	sum, late := 0, 0
	each(n, func(i int) error {
		mu.Lock()
		sum += i
		mu.Unlock()
		return nil
	})
	go func() { late++ }() // want "eachlate"
	late++                 // want "eachlate"
	return sum
}

// unjoined does not wait if there are few.
func unjoined(n int, f func(int) error) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	if n > 3 {
		wg.Wait()
	}
}

func Unjoined(n int) int {
	var mu sync.Mutex
	sum := 0
	unjoined(n, func(i int) error {
		mu.Lock()
		sum += i // want "unjoined"
		mu.Unlock()
		return nil
	})
	return sum // want "unjoined"
}

// Batches waits for each batch, of which there may be none.
func Batches(all int, f func() error) int32 {
	var wg sync.WaitGroup
	var failed, open int32
	for n := 1; all > 0; n = min(2*n, all) {
		wg.Add(n)
		for range n {
			go func() {
				defer wg.Done()
				if f() != nil {
					atomic.AddInt32(&failed, 1)
				}
				atomic.AddInt32(&open, 1) // want "batches"
			}()
		}
		open-- // want "batches"
		wg.Wait()
		failed--
		if f() != nil {
			break
		}
		all -= n
	}
	return failed
}

type group struct{ wg sync.WaitGroup }

func (g *group) start(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func (g *group) wait() { g.wg.Wait() }

// Helper starts and waits by a type of its own.
func Helper(many bool) int {
	var g group
	n, m := 0, 0
	if many {
		g.start(func() { n++ })
		g.wait()
	}
	g.start(func() { m++ }) // want "helper"
	m++                     // want "helper"
	g.wait()
	return n + m
}
