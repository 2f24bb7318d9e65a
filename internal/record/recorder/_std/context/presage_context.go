package context

import "unsafe"

// presageMakes gives a context the channel of its Done, before somebody asks for it.
func presageMakes(c *cancelCtx) {
	d := make(chan struct{})
	c.done.Store(d)
	presageDone(unsafe.Pointer(c), d)
}

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
