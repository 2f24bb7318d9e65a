// Command raytracer is Java Grande's raytracer: two goroutines render the lines of a picture of spheres and add up a checksum.
//
// The known bug: each adds its checksum to the common one under the lock of its own scene.
package main

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	workers = 2
	size    = 24 // of the picture
	grid    = 2  // spheres along each side
)

// bench is what the original has in static fields.
type bench struct {
	checksum int64
	objects  int
	lines    int
}

type vec struct{ x, y, z float64 }

func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) add(s float64, b vec) vec { return vec{a.x + s*b.x, a.y + s*b.y, a.z + s*b.z} }
func (a vec) dot(b vec) float64        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) unit() vec                { return vec{}.add(1/math.Sqrt(a.dot(a)), a) }

type sphere struct {
	centre vec
	r      float64
}

// meet is the distance at which a ray meets the sphere; 0: not at all.
func (s *sphere) meet(from, dir vec) float64 {
	v := s.centre.sub(from)
	b := v.dot(dir)
	disc := b*b - v.dot(v) + s.r*s.r
	if disc < 0 {
		return 0
	}
	if t := b - math.Sqrt(disc); t > 1e-6 {
		return t
	}
	return 0
}

type scene struct {
	mu      sync.Mutex
	spheres []*sphere
	light   vec
}

func newScene() *scene {
	s := &scene{light: vec{100, 100, -50}}
	for i := range grid {
		for j := range grid {
			for k := range grid {
				s.spheres = append(s.spheres, &sphere{vec{float64(4*i - 3), float64(4*j - 3), float64(4*k + 8)}, 1.5})
			}
		}
	}
	return s
}

// shade is the brightness of what a ray meets first.
func (s *scene) shade(from, dir vec) int64 {
	var nearest *sphere
	at := math.MaxFloat64
	for _, o := range s.spheres {
		if t := o.meet(from, dir); t > 0 && t < at {
			nearest, at = o, t
		}
	}
	if nearest == nil {
		return 0
	}
	p := from.add(at, dir)
	n := p.sub(nearest.centre).unit()
	d := n.dot(s.light.sub(p).unit())
	if d < 0 {
		return 20
	}
	return 20 + int64(200*d)
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

type tracer struct {
	id    int
	bench *bench
	br    *barrier
	scene *scene
}

func (r *tracer) run() {
	r.scene = newScene()
	r.br.wait(r.id)
	sum := int64(0)
	for y := r.id; y < size; y += workers {
		for x := range size {
			dir := vec{float64(2*x-size) / size, float64(2*y-size) / size, 1.5}.unit()
			sum += r.scene.shade(vec{}, dir)
		}
	}
	r.scene.mu.Lock()
	r.bench.checksum += sum
	r.bench.lines += (size - r.id + workers - 1) / workers
	r.scene.mu.Unlock()
	r.br.wait(r.id)
	if r.id == 0 {
		r.bench.objects = len(r.scene.spheres)
	}
}

// validate is what the original's main goroutine does at the end.
func (b *bench) validate() bool {
	return b.checksum > 0 && b.lines == size && b.objects == grid*grid*grid
}

func main() {
	b, br := &bench{}, &barrier{}
	var wg sync.WaitGroup
	for id := 1; id < workers; id++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			(&tracer{id: id, bench: b, br: br}).run()
		}()
	}
	(&tracer{id: 0, bench: b, br: br}).run()
	wg.Wait()
	fmt.Println("checksum", b.checksum, "valid", b.validate())
}
