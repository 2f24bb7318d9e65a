package joined

import "sync"

// server is stopped by another method than it is started by (LI7).
type server struct {
	mu        sync.Mutex
	wg, other sync.WaitGroup
	done      chan struct{}
	err       error
	after     int
	wrong     int
	last      int
	closed    int
	stopped   int
}

func (s *server) set(err error) { s.err = err }

func (s *server) Start() {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		if _, err := source(); err != nil {
			s.set(err)
		}
		s.wrong = 1 // want "wrong"
	}()
}

func (s *server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wg.Wait()
	s.set(nil)
}

func (s *server) StopOther() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other.Wait()
	s.wrong = 2 // want "wrong"
}

func (s *server) StartAfter() {
	s.other.Add(1)
	go func() {
		s.other.Done()
		s.after = 1 // want "after"
	}()
}

func (s *server) StopAfter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other.Wait()
	s.after = 2 // want "after"
}

// Copy waits for another server.
func (s *server) Copy(from *server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from.other.Wait()
	s.last = 2 // want "last"
}

func (s *server) StartLast() {
	s.other.Add(1)
	go func() {
		defer s.other.Done()
		s.last = 1 // want "last"
	}()
}

// runner closes a channel at the end.
type runner struct {
	mu         sync.Mutex
	done, quit chan struct{}
	n, m       int
}

func newRunner() *runner { return &runner{done: make(chan struct{}), quit: make(chan struct{})} }

func (r *runner) Start() { go r.run() }

func (r *runner) run() {
	defer close(r.done)
	r.n++
	r.m++ // want "quit"
}

func (r *runner) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	<-r.done
	r.n = 0
}

// Quit closes the other channel, which others do, too.
func (r *runner) Quit() { close(r.quit) }

func (r *runner) StopQuit() {
	r.mu.Lock()
	defer r.mu.Unlock()
	<-r.quit
	r.m = 0 // want "quit"
}

var _ = newRunner
