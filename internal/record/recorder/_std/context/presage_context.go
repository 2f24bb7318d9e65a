package context

import "unsafe"

// A context that can be cancelled has the channel of its Done before somebody asks for it
// (cancelCtx.presage), so that its record has it from the beginning. In a bubble of package
// testing/synctest, a channel belongs to the bubble in which it is made. So a context that is made
// in a bubble has no such channel, and where the first one to ask for it is in a bubble, Done makes
// one, as in plain Go.
//
// The field presage is not in plain Go, so accesses of it have no records, nor what these functions
// read besides: none of them is instrumented (norace).

// presageMakes gives a context its channel, and records whose child it is. That of AfterFunc has
// none: to cancel it does more than to close a channel.
//
//go:norace
func presageMakes(c *cancelCtx, child canceler) {
	if _, calls := child.(*afterFuncCtx); !calls && !presageInBubble() {
		c.presage = make(chan struct{})
		presageDone(unsafe.Pointer(c), c.presage)
	}
	if p := presageCancelCtx(c.Context); p != nil {
		presageContext(unsafe.Pointer(p), unsafe.Pointer(c))
	}
}

// presageJoins records that a context is a child of p, if it is so by way of a context of another
// package.
//
//go:norace
func presageJoins(c, p *cancelCtx) {
	if presageCancelCtx(c.Context) == nil {
		presageContext(unsafe.Pointer(p), unsafe.Pointer(c))
	}
}

// presageCancelCtx returns the context that a context with values has been made from, nil if that
// cannot be cancelled, or is of another package.
//
//go:norace
func presageCancelCtx(ctx Context) *cancelCtx {
	for {
		switch x := ctx.(type) {
		case *cancelCtx:
			return x
		case *timerCtx:
			return &x.cancelCtx
		case *valueCtx:
			ctx = x.Context
		default:
			return nil
		}
	}
}

// presageOwn reports whether a context is of this package, up to the nearest one that can be
// cancelled.
//
//go:norace
func presageOwn(ctx Context) bool {
	for {
		switch x := ctx.(type) {
		case *cancelCtx, *timerCtx, backgroundCtx, todoCtx, withoutCancelCtx:
			return true
		case *valueCtx:
			ctx = x.Context
		default:
			return false
		}
	}
}

// presageAsked returns the channel that Done returns if the context has one from the beginning, or
// nil for Done to go on as in plain Go. What is done here to c.done has no records: it does not
// matter who asks first.
//
//go:norace
func (c *cancelCtx) presageAsked() <-chan struct{} {
	if c.presage == nil {
		return nil
	}
	presageMute(1)
	d := c.done.Load()
	if d == nil && !presageInBubble() {
		c.done.CompareAndSwap(nil, c.presage)
		d = c.done.Load()
	}
	presageMute(-1)
	if d == nil {
		return nil
	}
	return d.(chan struct{})
}

// presageClose returns the channel that a context that is being cancelled has to close, or nil if
// Done has not been called and c.done is to be a closed channel. It closes the one from the
// beginning.
//
//go:norace
func (c *cancelCtx) presageClose() (done chan struct{}) {
	if c.presage == nil {
		done, _ = c.done.Load().(chan struct{})
		return done
	}
	presageMute(1)
	if c.done.CompareAndSwap(nil, c.presage) {
		done = c.presage
	} else {
		done = c.done.Load().(chan struct{})
	}
	presageMute(-1)
	if done != c.presage {
		close(c.presage)
	}
	return done
}

// presageErr ends an Err that has found no error.
//
//go:norace
func (c *cancelCtx) presageErr() error {
	if c.presage != nil {
		select {
		case <-c.presage:
			return c.Err() // it has been cancelled in between
		default:
		}
	}
	return nil
}

// presageCancels records which context a function cancels. Of one without its own channel, no Err
// that returns nil is recorded, so what its cancel function does is not known either. That of one
// with a parent of another package calls methods of the parent.
//
//go:norace
func presageCancels(c *cancelCtx, cancel func()) CancelFunc {
	if c.presage != nil && presageOwn(c.Context) {
		presageContext(*(*unsafe.Pointer)(unsafe.Pointer(&cancel)), unsafe.Pointer(c))
	}
	return cancel
}

// presageDerives records the channel of a context with a value, which is that of its parent.
//
//go:norace
func presageDerives(c *valueCtx) *valueCtx {
	if p := presageCancelCtx(c); p != nil && p.presage != nil {
		presageDone(unsafe.Pointer(c), p.presage)
	}
	return c
}

// presageInBubble reports whether the running goroutine is in a bubble.
//
//go:linkname presageInBubble
func presageInBubble() bool

// presageMute turns records of synchronisation off (1) and on again (-1).
//
//go:linkname presageMute
func presageMute(d int32)

// presageContext records that the function at an address cancels a context, or that the context
// there has a child.
//
//go:linkname presageContext
//go:noescape
func presageContext(of, is unsafe.Pointer)

// presageDone records that Done of the context at an address returns a channel.
//
//go:linkname presageDone
//go:noescape
func presageDone(ctx unsafe.Pointer, done <-chan struct{})
