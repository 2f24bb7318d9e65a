package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// unnoticed executes a call of the library that no other goroutine notices (CP3): of a sync.Pool,
// or of a timer. ok is false if it is no such call.
func (m *machine) unnoticed(call *ssa.CallCommon, args []value) (result value, ok bool) {
	callee := call.StaticCallee()
	if callee == nil || m.process.in.snap.Program.Func(callee) != nil {
		return value{}, false
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		return value{}, false
	}
	switch fn.FullName() {
	case "(*sync.Pool).Put":
		pointer(args[0])
		return value{}, true
	case "time.After", "time.NewTimer", "time.NewTicker":
		d, ok := args[0].bits()
		switch {
		case !ok || int64(d) <= 0: // it may send at once
			return value{}, false
		case fn.FullName() == "time.After":
			return number(m.channel().base, 8), true
		}
		return m.timer(m.channel()), true
	case "time.AfterFunc":
		return m.afterFunc(args[1]), true
	case "(*time.Timer).Stop", "(*time.Ticker).Stop":
		return m.stops(call, pointer(args[0]))
	}
	return value{}, false
}

// channel makes a channel to which a timer will send.
func (m *machine) channel() *object {
	x := m.env.heap.allocate(m.env.owner, zero(8), false)
	x.ticks = true
	return x
}

// timer makes a timer. Its channel is its first field.
func (m *machine) timer(c *object) value {
	data := unknown(timerSize)
	at := zero(8)
	if c != nil {
		at = number(c.base, 8)
	}
	for i := range 8 {
		data = data.with(i, at.part(i, 1))
	}
	return number(m.env.heap.allocate(m.env.owner, data, false).base, 8)
}

// timerSize is more than the size of a Timer and of a Ticker.
const timerSize = 256

// stops stops a timer that runs, or that has run. The result is whether it has.
func (m *machine) stops(call *ssa.CallCommon, addr uint64) (result value, ok bool) {
	running, ok := m.stopsOwn(addr)
	if !ok {
		running, ok = m.stopsCalling(addr)
	}
	if !ok {
		running, ok = m.ops.timers.stop(addr)
	}
	switch {
	case !ok:
		return value{}, false
	case call.Signature().Results().Len() == 0:
		return value{}, true
	}
	return truth(running), true
}

// stopsOwn stops a timer that the goroutine has made.
func (m *machine) stopsOwn(addr uint64) (running, ok bool) {
	x, _ := m.env.heap.number(addr)
	if addr < freshBase || x == nil || addr != x.base || x.owner != m.env.owner || len(x.data.img) != timerSize {
		return false, false
	}
	if c, ok := x.data.part(0, 8).bits(); ok && c != 0 {
		if x, _ = m.env.heap.number(c); x == nil {
			return false, false
		}
	}
	running, x.ticks = x.ticks, false
	return running, true
}

// stopsCalling stops a timer of the recorded run that calls a function, if the next step says
// whether it has fired: it does not, or a goroutine calls the function, or a goroutine is there
// that has done nothing yet.
func (m *machine) stopsCalling(addr uint64) (running, ok bool) {
	site := m.frame.at().Site
	if m.steps.empty() {
		return false, false
	}
	next := &m.steps.next().Event
	if next.Site != site || next.Kind != format.Block && next.Kind != format.Go {
		return false, false
	}
	x, ok := m.ops.timers.ends(addr)
	switch {
	case !ok:
		reject("CP4", "the step stops a timer that is not known")
	case next.Kind == format.Block:
		return m.steps.expect(format.Block, format.FlagTimer, site, nil, 0).Case == 0, true
	}
	fn, free := x.Runs.Fn, []value(nil)
	if x.At != 0 {
		fn, free = m.functionAt(x.At)
	}
	if fn == nil || binds(fn) {
		throw("a timer of a function that is not known")
	}
	m.starts(m.invocation(m.body(fn), nil, free), site)
	return false, true
}

// ticking returns the channel of a timer that the alternative has made and that will send to it.
func (h *heap) ticking(addr uint64) *object {
	if addr < freshBase {
		return nil
	}
	if x, _ := h.number(addr); x != nil && x.base == addr && x.ticks {
		return x
	}
	return nil
}

// afterFunc starts a timer with a function. The next step says whether it fires.
func (m *machine) afterFunc(function value) value {
	site := m.frame.at().Site
	if m.steps.ahead(site).Event.Kind == format.Block {
		m.steps.expect(format.Block, 0, site, nil, 0)
		t := m.timer(nil)
		x, _ := m.env.heap.number(pointer(t))
		x.ticks = true
		return t
	}
	fn, free := m.functionAt(pointer(function))
	if binds(fn) {
		throw("a timer of a bound method")
	}
	t := m.timer(nil) // it runs no more
	m.starts(m.invocation(m.body(fn), nil, free), site)
	return t
}

// fieldOffset is the offset of a field in a struct type.
func fieldOffset(t types.Type, name string) int64 {
	var fields []*types.Var
	for f := range t.Underlying().(*types.Struct).Fields() {
		if fields = append(fields, f); f.Name() == name {
			return sizes.Offsetsof(fields)[len(fields)-1]
		}
	}
	throw("%v has no field %s", t, name)
	return 0
}
