package context

import "unsafe"

// presageMakes gives a context the channel of its Done, before somebody asks for it.
func presageMakes(c *cancelCtx) {
	d := make(chan struct{})
	presageMute(1) // it is part of making the context
	c.done.Store(d)
	presageMute(-1)
	presageDone(unsafe.Pointer(c), d)
	for p := c.Context; ; {
		switch x := p.(type) {
		case *cancelCtx:
			presageContext(unsafe.Pointer(x), unsafe.Pointer(c))
		case *timerCtx:
			presageContext(unsafe.Pointer(x), unsafe.Pointer(c))
		case *valueCtx:
			p = x.Context
			continue
		}
		return
	}
}

// presageErr ends an Err that has found no error.
func (c *cancelCtx) presageErr() error {
	select {
	case <-c.Done():
		return c.Err() // it has been cancelled in between
	default:
		return nil
	}
}

// presageCancels records which context a function cancels.
func presageCancels(c *cancelCtx, cancel func()) CancelFunc {
	presageContext(*(*unsafe.Pointer)(unsafe.Pointer(&cancel)), unsafe.Pointer(c))
	return cancel
}

// presageContext records that the function at an address cancels a context, or that the context
// there has a child.
//
//go:linkname presageContext
//go:noescape
func presageContext(of, is unsafe.Pointer)

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

// presageMute turns records of synchronisation off (1) and on again (-1).
//
//go:linkname presageMute
func presageMute(d int32)

// presageDone records that Done of the context at an address returns a channel.
//
//go:linkname presageDone
//go:noescape
func presageDone(ctx unsafe.Pointer, done <-chan struct{})
