package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
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

// poolGet executes the Get of a sync.Pool: it takes an object, if the next step does so (CP4).
// Otherwise it has none, and returns what the function New returns, or nil (CP3). It reports
// whether it has entered New.
func (m *machine) poolGet(in *ssa.Call) (entered bool) {
	f := m.frame
	pool := pointer(f.val(in.Call.Args[0]))
	if m.takes(in, pool) {
		return false
	}
	at := pool + uint64(fieldOffset(pointee(in.Call.Args[0].Type()), "New"))
	function, ok := m.memory.word(at)
	if !ok {
		throw("a sync.Pool of unknown New")
	}
	if function == 0 {
		f.vals[in] = zero(16)
		return false
	}
	fn, free := m.functionAt(function)
	if binds(fn) {
		throw("a sync.Pool whose New is a bound method")
	}
	inner := m.invocation(m.body(fn), nil, free)
	inner.caller = f
	m.frame = inner
	return true
}

// takes executes a Get that takes an object, if the next step is one of its word: the word has 1,
// and 0 from then on.
func (m *machine) takes(in *ssa.Call, pool uint64) bool {
	site := m.frame.at().Site
	if m.steps.empty() || m.steps.next().Event.Site != site || !format.IsPoolWord(m.steps.next().Event.Obj) {
		return false
	}
	p := m.process
	for _, x := range p.in.snap.Objects(pool, p.in.window.To) {
		if x.Word != uint64(m.steps.next().Event.Obj) {
			continue
		}
		if p.in.stoodForAnother(x) {
			reject("CP6", "the word of the object that a Get takes may stand for what was there before")
		}
		s := m.steps.expect(format.AtomicRMW, 0, site, &x.Word, 8)
		if n, ok := m.ops.values.seen(s, 8).bits(); !ok || n != 1 {
			reject("CP4", "the object that a Get takes is not in the sync.Pool")
		}
		m.ops.values.written(s, number(0, 8))
		m.frame.vals[in] = words(number(x.Type, 8), number(x.Data, 8))
		return true
	}
	reject("CP4", "the object that a Get takes was never put into the sync.Pool")
	return false
}

// stoodForAnother reports whether the word of an object in a sync.Pool has stood for another object
// at the same address: that of this one was allocated in the window, and the word was not 0 before
// the object was put.
func (in *subject) stoodForAnother(x flow.Pooled) bool {
	allocated, set := false, false
	for _, r := range in.window.Records {
		switch {
		case r.Kind == format.Alloc:
			allocated = allocated || x.Data-uint64(r.Obj) < r.Val
		case uint64(r.Obj) == x.Word && r.Kind.IsWrite() && r.Index < x.At:
			set = true
		}
	}
	for o, place := range in.window.Places {
		set = set || place.Addr == x.Word && in.window.Init[o].Val != 0
	}
	return allocated && set
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
