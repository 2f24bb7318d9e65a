// Package choices holds locks of values that may be one of several objects.
package choices

import "sync"

type item struct {
	mu         sync.Mutex
	name       string
	a, b, c, d int
	e, f, g    int
}

func (i *item) read() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.name
}

type table struct {
	mu    sync.Mutex
	items []*item
	spare *item
}

// first is the first item, or a new one.
func (t *table) first() *item {
	if len(t.items) > 0 {
		i := t.items[0]
		i.mu.Lock()
		defer i.mu.Unlock()
		i.g++
		return i
	}
	i := &item{}
	t.items = append(t.items, i) // want "items"
	return i
}

// rename locks what first has returned, whichever it is: read excludes it.
func (t *table) rename(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.first()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.name = s
}

func (i *item) lock()      { i.mu.Lock() }
func (i *item) addLocked() { i.a++ }

// add locks and writes in callees.
func (t *table) add() {
	i := t.first()
	i.lock()
	i.addLocked()
	i.mu.Unlock()
}

func (i *item) readA() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.a
}

// unlocked writes after the unlock.
func (t *table) unlocked() {
	i := t.first()
	i.mu.Lock()
	i.mu.Unlock()
	i.b++ // want "unlocked"
}

func (i *item) readB() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.b // want "unlocked"
}

// another locks one of two, and writes to a fixed one.
func (t *table) another(second bool) {
	i := t.items[0]
	if second {
		i = t.spare
	}
	i.mu.Lock()
	t.spare.c++ // want "another"
	i.mu.Unlock()
}

func (t *table) readC() int {
	t.spare.mu.Lock()
	defer t.spare.mu.Unlock()
	return t.spare.c // want "another"
}

// round keeps the lock of one round's object while it writes to that of the next.
func (t *table) round(n int) {
	var i *item
	for k := range n {
		i = t.items[0]
		if k > 3 {
			i = t.spare
		}
		if k == 0 {
			i.mu.Lock()
		}
		i.d++ // want "round"
	}
	i.mu.Unlock()
}

func (i *item) readD() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.d // want "round"
}

// byName unlocks the object by another name.
func (t *table) byName(second bool) {
	i := t.items[0]
	if second {
		i = t.spare
	}
	i.mu.Lock()
	t.spare.mu.Unlock()
	i.e++ // want "byName"
}

func (i *item) readE() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.e // want "byName"
}

func run(t *table) {
	go func() {
		t.rename("x")
		t.add()
		t.unlocked()
		t.another(true)
		t.round(3)
		t.byName(true)
	}()
	for _, i := range t.items { // want "items"
		_ = i.read()
		_ = i.readA() + i.readB() + i.readD() + i.readE()
	}
	_ = t.readC()
}
