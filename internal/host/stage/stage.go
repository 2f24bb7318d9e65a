// Package stage measures what the stages of a command take: wall time, CPU time and memory.
//
// A List has the stages of a command, one after the other. The CPU time of a stage is that of
// this process and of the processes that it has waited for, while the stage ran.
//
// What runs beside a stage, such as a build in the background, is moved to the stage that it is of
// (Beside).
//
// Parts split a stage whose work is done by goroutines side by side. Each of them has a Meter,
// which keeps the goroutine on one thread of the system and reads the clock of that thread. What
// a stage has beyond its parts is the work of other goroutines, such as those that collect
// garbage.
package stage

import (
	"slices"
	"sync"
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
	mu   sync.Mutex
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	l.open, l.wall, l.cpu = name, time.Now(), processCPU()
	current.Store(&name)
}

// End ends the stage that has begun, if there is one.
func (l *List) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

func (l *List) end() {
	if l.open == "" {
		return
	}
	s := l.stage(l.open, "")
	s.Wall += time.Since(l.wall)
	s.CPU += max(0, processCPU()-l.cpu)
	s.Peak = peak()
	l.open = ""
}

// Beside says that processes of the stage of that name have used CPU time, and were waited for just
// now. Where another stage is open, it is not that stage's: it is of the part of the named one.
func (l *List) Beside(name, part string, cpu time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == name {
		return
	}
	if l.open != "" {
		l.cpu += cpu
	}
	l.stage(name, "").CPU += cpu
	l.stage(part, name).CPU += cpu
}

// Add adds wall time to a part of a stage.
func (l *List) Add(name, part string, wall time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stage(name, "")
	l.stage(part, name).Wall += wall
}

// Split adds parts to a stage.
func (l *List) Split(of string, p *Parts) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
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
	l.mu.Lock()
	defer l.mu.Unlock()
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
