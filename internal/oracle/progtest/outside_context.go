package progtest

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Contexts that WithCancel makes. One is its parent, a lock, the channel of Done, the first of its
// children, and its error once it is cancelled. The place of its cause has its next sibling.
const (
	ctxLock     = 16
	ctxDone     = 24 // an atomic.Value: type word and data word
	ctxChildren = 40
	ctxErr      = 48 // an atomic.Value
	ctxSibling  = 64
	ctxSize     = 80
)

// cancelCode is the code of the function that WithCancel returns.
const cancelCode = funcBase - 48

// The contents of an atomic.Value while it is first set, and then.
const (
	valueSetting = funcBase - 32
	valueSet     = funcBase - 24
)

// contextTypes has the type words of contexts. It is zero if the program has none.
type contextTypes struct{ cancel, background uint64 }

// prepareContexts makes the type words of contexts, for a program that imports the package.
func prepareContexts(p *Program) {
	for _, im := range p.Plan.Program.Packages[0].Types.Imports() {
		if im.Path() != "context" {
			continue
		}
		word := func(name string) uint64 {
			t := types.NewNamed(types.NewTypeName(token.NoPos, im, name, nil), types.NewStruct(nil, nil), nil)
			return p.typeWord(im.Scope().Lookup("Context").Type(), types.NewPointer(t))
		}
		p.contexts = contextTypes{word("cancelCtx"), word("backgroundCtx")}
	}
}

// ofContext returns the operation of a method of a context, or of a call of a cancel function, and
// its context.
func (s *state) ofContext(g *goroutine, f *frame, x *ins) (do func(*outside), ctx uint64) {
	if !x.call.dynamic {
		return nil, 0
	}
	v, c := g.arg(f, &x.args[len(x.args)-1]), &f.fn.prog.contexts
	switch {
	case x.call.method == nil:
		if v[0] >= heapBase && *s.word(v[0]) == cancelCode {
			return (*outside).cancel, *s.word(v[0] + 8)
		}
	case v[0] != 0 && (v[0] == c.cancel || v[0] == c.background):
		switch x.call.method.Name() {
		case "Err":
			return (*outside).contextErr, v[1]
		case "Done":
			return (*outside).contextDone, v[1]
		}
	}
	return nil, 0
}

func (u *outside) background() { u.result(u.st.prog.contexts.background, nowhere) }

// setValue is the first Store of an atomic.Value.
func (u *outside) setValue(addr, v uint64) {
	u.load(addr, 8)
	u.swap(addr, valueSetting)
	u.store(addr+8, 8, v)
	u.store(addr, 8, valueSet)
}

// done returns the channel of a context.
func (u *outside) done(ctx uint64) uint64 {
	u.load(ctx+ctxDone, 8)
	return u.load(ctx+ctxDone+8, 8)
}

func (u *outside) contextDone() {
	if u.addr == nowhere {
		u.result(0)
		return
	}
	u.result(u.done(u.addr))
}

// contextErr waits for the channel of a context that is cancelled, which is closed. That of another
// one is open.
func (u *outside) contextErr() {
	if u.addr == nowhere {
		u.result(0, 0)
		return
	}
	if u.load(u.addr+ctxErr, 8) == 0 {
		u.emit(trace.Event{Kind: format.SelectCase, Flags: format.FlagNoValue, Obj: trace.Addr(u.done(u.addr))})
		u.emit(trace.Event{Kind: format.SelectDefault})
		u.result(0, 0)
		return
	}
	u.load(u.addr+ctxErr+8, 8)
	u.emit(trace.Event{Kind: format.ChanRecv, Flags: format.FlagClosed | format.FlagNoValue, Obj: trace.Addr(u.done(u.addr))})
	u.result(stdError, stdError-8)
}

// withCancel makes a context.
func (u *outside) withCancel() {
	parent := u.arg(0)
	ctx := u.alloc(ctxSize)
	*u.s.word(ctx), *u.s.word(ctx + 8) = parent[0], parent[1]
	c := u.g.alloc(24)
	u.emit(trace.Event{Kind: format.Alloc, Obj: trace.Addr(c), Val: 24})
	*u.s.word(ctx + ctxDone), *u.s.word(ctx + ctxDone + 8) = valueSet, c
	u.emit(trace.Event{Kind: format.AtomicWrite, Size: 8, Obj: format.Contexts + trace.Addr(ctx), Val: c})
	switch {
	case parent[0] == u.st.prog.contexts.background:
	case parent[0] != u.st.prog.contexts.cancel:
		panic(fault("another context"))
	default:
		u.child(parent[1], ctx)
	}
	f := u.alloc(16)
	*u.s.word(f), *u.s.word(f + 8) = cancelCode, ctx
	u.emit(partOfContext(0, f, ctx))
	u.result(u.st.prog.contexts.cancel, ctx, f)
}

// partOfContext is what a recording has of a context (package format).
func partOfContext(g trace.GoID, at, is uint64) trace.Event {
	return trace.Event{Kind: format.AtomicWrite, G: g, Flags: format.FlagOpaque, Size: 8, Obj: format.Cancels + trace.Addr(at), Val: is}
}

// cancels returns the functions that WithCancel has returned and global variables hold.
func (p *Program) cancels(s *state) (list []uint64) {
	for g, at := range p.globals {
		if _, ok := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Signature); ok {
			if f := s.load(at, 8); f >= heapBase && *s.word(f) == cancelCode {
				list = append(list, f)
			}
		}
	}
	slices.Sort(list)
	return list
}

// child makes ctx a child of its parent. If that is cancelled, so is the child.
func (u *outside) child(parent, ctx uint64) {
	u.emit(partOfContext(0, parent, ctx))
	c := u.done(parent)
	if *u.s.word(c + 8) != 0 {
		u.emit(trace.Event{Kind: format.ChanRecv, Flags: format.FlagNonBlocking | format.FlagClosed | format.FlagNoValue, Obj: trace.Addr(c)})
		u.load(parent+ctxErr, 8)
		u.load(parent+ctxErr+8, 8)
		u.emit(trace.Event{Kind: format.ChanRecv, Flags: format.FlagClosed | format.FlagNoValue, Obj: trace.Addr(u.done(parent))})
		u.sync(format.Lock, ctx+ctxLock)
		u.end(ctx)
		u.sync(format.Unlock, ctx+ctxLock)
		return
	}
	u.emit(trace.Event{Kind: format.SelectCase, Flags: format.FlagNoValue, Obj: trace.Addr(c)})
	u.emit(trace.Event{Kind: format.SelectDefault})
	u.done(parent)
	u.done(parent)
	u.sync(format.Lock, parent+ctxLock)
	u.load(parent+ctxErr, 8)
	u.children(format.Write, parent)
	*u.s.word(ctx + ctxSibling), *u.s.word(parent + ctxChildren) = *u.s.word(parent + ctxChildren), ctx
	u.sync(format.Unlock, parent+ctxLock)
}

// children records an access to the children of a context. Its lock is held.
func (u *outside) children(kind format.Kind, ctx uint64) {
	u.emit(trace.Event{Kind: kind, Flags: format.FlagNoValue, Size: 1, Obj: trace.Addr(ctx + ctxChildren)})
}

// end cancels a context that is not, without its children. Its lock is held.
func (u *outside) end(ctx uint64) {
	u.load(ctx+ctxErr, 8)
	u.setValue(ctx+ctxErr, stdError)
	u.load(ctx+ctxDone, 8)
	c := u.load(ctx+ctxDone+8, 8)
	u.emit(trace.Event{Kind: format.Write, Flags: format.FlagNoValue, Size: 1, Obj: trace.Addr(c)})
	u.emit(trace.Event{Kind: format.ChanClose, Flags: format.FlagNoValue, Obj: trace.Addr(c)})
	*u.s.word(c + 8) = 1
}

// cancel cancels a context, and then its children, one in a step. Their own children are part of
// the same step.
func (u *outside) cancel() {
	ctx := u.addr
	if u.g.top().phase == 0 {
		u.sync(format.Lock, ctx+ctxLock)
		if u.load(ctx+ctxErr, 8) != 0 {
			u.load(ctx+ctxErr+8, 8)
			u.sync(format.Unlock, ctx+ctxLock)
			return
		}
		u.end(ctx)
	} else {
		u.cancelChild(ctx)
	}
	u.children(format.Read, ctx)
	if u.more = *u.s.word(ctx + ctxChildren) != 0; u.more {
		*u.s.word(ctx + ctxLock) = 1
		u.g.top().phase++
		return
	}
	*u.s.word(ctx + ctxLock) = 0
	u.sync(format.Unlock, ctx+ctxLock)
	u.leaveParent(ctx)
}

// cancelChild cancels the first child of a context.
func (u *outside) cancelChild(ctx uint64) {
	first := u.s.word(ctx + ctxChildren)
	child := *first
	*first, *u.s.word(child + ctxSibling) = *u.s.word(child + ctxSibling), 0
	u.sync(format.Lock, child+ctxLock)
	if u.load(child+ctxErr, 8) == 0 {
		u.end(child)
		u.children(format.Read, child)
		for *u.s.word(child + ctxChildren) != 0 {
			u.cancelChild(child)
		}
	}
	u.sync(format.Unlock, child+ctxLock)
}

// leaveParent removes a context from its parent's children.
func (u *outside) leaveParent(ctx uint64) {
	if *u.s.word(ctx) != u.st.prog.contexts.cancel {
		return
	}
	parent := *u.s.word(ctx + 8)
	u.done(parent)
	u.done(parent)
	u.sync(format.Lock, parent+ctxLock)
	u.children(format.Write, parent)
	for at := parent + ctxChildren; *u.s.word(at) != 0; at = *u.s.word(at) + ctxSibling {
		if *u.s.word(at) == ctx {
			*u.s.word(at), *u.s.word(ctx + ctxSibling) = *u.s.word(ctx + ctxSibling), 0
			break
		}
	}
	u.sync(format.Unlock, parent+ctxLock)
}

// cancelWaits reports whether the first step of a cancel has to wait, because another cancel of the
// context has not ended, or one of its parent, from which the cancel removes it.
func (s *state) cancelWaits(g *goroutine, ctx uint64) bool {
	if g.top().phase > 0 {
		return false
	}
	parent := *s.word(ctx + 8)
	removes := *s.word(ctx + ctxErr) == 0 && parent != nowhere
	return *s.word(ctx + ctxLock) != 0 || removes && *s.word(parent + ctxLock) != 0
}
