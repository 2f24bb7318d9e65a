// Package stage measures what the stages of a command take: wall time, CPU time and memory.
//
// A List has the stages of a command, one after the other. The CPU time of a stage is that of
// this process and of the processes that it has waited for, while the stage ran.
//
// Parts split a stage whose work is done by goroutines side by side. Each of them has a Meter,
// which keeps the goroutine on one thread of the system and reads the clock of that thread. What
// a stage has beyond its parts is the work of other goroutines, such as those that collect
// garbage.
package stage

import (
	"slices"
	"sync/atomic"
	"time"
)

// Stage is what a stage took.
type Stage struct {
	Name string
	Of   string // the stage that it is a part of; "": none
	Wall time.Duration
	CPU  time.Duration // user and system; 0: not known
	Peak int64         // most bytes of memory that this process had by the end; of a part 0
}

// List has the stages of a command. The methods of a nil List do nothing.
type List struct {
	all  []Stage
	open string
	wall time.Time
	cpu  time.Duration
}

// current is the stage that began last in this process.
var current atomic.Pointer[string]

// Current returns the name of the stage that began last in this process, "" if none did.
func Current() string {
	if s := current.Load(); s != nil {
		return *s
	}
	return ""
}

// Begin ends the stage before it, and begins one. A stage may begin several times.
func (l *List) Begin(name string) {
	if l == nil {
		return
	}
	l.End()
	l.open, l.wall, l.cpu = name, time.Now(), processCPU()
	current.Store(&name)
}

// End ends the stage that has begun, if there is one.
func (l *List) End() {
	if l == nil || l.open == "" {
		return
	}
	s := l.stage(l.open, "")
	s.Wall += time.Since(l.wall)
	s.CPU += processCPU() - l.cpu
	s.Peak = peak()
	l.open = ""
}

// Split adds parts to a stage.
func (l *List) Split(of string, p *Parts) {
	if l == nil {
		return
	}
	for _, part := range p.all() {
		s := l.stage(part.Name, of)
		s.Wall += part.Wall
		s.CPU += part.CPU
	}
}

// All returns the stages in the order in which they first began, each before its parts.
func (l *List) All() []Stage {
	if l == nil {
		return nil
	}
	var all []Stage
	for _, s := range l.all {
		if s.Of != "" {
			continue
		}
		all = append(all, s)
		for _, part := range l.all {
			if part.Of == s.Name {
				all = append(all, part)
			}
		}
	}
	return all
}

// stage returns the entry of a stage, which is made if there is none.
func (l *List) stage(name, of string) *Stage {
	i := slices.IndexFunc(l.all, func(s Stage) bool { return s.Name == name && s.Of == of })
	if i < 0 {
		i = len(l.all)
		l.all = append(l.all, Stage{Name: name, Of: of})
	}
	return &l.all[i]
}
