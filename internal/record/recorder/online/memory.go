package online

import "unsafe"

// The detector's own memory, in powers of two, outside the program's heap. Each processor has free
// lists of its own, and exchanges batches with the others: memory freed on one processor and used
// on another would move its cache lines, and so would a common lock.

// ftClass is the free memory of one size of a processor.
type ftClass struct {
	_         ftOff
	lock      uint32
	n         uint32   // of free
	free      *ftSpare // a batch at most
	full      *ftSpare // a batch, or none
	next, end uintptr  // of the piece that is being given out
	_         [24]byte
}

// ftStore is the batches of one size that processors have no need of.
type ftStore struct {
	_    ftOff
	lock uint32
	list *ftSpare
	_    [48]byte
}

type ftSpare struct {
	_    ftOff
	next *ftSpare // of a batch
	more *ftSpare // the next batch
}

var (
	ftClasses [ftMaxParts][40]ftClass
	ftStores  [40]ftStore
)

// ftMemory is the number of bytes mapped, without the shadow.
var ftMemory uint64

// ftObjectClass is the class of ftObjects alone. Their memory is never reused for another type, so
// a kept address of a forgotten object still refers to an object, with another key.
const ftObjectClass = 0

func ftClassOf(n uintptr) (class int, size uintptr) {
	class, size = 4, 16
	for size < n {
		class, size = class+1, size*2
	}
	return class, size
}

const (
	ftPiece = 256 << 10
	// after a piece: a reader of a history without a lock may read this far past the object that
	// has replaced it
	ftSlack = 64
	ftBatch = 4 << 10 // bytes
)

// ftAlloc returns n bytes, all zero.
func ftAlloc(n uintptr) unsafe.Pointer { return ftTakeOf(ftClassOf(n)) }

// ftTakeOf returns size bytes, all zero, of a class of such.
func ftTakeOf(class int, size uintptr) unsafe.Pointer {
	c := &ftClasses[ftHere()%ftMaxParts][class]
	ftLock(&c.lock)
	if c.free == nil && c.full == nil && c.end-c.next < size {
		c.fill(class, size)
	}
	if c.free == nil && c.full != nil {
		c.free, c.n, c.full = c.full, uint32(max(ftBatch/size, 1)), nil
	}
	p, used := ftFromInt(c.next), false
	if s := c.free; s != nil {
		c.free = s.next
		c.n--
		p, used = unsafe.Pointer(s), true
	} else {
		c.next += size
	}
	ftUnlock(&c.lock)
	if used {
		ftClear(p, size)
	}
	return p
}

// fill fetches a batch, or a new piece.
func (c *ftClass) fill(class int, size uintptr) {
	s := &ftStores[class]
	ftLock(&s.lock)
	c.full = s.list
	if c.full != nil {
		s.list = c.full.more
	}
	ftUnlock(&s.lock)
	if c.full != nil {
		return
	}
	piece := max(ftPiece, size)
	c.next = ftToInt(ftMap(piece + ftSlack))
	c.end = c.next + piece
	ftAdd64(&ftMemory, uint64(piece))
}

// ftFree frees memory that ftAlloc(n) returned.
func ftFree(p unsafe.Pointer, n uintptr) {
	class, size := ftClassOf(n)
	ftGiveTo(class, size, p)
}

// ftGiveTo frees memory that ftTakeOf returned.
func ftGiveTo(class int, size uintptr, p unsafe.Pointer) {
	c := &ftClasses[ftHere()%ftMaxParts][class]
	ftLock(&c.lock)
	if uintptr(c.n)*size >= ftBatch {
		if c.full != nil {
			c.spill(class)
		}
		c.full, c.free, c.n = c.free, nil, 0
	}
	s := (*ftSpare)(p)
	s.next = c.free
	c.free = s
	c.n++
	ftUnlock(&c.lock)
}

// spill gives a batch away.
func (c *ftClass) spill(class int) {
	s := &ftStores[class]
	ftLock(&s.lock)
	c.full.more = s.list
	s.list = c.full
	ftUnlock(&s.lock)
}

func ftLock(l *uint32) {
	for i := 0; !ftCas32(l, 0, 1); i++ {
		ftYield(i)
	}
}

func ftUnlock(l *uint32) { ftStore32(l, 0) }
