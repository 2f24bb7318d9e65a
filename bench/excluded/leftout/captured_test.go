package leftout

import "testing"

// captured has literals that are missing and touch memory through what they have captured:
// values, variables that are assigned to later, and what these lead to, near and far.
const captured = `package captured

import (
	"sync"
	"testing"
)

type item struct {
	n    int
	next *item
}

type queue struct {
	mu    sync.Mutex
	items []*item
	named namer
	left  int
}

type namer interface {
	Name() int
	Add()
}

type both struct{ *item }

func (x *item) Name() int { return x.n }
func (x *item) Add()      { x.n++ }

func first(q *queue) *item { return q.items[0] }

func calls(f func()) { f() }

func TestCaptured(t *testing.T) {
	q := &queue{items: []*item{{}, {next: &item{}}}}
	q.named = both{q.items[1]}
	part := *q.items[1]
	var total int
	var last *item
	table := [2]*item{q.items[0], q.items[1]}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q.mu.Lock()
			defer q.mu.Unlock()
			q.left++
			total++
			if last != nil {
				last.n++
			}
			last = q.items[1].next
			last.n++
			part.next.n++
			table[1].next.n++
			first(q).n++
			q.named.Add()
			calls(func() { q.items[1].next.next = last })
			f := func() { total += q.left }
			f()
		}()
	}
	wg.Wait()
}
`

// What missing literals touch their Ds have: what literals have captured is followed.
func TestCapturedEscapes(t *testing.T) {
	if x := leftOut(t, "captured", captured); x.calls < 5 || x.gone < 60 || x.escaped > 0 {
		t.Errorf("%d excluded calls, %d events gone, want at least 5 and 60; %d times one touches what its D has not", x.calls, x.gone, x.escaped)
	}
}
