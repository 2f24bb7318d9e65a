package main

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// material is what a surface is made of.
type material struct {
	name     string
	colour   vec
	emission vec
	mirror   float64 // share of light that is reflected as by a mirror
	rough    float64 // of the mirror
	glass    float64 // refractive index; 0: opaque
	texture  *texture
}

// texture is a chequered pattern, computed when it is first used.
type texture struct {
	once  sync.Once
	size  int
	a, b  vec
	cells []vec
	used  int // how often it was computed
}

func (t *texture) build() {
	t.cells = make([]vec, t.size*t.size)
	for i := range t.cells {
		c := t.a
		if (i%t.size+i/t.size)%2 == 1 {
			c = t.b
		}
		t.cells[i] = c
	}
	t.used++
}

func (t *texture) at(u, v float64) vec {
	t.once.Do(t.build)
	i, j := int(math.Abs(u)*4)%t.size, int(math.Abs(v)*4)%t.size
	return t.cells[j*t.size+i]
}

// hit is where a ray meets a shape.
type hit struct {
	t      float64
	at     vec
	normal vec
	mat    *material
}

// shape is a surface.
type shape interface {
	bounds() box
	meet(r *ray, before float64, h *hit) bool
}

type sphere struct {
	centre vec
	radius float64
	mat    *material
}

func (s *sphere) bounds() box {
	r := vec{s.radius, s.radius, s.radius}
	return box{s.centre.sub(r), s.centre.add(r)}
}

func (s *sphere) meet(r *ray, before float64, h *hit) bool {
	v := r.from.sub(s.centre)
	b := v.dot(r.dir)
	disc := b*b - v.dot(v) + s.radius*s.radius
	if disc < 0 {
		return false
	}
	q := math.Sqrt(disc)
	t := -b - q
	if t < epsilon {
		t = -b + q
	}
	if t < epsilon || t >= before {
		return false
	}
	h.t, h.at, h.mat = t, r.at(t), s.mat
	h.normal = h.at.sub(s.centre).scale(1 / s.radius)
	return true
}

type triangle struct {
	a, e1, e2, n vec
	mat          *material
}

func newTriangle(a, b, c vec, mat *material) *triangle {
	e1, e2 := b.sub(a), c.sub(a)
	return &triangle{a, e1, e2, e1.cross(e2).unit(), mat}
}

func (t *triangle) bounds() box {
	b, c := t.a.add(t.e1), t.a.add(t.e2)
	low, high := t.a.min(b).min(c), t.a.max(b).max(c)
	margin := vec{epsilon, epsilon, epsilon}
	return box{low.sub(margin), high.add(margin)}
}

func (t *triangle) meet(r *ray, before float64, h *hit) bool {
	p := r.dir.cross(t.e2)
	det := t.e1.dot(p)
	if math.Abs(det) < epsilon*epsilon {
		return false
	}
	s := r.from.sub(t.a)
	u := s.dot(p) / det
	if u < 0 || u > 1 {
		return false
	}
	q := s.cross(t.e1)
	v := r.dir.dot(q) / det
	if v < 0 || u+v > 1 {
		return false
	}
	d := t.e2.dot(q) / det
	if d < epsilon || d >= before {
		return false
	}
	h.t, h.at, h.normal, h.mat = d, r.at(d), t.n, t.mat
	return true
}

// epsilon is the distance below which a ray meets nothing: the surface that it leaves.
const epsilon = 1e-6

// scene is what all workers share.
type scene struct {
	shapes    []shape
	materials map[string]*material
	lights    []*sphere
	camera    camera
	sky       vec
	tree      *node
}

// camera maps points of the picture to rays.
type camera struct {
	from, corner, across, down vec
	blur                       float64
}

func newCamera(from, to vec, angle, ratio, blur float64) camera {
	w := to.sub(from)
	d := w.length()
	w = w.unit()
	u := w.cross(vec{0, 1, 0}).unit()
	v := w.cross(u)
	h := 2 * d * math.Tan(angle*math.Pi/360)
	across, down := u.scale(h*ratio), v.scale(h)
	corner := from.add(w.scale(d)).sub(across.scale(0.5)).sub(down.scale(0.5))
	return camera{from, corner, across, down, blur}
}

func (c *camera) ray(x, y float64, r *random) ray {
	from := c.from
	if c.blur > 0 {
		from = from.add(r.inBall().scale(c.blur))
	}
	to := c.corner.add(c.across.scale(x)).add(c.down.scale(y))
	return newRay(from, to.sub(from).unit())
}

// parseScene reads a scene: a line for each thing in it.
func parseScene(text string, ratio float64) (*scene, error) {
	s := &scene{materials: make(map[string]*material)}
	in := bufio.NewScanner(strings.NewReader(text))
	for n := 1; in.Scan(); n++ {
		words := strings.Fields(in.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := s.line(words, ratio); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if len(s.shapes) == 0 {
		return nil, fmt.Errorf("the scene is empty")
	}
	return s, in.Err()
}

func (s *scene) line(words []string, ratio float64) error {
	kind, name := words[0], ""
	rest := words[1:]
	if kind == "material" || kind == "sphere" || kind == "triangle" || kind == "box" {
		if len(rest) == 0 {
			return fmt.Errorf("%s has no material", kind)
		}
		name, rest = rest[0], rest[1:]
	}
	f, err := numbers(rest)
	if err != nil {
		return err
	}
	want := map[string]int{"material": 10, "sphere": 4, "triangle": 9, "box": 6, "camera": 8, "sky": 3}[kind]
	if len(f) != want {
		return fmt.Errorf("%s has %d numbers, not %d", kind, len(f), want)
	}
	at := func(i int) vec { return vec{f[i], f[i+1], f[i+2]} }
	mat := s.materials[name]
	if kind != "material" && name != "" && mat == nil {
		return fmt.Errorf("there is no material %q", name)
	}
	switch kind {
	case "material":
		m := &material{name: name, colour: at(0), emission: at(3), mirror: f[6], rough: f[7], glass: f[8]}
		if f[9] > 0 {
			m.texture = &texture{size: int(f[9]), a: m.colour, b: m.colour.scale(0.2)}
		}
		s.materials[name] = m
	case "sphere":
		b := &sphere{at(0), f[3], mat}
		s.shapes = append(s.shapes, b)
		if !mat.emission.isBlack() {
			s.lights = append(s.lights, b)
		}
	case "triangle":
		s.shapes = append(s.shapes, newTriangle(at(0), at(3), at(6), mat))
	case "box":
		s.addBox(at(0), at(3), mat)
	case "camera":
		s.camera = newCamera(at(0), at(3), f[6], ratio, f[7])
	case "sky":
		s.sky = at(0)
	}
	return nil
}

func numbers(words []string) ([]float64, error) {
	var f []float64
	for _, w := range words {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, err
		}
		f = append(f, x)
	}
	return f, nil
}

// addBox adds the twelve triangles of a box.
func (s *scene) addBox(low, high vec, mat *material) {
	corner := func(i int) vec {
		c := low
		if i&1 != 0 {
			c.x = high.x
		}
		if i&2 != 0 {
			c.y = high.y
		}
		if i&4 != 0 {
			c.z = high.z
		}
		return c
	}
	for _, f := range [][4]int{{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}} {
		s.shapes = append(s.shapes, newTriangle(corner(f[0]), corner(f[1]), corner(f[2]), mat))
		s.shapes = append(s.shapes, newTriangle(corner(f[0]), corner(f[2]), corner(f[3]), mat))
	}
}

// defaultScene is a room with a few things.
func defaultScene() string {
	var b strings.Builder
	b.WriteString(`# name r g b  er eg eb  mirror rough glass texture
material floor 0.8 0.8 0.7  0 0 0  0 0 0 8
material red   0.7 0.2 0.2  0 0 0  0 0 0 0
material wall  0.6 0.6 0.8  0 0 0  0 0 0 4
material steel 0.9 0.9 0.9  0 0 0  0.9 0.1 0 0
material glass 1 1 1  0 0 0  0 0 1.5 0
material lamp  1 1 1  12 11 10  0 0 0 0
camera 0 2.2 -7  0 1 0  45 0.02
sky 0.3 0.4 0.5
box floor -6 -0.1 -6  6 0 6
box wall -6 0 5.9  6 5 6
sphere lamp -2 4.5 -1 0.7
sphere lamp 3 4 -2 0.5
`)
	for i := range 12 {
		a := float64(i) * math.Pi / 6
		fmt.Fprintf(&b, "sphere %s %.3f %.3f %.3f %.3f\n", []string{"red", "steel", "glass", "wall"}[i%4], 2.4*math.Cos(a), 0.45, 2.4*math.Sin(a), 0.45)
	}
	b.WriteString("box steel -0.6 0 -0.6  0.6 1.4 0.6\n")
	return b.String()
}
