// Package hidden holds objects of other packages whose exported fields everybody may read: what
// their methods change is not these (SY2).
package hidden

import (
	"container/list"
	"sync"
	"text/template"
)

type Cache struct {
	mu    sync.Mutex
	items map[string]*list.Element
	order *list.List
}

// Get reads Value behind the lock, which no method of a list changes.
func (c *Cache) Get(key string) any {
	c.mu.Lock()
	e := c.items[key]
	c.mu.Unlock()
	return e.Value
}

func (c *Cache) Touch(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.MoveToFront(c.items[key])
}

type Writer struct {
	mu    sync.Mutex
	items map[string]*list.Element
}

// Get reads what Set writes.
func (w *Writer) Get(key string) any {
	w.mu.Lock()
	e := w.items[key]
	w.mu.Unlock()
	return e.Value // want "value"
}

func (w *Writer) Set(key string, v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items[key].Value = v // want "value"
}

type Copier struct {
	mu    sync.Mutex
	items map[string]*list.Element
	order *list.List
}

// Copy reads all fields.
func (c *Copier) Copy(key string) list.Element {
	c.mu.Lock()
	e := c.items[key]
	c.mu.Unlock()
	return *e // want "copied"
}

func (c *Copier) Touch(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.MoveToFront(c.items[key]) // want "copied"
}

// Page has a template, whose Parse sets an exported field under a lock of its own.
type Page struct {
	mu sync.Mutex
	t  *template.Template
}

func (p *Page) Parse(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Parse(text) // want "tree"
}

func (p *Page) Empty() bool {
	return p.t.Tree == nil // want "tree"
}
