package context

import "unsafe"

// presageMakes gives a context the channel of its Done, before somebody asks for it.
func presageMakes(c *cancelCtx) {
	d := make(chan struct{})
	c.done.Store(d)
	presageDone(unsafe.Pointer(c), d)
	for p := c.Context; ; {
		switch x := p.(type) {
		case *cancelCtx:
			presageContext(unsafe.Pointer(x), presageChild, unsafe.Pointer(c))
		case *timerCtx:
			presageContext(unsafe.Pointer(x), presageChild, unsafe.Pointer(c))
		case *valueCtx:
			p = x.Context
			continue
		}
		return
	}
}

// What presageContext records at an address.
const (
	presageCancel = 0 // at a function: the context that it cancels
	presageError  = 0 // at a context: its error
	presageChild  = 8 // and a child
)

// presageCancels records which context a function cancels.
func presageCancels(c *cancelCtx, cancel func()) CancelFunc {
	presageContext(*(*unsafe.Pointer)(unsafe.Pointer(&cancel)), presageCancel, unsafe.Pointer(c))
	presageContext(unsafe.Pointer(c), presageError, unsafe.Pointer(&c.err))
	return cancel
}

// presageContext records that something of the context or function at an address is at another.
//
//go:linkname presageContext
//go:noescape
func presageContext(of unsafe.Pointer, what uintptr, at unsafe.Pointer)

// presageDerives records the channel of a context with a value, which is that of its parent.
func presageDerives(c *valueCtx) *valueCtx {
	for p := c.Context; ; {
		switch x := p.(type) {
		case *cancelCtx:
			presageDone(unsafe.Pointer(c), x.Done())
		case *timerCtx:
			presageDone(unsafe.Pointer(c), x.Done())
		case backgroundCtx, todoCtx, withoutCancelCtx:
			presageDone(unsafe.Pointer(c), nil)
		case *valueCtx:
			p = x.Context
			continue
		}
		return c
	}
}

// presageDone records that Done of the context at an address returns a channel.
//
//go:linkname presageDone
//go:noescape
func presageDone(ctx unsafe.Pointer, done <-chan struct{})
