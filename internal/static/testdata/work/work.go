// Package work has goroutines that wait for work which only who has their object can give (SY6).
package work

import (
	"os"
	"os/signal"
	"sync"
	"time"
)

// Worker is set up after its goroutine is started: that waits for the first job, and nobody can give one yet.
type Worker struct {
	jobs chan int
	sum  int
}

func New() *Worker {
	w := &Worker{jobs: make(chan int)}
	go w.run()
	w.sum = 1
	w.more()
	return w
}

func (w *Worker) more() { w.sum++ }

func (w *Worker) run() {
	for j := range w.jobs {
		w.sum += j // want "remembered"
	}
}

// Give gives it a job.
func (w *Worker) Give(j int) { w.jobs <- j }

// Queue is the same with a condition.
type Queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	jobs []int
	sum  int
}

func NewQueue() *Queue {
	q := &Queue{}
	q.cond = sync.NewCond(&q.mu)
	go q.run()
	q.sum = 1
	return q
}

func (q *Queue) run() {
	for {
		q.sum += q.pop()
	}
}

func (q *Queue) pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 {
		q.cond.Wait()
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	return j
}

// Push gives it a job.
func (q *Queue) Push(j int) {
	q.mu.Lock()
	q.jobs = append(q.jobs, j)
	q.mu.Unlock()
	q.cond.Signal()
}

// Early has its first job before it is set up.
type Early struct {
	jobs chan int
	sum  int
}

func NewEarly() *Early {
	e := &Early{jobs: make(chan int, 1)}
	go e.run()
	e.jobs <- 1
	e.sum = 1 // want "early"
	return e
}

func (e *Early) run() {
	for j := range e.jobs {
		e.sum += j // want "early"
	}
}

// Ticked has another goroutine that gives it jobs.
type Ticked struct {
	jobs chan int
	sum  int
}

func NewTicked() *Ticked {
	t := &Ticked{jobs: make(chan int)}
	go t.run()
	go t.tick()
	t.sum = 1 // want "ticked"
	return t
}

func (t *Ticked) tick() {
	for range time.Tick(time.Second) {
		t.jobs <- 1
	}
}

func (t *Ticked) run() {
	for j := range t.jobs {
		t.sum += j // want "ticked"
	}
}

// Listed can be found by others before it is set up.
type Listed struct {
	jobs chan int
	sum  int
}

var (
	listMu sync.Mutex
	listed []*Listed
)

func NewListed() *Listed {
	l := &Listed{jobs: make(chan int)}
	go l.run()
	listMu.Lock()
	listed = append(listed, l)
	listMu.Unlock()
	l.sum = 1 // want "listed"
	return l
}

func (l *Listed) run() {
	for j := range l.jobs {
		l.sum += j // want "listed"
	}
}

// GiveAll gives all a job.
func GiveAll(j int) {
	listMu.Lock()
	defer listMu.Unlock()
	for _, l := range listed {
		l.jobs <- j
	}
}

// Inner is in an object that others have.
type Inner struct {
	jobs chan int
	sum  int
}

// Outer starts an Inner.
type Outer struct {
	mu    sync.Mutex
	inner *Inner
}

func (o *Outer) Start() {
	o.mu.Lock()
	in := &Inner{jobs: make(chan int)}
	o.inner = in
	go in.run()
	o.mu.Unlock()
	in.sum = 1 // want "inner"
}

func (in *Inner) run() {
	for j := range in.jobs {
		in.sum += j // want "inner"
	}
}

// Give gives the Inner a job.
func (o *Outer) Give(j int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inner.jobs <- j
}

// Woken signals before it is set up.
type Woken struct {
	mu    sync.Mutex
	cond  sync.Cond
	ready bool
	sum   int
}

func NewWoken() *Woken {
	w := &Woken{}
	w.cond.L = &w.mu
	go w.run()
	w.mu.Lock()
	w.ready = true
	w.mu.Unlock()
	w.cond.Broadcast()
	w.sum = 1 // want "woken"
	return w
}

func (w *Woken) run() {
	w.mu.Lock()
	for !w.ready {
		w.cond.Wait()
	}
	w.mu.Unlock()
	w.sum++ // want "woken"
}

// What code that is not known has, it may send to at once.

type feeder interface{ feed(chan int) }

func signalled() {
	x := new(int)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt)
	go func() {
		<-ch
		*x = 1 // want "signalled"
	}()
	*x = 2 // want "signalled"
}

// keep's parameter is captured by the closure that publishes it, and that closure by its caller.
func keep(ch chan int) {
	get := func() bool {
		if kept.m == nil {
			kept.m = make(map[chan int]bool)
		}
		kept.m[ch] = true
		return true
	}
	add := func(n int) {
		if n > 0 && get() {
			kept.n++
		}
	}
	kept.Lock()
	defer kept.Unlock()
	add(1)
}

var kept struct {
	sync.Mutex
	m         map[chan int]bool
	addresses map[*chan int]bool
	n         int
}

func capturedAndKept() {
	x := new(int)
	ch := make(chan int, 1)
	keep(ch)
	go func() {
		<-ch
		*x = 1 // want "kept"
	}()
	*x = 2 // want "kept"
}

// keepAddress's closure publishes the address of the variable that it captures.
func keepAddress(ch chan int) {
	add := func() {
		kept.Lock()
		defer kept.Unlock()
		kept.addresses[&ch] = true
	}
	add()
}

func capturedAddressKept() {
	x := new(int)
	ch := make(chan int, 1)
	keepAddress(ch)
	go func() {
		<-ch
		*x = 1 // want "address kept"
	}()
	*x = 2 // want "address kept"
}

// lendAddress's closure gives the address of the variable to a function that does not keep it, so
// that only this package sends to the channel.
func lendAddress(ch chan int) {
	use := func() { lend(&ch) }
	use()
}

func lend(ch *chan int) {
	kept.Lock()
	defer kept.Unlock()
	kept.n += cap(*ch)
}

func capturedAddressLent() {
	x := new(int)
	ch := make(chan int, 1)
	lendAddress(ch)
	go func() {
		<-ch
		*x = 1
	}()
	*x = 2
	ch <- 1
}

func fed(f feeder) {
	x := new(int)
	ch := make(chan int)
	f.feed(ch)
	go func() {
		<-ch
		*x = 1 // want "fed"
	}()
	*x = 2 // want "fed"
}

func started(f func(chan int)) {
	x := new(int)
	ch := make(chan int)
	go func() {
		<-ch
		*x = 1 // want "started"
	}()
	go f(ch)
	*x = 2 // want "started"
}

func registered(register func(func())) {
	x := new(int)
	ch := make(chan int)
	go func() {
		<-ch
		*x = 1 // want "registered"
	}()
	register(func() { ch <- 1 })
	*x = 2 // want "registered"
}

func named(register func(*Late)) {
	l := &Late{}
	register(l)
	l.jobs = make(chan int)
	go l.run()
	l.sum = 1 // want "named"
}

// Late has its channel when others have it already.
type Late struct {
	jobs chan int
	sum  int
}

func (l *Late) run() {
	for j := range l.jobs {
		l.sum += j // want "named"
	}
}

var known sync.Map

func remember(w *Worker) { known.Store("worker", w) }

func remembered() *Worker {
	w := &Worker{jobs: make(chan int)}
	remember(w)
	go w.run()
	w.sum = 1 // want "remembered"
	return w
}
