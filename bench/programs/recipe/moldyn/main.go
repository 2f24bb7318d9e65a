// Command moldyn is Java Grande's moldyn: two goroutines compute the forces between particles, step by step between barriers.
//
// The known bug: a barrier is missing between the sum of the energies, which the first makes of what all have written, and the next step, in which
// each clears its own.
package main

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	workers   = 2
	particles = 32
	steps     = 6
	side      = 4.0
	reach     = 2.5
	dt        = 0.01
)

type vec [3]float64

// md is what the original has in static fields.
type md struct {
	epot, vir    [workers]float64
	interacts    [workers]int
	force        [particles]vec
	forces       [workers][particles]vec
	interactions int
	energy       float64
}

// barrier is that of the original, whose flags are volatile: here they are atomic.
type barrier struct{ done [workers]atomic.Int32 }

func (b *barrier) wait(id int) {
	n := b.done[id].Add(1)
	for i := range b.done {
		for b.done[i].Load() < n {
			runtime.Gosched()
		}
	}
}

// runner has all particles for itself, as in the original.
type runner struct {
	id       int
	md       *md
	br       *barrier
	at, move [particles]vec
}

func (r *runner) init() {
	for i := range r.at {
		for k := range 3 {
			r.at[i][k] = float64(i>>k&1)*side/2 + float64(i%5)*0.1
			r.move[i][k] = float64((i*7+k)%5-2) * 0.1
		}
	}
}

func (r *runner) run() {
	r.init()
	for range steps {
		r.step()
	}
}

func (r *runner) step() {
	m := r.md
	m.epot[r.id], m.vir[r.id], m.interacts[r.id] = 0, 0, 0
	r.doMove()
	r.br.wait(r.id)
	if r.id == 0 {
		m.force = [particles]vec{}
	}
	r.br.wait(r.id)
	for i := r.id; i < particles; i += workers {
		r.forces(i)
	}
	r.br.wait(r.id)
	if r.id == 0 {
		r.sumForces()
	}
	r.br.wait(r.id)
	for i := range particles {
		for k := range 3 {
			r.move[i][k] += m.force[i][k] * dt
		}
	}
	if r.id == 0 {
		r.sumEnergies()
	}
}

// doMove moves all particles, and takes those that leave the box in again at the other side.
func (r *runner) doMove() {
	for i := range r.at {
		for k := range 3 {
			r.at[i][k] += r.move[i][k] * dt
			if r.at[i][k] < 0 {
				r.at[i][k] += side
			}
			if r.at[i][k] > side {
				r.at[i][k] -= side
			}
		}
	}
}

// forces adds the forces between particle i and those after it to the worker's own.
func (r *runner) forces(i int) {
	m := r.md
	for j := i + 1; j < particles; j++ {
		var d vec
		rr := 0.0
		for k := range 3 {
			d[k] = r.at[i][k] - r.at[j][k]
			if d[k] < -side/2 {
				d[k] += side
			}
			if d[k] > side/2 {
				d[k] -= side
			}
			rr += d[k] * d[k]
		}
		if rr > reach*reach || rr == 0 {
			continue
		}
		r2 := 1 / rr
		r6 := r2 * r2 * r2
		m.epot[r.id] += r6 * (r6 - 1)
		f := math.Min(r2*r6*(r6-0.5), 100)
		m.vir[r.id] -= rr * f
		m.interacts[r.id]++
		for k := range 3 {
			m.forces[r.id][i][k] += d[k] * f
			m.forces[r.id][j][k] -= d[k] * f
		}
	}
}

func (r *runner) sumForces() {
	m := r.md
	for w := range m.forces {
		for i := range particles {
			for k := range 3 {
				m.force[i][k] += m.forces[w][i][k]
				m.forces[w][i][k] = 0
			}
		}
	}
}

func (r *runner) sumEnergies() {
	m := r.md
	for w := 1; w < workers; w++ {
		m.epot[0] += m.epot[w]
		m.vir[0] += m.vir[w]
		m.interactions += m.interacts[w]
	}
	m.interactions += m.interacts[0]
	m.energy = m.epot[0] - m.vir[0]/3
}

func main() {
	m, br := &md{}, &barrier{}
	var wg sync.WaitGroup
	for id := 1; id < workers; id++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			(&runner{id: id, md: m, br: br}).run()
		}()
	}
	(&runner{id: 0, md: m, br: br}).run()
	wg.Wait()
	fmt.Printf("energy %.3f, %d interactions\n", m.energy, m.interactions)
}
