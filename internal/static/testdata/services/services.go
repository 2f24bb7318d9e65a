// Package services has a server of a service: its methods are called by many goroutines, those that the service does not have are not (package model).
package services

import "context"

type EchoServer interface {
	Echo(ctx context.Context, n int) (int, error)
}

type registrar interface{ register(name string, server any) }

func RegisterEchoServer(r registrar, s EchoServer) { r.register("echo", s) }

// Stub may be set up at any time, by callers outside: by one at a time.
type Stub struct {
	answer func(int) int
	calls  int
}

func (s *Stub) SetAnswer(f func(int) int) { s.answer = f } // want "answer"

func (s *Stub) Echo(ctx context.Context, n int) (int, error) {
	s.calls++               // want "calls"
	return s.answer(n), nil // want "answer"
}

func Serve(r registrar, f func(int) int) {
	s := &Stub{}
	s.SetAnswer(f)
	RegisterEchoServer(r, s)
}

// Base answers for what embeds it.
type Base struct{ seen int }

func (b *Base) Echo(ctx context.Context, n int) (int, error) {
	b.seen = n // want "promoted"
	return n, nil
}

type Outer struct{ *Base }

func ServeOuter(r registrar) { RegisterEchoServer(r, &Outer{&Base{}}) }

// A bound method of an interface is called where it was stored, not by others.
type syncer interface{ Sync() }

type real struct{ rounds int }

func (r *real) Sync() { r.rounds++ }

type funcs struct{ sync func() }

type Loop struct {
	calls funcs
	began chan struct{}
}

func NewLoop() *Loop { return &Loop{calls: of(&real{})} }

func of(s syncer) funcs { return funcs{sync: s.Sync} }

func (l *Loop) run() {
	for range l.began {
		l.calls.sync()
	}
}

func (l *Loop) Start() { go l.run() }
