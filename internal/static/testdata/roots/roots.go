// Package roots holds pairs that no frame sees whole: exported methods, goroutines of several calls, parts of a struct (package link).
package roots

import "sync"

// Dialer starts a goroutine for each name that it is asked for: two of them run at once on one Dialer (LI1).
type Dialer struct {
	mu     sync.Mutex
	conns  map[string]bool
	shared *int
}

func (d *Dialer) Get(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.conns[name] {
		d.conns[name] = true
		go func() { d.dial(name) }()
	}
}

func (d *Dialer) dial(name string) {
	if d.shared == nil {
		d.shared = new(int) // want "dial"
	}
}

// Loop starts one goroutine, which is given nothing of the call: it is the only one of its Loop.
type Loop struct {
	mu    sync.Mutex
	began bool
	turns int
}

func (l *Loop) Start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.began {
		l.began = true
		go l.run()
	}
}

func (l *Loop) run() { l.turns++ }

// Record is copied as a whole; its parts are read one by one (LI3).
type Record struct{ Holder, Time string }

// Elector is run by one goroutine and asked by others: Run starts a goroutine, which shows that it is meant for several.
type Elector struct {
	mu    sync.Mutex
	seen  Record
	turns int
}

func (e *Elector) Run(next chan Record, lead func()) {
	go lead()
	for r := range next {
		e.observe(r)
	}
}

func (e *Elector) observe(r Record) {
	e.mu.Lock()
	e.seen = r // want "part"
	e.mu.Unlock()
	e.turns++ // two calls of Run: only the caller can make them, and no lock speaks for it
}

func (e *Elector) Leader() string {
	return e.seen.Holder // want "part"
}

// Setting is set by who makes it, before others have it.
type Setting struct {
	mu   sync.Mutex
	uses int
	name string
}

func (s *Setting) SetName(name string) { s.name = name }

func (s *Setting) Name() string {
	s.mu.Lock()
	s.uses++
	s.mu.Unlock()
	return s.name
}
