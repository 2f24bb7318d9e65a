package online

import "unsafe"

// ftVC is a vector clock by slot: a tree of components that clocks share where they agree, and a
// few components beside it, so that one of many slots can be raised without a copy of the path to
// it. What is in neither is zero.
type ftVC struct {
	_      ftOff
	root   *ftNode // nil: zeros
	height uint32  // of root: 0, a leaf
	n      uint32  // of more
	more   [3]ftComponent
}

type ftComponent struct{ slot, clock uint32 }

// ftNode is an inner node. It is changed only by the one clock that has it alone, and all above
// it.
type ftNode struct {
	_    ftOff
	refs uint32
	kids [ftKids]*ftNode // of the last level: leaves
}

// ftLeaf is 64 components; refs has the place of the first, which is no slot. It begins as a
// ftNode does.
type ftLeaf struct {
	_      ftOff
	refs   uint32
	clocks [ftLeafSlots - 1]uint32
}

const (
	ftLeafSlots = 64
	ftKids      = 31 // a node is of 256 bytes, as a leaf is
	ftMaxHeight = 2
	ftMaxSlots  = ftLeafSlots * ftKids * ftKids // so the last of 1<<16 are not slots
)

func (n *ftNode) leaf() *ftLeaf { return (*ftLeaf)(unsafe.Pointer(n)) }

// get returns a component.
func (v *ftVC) get(slot uint32) uint32 {
	c := ftAt(v.root, v.height, slot)
	for i := uint32(0); i < v.n; i++ {
		if e := &v.more[i]; e.slot == slot {
			c = max(c, e.clock)
		}
	}
	return c
}

// ftAt returns a component of a tree.
func ftAt(n *ftNode, height, slot uint32) uint32 {
	i := slot / ftLeafSlots
	switch {
	case n == nil:
		return 0
	case height == 0:
		if i != 0 {
			return 0
		}
	case height == 1:
		if i >= ftKids {
			return 0
		}
		n = n.kids[i]
	default:
		if n = n.kids[i/ftKids]; n != nil {
			n = n.kids[i%ftKids]
		}
	}
	if n == nil {
		return 0
	}
	return n.leaf().clocks[slot%ftLeafSlots-1]
}

// empty reports whether nothing was ever put into v.
func (v *ftVC) empty() bool { return v.root == nil && v.n == 0 }

// set raises a component to clock.
func (v *ftVC) set(slot, clock uint32) {
	if v.height == 0 && slot < ftLeafSlots {
		if v.root != nil && v.root.alone() {
			c := v.root.clock(slot)
			*c = max(*c, clock)
			return
		}
		v.root = ftRaise(v.root, 0, slot, clock)
		return
	}
	for i := uint32(0); i < v.n; i++ {
		if e := &v.more[i]; e.slot == slot {
			e.clock = max(e.clock, clock)
			return
		}
	}
	if ftAt(v.root, v.height, slot) >= clock {
		return
	}
	if v.n == uint32(len(v.more)) {
		v.settle()
	}
	v.more[v.n] = ftComponent{slot, clock}
	v.n++
}

// settle takes the components beside the tree into it.
func (v *ftVC) settle() {
	for i := uint32(0); i < v.n; i++ {
		e := v.more[i]
		for v.height < ftMaxHeight && e.slot >= ftLeafSlots*ftWidth(v.height) {
			if v.root != nil {
				top := ftNewNode()
				top.kids[0] = v.root
				v.root = top
			}
			v.height++
		}
		if ftAt(v.root, v.height, e.slot) < e.clock {
			v.root = ftRaise(v.root, v.height, e.slot, e.clock)
		}
	}
	v.n = 0
}

// ftWidth is the leaves of a tree of a height.
func ftWidth(height uint32) uint32 {
	switch height {
	case 0:
		return 1
	case 1:
		return ftKids
	}
	return ftKids * ftKids
}

// ftRaise returns n, which it uses up, with a component raised.
func ftRaise(n *ftNode, height, slot, clock uint32) *ftNode {
	if height == 0 {
		k := slot%ftLeafSlots - 1
		switch {
		case n == nil:
			n = ftNewNode()
		case n.leaf().clocks[k] >= clock:
			return n
		case ftLoad32(&n.refs) != 1:
			n = ftCopyLeaf(n)
		}
		n.leaf().clocks[k] = clock
		return n
	}
	switch {
	case n == nil:
		n = ftNewNode()
	case ftLoad32(&n.refs) != 1:
		c := ftCopyNode(n)
		n.drop(height)
		n = c
	}
	p := &n.kids[slot/ftLeafSlots/ftWidth(height-1)%ftKids]
	*p = ftRaise(*p, height-1, slot, clock)
	return n
}

// share makes v the same as w.
func (v *ftVC) share(w *ftVC) {
	if n := v.few(w); n != 0 {
		v.root.pairs().copy(w.root.pairs(), n)
	} else if v.root != w.root {
		w.root.keep()
		v.root.drop(v.height)
		v.root = w.root
	}
	if v.height, v.n = w.height, w.n; w.n != 0 {
		v.more = w.more
	}
}

// swap exchanges v and w.
func (v *ftVC) swap(w *ftVC) {
	v.root, w.root = w.root, v.root
	if v.n|w.n != 0 {
		v.more, w.more = w.more, v.more
	}
	v.height, v.n, w.height, w.n = w.height, w.n, v.height, v.n
}

// join raises v to the component-wise maximum of v and w.
func (v *ftVC) join(w *ftVC) {
	if n := v.few(w); n != 0 {
		v.root.pairs().raise(w.root.pairs(), n)
	} else if v.root != w.root {
		h := max(v.height, w.height)
		if a := v.root; h == 0 && a != nil && w.root != nil {
			v.root = ftJoinLeaf(a, w.root, ftPairsTaken())
		} else {
			v.root = ftMax(a, v.height, w.root, w.height)
			a.drop(v.height)
		}
		v.height = h
	}
	for i := uint32(0); i < w.n; i++ {
		v.set(w.more[i].slot, w.more[i].clock)
	}
}

// ftPairs is the components of a leaf two by two, so that two are compared at a time: a clock is
// less than 1<<31. The first has refs.
type ftPairs [ftLeafSlots / 2]uint64

func (n *ftNode) pairs() *ftPairs { return (*ftPairs)(unsafe.Pointer(n)) }

const ftTops = 1<<63 | 1<<31 // the bits above the clocks of a pair

// ftJoinLeaf returns a, which it uses up, raised to the maximum of it and b: one of the two if that
// is it. The first n pairs are in use.
func ftJoinLeaf(a, b *ftNode, n uint32) *ftNode {
	x, y := a.pairs(), b.pairs()
	more, less := ftLess(x[0]>>32, y[0]>>32), ftLess(y[0]>>32, x[0]>>32)
	for k := uint32(1); k < n; k++ {
		more |= ftLess(x[k], y[k])
		less |= ftLess(y[k], x[k])
	}
	switch {
	case more == 0:
		return a
	case less == 0:
		b.keep()
		a.drop(0)
		return b
	case ftLoad32(&a.refs) != 1:
		a = ftCopyLeaf(a)
		x = a.pairs()
	}
	first := &a.leaf().clocks[0]
	*first = max(*first, b.leaf().clocks[0])
	for k := uint32(1); k < n; k++ {
		x[k] = ftMaxPair(x[k], y[k])
	}
	return a
}

// ftLess returns the tops of those of a pair that are less than those of another.
func ftLess(x, y uint64) uint64 { return ^((x | ftTops) - y) & ftTops }

// ftMax returns the maximum of two trees: one of the two if that is it, and so with each part. A
// tree that is lower stands for one with it on the left.
func ftMax(a *ftNode, ha uint32, b *ftNode, hb uint32) *ftNode {
	switch {
	case ha < hb:
		return ftMax(b, hb, a, ha)
	case b == nil || a == b:
		a.keep()
		return a
	case a == nil && ha == hb:
		b.keep()
		return b
	case ha == 0:
		a.keep()
		return ftJoinLeaf(a, b, ftLeafSlots/2)
	}
	c := a // or a copy, from the first kid on that is another one
	whole := ha == hb
	for k := range ftKids {
		var x, y *ftNode
		if a != nil {
			x = a.kids[k]
		}
		h := ha - 1
		if ha == hb {
			y = b.kids[k]
		} else if k == 0 {
			y, h = b, hb
		}
		m := ftMax(x, ha-1, y, h)
		whole = whole && m == y
		if m == x {
			m.drop(ha - 1)
			continue
		}
		if c == a {
			c = ftCopyNode(a)
		}
		c.kids[k].drop(ha - 1)
		c.kids[k] = m
	}
	switch {
	case whole:
		if c != a {
			c.drop(ha)
		}
		b.keep()
		return b
	case c == a:
		a.keep()
	}
	return c
}

// clear makes v zero and gives back what it has.
func (v *ftVC) clear() {
	v.root.drop(v.height)
	v.root, v.height, v.n = nil, 0, 0
}

func ftNewNode() *ftNode {
	n := (*ftNode)(ftAlloc(unsafe.Sizeof(ftNode{})))
	n.refs = 1
	return n
}

// ftCopyNode returns a copy of a node, or a new one.
func ftCopyNode(n *ftNode) *ftNode {
	c := ftNewNode()
	if n != nil {
		c.kids = n.kids
		for _, k := range c.kids {
			k.keep()
		}
	}
	return c
}

// ftCopyLeaf returns a copy of a leaf, which it uses up.
func ftCopyLeaf(n *ftNode) *ftNode {
	c := ftNewNode()
	c.leaf().clocks = n.leaf().clocks
	n.drop(0)
	return c
}

func (n *ftNode) keep() {
	if n != nil {
		ftAdd32(&n.refs, 1)
	}
}

func (n *ftNode) drop(height uint32) {
	if n == nil || ftAdd32(&n.refs, -1) != 0 {
		return
	}
	if height > 0 {
		for _, k := range n.kids {
			k.drop(height - 1)
		}
	}
	ftFree(unsafe.Pointer(n), unsafe.Sizeof(ftNode{}))
}
