package online

import "unsafe"

// A ftBlock is 64 components of a vector clock. It is shared by the clocks that agree on them, and
// changed only by the one clock that has it alone.
type ftBlock struct {
	_      ftOff
	refs   uint32
	clocks [ftBlockSlots]uint32
}

const (
	ftBlockSlots = 64
	ftMaxBlocks  = ftMaxSlots / ftBlockSlots
	ftInline     = 4
)

// A ftVC is a vector clock by slot. What lies past its end is zero.
type ftVC struct {
	_   ftOff
	n   uint32 // blocks; nil: zeros
	cap uint32 // of more, 0: the blocks are in first
	own [ftInline]*ftBlock
	top *ftBlocks
}

type ftBlocks struct {
	_    ftOff
	list [ftMaxBlocks]*ftBlock
}

func (v *ftVC) blocks() *ftBlocks {
	if v.cap == 0 {
		return (*ftBlocks)(unsafe.Pointer(&v.own))
	}
	return v.top
}

// get returns a component.
func (v *ftVC) get(slot uint32) uint32 {
	i := slot / ftBlockSlots
	if i >= v.n {
		return 0
	}
	if b := v.blocks().list[i]; b != nil {
		return b.clocks[slot%ftBlockSlots]
	}
	return 0
}

// grow makes room for n blocks.
func (v *ftVC) grow(n uint32) {
	if n <= v.n {
		return
	}
	if n > max(v.cap, ftInline) {
		c := max(v.cap, 2*ftInline)
		for c < n {
			c *= 2
		}
		top := (*ftBlocks)(ftAlloc(uintptr(c) * 8))
		old := v.blocks()
		for i := uint32(0); i < v.n; i++ {
			top.list[i], old.list[i] = old.list[i], nil
		}
		v.freeTop()
		v.top, v.cap = top, c
	}
	v.n = n
}

func (v *ftVC) freeTop() {
	if v.cap != 0 {
		ftFree(unsafe.Pointer(v.top), uintptr(v.cap)*8)
		v.top, v.cap = nil, 0
	}
}

// set raises a component to clock.
func (v *ftVC) set(slot, clock uint32) {
	i, k := slot/ftBlockSlots, slot%ftBlockSlots
	v.grow(i + 1)
	p := &v.blocks().list[i]
	b := *p
	switch {
	case b == nil:
		b = ftNewBlock()
	case b.clocks[k] >= clock:
		return
	case ftLoad32(&b.refs) != 1:
		c := ftNewBlock()
		c.clocks = b.clocks
		b.drop()
		b = c
	}
	b.clocks[k] = clock
	*p = b
}

// share makes v the same as w.
func (v *ftVC) share(w *ftVC) {
	v.grow(w.n)
	vb, wb := &v.blocks().list, &w.blocks().list
	for i := uint32(0); i < v.n; i++ {
		var b *ftBlock
		if i < w.n {
			b = wb[i]
		}
		if a := vb[i]; a != b {
			b.keep()
			vb[i] = b
			a.drop()
		}
	}
	v.n = w.n
}

// join raises v to the component-wise maximum of v and w.
func (v *ftVC) join(w *ftVC) {
	v.grow(w.n)
	vb, wb := &v.blocks().list, &w.blocks().list
	for i := uint32(0); i < w.n; i++ {
		if b := wb[i]; b != vb[i] && b != nil {
			ftJoinBlock(&vb[i], b, min(ftBlockSlots, ftLoad32(&ftSlots.n)-i*ftBlockSlots))
		}
	}
}

// ftJoinBlock raises *p to the maximum of it and b: one of the two if that is it. The first n components are in use.
func ftJoinBlock(p **ftBlock, b *ftBlock, n uint32) {
	a := *p
	if a == nil {
		b.keep()
		*p = b
		return
	}
	more, less := false, false
	for k := range n {
		more = more || b.clocks[k] > a.clocks[k]
		less = less || b.clocks[k] < a.clocks[k]
	}
	switch {
	case !more:
		return
	case !less:
		b.keep()
		*p = b
		a.drop()
		return
	case ftLoad32(&a.refs) != 1:
		c := ftNewBlock()
		c.clocks = a.clocks
		a.drop()
		*p, a = c, c
	}
	for k := range n {
		a.clocks[k] = max(a.clocks[k], b.clocks[k])
	}
}

// clear makes v zero and gives back what it has.
func (v *ftVC) clear() {
	vb := &v.blocks().list
	for i := uint32(0); i < v.n; i++ {
		vb[i].drop()
		vb[i] = nil
	}
	v.freeTop()
	v.n = 0
}

func ftNewBlock() *ftBlock {
	b := (*ftBlock)(ftAlloc(unsafe.Sizeof(ftBlock{})))
	b.refs = 1
	return b
}

func (b *ftBlock) keep() {
	if b != nil {
		ftAdd32(&b.refs, 1)
	}
}

func (b *ftBlock) drop() {
	if b != nil && ftAdd32(&b.refs, -1) == 0 {
		ftFree(unsafe.Pointer(b), unsafe.Sizeof(ftBlock{}))
	}
}
