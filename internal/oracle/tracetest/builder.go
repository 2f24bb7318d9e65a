package tracetest

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Builder makes event slices for tests that compute their traces. A fixed trace is easier to read
// in the text form of package raw.
//
//	var b tracetest.Builder
//	b.Go(1, 2).Write(1, 8, 5).Lock(2, 16).Read(2, 8, 5).Unlock(2, 16)
//
// Every event has a site of its own, its number in the trace plus one.
type Builder struct{ Events []trace.Event }

// Add appends e, with the next site if it has none.
func (b *Builder) Add(e trace.Event) *Builder {
	if e.Site == 0 {
		e.Site = trace.Site(len(b.Events) + 1)
	}
	b.Events = append(b.Events, e)
	return b
}

func (b *Builder) op(k format.Kind, g trace.GoID, obj trace.Addr) *Builder {
	return b.Add(trace.Event{Kind: k, G: g, Obj: obj})
}

// Read, Write, AtomicRead, AtomicWrite and RMW access the 8 bytes at x.
func (b *Builder) Read(g trace.GoID, x trace.Addr, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.Read, G: g, Obj: x, Size: 8, Val: v})
}

func (b *Builder) Write(g trace.GoID, x trace.Addr, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.Write, G: g, Obj: x, Size: 8, Val: v})
}

func (b *Builder) AtomicRead(g trace.GoID, x trace.Addr, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.AtomicRead, G: g, Obj: x, Size: 8, Val: v})
}

func (b *Builder) AtomicWrite(g trace.GoID, x trace.Addr, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.AtomicWrite, G: g, Obj: x, Size: 8, Val: v})
}

func (b *Builder) RMW(g trace.GoID, x trace.Addr, old, new uint64) *Builder {
	return b.Add(trace.Event{Kind: format.AtomicRMW, G: g, Obj: x, Size: 8, Val: old, Aux: new})
}

// Lock and Unlock take and free l; RLock and RUnlock in the shared mode.
func (b *Builder) Lock(g trace.GoID, l trace.Addr) *Builder   { return b.op(format.Lock, g, l) }
func (b *Builder) Unlock(g trace.GoID, l trace.Addr) *Builder { return b.op(format.Unlock, g, l) }

func (b *Builder) RLock(g trace.GoID, l trace.Addr) *Builder {
	return b.Add(trace.Event{Kind: format.Lock, Flags: format.FlagRead, G: g, Obj: l})
}

func (b *Builder) RUnlock(g trace.GoID, l trace.Addr) *Builder {
	return b.Add(trace.Event{Kind: format.Unlock, Flags: format.FlagRead, G: g, Obj: l})
}

// Send, Recv and Close use the channel c with the given capacity.
func (b *Builder) Send(g trace.GoID, c trace.Addr, capacity, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.ChanSend, G: g, Obj: c, Val: v, Aux: capacity})
}

func (b *Builder) Recv(g trace.GoID, c trace.Addr, capacity, v uint64) *Builder {
	return b.Add(trace.Event{Kind: format.ChanRecv, G: g, Obj: c, Val: v, Aux: capacity})
}

func (b *Builder) Close(g trace.GoID, c trace.Addr, capacity uint64) *Builder {
	return b.Add(trace.Event{Kind: format.ChanClose, G: g, Obj: c, Aux: capacity})
}

// Go has g start u, and u begin. End ends g.
func (b *Builder) Go(g, u trace.GoID) *Builder {
	return b.op(format.Go, g, trace.Addr(u)).op(format.Start, u, trace.Addr(g))
}

func (b *Builder) End(g trace.GoID) *Builder { return b.op(format.End, g, 0) }
