// Package kept has objects that their makers have not published: only the goroutines that these have started can reach them (LI9, SY3).
package kept

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Log is written under its lock, but by its makers.
type Log struct {
	mu    sync.Mutex
	page  int
	done  int
	queue chan int
}

// Open starts a goroutine of the log before it is set up.
func Open(n int) *Log {
	l := &Log{queue: make(chan int)}
	go l.run()
	for range n {
		l.flush()
	}
	return l
}

func (l *Log) run() {
	for range l.queue {
		l.mu.Lock()
		l.done++
		l.mu.Unlock()
	}
}

func (l *Log) flush() { l.page = 0 }

// Write flushes under the lock.
func (l *Log) Write(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.page += len(b)
	l.flush()
}

// DB is loaded by workers, and then given to others.
type DB struct {
	mu   sync.Mutex
	sums map[string]*series
	log  *Log
}

type series struct {
	mu  sync.Mutex
	sum int
}

// Load returns a database whose workers are over.
func Load(names []string) *DB {
	db := &DB{sums: map[string]*series{}, log: Open(3)}
	var wg sync.WaitGroup
	for _, n := range names {
		s := &series{}
		db.sums[n] = s
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.add(len(n))
		}()
	}
	wg.Wait()
	return db
}

func (s *series) add(n int) { s.sum += n }

// Add adds under the lock of the series.
func (db *DB) Add(name string, n int) {
	db.mu.Lock()
	s := db.sums[name]
	db.mu.Unlock()
	s.mu.Lock()
	s.add(n)
	s.mu.Unlock()
}

// Server publishes itself by its goroutine.
type Server struct {
	mu   sync.Mutex
	hits int
	last time.Time
}

func (s *Server) handle(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.hits++ // want "handled"
	s.mu.Unlock()
	fmt.Fprintln(w, "ok")
}

// Serve counts what its handlers count.
func Serve(addr string) {
	s := &Server{}
	http.HandleFunc("/", s.handle)
	go http.ListenAndServe(addr, nil)
	for range time.Tick(time.Second) {
		s.report()
	}
}

func (s *Server) report() {
	fmt.Println(s.hits) // want "handled"
}

// Index is filled by a goroutine that is over before others have the index; where it finds the entries is not known.
type Index struct{ entries sync.Map }

type entry struct {
	mu sync.Mutex
	n  int
}

func (x *Index) entry(name string) *entry {
	e, _ := x.entries.LoadOrStore(name, &entry{})
	return e.(*entry)
}

// LoadIndex returns an index with the sizes of some names. What it is given cannot lead to an entry.
func LoadIndex(names []string, sizes map[string]int) *Index {
	x := &Index{}
	x.fill(names, sizes)
	return x
}

func (x *Index) fill(names []string, sizes map[string]int) {
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, n := range names {
			x.entry(n).add(sizes[n])
		}
	})
	wg.Wait()
}

func (e *entry) add(n int) { e.n += n }

// Grow has its lock.
func (x *Index) Grow(name string) { x.entry(name).grow() }

func (e *entry) grow() {
	e.mu.Lock()
	e.n++
	e.mu.Unlock()
}

// Shelf is filled with what others may have.
type Shelf struct{ slots sync.Map }

type slot struct {
	mu sync.Mutex
	n  int
}

// LoadShelf returns a shelf.
func LoadShelf(names []string, known map[string]*slot) *Shelf {
	s := &Shelf{}
	s.fill(names, known)
	return s
}

func (s *Shelf) fill(names []string, known map[string]*slot) {
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, n := range names {
			t := any(known[n])
			s.slots.Store(n, t)
			v, _ := s.slots.Load(n)
			v.(*slot).add(1)
		}
	})
	wg.Wait()
}

func (t *slot) add(n int) { t.n += n } // want "shelf"

// Grow has its lock.
func (s *Shelf) Grow(name string) {
	v, _ := s.slots.Load(name)
	v.(*slot).grow()
}

func (t *slot) grow() {
	t.mu.Lock()
	t.n++ // want "shelf"
	t.mu.Unlock()
}
