// Package room appends to slices of shared objects without storing the result there: goroutines
// that do so write one element if the slice has room (PA4, LI5).
package room

import (
	"slices"
	"sync"
)

type Logger struct {
	mu     sync.Mutex
	level  int
	fields []string
	fixed  []string
	names  []string
	lines  []string
}

// With shares the array of the logger with the new one.
func (l *Logger) With(f ...string) *Logger {
	l.mu.Lock()
	c := &Logger{level: l.level}
	l.mu.Unlock()
	c.fields = append(l.fields, f...) // want "fields"
	return c
}

// Fixed has a slice that nothing has appended to.
func (l *Logger) Fixed(f ...string) []string {
	l.mu.Lock()
	l.level++
	l.mu.Unlock()
	return append(l.fixed, f...)
}

// Names clips the slice, so that each call has its own.
func (l *Logger) Names(f ...string) []string {
	l.mu.Lock()
	l.level++
	l.mu.Unlock()
	return append(slices.Clip(l.names), f...)
}

func (l *Logger) Short(f ...string) []string {
	l.mu.Lock()
	l.level++
	l.mu.Unlock()
	return append(l.names[:len(l.names):len(l.names)], f...)
}

func (l *Logger) AddName(f string) *Logger {
	c := &Logger{}
	c.names = append(c.names, f)
	return c
}

// Add stores the result where the slice was: the race is one of the field.
func (l *Logger) Add(f string) {
	l.mu.Lock()
	l.level++
	l.mu.Unlock()
	l.lines = append(l.lines, f) // want "lines"
}
