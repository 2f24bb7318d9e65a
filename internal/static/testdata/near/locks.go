package near

import "sync"

const stripes = 8

// striped has a lock for each stripe, of which only the array beside it has as many (PA2).
type striped struct {
	locks  [stripes]sync.Mutex
	beside [stripes]int
	counts map[string]int
}

func slot(key string) int { return len(key) % stripes }

func (s *striped) add(key string) {
	i := slot(key)
	s.locks[i].Lock()
	defer s.locks[i].Unlock()
	s.beside[i]++
	s.counts[key]++ // want "stripe"
}

func Stripes(keys []string) {
	s := &striped{counts: map[string]int{}}
	for _, k := range keys {
		go s.add(k)
	}
}

// Own makes a lock for each goroutine.
func Own(keys []string) {
	var shared sync.Mutex
	lines, other := 0, 0
	for range keys {
		var mu sync.Mutex
		go func() {
			mu.Lock()
			lines++ // want "own"
			mu.Unlock()
			shared.Lock()
			other++
			shared.Unlock()
		}()
	}
}

type job struct {
	mu    sync.Mutex
	tries int
}

// Received locks the job, and counts what is shared.
func Received(jobs chan *job) {
	total := new(struct{ n int })
	for range 4 {
		go func() {
			for j := range jobs {
				j.mu.Lock()
				j.tries++
				total.n++ // want "received"
				j.mu.Unlock()
			}
		}()
	}
}

// registry locks a copy of its lock.
type registry struct {
	mu    sync.Mutex
	names map[string]int
	ptrs  map[string]int
}

func (r registry) byValue(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[name]++ // want "value"
}

func (r *registry) byPointer(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ptrs[name]++
}

func Copied(names []string) {
	r := &registry{names: map[string]int{}, ptrs: map[string]int{}}
	for _, n := range names {
		go r.byValue(n)
		go r.byPointer(n)
	}
}
