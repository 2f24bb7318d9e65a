// Package figure8 is the false positive of initialisation (Figure 8): a helper allocates, the caller fills in, and only then
// the object is put where others find it. The write after that is the real race.
package figure8

import "sync"

type connection struct {
	family  int
	timeout int
	hits    int
	next    *connection
}

type peer struct {
	mu    sync.Mutex
	conns *connection
}

func newConnection(to **connection) {
	c := new(connection)
	c.timeout = 3
	*to = c
}

func create(p *peer) {
	var c *connection
	newConnection(&c)
	c.family = 2
	p.mu.Lock()
	c.next = p.conns
	p.conns = c
	p.mu.Unlock()
	c.hits = 1 // want "late"
}

func walk(p *peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.conns; c != nil; c = c.next {
		c.hits += c.family + c.timeout // want "late"
	}
}

func Start(p *peer) {
	go create(p)
	go walk(p)
}
