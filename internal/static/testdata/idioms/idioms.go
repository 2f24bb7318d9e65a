// Package idioms has what many programs do, and do right, and some that come close to it (twins).
package idioms

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Jobs with Done each round
func Rounds(n int) int {
	jobs := make(chan int)
	var wg sync.WaitGroup
	sums := make([]int, n)
	for range 4 {
		go func() {
			for j := range jobs {
				sums[j] = j * j
				wg.Done()
			}
		}()
	}
	for i := range n {
		wg.Add(1)
		jobs <- i
	}
	wg.Wait()
	t := 0
	for _, s := range sums {
		t += s
	}
	close(jobs)
	return t
}

// Stop/done as parameters
type Loop struct {
	stop, done chan struct{}
	n          int
}

func (l *Loop) Start() {
	l.stop, l.done = make(chan struct{}), make(chan struct{})
	go l.loop(l.stop, l.done)
}

func (l *Loop) loop(stop, done chan struct{}) {
	defer close(done)
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			l.n++
		}
	}
}

func (l *Loop) Stop() int {
	close(l.stop)
	<-l.done
	return l.n
}

// Stop with wait group
type Svc struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	hits   int
	mu     sync.Mutex
	state  string
}

func NewSvc() *Svc {
	s := &Svc{}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Add(1)
	go s.run()
	return s
}

func (s *Svc) run() {
	defer s.wg.Done()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(time.Second):
			s.hits++
			s.mu.Lock()
			s.state = fmt.Sprint(s.hits)
			s.mu.Unlock()
		}
	}
}

func (s *Svc) State() string { s.mu.Lock(); defer s.mu.Unlock(); return s.state }

func (s *Svc) Close() int {
	s.cancel()
	s.wg.Wait()
	return s.hits
}

// Config by atomic pointer
type Conf struct{ a, b int }
type Holder struct{ p atomic.Pointer[Conf] }

func (h *Holder) Set(a, b int) { c := &Conf{a, b}; h.p.Store(c) }
func (h *Holder) Sum() int     { c := h.p.Load(); return c.a + c.b }

// Cache with RWMutex and double check
type Cache struct {
	mu sync.RWMutex
	m  map[string]*item
}
type item struct{ v int }

func (c *Cache) Get(k string) int {
	c.mu.RLock()
	it, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return it.v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if it, ok := c.m[k]; ok {
		return it.v
	}
	it = &item{len(k)}
	if c.m == nil {
		c.m = map[string]*item{}
	}
	c.m[k] = it
	return it.v
}

// Results by channel with error
type result struct {
	i   int
	err error
}

func Fan(n int) (err error) {
	ch := make(chan result, n)
	for i := range n {
		go func() { ch <- result{i, nil} }()
	}
	for range n {
		r := <-ch
		if r.err != nil {
			err = errors.Join(err, r.err)
		}
	}
	return err
}

// Semaphore + wait
func Sem(work []func() int) []int {
	out := make([]int, len(work))
	sem := make(chan struct{}, 3)
	var wg sync.WaitGroup
	for i, w := range work {
		sem <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-sem; wg.Done() }()
			out[i] = w()
		}()
	}
	wg.Wait()
	return out
}

// Once
type Lazy struct {
	once sync.Once
	v    []int
	err  error
}

func (l *Lazy) Get() ([]int, error) {
	l.once.Do(func() { l.v, l.err = load() })
	return l.v, l.err
}
func load() ([]int, error) { return []int{1}, nil }

// Pub sub
type Bus struct {
	mu   sync.Mutex
	subs map[int]chan string
	next int
}

func (b *Bus) Sub() (int, <-chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[int]chan string{}
	}
	b.next++
	ch := make(chan string, 1)
	b.subs[b.next] = ch
	return b.next, ch
}
func (b *Bus) Pub(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.subs {
		select {
		case ch <- s:
		default:
		}
	}
}
func (b *Bus) Unsub(id int) {
	b.mu.Lock()
	ch := b.subs[id]
	delete(b.subs, id)
	b.mu.Unlock()
	close(ch)
}

// Pipeline with ownership passing
type msg struct{ n int }

func Pipe(n int) int {
	a, b := make(chan *msg), make(chan *msg)
	go func() {
		for i := range n {
			m := &msg{i}
			a <- m
		}
		close(a)
	}()
	go func() {
		for m := range a {
			m.n *= 2
			b <- m
		}
		close(b)
	}()
	t := 0
	for m := range b {
		m.n++
		t += m.n
	}
	return t
}

// Actor
type Actor struct {
	reqs chan req
	n    int
}
type req struct {
	d     int
	reply chan int
}

func NewActor() *Actor {
	a := &Actor{reqs: make(chan req)}
	go a.run()
	return a
}
func (a *Actor) run() {
	for r := range a.reqs {
		a.n += r.d
		r.reply <- a.n
	}
}
func (a *Actor) Add(d int) int {
	r := req{d, make(chan int)}
	a.reqs <- r
	return <-r.reply
}

// Error of first with once
func First(fs []func() error) error {
	var (
		wg   sync.WaitGroup
		once sync.Once
		err  error
	)
	for _, f := range fs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if e := f(); e != nil {
				once.Do(func() { err = e })
			}
		}()
	}
	wg.Wait()
	return err
}

// Future
type Future struct {
	done chan struct{}
	v    int
	err  error
}

func Go(f func() (int, error)) *Future {
	fu := &Future{done: make(chan struct{})}
	go func() {
		defer close(fu.done)
		fu.v, fu.err = f()
	}()
	return fu
}
func (f *Future) Wait() (int, error) { <-f.done; return f.v, f.err }
func (f *Future) Try() (int, bool) {
	select {
	case <-f.done:
		return f.v, true
	default:
		return 0, false
	}
}

// Timer reset under lock
type Debounce struct {
	mu    sync.Mutex
	timer *time.Timer
	n     int
}

func (d *Debounce) Hit() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	d.timer = time.AfterFunc(time.Second, func() {
		d.mu.Lock()
		d.n++
		d.mu.Unlock()
	})
}

// Parallel chunks
func Chunks(xs []int, k int) {
	var wg sync.WaitGroup
	size := (len(xs) + k - 1) / k
	for i := 0; i < len(xs); i += size {
		part := xs[i:min(i+size, len(xs))]
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range part {
				part[j]++
			}
		}()
	}
	wg.Wait()
}

// Closed flag under lock, and channel
type Q struct {
	mu     sync.Mutex
	closed bool
	ch     chan int
	last   int
}

func NewQ() *Q { q := &Q{ch: make(chan int, 8)}; go q.drain(); return q }
func (q *Q) Put(i int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.New("closed")
	}
	q.ch <- i
	return nil
}
func (q *Q) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.ch)
	}
}
func (q *Q) drain() {
	for i := range q.ch {
		q.last = i
	}
}

// Group with limited result map
func Group(keys []string) map[string]int {
	m := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, k := range keys {
		wg.Go(func() {
			n := len(k)
			mu.Lock()
			defer mu.Unlock()
			m[k] = n
		})
	}
	wg.Wait()
	for k := range m {
		m[k]++
	}
	return m
}

// Server with conns
type Server struct {
	mu    sync.Mutex
	conns map[*conn]bool
	wg    sync.WaitGroup
	quit  chan struct{}
}
type conn struct {
	s    *Server
	buf  []byte
	open atomic.Bool
}

func (s *Server) Serve(next func() *conn) {
	for {
		c := next()
		if c == nil {
			return
		}
		c.s = s
		s.mu.Lock()
		s.conns[c] = true
		s.mu.Unlock()
		s.wg.Add(1)
		go c.serve()
	}
}
func (c *conn) serve() {
	defer c.s.wg.Done()
	defer c.s.remove(c)
	c.buf = make([]byte, 10)
	for c.open.Load() {
		c.buf[0]++
	}
}
func (s *Server) remove(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}
func (s *Server) Shutdown() {
	s.mu.Lock()
	for c := range s.conns {
		c.open.Store(false)
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// Heartbeat with reset of fields in Start after Stop
type Beat struct {
	mu   sync.Mutex
	quit chan struct{}
	wg   sync.WaitGroup
	n    int
}

func (b *Beat) Start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.quit != nil {
		return
	}
	b.quit = make(chan struct{})
	b.n = 0
	b.wg.Add(1)
	go b.loop(b.quit)
}
func (b *Beat) loop(quit chan struct{}) {
	defer b.wg.Done()
	for {
		select {
		case <-quit:
			return
		case <-time.After(1):
			b.n++
		}
	}
}
func (b *Beat) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.quit == nil {
		return
	}
	close(b.quit)
	b.wg.Wait()
	b.quit = nil
}

// The twins.

// Hurried reads before it waits.
type Hurried struct {
	wg   sync.WaitGroup
	quit chan struct{}
	hits int
}

func NewHurried() *Hurried {
	h := &Hurried{quit: make(chan struct{})}
	h.wg.Add(1)
	go h.run()
	return h
}

func (h *Hurried) run() {
	defer h.wg.Done()
	for {
		select {
		case <-h.quit:
			return
		default:
			h.hits++ // want "hurried"
		}
	}
}

func (h *Hurried) Close() int {
	close(h.quit)
	n := h.hits // want "hurried"
	h.wg.Wait()
	return n
}

// Peeked is a future that somebody looks into.
type Peeked struct {
	done chan struct{}
	v    int
}

func Peek(f func() int) *Peeked {
	p := &Peeked{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.v = f() // want "peeked"
	}()
	return p
}

func (p *Peeked) Wait() int { <-p.done; return p.v }
func (p *Peeked) Peek() int { return p.v } // want "peeked"

// Tail goes on when it has said that it is done.
type Tail struct {
	done chan struct{}
	n, m int
}

func (t *Tail) Start() {
	t.done = make(chan struct{})
	go t.loop(t.done)
}

func (t *Tail) loop(done chan struct{}) {
	t.m++
	close(done)
	t.n++ // want "tail"
}

func (t *Tail) Stop() int {
	<-t.done
	return t.m + t.n // want "tail"
}

// Listener sets up what its goroutine has already.
type Listener struct{ n int }

type session struct{ l *Listener }

func (l *Listener) Serve(next func() *session) {
	for {
		c := next()
		go c.serve()
		c.l = l // want "session"
	}
}

func (c *session) serve() { c.l.count() } // want "session"

func (l *Listener) count() {}
