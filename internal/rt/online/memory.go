package online

import "unsafe"

// Memory outside the program's heap, in powers of two, which is used again.

type ftClass struct {
	_         ftOff
	lock      uint32
	free      *ftSpare
	next, end uintptr // of the piece that is being given out
	_         [32]byte
}

type ftSpare struct {
	_    ftOff
	next *ftSpare
}

var ftClasses [40]ftClass

// ftMemory is what has been mapped, in bytes, but for the shadow.
var ftMemory uint64

func ftClassOf(n uintptr) (class int, size uintptr) {
	class, size = 4, 16
	for size < n {
		class, size = class+1, size*2
	}
	return class, size
}

const (
	ftPiece = 256 << 10
	ftSlack = 64 // behind a piece: who reads a crowd without a lock may read this far past what another has put in its place
)

// ftAlloc returns n bytes, all zero.
func ftAlloc(n uintptr) unsafe.Pointer {
	class, size := ftClassOf(n)
	c := &ftClasses[class]
	ftLock(&c.lock)
	if p := c.free; p != nil {
		c.free = p.next
		ftUnlock(&c.lock)
		ftClear(unsafe.Pointer(p), size)
		return unsafe.Pointer(p)
	}
	if c.end-c.next < size {
		piece := max(ftPiece, size)
		c.next = ftToInt(ftMap(piece + ftSlack))
		c.end = c.next + piece
		ftAdd64(&ftMemory, uint64(piece))
	}
	p := ftFromInt(c.next)
	c.next += size
	ftUnlock(&c.lock)
	return p
}

// ftFree gives back what ftAlloc(n) returned.
func ftFree(p unsafe.Pointer, n uintptr) {
	class, _ := ftClassOf(n)
	c := &ftClasses[class]
	s := (*ftSpare)(p)
	ftLock(&c.lock)
	s.next = c.free
	c.free = s
	ftUnlock(&c.lock)
}

func ftLock(l *uint32) {
	for i := 0; !ftCas32(l, 0, 1); i++ {
		ftYield(i)
	}
}

func ftUnlock(l *uint32) { ftStore32(l, 0) }
