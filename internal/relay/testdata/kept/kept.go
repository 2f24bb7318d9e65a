// Package kept has objects that their makers have not published: only the goroutines that these have started can reach them (R32, X32).
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
