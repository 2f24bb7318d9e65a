package main

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// tile is a part of the picture, in one pass over it.
type tile struct {
	x0, y0, x1, y1 int
	pass           int
}

// queue has the tiles that are still to be rendered.
type queue struct {
	mu     sync.Mutex
	ready  *sync.Cond
	tiles  []tile
	closed bool
	taken  int
	waited int
}

func newQueue() *queue {
	q := &queue{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(t tile) {
	q.mu.Lock()
	q.tiles = append(q.tiles, t)
	q.mu.Unlock()
	q.ready.Signal()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.ready.Broadcast()
}

// take waits for a tile; false: there will be none.
func (q *queue) take() (t tile, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tiles) == 0 && !q.closed {
		q.waited++
		q.ready.Wait()
	}
	if len(q.tiles) == 0 {
		return tile{}, false
	}
	t = q.tiles[0]
	q.tiles = q.tiles[1:]
	q.taken++
	return t, true
}

// film has the sums of the samples of each pixel. Each stripe of lines has a lock.
type film struct {
	width, height int
	stripes       []stripe
}

type stripe struct {
	mu      sync.Mutex
	sums    []vec
	samples []int
	updates int
}

const stripeLines = 4

func newFilm(width, height int) *film {
	f := &film{width: width, height: height}
	for y := 0; y < height; y += stripeLines {
		n := min(stripeLines, height-y) * width
		f.stripes = append(f.stripes, stripe{sums: make([]vec, n), samples: make([]int, n)})
	}
	return f
}

// add adds the samples of a line of a tile.
func (f *film) add(x0, y int, line []vec, samples int) {
	s := &f.stripes[y/stripeLines]
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range line {
		k := y%stripeLines*f.width + x0 + i
		s.sums[k] = s.sums[k].add(c)
		s.samples[k] += samples
	}
	s.updates++
}

// pixel is the mean of the samples of a pixel.
func (f *film) pixel(x, y int) vec {
	s := &f.stripes[y/stripeLines]
	s.mu.Lock()
	defer s.mu.Unlock()
	k := y%stripeLines*f.width + x
	if s.samples[k] == 0 {
		return vec{}
	}
	return s.sums[k].scale(1 / float64(s.samples[k]))
}

// statistics are counted by all workers.
type statistics struct {
	rays    atomic.Int64
	shadows atomic.Int64
	bounces [maxDepth + 1]atomic.Int64

	mu        sync.RWMutex
	tiles     int
	brightest float64
	perWorker map[int]int
	slowest   time.Duration
}

func (s *statistics) tile(worker int, bright float64, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tiles++
	s.brightest = max(s.brightest, bright)
	s.perWorker[worker]++
	s.slowest = max(s.slowest, took)
}

// progress is what the display shows.
func (s *statistics) progress() (tiles int, brightest float64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tiles, s.brightest
}

// irradiance keeps the light that arrived at places of the scene, so that later samples can begin
// from it. All workers share it.
type irradiance struct {
	mu     sync.RWMutex
	cells  map[[3]int]*cell
	hits   int64
	misses int64
}

type cell struct {
	mu  sync.Mutex
	sum vec
	n   int
}

func (m *irradiance) cell(p vec) *cell {
	key := [3]int{int(math.Floor(p.x)), int(math.Floor(p.y)), int(math.Floor(p.z))}
	m.mu.RLock()
	c := m.cells[key]
	m.mu.RUnlock()
	if c != nil {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c = m.cells[key]; c == nil {
		c = &cell{}
		m.cells[key] = c
		m.misses++
	} else {
		m.hits++
	}
	return c
}

func (c *cell) note(l vec) {
	c.mu.Lock()
	c.sum = c.sum.add(l)
	c.n++
	c.mu.Unlock()
}

// renderer is a picture in the making.
type renderer struct {
	scene  *scene
	film   *film
	queue  *queue
	stats  *statistics
	light  *irradiance
	stop   atomic.Bool
	failed atomic.Pointer[string]
}

const (
	maxDepth = 4
	tileSize = 4
)

// trace is the light that comes along a ray.
func (r *renderer) trace(from ray, depth int, rnd *random) vec {
	r.stats.rays.Add(1)
	r.stats.bounces[depth].Add(1)
	h := hit{t: math.Inf(1)}
	if !r.scene.tree.meet(&from, &h) {
		return r.scene.sky
	}
	light := h.mat.emission
	if depth == maxDepth {
		return light
	}
	n := h.normal
	if n.dot(from.dir) > 0 {
		n = n.scale(-1)
	}
	colour := h.mat.colour
	if h.mat.texture != nil {
		colour = h.mat.texture.at(h.at.x, h.at.z)
	}
	if depth > 2 { // the path ends by chance
		p := colour.peak()
		if rnd.float() > p {
			return light
		}
		colour = colour.scale(1 / p)
	}
	switch {
	case h.mat.glass > 0:
		return light.add(colour.mul(r.trace(refract(&from, &h, rnd), depth+1, rnd)))
	case rnd.float() < h.mat.mirror:
		dir := from.dir.reflect(n).add(rnd.inBall().scale(h.mat.rough)).unit()
		return light.add(colour.mul(r.trace(newRay(h.at, dir), depth+1, rnd)))
	}
	direct := r.direct(h.at, n, rnd)
	next := newRay(h.at, rnd.cosine(n))
	around := r.trace(next, depth+1, rnd)
	if depth == 0 {
		r.light.cell(h.at).note(direct.add(around))
	}
	return light.add(colour.mul(direct.add(around)))
}

// refract is the ray that goes on in glass, or is reflected by it.
func refract(from *ray, h *hit, rnd *random) ray {
	n, ratio := h.normal, 1/h.mat.glass
	cos := -n.dot(from.dir)
	if cos < 0 {
		n, ratio, cos = n.scale(-1), h.mat.glass, -cos
	}
	k := 1 - ratio*ratio*(1-cos*cos)
	r0 := (1 - h.mat.glass) / (1 + h.mat.glass)
	r0 *= r0
	if k < 0 || rnd.float() < r0+(1-r0)*math.Pow(1-cos, 5) {
		return newRay(h.at, from.dir.reflect(n))
	}
	return newRay(h.at, from.dir.scale(ratio).add(n.scale(ratio*cos-math.Sqrt(k))).unit())
}

// direct is the light that comes straight from the lamps.
func (r *renderer) direct(at, n vec, rnd *random) (sum vec) {
	for _, l := range r.scene.lights {
		to := l.centre.add(rnd.inBall().scale(l.radius)).sub(at)
		d := to.length()
		to = to.scale(1 / d)
		cos := n.dot(to)
		if cos <= 0 {
			continue
		}
		r.stats.shadows.Add(1)
		h := hit{t: math.Inf(1)}
		shadow := newRay(at, to)
		if r.scene.tree.meet(&shadow, &h) && h.mat.emission.isBlack() {
			continue
		}
		area := l.radius * l.radius / (d * d)
		sum = sum.add(l.mat.emission.scale(cos * area))
	}
	return sum
}

// work renders tiles until there are none.
func (r *renderer) work(id int) {
	defer func() {
		if e := recover(); e != nil {
			text := "a worker failed"
			r.failed.CompareAndSwap(nil, &text)
			panic(e)
		}
	}()
	for !r.stop.Load() {
		t, ok := r.queue.take()
		if !ok {
			return
		}
		begin := time.Now()
		bright := r.tile(t)
		r.stats.tile(id, bright, time.Since(begin))
	}
}

// tile renders one tile and returns its greatest luminance.
func (r *renderer) tile(t tile) (bright float64) {
	rnd := newRandom(uint64(t.pass)<<40 | uint64(t.y0)<<20 | uint64(t.x0))
	w, h := float64(r.film.width), float64(r.film.height)
	for y := t.y0; y < t.y1; y++ {
		line := make([]vec, 0, t.x1-t.x0)
		for x := t.x0; x < t.x1; x++ {
			from := r.scene.camera.ray((float64(x)+rnd.float())/w, (float64(y)+rnd.float())/h, rnd)
			c := r.trace(from, 0, rnd)
			bright = max(bright, c.luminance())
			line = append(line, c)
		}
		r.film.add(t.x0, y, line, 1)
	}
	return bright
}
