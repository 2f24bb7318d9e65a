// Package contents has containers that a function makes and fills with shared objects: what their
// elements lead to is the shared memory, wherever the container is.
package contents

import "sync"

type node struct{ port, uses int }

type Table struct {
	mu     sync.Mutex
	nodes  []*node
	byName map[string]*node
	ports  chan int
}

func New() *Table {
	t := &Table{byName: map[string]*node{}, ports: make(chan int)}
	go t.appended()
	go t.copied()
	go t.indexed()
	go t.inMap()
	go t.queued()
	go t.picked()
	go t.locked()
	go t.values()
	go t.replaced()
	return t
}

func (t *Table) Set(port int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes[0].port = port // want "appended" "copied" "indexed" "queued" "picked"
}

func (t *Table) Name(k string, uses int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName[k].uses = uses // want "inMap"
}

func (t *Table) appended() {
	for {
		t.mu.Lock()
		var out []*node
		for _, n := range t.nodes {
			out = append(out, n)
		}
		t.mu.Unlock()
		for _, n := range out {
			t.ports <- n.port // want "appended"
		}
	}
}

func (t *Table) copied() {
	for {
		t.mu.Lock()
		out := make([]*node, len(t.nodes))
		copy(out, t.nodes)
		t.mu.Unlock()
		t.ports <- out[0].port // want "copied"
	}
}

func (t *Table) indexed() {
	for {
		t.mu.Lock()
		out := make([]*node, len(t.nodes))
		for i := range t.nodes {
			out[i] = t.nodes[i]
		}
		t.mu.Unlock()
		for _, n := range out {
			t.ports <- n.port // want "indexed"
		}
	}
}

func (t *Table) inMap() {
	for {
		t.mu.Lock()
		out := map[string]*node{}
		for k, n := range t.byName {
			out[k] = n
		}
		t.mu.Unlock()
		for _, n := range out {
			t.ports <- n.uses // want "inMap"
		}
	}
}

func (t *Table) queued() {
	for {
		t.mu.Lock()
		out := make(chan *node, len(t.nodes))
		for _, n := range t.nodes {
			out <- n
		}
		close(out)
		t.mu.Unlock()
		for n := range out {
			t.ports <- n.port // want "queued"
		}
	}
}

func pick(nodes []*node, count int) []*node {
	out := make([]*node, 0, count)
	for i := range count {
		out = append(out, nodes[i])
	}
	return out
}

func (t *Table) picked() {
	for {
		t.mu.Lock()
		out := pick(t.nodes, 3)
		t.mu.Unlock()
		for _, n := range out {
			t.ports <- n.port // want "picked"
		}
	}
}

// The elements are used under the lock.
func (t *Table) locked() {
	for {
		t.mu.Lock()
		out := append([]*node(nil), t.nodes...)
		for _, n := range out {
			println(n.port)
		}
		t.mu.Unlock()
	}
}

// The elements are copies.
func (t *Table) values() {
	for {
		t.mu.Lock()
		var out []*node
		for _, n := range t.nodes {
			out = append(out, &node{port: n.port})
		}
		t.mu.Unlock()
		for _, n := range out {
			n.port++
			t.ports <- n.port
		}
	}
}

// The elements are new, and are shared only under the lock.
func (t *Table) replaced() {
	for {
		out := make([]*node, 3)
		for i := range out {
			out[i] = &node{}
			out[i].port = i
		}
		for _, n := range out {
			n.port++
		}
		t.mu.Lock()
		t.nodes = out
		t.mu.Unlock()
	}
}

// settings is a value with a map that copies of it share.
type settings struct {
	names map[string]int
	limit int
}

// stored yields a copy of what others have, too.
type stored interface{ value() any }

// Open starts a goroutine that writes the map of a value out of an interface.
func Open(from stored) {
	for range 3 {
		go func() {
			o, ok := from.value().(settings)
			if ok {
				o.names["open"] = 1 // possible "value"
			}
			o.limit = 1
		}()
	}
}
