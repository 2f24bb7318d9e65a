package window

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// StartFrom gives b the state at the start of w, as if a trace had led there. At says
// which address an object of w has.
func (b *Builder) StartFrom(w *model.Window, at func(k format.Kind, o model.Obj) trace.Addr, g func(model.Thread) trace.GoID) {
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind.IsAccess() {
			b.carry.mem.access(&trace.Event{Kind: format.Write, Obj: at(e.Kind, e.Obj), Size: 8, Val: w.Init[e.Obj].Val}, 0)
			continue
		}
		if c, ok := classOf(e.Kind); ok {
			b.start(w, c, at(e.Kind, e.Obj), e.Obj, g)
		}
		for _, c := range e.Cases {
			b.start(w, chanClass, at(format.ChanSend, c.Chan), c.Chan, g)
		}
	}
}

func (b *Builder) start(w *model.Window, c class, addr trace.Addr, id model.Obj, g func(model.Thread) trace.GoID) {
	s, o := w.Init[id], b.carry.object(objKey{c, addr})
	if o.known {
		return
	}
	*o = object{
		known: true, writer: s.Writer, readers: s.Readers, counter: s.Counter, once: s.Once,
		cap: uint64(s.Cap), closed: s.Closed, slotOf: g(s.SlotOf),
	}
	for _, v := range s.Queue {
		o.queue = append(o.queue, element{val: v, known: true, send: -1})
	}
	for _, x := range s.Waiters {
		o.waiters = append(o.waiters, sleeper{g(x.Thread), x.Notified})
	}
}
