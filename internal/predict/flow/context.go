package flow

import "github.com/presage-race/presage/internal/trace"

// Cancelled is what a function cancels that context.WithCancel has returned.
type Cancelled struct {
	Context
	Parent uint64 // the channel of the context that it was made from; 0: that is never cancelled
}

// A Context is a context of package context, with those that are cancelled with it.
type Context struct {
	Addr     uint64
	Done     uint64     // its channel
	By       trace.GoID // the goroutine that has made it, if it is cancelled with another one,
	Made     int64      // and the event that shows it
	Children []Context
}

// Each calls f for a context and all that are cancelled with it.
func (c *Context) Each(f func(*Context)) {
	f(c)
	for i := range c.Children {
		c.Children[i].Each(f)
	}
}
