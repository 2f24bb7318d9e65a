package captured

import (
	"strings"
	"sync"
	"time"
)

// Functions that are traced besides (Masker.Told). The comment of each is how many levels of memory its first literal touches, 0 if that is any number or none, and its mask. Captured variables are values if their names begin with fixed (D13).

type queue struct {
	mu    sync.Mutex
	items []*item
	named named
	left  int
}

type item struct {
	n    int
	next *item
}

type named interface {
	Name() string
	Len() int
}

func push(q *queue)        {}
func first(q *queue) *item { return nil }
func runs(f func())        {}

// What a variable is that nobody assigns to any more, nobody writes.
//
// c: 0
func given(fixed *queue) func() {
	return func() {
		fixed.mu.Lock()
		push(fixed)
		fixed.mu.Unlock()
	}
}

// c: 0
func part(fixed queue) func() int { return func() int { return fixed.left } }

// c: 2 =22? captured.queue.left?
func assigned() func() int {
	var q *queue
	f := func() int { return q.left }
	q = &queue{}
	return f
}

// c: 1 =22
func assigns(fixed *queue) func() {
	var q *queue
	f := func() { q = fixed }
	_ = q
	return f
}

// c: 1 captured.queue.left?
func near(fixed *queue) func() int { return func() int { return fixed.left } }

// c: 3 =22? captured.item.n? captured.queue.items?
func far(fixed *queue) func() int { return func() int { return fixed.items[0].n } }

// Others may store meanwhile.
//
// c: 0 =22? captured.item.n? captured.queue.items?
func late(fixed *queue) func() int {
	return func() int {
		fixed.mu.Lock()
		defer fixed.mu.Unlock()
		return fixed.items[0].n
	}
}

// c: 1 captured.item.n?
func told(fixed *queue) func() int { return func() int { return first(fixed).n } }

// c: 1 captured.queue.left
func starts(fixed *queue) func() {
	return func() {
		fixed.left++
		go push(fixed)
	}
}

// What the standard library returns nobody tells: it may be as far as anything that it is given leads to.
//
// c: 0 captured.queue.left?
func joins(fixed *queue, fixedNames []string) func() int {
	return func() int { return len(strings.Join(fixedNames, "")) + fixed.left }
}

// c: 1 captured.queue.left?
func sleeps(fixed *queue) func() int {
	return func() int {
		time.Sleep(1)
		return fixed.left
	}
}

// Traced code calls what it is given.
//
// c: 0
func hands(fixed func()) func() { return func() { runs(fixed) } }

// c: 0 call
func once(fixed func()) func() {
	return func() {
		var o sync.Once
		o.Do(fixed)
	}
}

// What is called through an interface has all its methods.
//
// c: 0 .Len.Name captured.queue.named?
func names(fixed *queue) func() string { return func() string { return fixed.named.Name() } }
