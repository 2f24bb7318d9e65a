package main

import (
	"slices"
	"sync"
	"sync/atomic"
)

// node is a part of a hierarchy of boxes.
type node struct {
	box         box
	left, right *node
	shapes      []shape // of a leaf
	axis        int
}

// builder makes the hierarchy. Its upper levels are built by several goroutines.
type builder struct {
	wg sync.WaitGroup

	mu     sync.Mutex
	nodes  int
	leaves int
	depth  int // of the deepest leaf

	splits atomic.Int64
}

// most is the number of shapes of a leaf.
const most = 2

// parallel is the depth down to which a goroutine is started for each left half.
const parallel = 2

// build returns the hierarchy of shapes.
func (b *builder) build(shapes []shape, depth int) *node {
	n := &node{box: emptyBox()}
	for _, s := range shapes {
		n.box = n.box.join(s.bounds())
	}
	b.note(len(shapes) <= most, depth)
	if len(shapes) <= most {
		n.shapes = shapes
		return n
	}
	n.axis = n.box.longest()
	slices.SortStableFunc(shapes, func(x, y shape) int {
		p, q := x.bounds().centre().axis(n.axis), y.bounds().centre().axis(n.axis)
		switch {
		case p < q:
			return -1
		case p > q:
			return 1
		}
		return 0
	})
	half := b.split(shapes)
	if depth < parallel {
		b.wg.Add(1)
		done := make(chan *node, 1)
		go func() {
			defer b.wg.Done()
			done <- b.build(shapes[:half], depth+1)
		}()
		n.right = b.build(shapes[half:], depth+1)
		n.left = <-done
		return n
	}
	n.left, n.right = b.build(shapes[:half], depth+1), b.build(shapes[half:], depth+1)
	return n
}

// split is where sorted shapes are split: by the surfaces of the two boxes.
func (b *builder) split(shapes []shape) int {
	b.splits.Add(1)
	best, at := 0.0, len(shapes)/2
	right := make([]float64, len(shapes))
	all := emptyBox()
	for i := len(shapes) - 1; i > 0; i-- {
		all = all.join(shapes[i].bounds())
		right[i] = all.surface()
	}
	all = emptyBox()
	for i := 1; i < len(shapes); i++ {
		all = all.join(shapes[i-1].bounds())
		if cost := all.surface()*float64(i) + right[i]*float64(len(shapes)-i); best == 0 || cost < best {
			best, at = cost, i
		}
	}
	return at
}

func (b *builder) note(leaf bool, depth int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes++
	if leaf {
		b.leaves++
		b.depth = max(b.depth, depth)
	}
}

// meet finds what a ray meets first.
func (n *node) meet(r *ray, h *hit) bool {
	if !n.box.meets(r, h.t) {
		return false
	}
	if n.left == nil {
		found := false
		for _, s := range n.shapes {
			if s.meet(r, h.t, h) {
				found = true
			}
		}
		return found
	}
	first, second := n.left, n.right
	if r.dir.axis(n.axis) < 0 {
		first, second = second, first
	}
	found := first.meet(r, h)
	return second.meet(r, h) || found
}
