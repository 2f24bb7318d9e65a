package main

import "math"

// vec is a point, a direction or a colour.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec       { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec       { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(b vec) vec       { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) scale(f float64) vec { return vec{a.x * f, a.y * f, a.z * f} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) length() float64     { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec           { return a.scale(1 / a.length()) }
func (a vec) peak() float64       { return max(a.x, a.y, a.z) }
func (a vec) reflect(n vec) vec   { return a.sub(n.scale(2 * a.dot(n))) }
func (a vec) axis(i int) float64  { return [3]float64{a.x, a.y, a.z}[i] }
func (a vec) luminance() float64  { return 0.2126*a.x + 0.7152*a.y + 0.0722*a.z }
func (a vec) isBlack() bool       { return a.x <= 0 && a.y <= 0 && a.z <= 0 }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func (a vec) min(b vec) vec { return vec{min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)} }
func (a vec) max(b vec) vec { return vec{max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)} }

// frame returns two directions that are orthogonal to n and to each other.
func (n vec) frame() (u, v vec) {
	if math.Abs(n.x) > 0.9 {
		u = vec{0, 1, 0}
	} else {
		u = vec{1, 0, 0}
	}
	u = u.cross(n).unit()
	return u, n.cross(u)
}

// ray is a half-line. inverse has the reciprocals of its direction.
type ray struct{ from, dir, inverse vec }

func newRay(from, dir vec) ray {
	return ray{from, dir, vec{1 / dir.x, 1 / dir.y, 1 / dir.z}}
}

func (r *ray) at(t float64) vec { return r.from.add(r.dir.scale(t)) }

// box is a box along the axes.
type box struct{ low, high vec }

func emptyBox() box {
	inf := math.Inf(1)
	return box{vec{inf, inf, inf}, vec{-inf, -inf, -inf}}
}

func (b box) join(c box) box   { return box{b.low.min(c.low), b.high.max(c.high)} }
func (b box) centre() vec      { return b.low.add(b.high).scale(0.5) }
func (b box) size() vec        { return b.high.sub(b.low) }
func (b box) surface() float64 { s := b.size(); return 2 * (s.x*s.y + s.y*s.z + s.z*s.x) }

// longest is the axis along which the box is longest.
func (b box) longest() int {
	s := b.size()
	switch {
	case s.x >= s.y && s.x >= s.z:
		return 0
	case s.y >= s.z:
		return 1
	}
	return 2
}

// meets reports whether a ray meets the box before a distance.
func (b *box) meets(r *ray, before float64) bool {
	t0, t1 := 0.0, before
	x0, x1 := (b.low.x-r.from.x)*r.inverse.x, (b.high.x-r.from.x)*r.inverse.x
	t0, t1 = max(t0, min(x0, x1)), min(t1, max(x0, x1))
	y0, y1 := (b.low.y-r.from.y)*r.inverse.y, (b.high.y-r.from.y)*r.inverse.y
	t0, t1 = max(t0, min(y0, y1)), min(t1, max(y0, y1))
	z0, z1 := (b.low.z-r.from.z)*r.inverse.z, (b.high.z-r.from.z)*r.inverse.z
	t0, t1 = max(t0, min(z0, z1)), min(t1, max(z0, z1))
	return t0 <= t1
}

// random is a small generator; each tile has its own, so that a picture does not depend on the
// schedule.
type random struct{ state uint64 }

func newRandom(seed uint64) *random { return &random{seed*0x9e3779b97f4a7c15 + 1} }

func (r *random) next() uint64 {
	r.state ^= r.state << 13
	r.state ^= r.state >> 7
	r.state ^= r.state << 17
	return r.state
}

func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// cosine is a direction about n, by Lambert's law.
func (r *random) cosine(n vec) vec {
	u, v := n.frame()
	a, s := 2*math.Pi*r.float(), r.float()
	q := math.Sqrt(s)
	return u.scale(q * math.Cos(a)).add(v.scale(q * math.Sin(a))).add(n.scale(math.Sqrt(1 - s))).unit()
}

// inBall is a point in the ball of radius 1.
func (r *random) inBall() vec {
	for {
		p := vec{2*r.float() - 1, 2*r.float() - 1, 2*r.float() - 1}
		if p.dot(p) < 1 {
			return p
		}
	}
}
