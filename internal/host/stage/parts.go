package stage

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// Part is what a part of a stage took.
type Part struct {
	Name      string
	Wall, CPU time.Duration
}

// Parts collects what several meters have measured. A nil Parts has meters that measure nothing.
type Parts struct {
	mu   sync.Mutex
	list []Part
}

func (p *Parts) all() []Part {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

// Meter measures the parts of one goroutine's work. The methods of a nil Meter do nothing.
type Meter struct {
	to   *Parts
	list []Part
	open int // index of the part that is being done
	wall time.Time
	cpu  time.Duration
}

// Meter begins to measure the calling goroutine, which does the part of that name. The goroutine
// stays on its thread until Stop.
func (p *Parts) Meter(part string) *Meter {
	if p == nil {
		return nil
	}
	runtime.LockOSThread()
	return &Meter{to: p, list: []Part{{Name: part}}, wall: time.Now(), cpu: threadCPU()}
}

// Idle is a part that is not kept: the goroutine waits for another.
const Idle = ""

// Enter says that the goroutine does another part from now on. It returns the one before.
func (m *Meter) Enter(part string) (left string) {
	if m == nil {
		return Idle
	}
	left = m.list[m.open].Name
	if left == part {
		return left
	}
	m.lap()
	m.open = slices.IndexFunc(m.list, func(p Part) bool { return p.Name == part })
	if m.open < 0 {
		m.open = len(m.list)
		m.list = append(m.list, Part{Name: part})
	}
	return left
}

// lap adds to the current part what has passed.
func (m *Meter) lap() {
	wall, cpu := time.Now(), threadCPU()
	p := &m.list[m.open]
	p.Wall += wall.Sub(m.wall)
	p.CPU += cpu - m.cpu
	m.wall, m.cpu = wall, cpu
}

// Stop ends the measurement.
func (m *Meter) Stop() {
	if m == nil {
		return
	}
	m.lap()
	runtime.UnlockOSThread()
	m.to.mu.Lock()
	defer m.to.mu.Unlock()
	for _, p := range m.list {
		if p.Name == Idle {
			continue
		}
		i := slices.IndexFunc(m.to.list, func(q Part) bool { return q.Name == p.Name })
		if i < 0 {
			m.to.list = append(m.to.list, p)
			continue
		}
		m.to.list[i].Wall += p.Wall
		m.to.list[i].CPU += p.CPU
	}
}
