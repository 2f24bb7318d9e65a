// Package holes calls through values: interfaces, fields and elements that hold functions, method values (LI10), and what
// libraries call for each request.
package holes

import (
	"net/http"
	"sync"
)

// A stage is called through its interface by each worker; the workers hold their lock for reading.
type stage interface{ next() int }

type counter struct{ n int }

func (c *counter) next() int {
	c.n++ // want "interface"
	return c.n
}

type Worker struct {
	mu    sync.RWMutex
	stage stage
}

func New() *Worker { return &Worker{stage: &counter{}} }

func (w *Worker) Turn() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.stage.next()
}

// Guarded stages are called under a lock, whoever calls them: without the call through the interface, next would be called without it.
type guardedStage interface{ step() }

type total struct{ n int }

func (t *total) step() { t.n++ }

type Pool struct {
	mu    sync.Mutex
	stage guardedStage
	end   func()
	done  int
}

func NewPool() *Pool {
	p := &Pool{stage: &total{}}
	p.end = p.finish
	return p
}

func (p *Pool) Turn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage.step()
	p.end()
}

func (p *Pool) finish() { p.done++ }

// Callbacks are stored in a slice, and called by a goroutine.
type Callbacks struct {
	list  []func()
	calls int
}

func (c *Callbacks) Count() { c.list = append(c.list, c.add) } // want "list"

func (c *Callbacks) Start() {
	go func() {
		for _, f := range c.list { // want "list"
			f()
		}
	}()
}

func (c *Callbacks) add() {
	c.calls++ // want "callback"
}

func (c *Callbacks) Calls() int {
	return c.calls // want "callback"
}

// Requests are served by many goroutines at once.
type Site struct{ hits int }

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.hits++ // want "request"
}

func Serve(mux *http.ServeMux) { mux.Handle("/", &Site{}) }

func page(w http.ResponseWriter, r *http.Request) {
	pages++ // want "page"
}

var pages int

func Pages(mux *http.ServeMux) { mux.Handle("/page", http.HandlerFunc(page)) }
