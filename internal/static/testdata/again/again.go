// Package again has methods that set something and start a goroutine that reads it. Nobody calls Start twice for one object; but what Start
// sets after the go statement races in the first call. What poll reads
// lies too deep for the frame of Start.
package again

import (
	"fmt"
	"sync"
)

type Poller struct {
	mu    sync.Mutex
	count int
	name  string
	every int
}

func (p *Poller) Start(name string) {
	p.setName(name)
	go p.loop()
	p.every = 10 // want "every"
}

func (p *Poller) setName(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

func (p *Poller) loop() {
	for {
		p.mu.Lock()
		p.count++
		p.mu.Unlock()
		p.a()
	}
}

func (p *Poller) a() { p.b() }
func (p *Poller) b() { p.c() }
func (p *Poller) c() { p.d() }
func (p *Poller) d() { p.e() }
func (p *Poller) e() { p.f() }
func (p *Poller) f() { p.poll() }

func (p *Poller) poll() {
	fmt.Println(p.name, p.every) // want "every"
}
