// Command montecarlo is Java Grande's montecarlo: two goroutines simulate prices and put their results into a common list.
//
// The known bug: every object that is made sets a flag for debugging that all objects have in common, and whoever has something to say looks at it.
package main

import (
	"fmt"
	"math"
	"sync"
)

const (
	workers = 2
	runs    = 100
	steps   = 150
)

// universal is what all classes of the original inherit.
type universal struct {
	debug  bool
	prompt string
}

// universalDebug and messages are static fields in the original.
var (
	universalDebug bool
	messages       int
)

func newUniversal(prompt string) universal {
	universalDebug = true
	return universal{prompt: prompt}
}

// say counts a message that is worth it, if its object or all objects are to be debugged.
func (u *universal) say(important bool) {
	if important && (u.debug || universalDebug) {
		messages++
	}
}

type task struct {
	universal
	seed int64
}

type path struct {
	universal
	values [steps]float64
}

type result struct {
	universal
	rate, volatility float64
}

// prices simulates one path. Its random numbers are its own.
func prices(t *task) *path {
	p := &path{universal: newUniversal("path> ")}
	seed := t.seed
	v := 100.0
	for i := range p.values {
		seed = (seed*25214903917 + 11) & (1<<48 - 1)
		u := float64(seed>>22) / (1 << 26)
		v *= math.Exp(0.0001 + 0.01*(u-0.5))
		p.values[i] = v
	}
	p.say(p.values[steps-1] < 0)
	return p
}

func (p *path) result() *result {
	r := &result{universal: newUniversal("result> ")}
	sum, squares := 0.0, 0.0
	for i := 1; i < steps; i++ {
		x := p.values[i]/p.values[i-1] - 1
		sum += x
		squares += x * x
	}
	r.rate = sum / (steps - 1)
	r.volatility = math.Sqrt(squares / (steps - 1))
	r.say(r.volatility > 0)
	return r
}

type demo struct {
	universal
	tasks   []*task
	mu      sync.Mutex // of results, which are a Vector in the original
	results []*result
}

func (d *demo) run(id int) {
	for i := id; i < runs; i += workers {
		r := prices(d.tasks[i]).result()
		d.mu.Lock()
		d.results = append(d.results, r)
		d.mu.Unlock()
	}
}

func main() {
	d := &demo{universal: newUniversal("demo> ")}
	for i := range runs {
		d.tasks = append(d.tasks, &task{newUniversal("task> "), int64(i * 11)})
	}
	var wg sync.WaitGroup
	for id := 1; id < workers; id++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d.run(id)
		}()
	}
	d.run(0)
	wg.Wait()
	rate := 0.0
	for _, r := range d.results {
		rate += r.rate
	}
	fmt.Printf("rate %.6f, %d results, %d messages\n", rate/runs, len(d.results), messages)
}
